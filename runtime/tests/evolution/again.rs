//! Runs that are continued as new, and workflows with versions, former names and a `#[migrate]`.

use crate::edits;

edits! {
    "a run continues as new with one parameter more"
    continued_with_more {
        old [] {
            #[workflow]
            pub async fn continued_with_more(cx: &Context, left: u8, sum: u8) -> String {
                if left == 0 {
                    return format!("{sum}");
                }
                let Go(go) = cx.signal::<Go>().await;
                cx.continue_as_new(continued_with_more(left - 1, sum + go))
            }
        }
        new [] {
            #[workflow]
            pub async fn continued_with_more(cx: &Context, sum: u64, left: u8, by: String) -> String {
                if left == 0 {
                    return format!("{sum} {by}");
                }
                let Go(go) = cx.signal::<Go>().await;
                cx.continue_as_new(continued_with_more(sum + u64::from(go), left - 1, "new".to_owned()))
            }
        }
        run old(2, 1) new(1, 2, "new".to_owned());
        at "start" [] [Go(7), Go(8)] => Blocked("", "by", "16");
        at "signal<Go>" [] [Go(7), Go(8)] => Goes("16 new");
    }

    "a run continues as new as another workflow"
    continued_as_another {
        old [] {
            #[workflow]
            pub async fn continued_as_another(cx: &Context, left: u8) -> String {
                let Go(go) = cx.signal::<Go>().await;
                if left == 0 {
                    return format!("{go}");
                }
                cx.continue_as_new(continued_as_another(left - 1))
            }
        }
        new [] {
            #[workflow(name = "continued_as_another.next")]
            pub async fn next(cx: &Context, left: u64, before: u8) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{left} {before} {go}")
            }

            #[workflow]
            pub async fn continued_as_another(cx: &Context, left: u8) -> String {
                let Go(go) = cx.signal::<Go>().await;
                if left == 0 {
                    return format!("{go}!");
                }
                cx.continue_as_new(next(u64::from(left), go))
            }
        }
        run old(1) new(1);
        children old [] new [next];
        at "signal<Go>" [] [Go(7), Go(8)] => Goes("1 7 8");
    }

    "a workflow gets a new name and a wider local, which a `#[migrate]` renames"
    renamed_and_migrated {
        old [] {
            #[workflow]
            pub async fn renamed_and_migrated(cx: &Context, id: u64) -> String {
                let total = (id * 2) as u8;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow(name = "renamed_and_migrated.now", formerly = "renamed_and_migrated")]
            pub async fn renamed_and_migrated(cx: &Context, id: u64) -> String {
                let sum = format!("{}", id * 2);
                let Go(go) = cx.signal::<Go>().await;
                format!("{sum} {go}")
            }

            #[derive(Deserialize)]
            pub struct Old {
                total: u64,
            }

            #[migrate(workflow = renamed_and_migrated, from = "signal<Go>")]
            pub fn migrate_wait(old: Old) -> Resume<renamed_and_migrated> {
                Resume::at_named("signal<Go>").with("sum", &format!("of {}", old.total))
            }
        }
        run old(7) new(7);
        at "start" [] [Go(1)] => Goes("14 1");
        at "signal<Go>" [] [Go(1)] => Goes("of 14 1");
    }

    "a `#[migrate]` needs a local that the state does not have"
    migrated_without_a_local {
        old [] {
            #[workflow]
            pub async fn migrated_without_a_local(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn migrated_without_a_local(cx: &Context, id: u64) -> String {
                let sum = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{sum} {go}")
            }

            #[derive(Deserialize)]
            pub struct Old {
                amount: u64,
            }

            #[migrate(workflow = migrated_without_a_local, from = "signal<Go>")]
            pub fn migrate_wait(old: Old) -> Resume<migrated_without_a_local> {
                Resume::at_named("signal<Go>").with("sum", &old.amount)
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Blocked("Migration", "amount", "14 1");
    }

    "a saved local is renamed with its old name, retyped, and saved in a struct of its own"
    formerly_and_retyped {
        old [] {
            #[derive(Serialize, Deserialize)]
            pub struct Money {
                pub cents: u8,
            }

            #[workflow]
            pub async fn formerly_and_retyped(cx: &Context, id: u64) -> String {
                let total = Money { cents: (id * 2) as u8 };
                let Go(go) = cx.signal::<Go>().await;
                format!("{} {go}", total.cents)
            }
        }
        new [] {
            #[derive(Serialize, Deserialize)]
            pub struct Amount {
                #[serde(default)]
                pub euros: u64,
                #[serde(alias = "cents")]
                pub small: u64,
            }

            #[workflow]
            pub async fn formerly_and_retyped(cx: &Context, id: u64) -> String {
                #[formerly("total")]
                let sum = Amount { euros: 0, small: id * 2 };
                let Go(go) = cx.signal::<Go>().await;
                format!("{} {} {go}", sum.euros, sum.small)
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("0 14 1");
    }

    "the names of two states are exchanged"
    states_exchanged {
        old [] {
            #[workflow]
            pub async fn states_exchanged(cx: &Context, id: u64) -> String {
                #[state("deposit")]
                let one = charge(id).await;
                #[state("rest")]
                let two = charge(id + 1).await;
                let Go(go) = cx.signal::<Go>().await;
                format!("{one} {two} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn states_exchanged(cx: &Context, id: u64) -> String {
                #[state("rest")]
                let one = charge(id).await;
                #[state("deposit")]
                let two = charge(id + 1).await;
                let Go(go) = cx.signal::<Go>().await;
                format!("{one} {two} {go}")
            }
        }
        run old(7) new(7);
        at "deposit" [] [Go(1)] holding ["charge 7"] => Blocked("MissingLocal", "one", "charged 7 charged 8 1");
        at "rest" [] [Go(1)] holding ["charge 8"] => Blocked("MissingLocal", "id", "charged 7 charged 8 1");
    }

    "a state gets a name of its own, and had that of its activity"
    state_named {
        old [] {
            #[workflow]
            pub async fn state_named(id: u64) -> String {
                charge(id).await
            }
        }
        new [] {
            #[workflow]
            pub async fn state_named(id: u64) -> String {
                #[state("deposit")]
                let charged = charge(id).await;
                charged
            }
        }
        run old(7) new(7);
        at "charge" [] [] holding ["charge 7"] => Blocked("MissingState", "charge", "charged 7");
    }

    "a constant in a condition changes"
    constant_in_a_condition {
        old [] {
            const LIMIT: u64 = 10;

            #[workflow]
            pub async fn constant_in_a_condition(cx: &Context, id: u64) -> String {
                let is_large = id > LIMIT;
                let Go(go) = cx.signal::<Go>().await;
                format!("{is_large} {} {go}", id > LIMIT)
            }
        }
        new [] {
            const LIMIT: u64 = 5;

            #[workflow]
            pub async fn constant_in_a_condition(cx: &Context, id: u64) -> String {
                let is_large = id > LIMIT;
                let Go(go) = cx.signal::<Go>().await;
                format!("{is_large} {} {go}", id > LIMIT)
            }
        }
        run old(7) new(7);
        at "start" [] [Go(1)] => Goes("true true 1");
        at "signal<Go>" [] [Go(1)] => Goes("false true 1");
    }

    "an entry is added in front of a static of which one is bound to a local by its number: it is the one of today"
    static_borrowed {
        old [] {
            static NAMES: [&str; 2] = ["one", "two"];

            #[workflow]
            pub async fn static_borrowed(cx: &Context) -> String {
                let name = NAMES[1];
                let Go(go) = cx.signal::<Go>().await;
                format!("{name} {go}")
            }
        }
        new [] {
            static NAMES: [&str; 3] = ["none", "one", "two"];

            #[workflow]
            pub async fn static_borrowed(cx: &Context) -> String {
                let name = NAMES[1];
                let Go(go) = cx.signal::<Go>().await;
                format!("{name} {go}")
            }
        }
        run old() new();
        at "start" [] [Go(1)] => Goes("one 1");
        at "signal<Go>" [] [Go(1)] => Goes("one 1");
    }

    "the bound of a generic workflow that this one awaits is another one, and its local is renamed"
    generic_local_renamed {
        old [] {
            #[workflow(name = "generic_local_renamed.hold")]
            pub async fn hold<T>(cx: &Context, value: T) -> String
            where
                T: Serialize + for<'a> Deserialize<'a> + Send + std::fmt::Debug + 'static,
            {
                let kept = vec![value];
                let Go(go) = cx.signal::<Go>().await;
                format!("{kept:?} {go}")
            }

            #[workflow]
            pub async fn generic_local_renamed() -> String {
                hold(7_u8).await
            }
        }
        new [] {
            #[workflow(name = "generic_local_renamed.hold")]
            pub async fn hold<T>(cx: &Context, value: T) -> String
            where
                T: Serialize + for<'a> Deserialize<'a> + Send + std::fmt::Debug + Clone + 'static,
            {
                #[formerly("kept")]
                let saved = std::collections::VecDeque::from([value]);
                let Go(go) = cx.signal::<Go>().await;
                format!("{saved:?} {go}")
            }

            #[workflow]
            pub async fn generic_local_renamed() -> String {
                hold(7_u16).await
            }
        }
        run old() new();
        at "hold" [] [Go(1)] => Goes("[7] 1");
    }
}

//! A `#[migrate]` from a `select!` or a `join!` to some of its branches.

use crate::edits;

edits! {
    "a `select!` of a signal and a timer becomes the wait for the signal"
    select_to_signal {
        old [] {
            #[workflow]
            pub async fn select_to_signal(cx: &Context, id: u64) -> String {
                select! {
                    Go(go) = cx.signal::<Go>() => format!("{id} {go}"),
                    () = cx.sleep(hours(1)) => "late".to_owned(),
                }
            }
        }
        new [] {
            #[workflow]
            pub async fn select_to_signal(cx: &Context, id: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {go}")
            }

            #[derive(Deserialize)]
            pub struct Old {}

            #[migrate(workflow = select_to_signal, from = "select")]
            pub fn migrate_select(_: Old) -> Resume<select_to_signal> {
                Resume::at_named("signal<Go>").keep("id")
            }
        }
        run old(7) new(7);
        at "select" [] [Go(1)] => Goes("7 1");
    }

    "a `join!` of two calls becomes one of them, and the other one is under way"
    join_to_call {
        old [] {
            #[workflow]
            pub async fn join_to_call() -> String {
                let (from, to) = join!(payer(1), payee(2));
                format!("{from} {to}")
            }
        }
        new [] {
            #[workflow]
            pub async fn join_to_call() -> String {
                let to = payee(2).await;
                let noted = note("after".into()).await;
                format!("{to} {noted}")
            }

            #[derive(Deserialize)]
            pub struct Old {}

            #[migrate(workflow = join_to_call, from = "join")]
            pub fn migrate_join(_: Old) -> Resume<join_to_call> {
                Resume::at_named("payee")
            }
        }
        run old() new();
        at "join" [] [] holding ["payer 1", "payee 2"] => Goes("payee 2 noted after");
        at "join" [] [] holding ["payee 2"] => Goes("payee 2 noted after");
        at "join" [] [] holding ["payer 1"] => Goes("payee 2 noted after");
    }

    "a `join!` of two signals becomes the wait for one of them, and the other one never comes"
    join_to_signal {
        old [] {
            #[workflow]
            pub async fn join_to_signal(cx: &Context) -> String {
                let (Go(go), Halt(halt)) = join!(cx.signal::<Go>(), cx.signal::<Halt>());
                format!("{go} {halt}")
            }
        }
        new [] {
            #[workflow]
            pub async fn join_to_signal(cx: &Context) -> String {
                let Halt(halt) = cx.signal::<Halt>().await;
                format!("{halt}")
            }

            #[derive(Deserialize)]
            pub struct Old {}

            #[migrate(workflow = join_to_signal, from = "join")]
            pub fn migrate_join(_: Old) -> Resume<join_to_signal> {
                Resume::at_named("signal<Halt>")
            }
        }
        run old() new();
        at "join" [] [Halt(3)] => Goes("3");
    }

    "a `select!` of three operations loses one, a promise"
    select_loses_a_branch {
        old [] {
            #[workflow]
            pub async fn select_loses_a_branch(cx: &Context) -> String {
                let approval: Promise<u8> = cx.promise("approval");
                select! {
                    Go(go) = cx.signal::<Go>() => format!("go {go}"),
                    said = approval => format!("said {:?}", said.ok()),
                    Halt(halt) = cx.signal::<Halt>() => format!("halt {halt}"),
                }
            }
        }
        new [] {
            #[workflow]
            pub async fn select_loses_a_branch(cx: &Context) -> String {
                select! {
                    Halt(halt) = cx.signal::<Halt>() => format!("halt {halt}"),
                    Go(go) = cx.signal::<Go>() => format!("go {go}"),
                }
            }

            #[derive(Deserialize)]
            pub struct Old {}

            #[migrate(workflow = select_loses_a_branch, from = "select")]
            pub fn migrate_select(_: Old) -> Resume<select_loses_a_branch> {
                Resume::at_named("select")
            }
        }
        run old() new();
        at "select" [] [Halt(3)] => Goes("halt 3");
        at "select" [] [Go(4)] => Goes("go 4");
    }

    "a `select!` of a call on a queue and a signal becomes the wait for the signal"
    queued_given_up {
        old [] {
            #[workflow]
            pub async fn queued_given_up(cx: &Context) -> String {
                select! {
                    Go(go) = cx.signal::<Go>() => format!("go {go}"),
                    paid = payer(1).queue("narrowed") => paid,
                }
            }
        }
        new [] {
            #[workflow]
            pub async fn queued_given_up(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("go {go}")
            }

            #[derive(Deserialize)]
            pub struct Old {}

            #[migrate(workflow = queued_given_up, from = "select")]
            pub fn migrate_select(_: Old) -> Resume<queued_given_up> {
                Resume::at_named("signal<Go>")
            }
        }
        run old() new();
        at "select" [] [Go(4)] => Goes("go 4");
    }
}

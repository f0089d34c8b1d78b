//! Parameters of activities and workflows that are renamed, moved, added and removed at once.

use crate::edits;

edits! {
    "one parameter of an activity is renamed, and another one moves, while it is attempted"
    parameter_renamed {
        old [pay] {
            #[activity(name = "parameter_renamed.pay")]
            pub async fn pay(cx: &ActivityContext, from: u64, to: u64, cents: u64) -> String {
                pass(cx, "pay".into()).await;
                format!("{from} {to} {cents}")
            }

            #[workflow]
            pub async fn parameter_renamed() -> String {
                pay(1, 2, 3).await
            }
        }
        new [pay] {
            #[activity(name = "parameter_renamed.pay")]
            pub async fn pay(cents: u128, target: u64, from: u64) -> String {
                format!("{from} {target} {cents}")
            }

            #[workflow]
            pub async fn parameter_renamed() -> String {
                pay(3, 2, 1).await
            }
        }
        run old() new();
        at "start" [] [] => Goes("1 2 3");
        at "pay" [] [] holding ["pay"] => Goes("1 2 3");
    }

    "two parameters of one type are renamed, and change places, while an activity is attempted"
    parameters_renamed {
        old [pay] {
            #[activity(name = "parameters_renamed.pay")]
            pub async fn pay(cx: &ActivityContext, from: u64, to: u64) -> String {
                pass(cx, "pay".into()).await;
                format!("{from} {to}")
            }

            #[workflow]
            pub async fn parameters_renamed() -> String {
                pay(1, 2).await
            }
        }
        new [pay] {
            #[activity(name = "parameters_renamed.pay")]
            pub async fn pay(target: u32, source: u64) -> String {
                format!("{source} {target}")
            }

            #[workflow]
            pub async fn parameters_renamed() -> String {
                pay(2, 1).await
            }
        }
        run old() new();
        at "start" [] [] => Goes("1 2");
        at "pay" [] [] holding ["pay"] => Blocked("", "`target` and `source` have new names", "1 2");
    }

    "two parameters of a workflow with one type are renamed before a run has begun"
    start_renamed {
        old [] {
            #[workflow]
            pub async fn start_renamed(cx: &Context, from: u64, to: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{from} {to} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn start_renamed(cx: &Context, target: u64, source: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{source} {target} {go}")
            }
        }
        run old(1, 2) new(2, 1);
        at "start" [] [Go(7)] => Blocked("", "`target` and `source` have new names", "1 2 7");
    }

    "two parameters of different types are renamed while an activity is attempted"
    parameters_of_two_types_renamed {
        old [pay] {
            #[activity(name = "parameters_of_two_types_renamed.pay")]
            pub async fn pay(cx: &ActivityContext, id: u64, name: String) -> String {
                pass(cx, "pay".into()).await;
                format!("{id} {name}")
            }

            #[workflow]
            pub async fn parameters_of_two_types_renamed() -> String {
                pay(1, "Ada".into()).await
            }
        }
        new [pay] {
            #[activity(name = "parameters_of_two_types_renamed.pay")]
            pub async fn pay(order: u64, customer: String) -> String {
                format!("{order} {customer}")
            }

            #[workflow]
            pub async fn parameters_of_two_types_renamed() -> String {
                pay(1, "Ada".into()).await
            }
        }
        run old() new();
        at "pay" [] [] holding ["pay"] => Goes("1 Ada");
    }

    "a parameter of an activity is removed, and another one is added, while it is attempted"
    parameter_replaced {
        old [pay] {
            #[activity(name = "parameter_replaced.pay")]
            pub async fn pay(cx: &ActivityContext, from: u64, to: u64) -> String {
                pass(cx, "pay".into()).await;
                format!("{from} {to}")
            }

            #[workflow]
            pub async fn parameter_replaced() -> String {
                pay(1, 2).await
            }
        }
        new [pay] {
            #[activity(name = "parameter_replaced.pay")]
            pub async fn pay(to: u64, source: u64) -> String {
                format!("{source} {to}")
            }

            #[workflow]
            pub async fn parameter_replaced() -> String {
                pay(2, 1).await
            }
        }
        run old() new();
        at "pay" [] [] holding ["pay"] => Blocked("", "source", "1 2");
    }

    "a parameter of an activity is removed, and the other one is renamed, while it is attempted"
    parameter_removed_and_renamed {
        old [pay] {
            #[activity(name = "parameter_removed_and_renamed.pay")]
            pub async fn pay(cx: &ActivityContext, from: u64, to: u64) -> String {
                pass(cx, "pay".into()).await;
                format!("{from} {to}")
            }

            #[workflow]
            pub async fn parameter_removed_and_renamed() -> String {
                pay(1, 2).await
            }
        }
        new [pay] {
            #[activity(name = "parameter_removed_and_renamed.pay")]
            pub async fn pay(target: u64) -> String {
                format!("{target}")
            }

            #[workflow]
            pub async fn parameter_removed_and_renamed() -> String {
                pay(2).await
            }
        }
        run old() new();
        at "pay" [] [] holding ["pay"] => Blocked("", "target", "1 2");
    }

    "a parameter of an activity is removed while it is attempted"
    parameter_removed {
        old [pay] {
            #[activity(name = "parameter_removed.pay")]
            pub async fn pay(cx: &ActivityContext, from: u64, to: u64) -> String {
                pass(cx, "pay".into()).await;
                format!("{from} {to}")
            }

            #[workflow]
            pub async fn parameter_removed() -> String {
                pay(1, 2).await
            }
        }
        new [pay] {
            #[activity(name = "parameter_removed.pay")]
            pub async fn pay(to: u64) -> String {
                format!("{to}")
            }

            #[workflow]
            pub async fn parameter_removed() -> String {
                pay(2).await
            }
        }
        run old() new();
        at "pay" [] [] holding ["pay"] => Goes("2");
    }

    "a parameter of a workflow is removed, and the other one is renamed, before a run has begun"
    start_removed_and_renamed {
        old [] {
            #[workflow]
            pub async fn start_removed_and_renamed(cx: &Context, from: u64, to: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{from} {to} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn start_removed_and_renamed(cx: &Context, target: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{target} {go}")
            }
        }
        run old(1, 2) new(2);
        at "start" [] [Go(7)] => Blocked("", "target", "1 2 7");
        at "signal<Go>" [] [Go(7)] => Blocked("MissingLocal", "`target`", "1 2 7");
    }

    "a parameter of a workflow is removed before a run has begun"
    start_removed {
        old [] {
            #[workflow]
            pub async fn start_removed(cx: &Context, from: u64, to: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{from} {to} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn start_removed(cx: &Context, to: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{to} {go}")
            }
        }
        run old(1, 2) new(2);
        at "start" [] [Go(7)] => Goes("2 7");
        at "signal<Go>" [] [Go(7)] => Goes("2 7");
    }

    "a saved local states its old name, and another one has that name from now on"
    old_name_taken {
        old [] {
            #[workflow]
            pub async fn old_name_taken(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn old_name_taken(cx: &Context, id: u64) -> String {
                #[formerly("total")]
                let sum = id * 2;
                let total = id + 1;
                let Go(go) = cx.signal::<Go>().await;
                format!("{sum} {total} {go}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Blocked("AmbiguousLocal", "`total`", "14 1");
    }

    "a saved local states two old names, of builds before"
    old_names {
        old [] {
            #[workflow]
            pub async fn old_names(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn old_names(cx: &Context, id: u64) -> String {
                #[formerly("amount")]
                #[formerly("total")]
                let sum = id * 3;
                let Go(go) = cx.signal::<Go>().await;
                format!("{sum} {go}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("14 1");
    }

    "two parameters that patterns take apart change places while an activity is attempted"
    patterns_exchanged {
        old [pay] {
            #[activity(name = "patterns_exchanged.pay")]
            pub async fn pay(cx: &ActivityContext, (from, cents): (u64, u64), (to, fee): (u64, u64)) -> String {
                pass(cx, "pay".into()).await;
                format!("{from} {cents} {to} {fee}")
            }

            #[workflow]
            pub async fn patterns_exchanged() -> String {
                pay((1, 30), (2, 4)).await
            }
        }
        new [pay] {
            #[activity(name = "patterns_exchanged.pay")]
            pub async fn pay((to, fee): (u64, u64), (from, cents): (u64, u64)) -> String {
                format!("{from} {cents} {to} {fee}")
            }

            #[workflow]
            pub async fn patterns_exchanged() -> String {
                pay((2, 4), (1, 30)).await
            }
        }
        run old() new();
        at "start" [] [] => Goes("1 30 2 4");
        at "pay" [] [] holding ["pay"] => Goes("1 30 2 4");
    }

    "two parameters that patterns take apart change places before a run has begun"
    start_patterns_exchanged {
        old [] {
            #[workflow]
            pub async fn start_patterns_exchanged(cx: &Context, (from, cents): (u64, u64), [to, fee]: [u64; 2]) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{from} {cents} {to} {fee} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn start_patterns_exchanged(cx: &Context, (to, fee): (u64, u64), [from, cents]: [u64; 2]) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{from} {cents} {to} {fee} {go}")
            }
        }
        run old((1, 30), [2, 4]) new((2, 4), [1, 30]);
        at "start" [] [Go(7)] => Goes("1 30 2 4 7");
    }

    "the patterns of two parameters of one type bind other names from now on, before a run has begun"
    start_patterns_renamed {
        old [] {
            #[workflow]
            pub async fn start_patterns_renamed(cx: &Context, (from, cents): (u64, u64), (to, fee): (u64, u64)) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{from} {cents} {to} {fee} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn start_patterns_renamed(cx: &Context, (payer, sum): (u64, u64), (payee, rate): (u64, u64)) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{payer} {sum} {payee} {rate} {go}")
            }
        }
        run old((1, 30), (2, 4)) new((1, 30), (2, 4));
        at "start" [] [Go(7)] => Blocked("", "`payer, sum` and `payee, rate` have new names", "1 30 2 4 7");
    }
}

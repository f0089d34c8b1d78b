//! Branches of `join!`, `try_join!`, `select!` and `join_all`.

use crate::edits;

edits! {
    "the branches of a `join!` change places, and await different activities"
    join_swapped {
        old [] {
            #[workflow]
            pub async fn join_swapped() -> String {
                let (from, to) = join!(payer(1), payee(2));
                format!("from {from} to {to}")
            }
        }
        new [] {
            #[workflow]
            pub async fn join_swapped() -> String {
                let (to, from) = join!(payee(2), payer(1));
                format!("from {from} to {to}")
            }
        }
        run old() new();
        at "join" [] [] holding ["payer 1", "payee 2"] => Goes("from payer 1 to payee 2");
        at "join" [] [] holding ["payer 1"] => Goes("from payer 1 to payee 2");
        at "join" [] [] holding ["payee 2"] => Goes("from payer 1 to payee 2");
    }

    "the branches of a `join!` change places, and await the same activity"
    join_of_same_swapped {
        old [] {
            #[workflow]
            pub async fn join_of_same_swapped() -> String {
                let (from, to) = join!(payer(1), payer(2));
                format!("from {from} to {to}")
            }
        }
        new [] {
            #[workflow]
            pub async fn join_of_same_swapped() -> String {
                let (to, from) = join!(payer(2), payer(1));
                format!("from {from} to {to}")
            }
        }
        run old() new();
        at "join" [] [] holding ["payer 1", "payer 2"] => Blocked("AmbiguousBranch", "`payer`", "from payer 1 to payer 2");
        at "join" [] [] holding ["payer 2"] => Blocked("AmbiguousBranch", "`payer`", "from payer 1 to payer 2");
    }

    "the branches of a `join!` with names of their own change places"
    join_pinned_swapped {
        old [] {
            #[workflow]
            pub async fn join_pinned_swapped() -> String {
                let (from, to) = join!(#[state("from")] payer(1), #[state("to")] payer(2));
                format!("from {from} to {to}")
            }
        }
        new [] {
            #[workflow]
            pub async fn join_pinned_swapped() -> String {
                let (to, from) = join!(#[state("to")] payer(2), #[state("from")] payer(1));
                format!("from {from} to {to}")
            }
        }
        run old() new();
        at "join" [] [] holding ["payer 1", "payer 2"] => Goes("from payer 1 to payer 2");
        at "join" [] [] holding ["payer 2"] => Goes("from payer 1 to payer 2");
    }

    "an argument of one of two branches of the same activity changes"
    join_argument_edited {
        old [] {
            #[workflow]
            pub async fn join_argument_edited() -> String {
                let (from, to) = join!(payer(1), payer(2));
                format!("from {from} to {to}")
            }
        }
        new [] {
            #[workflow]
            pub async fn join_argument_edited() -> String {
                let (from, to) = join!(payer(1), payer(3));
                format!("from {from} to {to}")
            }
        }
        run old() new();
        at "join" [] [] holding ["payer 2"] => Goes("from payer 1 to payer 2");
    }

    "a branch is added to a `join!`"
    join_branch_added {
        old [] {
            #[workflow]
            pub async fn join_branch_added() -> String {
                let (from, to) = join!(payer(1), payee(2));
                format!("from {from} to {to}")
            }
        }
        new [] {
            #[workflow]
            pub async fn join_branch_added() -> String {
                let (noted, from, to) = join!(note("new".into()), payer(1), payee(2));
                format!("from {from} to {to} {noted}")
            }
        }
        run old() new();
        at "join" [] [] holding ["payer 1", "payee 2"] => Blocked("NewBranch", "`note`", "from payer 1 to payee 2");
    }

    "a branch of a `join!` is removed"
    join_branch_removed {
        old [] {
            #[workflow]
            pub async fn join_branch_removed() -> String {
                let (noted, from, to) = join!(note("old".into()), payer(1), payee(2));
                format!("from {from} to {to} {noted}")
            }
        }
        new [] {
            #[workflow]
            pub async fn join_branch_removed() -> String {
                let (from, to) = join!(payer(1), payee(2));
                format!("from {from} to {to}")
            }
        }
        run old() new();
        at "join" [] [] holding ["payer 1"] => Blocked("MissingBranch", "`note`", "from payer 1 to payee 2 noted old");
    }

    "a branch of a `join!` awaits another activity"
    join_branch_replaced {
        old [] {
            #[workflow]
            pub async fn join_branch_replaced() -> String {
                let (from, to) = join!(payer(1), payee(2));
                format!("from {from} to {to}")
            }
        }
        new [] {
            #[workflow]
            pub async fn join_branch_replaced() -> String {
                let (from, to) = join!(payer(1), charge(2));
                format!("from {from} to {to}")
            }
        }
        run old() new();
        at "join" [] [] holding ["payee 2"] => Blocked("MissingBranch", "`payee`", "from payer 1 to payee 2");
    }

    "the branches of a `try_join!` change places"
    try_join_swapped {
        old [] {
            #[workflow]
            pub async fn try_join_swapped() -> String {
                let both = try_join!(audit(2), async { Ok::<_, ActivityError<String>>(payer(1).await) });
                let (audited, from) = both.unwrap();
                format!("{audited} {from}")
            }
        }
        new [] {
            #[workflow]
            pub async fn try_join_swapped() -> String {
                let both = try_join!(async { Ok::<_, ActivityError<String>>(payer(1).await) }, audit(2));
                let (from, audited) = both.unwrap();
                format!("{audited} {from}")
            }
        }
        run old() new();
        at "try_join" [] [] holding ["audit 2", "payer 1"] => Goes("audited 2 payer 1");
        at "try_join" [] [] holding ["payer 1"] => Goes("audited 2 payer 1");
        at "try_join" [] [] holding ["audit 2"] => Goes("audited 2 payer 1");
    }

    "a `join!` becomes a `try_join!`"
    join_becomes_try_join {
        old [] {
            #[workflow]
            pub async fn join_becomes_try_join() -> String {
                let (one, two) = join!(audit(2), audit(4));
                format!("{} {}", one.unwrap(), two.unwrap())
            }
        }
        new [] {
            #[workflow]
            pub async fn join_becomes_try_join() -> String {
                let (one, two) = try_join!(audit(2), audit(4)).unwrap();
                format!("{one} {two}")
            }
        }
        run old() new();
        at "join" [] [] holding ["audit 2"] => Blocked("MissingState", "`join`", "audited 2 audited 4");
    }

    "the branches of a `select!` change places"
    select_swapped {
        old [] {
            #[workflow]
            pub async fn select_swapped(cx: &Context) -> String {
                select! {
                    Go(go) = cx.signal::<Go>() => format!("go {go}"),
                    Halt(halt) = cx.signal::<Halt>() => format!("halt {halt}"),
                }
            }
        }
        new [] {
            #[workflow]
            pub async fn select_swapped(cx: &Context) -> String {
                select! {
                    Halt(halt) = cx.signal::<Halt>() => format!("halt {halt}"),
                    Go(go) = cx.signal::<Go>() => format!("go {go}"),
                }
            }
        }
        run old() new();
        at "select" [] [Go(1)] => Goes("go 1");
        at "select" [] [Halt(2)] => Goes("halt 2");
    }

    "a branch is added to a `select!`"
    select_branch_added {
        old [] {
            #[workflow]
            pub async fn select_branch_added(cx: &Context) -> String {
                select! {
                    Go(go) = cx.signal::<Go>() => format!("go {go}"),
                    payer = payer(1) => payer,
                }
            }
        }
        new [] {
            #[workflow]
            pub async fn select_branch_added(cx: &Context) -> String {
                select! {
                    Halt(halt) = cx.signal::<Halt>() => format!("halt {halt}"),
                    Go(go) = cx.signal::<Go>() => format!("go {go}"),
                    payer = payer(1) => payer,
                }
            }
        }
        run old() new();
        at "select" [] [Go(1)] holding ["payer 1"] => Blocked("NewBranch", "signal<Halt>", "go 1");
    }

    "a branch of a `select!` is removed"
    select_branch_removed {
        old [] {
            #[workflow]
            pub async fn select_branch_removed(cx: &Context) -> String {
                select! {
                    Halt(halt) = cx.signal::<Halt>() => format!("halt {halt}"),
                    Go(go) = cx.signal::<Go>() => format!("go {go}"),
                }
            }
        }
        new [] {
            #[workflow]
            pub async fn select_branch_removed(cx: &Context) -> String {
                select! {
                    Go(go) = cx.signal::<Go>() => format!("go {go}"),
                }
            }
        }
        run old() new();
        at "select" [] [Go(1)] => Blocked("MissingBranch", "signal<Halt>", "go 1");
    }

    "what a branch of a `select!` does afterwards changes"
    select_handler_edited {
        old [] {
            #[workflow]
            pub async fn select_handler_edited(cx: &Context) -> String {
                select! {
                    Go(go) = cx.signal::<Go>() => format!("go {go}"),
                    payer = payer(1) => payer,
                }
            }
        }
        new [] {
            #[workflow]
            pub async fn select_handler_edited(cx: &Context) -> String {
                select! {
                    Go(go) = cx.signal::<Go>() => format!("{} {go}", note("go".into()).await),
                    payer = payer(1) => payer.to_uppercase(),
                }
            }
        }
        run old() new();
        at "select" [] [Go(1)] holding ["payer 1"] => Goes("noted go 1");
        at "select" [] [] holding ["payer 1"] => Goes("PAYER 1");
    }

    "a wait in a `select!` gets a time limit"
    wait_becomes_select {
        old [] {
            #[workflow]
            pub async fn wait_becomes_select(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("go {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn wait_becomes_select(cx: &Context) -> String {
                select! {
                    Go(go) = cx.signal::<Go>() => format!("go {go}"),
                    _ = cx.sleep(hours(1)) => "late".to_owned(),
                }
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("MissingState", "signal<Go>", "go 1");
    }

    "the wait for a signal gets a time limit of its own"
    wait_gets_a_time_limit {
        old [] {
            #[workflow]
            pub async fn wait_gets_a_time_limit(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("go {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn wait_gets_a_time_limit(cx: &Context) -> String {
                match cx.signal::<Go>().timeout(hours(1)).await {
                    Some(Go(go)) => format!("go {go}"),
                    None => "late".to_owned(),
                }
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("OtherOperation", "with a time limit", "go 1");
    }

    "what a `join_all` is given changes"
    join_all_longer {
        old [] {
            #[workflow]
            pub async fn join_all_longer() -> String {
                let all = join_all((1..3).map(payer)).await;
                all.join(" ")
            }
        }
        new [] {
            #[workflow]
            pub async fn join_all_longer() -> String {
                let all = join_all((1..5).map(payer)).await;
                all.join(", ")
            }
        }
        run old() new();
        at "start" [] [] => Goes("payer 1, payer 2, payer 3, payer 4");
        at "join_all" [] [] holding ["payer 2"] => Goes("payer 1, payer 2");
    }

    "a `join_all` awaits another activity"
    join_all_of_others {
        old [] {
            #[workflow]
            pub async fn join_all_of_others() -> String {
                let all = join_all((1..3).map(payer)).await;
                all.join(" ")
            }
        }
        new [] {
            #[workflow]
            pub async fn join_all_of_others() -> String {
                let all = join_all((1..3).map(payee)).await;
                all.join(" ")
            }
        }
        run old() new();
        at "join_all" [] [] holding ["payer 2"] => Blocked("OtherOperation", "the activity `payee`", "payer 1 payer 2");
    }

    "the result type of a kept outcome of a `join!` is edited"
    kept_outcome_edited {
        old [balance] {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Balance {
                pub credit: u8,
                pub debit: u8,
            }

            #[activity]
            pub async fn balance() -> Balance {
                Balance { credit: 100, debit: 1 }
            }

            #[workflow]
            pub async fn kept_outcome_edited() -> String {
                let (balance, payer) = join!(balance(), payer(1));
                format!("{} {} {payer}", balance.credit, balance.debit)
            }
        }
        new [balance] {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Balance {
                pub debit: u64,
                pub credit: u64,
            }

            #[activity]
            pub async fn balance() -> Balance {
                Balance { credit: 0, debit: 0 }
            }

            #[workflow]
            pub async fn kept_outcome_edited() -> String {
                let (payer, balance) = join!(payer(1), balance());
                format!("{} {} {payer}", balance.credit, balance.debit)
            }
        }
        run old() new();
        at "join" [] [] holding ["payer 1"] => Goes("100 1 payer 1");
    }

    "the result type of a kept outcome no longer accepts it"
    kept_outcome_unreadable {
        old [weight] {
            #[activity]
            pub async fn weight() -> String {
                "heavy".to_owned()
            }

            #[workflow]
            pub async fn kept_outcome_unreadable() -> String {
                let (weight, payer) = join!(weight(), payer(1));
                format!("{weight} {payer}")
            }
        }
        new [weight] {
            #[activity]
            pub async fn weight() -> u64 {
                5
            }

            #[workflow]
            pub async fn kept_outcome_unreadable() -> String {
                let (weight, payer) = join!(weight(), payer(1));
                format!("{weight} {payer}")
            }
        }
        run old() new();
        at "join" [] [] holding ["payer 1"] => Blocked("", "u64", "heavy payer 1");
    }

    "the conditions of two branches that wait for one signal change places"
    conditions_exchanged {
        old [] {
            #[workflow]
            pub async fn conditions_exchanged(cx: &Context, price: u64) -> String {
                select! {
                    Go(go) = cx.signal::<Go>(), if price > 100 => format!("rich {go}"),
                    Go(go) = cx.signal::<Go>(), if price <= 100 => format!("poor {go}"),
                }
            }
        }
        new [] {
            #[workflow]
            pub async fn conditions_exchanged(cx: &Context, price: u64) -> String {
                select! {
                    Go(go) = cx.signal::<Go>(), if price <= 100 => format!("poor {go}"),
                    Go(go) = cx.signal::<Go>(), if price > 100 => format!("rich {go}"),
                }
            }
        }
        run old(200) new(200);
        at "select" [] [Go(7)] => Blocked("AmbiguousBranch", "`signal<Go>`", "rich 7");
    }
}

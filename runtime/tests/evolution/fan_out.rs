//! Time limits, maps over many items, polling, spawned operations, and branches that refuse.

use crate::edits;

edits! {
    "the items, the limit and what follows a `cx.map` change"
    map_of_others {
        old [] {
            #[workflow]
            pub async fn map_of_others(cx: &Context) -> String {
                let all = cx.map(1..4, payer).concurrency(1).await;
                all.join(" ")
            }
        }
        new [] {
            #[workflow]
            pub async fn map_of_others(cx: &Context) -> String {
                let all = cx.map(1..6, payer).concurrency(2).await;
                all.join(", ")
            }
        }
        run old() new();
        at "start" [] [] => Goes("payer 1, payer 2, payer 3, payer 4, payer 5");
        at "map" [] [] holding ["payer 1"] delaying 1 => Goes("payer 1, payer 2, payer 3");
    }

    "a `cx.map` calls another activity"
    map_by_another {
        old [] {
            #[workflow]
            pub async fn map_by_another(cx: &Context) -> String {
                cx.map(1..4, payer).concurrency(1).await.join(" ")
            }
        }
        new [] {
            #[workflow]
            pub async fn map_by_another(cx: &Context) -> String {
                cx.map(1..4, payee).concurrency(1).await.join(" ")
            }
        }
        run old() new();
        at "map" [] [] holding ["payer 1"] delaying 1 => Blocked("OtherOperation", "the activity `payee` for each of many items", "payer 1 payer 2 payer 3");
    }

    "the code behind a `cx.timeout` of a call changes"
    limit_of_a_call {
        old [] {
            #[workflow]
            pub async fn limit_of_a_call(cx: &Context) -> String {
                let paid = cx.timeout(hours(1), payer(1)).await;
                paid.unwrap_or_default()
            }
        }
        new [] {
            #[workflow]
            pub async fn limit_of_a_call(cx: &Context) -> String {
                let paid = cx.timeout(minutes(1), payer(1)).await;
                format!("{} {}", paid.is_ok(), paid.unwrap_or_default())
            }
        }
        run old() new();
        at "payer" [] [] holding ["payer 1"] => Goes("true payer 1");
    }

    "a workflow within a `cx.timeout` is edited"
    limit_of_a_workflow {
        old [] {
            #[workflow(name = "limit_of_a_workflow.part")]
            pub async fn part(cx: &Context, id: u64) -> String {
                let kept: u8 = 200;
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {kept} {go}")
            }

            #[workflow]
            pub async fn limit_of_a_workflow(cx: &Context) -> String {
                cx.timeout(hours(1), part(7)).await.unwrap_or_default()
            }
        }
        new [] {
            #[workflow(name = "limit_of_a_workflow.part")]
            pub async fn part(cx: &Context, id: u64) -> String {
                let kept: u64 = 300;
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {kept} {go} {}", note("after".into()).await)
            }

            #[workflow]
            pub async fn limit_of_a_workflow(cx: &Context) -> String {
                cx.timeout(hours(1), part(7)).await.unwrap_or_default()
            }
        }
        run old() new();
        at "part" [] [Go(1)] => Goes("7 200 1 noted after");
    }

    "a call gets a time limit by `cx.timeout`"
    call_gets_a_limit {
        old [] {
            #[workflow]
            pub async fn call_gets_a_limit(cx: &Context) -> String {
                let _ = cx.run_id();
                payer(1).await
            }
        }
        new [] {
            #[workflow]
            pub async fn call_gets_a_limit(cx: &Context) -> String {
                cx.timeout(hours(1), payer(1)).await.unwrap_or_default()
            }
        }
        run old() new();
        at "payer" [] [] holding ["payer 1"] => Blocked("OtherOperation", "with a time limit", "payer 1");
    }

    "an `async` block within a `cx.timeout` is edited"
    limit_of_a_block {
        old [] {
            #[workflow]
            pub async fn limit_of_a_block(cx: &Context) -> String {
                cx.timeout(hours(1), async {
                    let kept: u8 = 200;
                    let paid = payer(1).await;
                    format!("{kept} {paid}")
                }).await.unwrap_or_default()
            }
        }
        new [] {
            #[workflow]
            pub async fn limit_of_a_block(cx: &Context) -> String {
                cx.timeout(hours(1), async {
                    let kept: u64 = 300;
                    let paid = payer(1).await;
                    format!("{kept} {paid} {}", payee(2).await)
                }).await.unwrap_or_default()
            }
        }
        run old() new();
        at "timeout" [] [] holding ["payer 1"] => Goes("200 payer 1 payee 2");
    }

    "the pauses between the calls of a `cx.poll_until` change"
    polled_less_often {
        old [found] {
            #[activity]
            pub async fn found(cx: &ActivityContext, id: u64) -> Option<u64> {
                pass(cx, format!("found {id}")).await;
                Some(id)
            }

            #[workflow]
            pub async fn polled_less_often(cx: &Context) -> String {
                let policy = piton::machine::PollPolicy::every(seconds(1));
                cx.poll_until(found(1), policy).await.to_string()
            }
        }
        new [found] {
            #[activity]
            pub async fn found(cx: &ActivityContext, id: u64) -> Option<u64> {
                pass(cx, format!("found {id}")).await;
                Some(id + 10)
            }

            #[workflow]
            pub async fn polled_less_often(cx: &Context) -> String {
                let policy = piton::machine::PollPolicy::every(seconds(5));
                cx.poll_until(found(1), policy).await.to_string()
            }
        }
        run old() new();
        at "poll_until" [] [] holding ["found 1"] => Goes("11");
    }

    "an await is added while a spawned call is held"
    spawned_and_another {
        old [] {
            #[workflow]
            pub async fn spawned_and_another(cx: &Context) -> String {
                let paid = cx.spawn(payer(1));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {}", paid.await)
            }
        }
        new [] {
            #[workflow]
            pub async fn spawned_and_another(cx: &Context) -> String {
                let paid = cx.spawn(payer(1));
                let Go(go) = cx.signal::<Go>().await;
                let noted = note("beside".into()).await;
                format!("{go} {noted} {}", paid.await)
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] holding ["payer 1"] => Goes("1 noted beside payer 1");
        at "paid" [Go(1)] [] holding ["payer 1"] => Blocked("MissingLocal", "noted", "1 payer 1");
    }

    "a `select!` whose pattern has refused a value gets other code behind it"
    refused_before {
        old [] {
            #[workflow]
            pub async fn refused_before(cx: &Context) -> String {
                select! {
                    Go(7) = cx.signal::<Go>() => "seven".to_owned(),
                    paid = payer(1) => paid,
                }
            }
        }
        new [] {
            #[workflow]
            pub async fn refused_before(cx: &Context) -> String {
                select! {
                    paid = payer(1) => format!("{paid}!"),
                    Go(7) = cx.signal::<Go>() => "seven".to_owned(),
                    else => "nothing".to_owned(),
                }
            }
        }
        run old() new();
        at "select" [Go(1)] [Go(7)] holding ["payer 1"] => Goes("payer 1!");
    }
}

//! Many calls at once: maps, races, time limits and polling in other forms.

use crate::edits;

edits! {
    "a `cx.map` tolerates failures from now on"
    map_tolerates {
        old [] {
            #[workflow]
            pub async fn map_tolerates(cx: &Context) -> String {
                let all = cx.map(1..4, audit).concurrency(1).await;
                format!("{}", all.len())
            }
        }
        new [] {
            #[workflow]
            pub async fn map_tolerates(cx: &Context) -> String {
                let all = cx.map(1..4, audit).concurrency(1).tolerate(2).await;
                all.map_or_else(|error| error.to_string(), |all| format!("{}", all.len()))
            }
        }
        run old() new();
        at "map" [] [] holding ["audit 2"] delaying 1 => Goes("3");
    }

    "the items of a `cx.map` are widened while some are under way"
    map_items_widened {
        old [weigh] {
            #[activity(name = "map_items_widened.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u8) -> u8 {
                pass(cx, format!("weigh {id}")).await;
                id + 100
            }

            #[workflow]
            pub async fn map_items_widened(cx: &Context) -> String {
                let all = cx.map(vec![1_u8, 2, 3], weigh).concurrency(1).await;
                format!("{all:?}")
            }
        }
        new [weigh] {
            #[activity(name = "map_items_widened.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> u64 {
                pass(cx, format!("weigh {id}")).await;
                id + 300
            }

            #[workflow]
            pub async fn map_items_widened(cx: &Context) -> String {
                let all = cx.map(vec![1_u64, 2, 3], weigh).concurrency(3).await;
                format!("{all:?}")
            }
        }
        run old() new();
        at "map" [] [] holding ["weigh 2"] delaying 1 => Goes("[101, 302, 303]");
    }

    "the closure of a `cx.map` makes other arguments, and captures a local: the calls are made already"
    map_closure_changed {
        old [] {
            #[workflow]
            pub async fn map_closure_changed(cx: &Context, id: u64) -> String {
                let all = cx.map(1..4, |item| note(format!("{item}"))).concurrency(1).await;
                format!("{} {id}", all.join(", "))
            }
        }
        new [] {
            #[workflow]
            pub async fn map_closure_changed(cx: &Context, id: u64) -> String {
                let all = cx.map(1..4, |item| note(format!("{item} of {id}"))).concurrency(1).await;
                format!("{} {id}", all.join(", "))
            }
        }
        run old(7) new(7);
        at "map" [] [] holding ["note 2"] delaying 1 => Goes("noted 1, noted 2, noted 3 7");
    }

    "the items of a `cx.map` become others, of which the calls have the same arguments"
    map_items_replaced {
        old [] {
            #[workflow]
            pub async fn map_items_replaced(cx: &Context) -> String {
                let all = cx.map(vec!["a", "b"], |item| note(item.to_owned())).concurrency(1).await;
                all.join(", ")
            }
        }
        new [] {
            #[workflow]
            pub async fn map_items_replaced(cx: &Context) -> String {
                let all = cx.map(vec![1, 2], |item| note(item.to_string())).concurrency(1).await;
                all.join(", ")
            }
        }
        run old() new();
        at "map" [] [] holding ["note a"] delaying 1 => Goes("noted a, noted b");
    }

    "the calls of a `race` change places"
    race_reordered {
        old [] {
            #[workflow]
            pub async fn race_reordered() -> String {
                let (place, first) = race(vec![payer(1), payer(2)]).await;
                format!("{}", first == format!("payer {}", place + 1))
            }
        }
        new [] {
            #[workflow]
            pub async fn race_reordered() -> String {
                let (place, first) = race(vec![payer(2), payer(1), payer(3)]).await;
                format!("{}", first == format!("payer {}", place + 1))
            }
        }
        run old() new();
        at "race" [] [] holding ["payer 1", "payer 2"] => Goes("true");
    }

    "a `race` becomes a `join_all`"
    race_to_join_all {
        old [] {
            #[workflow]
            pub async fn race_to_join_all() -> String {
                let (_, first) = race(vec![payer(1), payer(2)]).await;
                first.replace(char::is_numeric, "")
            }
        }
        new [] {
            #[workflow]
            pub async fn race_to_join_all() -> String {
                join_all(vec![payer(1), payer(2)]).await.join(" ")
            }
        }
        run old() new();
        at "race" [] [] holding ["payer 1", "payer 2"] => Blocked("MissingState", "race", "payer ");
    }

    "the function that a `cx.poll_until` calls becomes another one"
    polled_by_another {
        old [found] {
            #[activity(name = "polled_by_another.found")]
            pub async fn found(cx: &ActivityContext, id: u64) -> Option<u64> {
                pass(cx, format!("found {id}")).await;
                Some(id)
            }

            #[workflow]
            pub async fn polled_by_another(cx: &Context) -> String {
                let policy = piton::machine::PollPolicy::every(seconds(1));
                cx.poll_until(found(1), policy).await.to_string()
            }
        }
        new [seen] {
            #[activity(name = "polled_by_another.seen")]
            pub async fn seen(id: u64) -> Option<u64> {
                Some(id + 10)
            }

            #[workflow]
            pub async fn polled_by_another(cx: &Context) -> String {
                let policy = piton::machine::PollPolicy::every(seconds(1));
                cx.poll_until(seen(1), policy).await.to_string()
            }
        }
        run old() new();
        at "poll_until" [] [] holding ["found 1"] => Blocked("OtherOperation", "polled_by_another.seen", "1");
    }

    "what a `cx.poll_until` waits for is widened"
    polled_result_widened {
        old [found] {
            #[activity(name = "polled_result_widened.found")]
            pub async fn found(cx: &ActivityContext, id: u8) -> Option<u8> {
                pass(cx, format!("found {id}")).await;
                Some(id)
            }

            #[workflow]
            pub async fn polled_result_widened(cx: &Context) -> String {
                let policy = piton::machine::PollPolicy::every(seconds(1));
                cx.poll_until(found(1), policy).await.to_string()
            }
        }
        new [found] {
            #[activity(name = "polled_result_widened.found")]
            pub async fn found(cx: &ActivityContext, id: u64) -> Option<u64> {
                pass(cx, format!("found {id}")).await;
                Some(id + 300)
            }

            #[workflow]
            pub async fn polled_result_widened(cx: &Context) -> String {
                let policy = piton::machine::PollPolicy::every(seconds(1));
                cx.poll_until(found(1), policy).await.to_string()
            }
        }
        run old() new();
        at "poll_until" [] [] holding ["found 1"] => Goes("301");
    }

    "a block gets a time limit"
    block_gets_a_limit {
        old [] {
            #[workflow]
            pub async fn block_gets_a_limit(cx: &Context) -> String {
                let _ = cx.run_id();
                let paid = payer(1).await;
                let sent = payee(2).await;
                format!("{paid} {sent}")
            }
        }
        new [] {
            #[workflow]
            pub async fn block_gets_a_limit(cx: &Context) -> String {
                cx.timeout(hours(1), async {
                    let paid = payer(1).await;
                    let sent = payee(2).await;
                    format!("{paid} {sent}")
                }).await.unwrap_or_default()
            }
        }
        run old() new();
        at "payer" [] [] holding ["payer 1"] => Blocked("MissingState", "payer", "payer 1 payee 2");
    }

    "the time limit of a wait for a signal gets another length, and is computed"
    limit_of_a_wait_changed {
        old [] {
            #[workflow]
            pub async fn limit_of_a_wait_changed(cx: &Context, id: u64) -> String {
                let go = cx.signal::<Go>().timeout(hours(1)).await;
                format!("{id} {go:?}")
            }
        }
        new [] {
            #[workflow]
            pub async fn limit_of_a_wait_changed(cx: &Context, id: u64) -> String {
                let limit = minutes(id);
                let go = cx.signal::<Go>().timeout(limit).or_cancelled().await;
                format!("{id} {go:?}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("7 Ok(Some(Go(1)))");
    }

    "a sleep becomes one until a time"
    sleep_until_a_time {
        old [] {
            #[workflow]
            pub async fn sleep_until_a_time(cx: &Context) -> String {
                cx.sleep(std::time::Duration::from_millis(1500)).await;
                "awake".to_owned()
            }
        }
        new [] {
            #[workflow]
            pub async fn sleep_until_a_time(cx: &Context) -> String {
                let time = cx.now() + hours(1);
                cx.sleep_until(time).await;
                "awake again".to_owned()
            }
        }
        run old() new();
        at "sleep" [] [] => Blocked("MissingState", "sleep", "awake");
    }

    "a sleep becomes one until a time, with the name of the old one"
    sleep_until_a_time_by_name {
        old [] {
            #[workflow]
            pub async fn sleep_until_a_time_by_name(cx: &Context) -> String {
                cx.sleep(std::time::Duration::from_millis(1500)).await;
                "awake".to_owned()
            }
        }
        new [] {
            #[workflow]
            pub async fn sleep_until_a_time_by_name(cx: &Context) -> String {
                let time = cx.now() + hours(1);
                #[state("sleep")]
                cx.sleep_until(time).await;
                "awake again".to_owned()
            }
        }
        run old() new();
        at "sleep" [] [] => Goes("awake again");
    }
}

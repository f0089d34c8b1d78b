//! Options of activities, and activities that become something else.

use crate::edits;

edits! {
    "an activity moves to a queue while it is attempted"
    moved_to_a_queue {
        old [weigh] {
            #[activity(name = "moved_to_a_queue.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> String {
                pass(cx, format!("weigh {id}")).await;
                format!("weighed {id}")
            }

            #[workflow]
            pub async fn moved_to_a_queue() -> String {
                weigh(1).await
            }
        }
        new [weigh] {
            #[activity(name = "moved_to_a_queue.weigh", queue = "desk", priority = 3)]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> String {
                pass(cx, format!("weigh {id}")).await;
                format!("weighed again {id}")
            }

            #[workflow]
            pub async fn moved_to_a_queue() -> String {
                weigh(1).await
            }
        }
        run old() new();
        at "start" [] [] => Goes("weighed again 1");
        at "weigh" [] [] holding ["weigh 1"] => Goes("weighed again 1");
    }

    "an activity leaves its queue while it is attempted"
    moved_off_a_queue {
        old [weigh] {
            #[activity(name = "moved_off_a_queue.weigh", queue = "desk", partition = "{id}")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> String {
                pass(cx, format!("weigh {id}")).await;
                format!("weighed {id}")
            }

            #[workflow]
            pub async fn moved_off_a_queue() -> String {
                weigh(1).await
            }
        }
        new [weigh] {
            #[activity(name = "moved_off_a_queue.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> String {
                pass(cx, format!("weigh {id}")).await;
                format!("weighed again {id}")
            }

            #[workflow]
            pub async fn moved_off_a_queue() -> String {
                weigh(1).await
            }
        }
        run old() new();
        at "weigh" [] [] holding ["weigh 1"] => Goes("weighed again 1");
    }

    "an activity on a queue gets a key while it is attempted"
    queue_gets_a_key {
        old [weigh] {
            #[activity(name = "queue_gets_a_key.weigh", queue = "desk")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> String {
                pass(cx, format!("weigh {id}")).await;
                format!("weighed {id}")
            }

            #[workflow]
            pub async fn queue_gets_a_key() -> String {
                format!("{}!", weigh(1).await)
            }
        }
        new [weigh] {
            #[activity(name = "queue_gets_a_key.weigh", queue = "desk", key = "of {id}")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> String {
                pass(cx, format!("weigh {id}")).await;
                format!("weighed {id}")
            }

            #[workflow]
            pub async fn queue_gets_a_key() -> String {
                format!("{}!", weigh(1).await)
            }
        }
        run old() new();
        at "weigh" [] [] holding ["weigh 1"] => Goes("weighed 1!");
    }

    "an item of a queue loses its key while it is attempted"
    queue_loses_a_key {
        old [weigh] {
            #[activity(name = "queue_loses_a_key.weigh", queue = "desk", key = "off {id}")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> String {
                pass(cx, "weigh".into()).await;
                format!("weighed {id}")
            }

            #[workflow]
            pub async fn queue_loses_a_key() -> String {
                format!("{}!", weigh(1).await)
            }
        }
        new [weigh] {
            #[activity(name = "queue_loses_a_key.weigh", queue = "desk")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> String {
                pass(cx, "weigh".into()).await;
                format!("weighed {id}")
            }

            #[workflow]
            pub async fn queue_loses_a_key() -> String {
                format!("{}!", weigh(1).await)
            }
        }
        run old() new();
        at "weigh" [] [] holding ["weigh"] => Goes("weighed 1!");
    }

    "an activity gets a retry policy, time limits and a delay while it is attempted"
    options_of_time {
        old [weigh] {
            #[activity(name = "options_of_time.weigh", start_to_close = "1h")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> String {
                pass(cx, format!("weigh {id}")).await;
                format!("weighed {id}")
            }

            #[workflow]
            pub async fn options_of_time() -> String {
                weigh(1).await
            }
        }
        new [weigh] {
            #[activity(
                name = "options_of_time.weigh",
                start_to_close = "10s",
                schedule_to_close = "1h",
                heartbeat = "5s",
                retry(max_attempts = 1)
            )]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> String {
                pass(cx, format!("weigh {id}")).await;
                format!("weighed {id}")
            }

            #[workflow]
            pub async fn options_of_time() -> String {
                weigh(1).await
            }
        }
        run old() new();
        at "weigh" [] [] holding ["weigh 1"] => Goes("weighed 1");
    }

    "an activity may fail from now on, while it is attempted"
    may_fail_from_now_on {
        old [weigh] {
            #[activity(name = "may_fail_from_now_on.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> u8 {
                pass(cx, format!("weigh {id}")).await;
                7
            }

            #[workflow]
            pub async fn may_fail_from_now_on() -> String {
                weigh(1).await.to_string()
            }
        }
        new [weigh] {
            #[activity(name = "may_fail_from_now_on.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> Result<u64, String> {
                pass(cx, format!("weigh {id}")).await;
                Ok(300)
            }

            #[workflow]
            pub async fn may_fail_from_now_on() -> String {
                weigh(1).await.map_or_else(|error| error.to_string(), |kilos| kilos.to_string())
            }
        }
        run old() new();
        at "weigh" [] [] holding ["weigh 1"] => Goes("300");
    }

    "an activity cannot fail any longer, while it is attempted"
    cannot_fail_any_longer {
        old [weigh] {
            #[activity(name = "cannot_fail_any_longer.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> Result<u8, String> {
                pass(cx, format!("weigh {id}")).await;
                Ok(7)
            }

            #[workflow]
            pub async fn cannot_fail_any_longer() -> String {
                weigh(1).await.map_or_else(|error| error.to_string(), |kilos| kilos.to_string())
            }
        }
        new [weigh] {
            #[activity(name = "cannot_fail_any_longer.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> u8 {
                pass(cx, format!("weigh {id}")).await;
                8
            }

            #[workflow]
            pub async fn cannot_fail_any_longer() -> String {
                weigh(1).await.to_string()
            }
        }
        run old() new();
        at "weigh" [] [] holding ["weigh 1"] => Goes("8");
    }

    "an activity cannot fail any longer, and a `cx.map` keeps some of its results"
    map_cannot_fail_any_longer {
        old [weigh] {
            #[activity(name = "map_cannot_fail_any_longer.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> Result<u64, String> {
                pass(cx, format!("weigh {id}")).await;
                Ok(id)
            }

            #[workflow]
            pub async fn map_cannot_fail_any_longer(cx: &Context) -> String {
                let weights = cx.map(vec![1, 2], weigh).await;
                format!("{weights:?}")
            }
        }
        new [weigh] {
            #[activity(name = "map_cannot_fail_any_longer.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> u64 {
                pass(cx, format!("weigh {id}")).await;
                id + 10
            }

            #[workflow]
            pub async fn map_cannot_fail_any_longer(cx: &Context) -> String {
                let weights = cx.map(vec![1, 2], weigh).await;
                format!("{weights:?}")
            }
        }
        run old() new();
        at "map" [] [] holding ["weigh 2"] => Goes("[1, 12]");
    }

    "an activity may fail from now on, and a `cx.map` keeps some of its results"
    map_may_fail {
        old [weigh] {
            #[activity(name = "map_may_fail.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> u64 {
                pass(cx, format!("weigh {id}")).await;
                id
            }

            #[workflow]
            pub async fn map_may_fail(cx: &Context) -> String {
                let weights = cx.map(vec![1, 2], weigh).await;
                format!("{weights:?}")
            }
        }
        new [weigh] {
            #[activity(name = "map_may_fail.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> Result<u64, String> {
                pass(cx, format!("weigh {id}")).await;
                Ok(id + 10)
            }

            #[workflow]
            pub async fn map_may_fail(cx: &Context) -> String {
                let weights = cx.map(vec![1, 2], weigh).await;
                format!("{:?}", weights.into_iter().flatten().collect::<Vec<_>>())
            }
        }
        run old() new();
        at "map" [] [] holding ["weigh 2"] => Goes("[1, 12]");
    }

    "an activity cannot fail any longer, and one branch of a `join!` keeps its result"
    branch_cannot_fail_any_longer {
        old [weigh] {
            #[activity(name = "branch_cannot_fail_any_longer.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> Result<u64, String> {
                pass(cx, format!("weigh {id}")).await;
                Ok(id)
            }

            #[workflow]
            pub async fn branch_cannot_fail_any_longer(cx: &Context) -> String {
                let (one, two) = join!(weigh(1), weigh(2));
                format!("{one:?} {two:?}")
            }
        }
        new [weigh] {
            #[activity(name = "branch_cannot_fail_any_longer.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> u64 {
                pass(cx, format!("weigh {id}")).await;
                id + 10
            }

            #[workflow]
            pub async fn branch_cannot_fail_any_longer(cx: &Context) -> String {
                let (one, two) = join!(weigh(1), weigh(2));
                format!("{one} {two}")
            }
        }
        run old() new();
        at "join" [] [] holding ["weigh 2"] => Goes("1 12");
    }

    "an activity may fail from now on, and a `join_all` keeps one of its results"
    joined_may_fail {
        old [weigh] {
            #[activity(name = "joined_may_fail.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> u64 {
                pass(cx, format!("weigh {id}")).await;
                id
            }

            #[workflow]
            pub async fn joined_may_fail(cx: &Context) -> String {
                let weights = join_all([1, 2].map(weigh)).await;
                format!("{weights:?}")
            }
        }
        new [weigh] {
            #[activity(name = "joined_may_fail.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> Result<u64, String> {
                pass(cx, format!("weigh {id}")).await;
                Ok(id + 10)
            }

            #[workflow]
            pub async fn joined_may_fail(cx: &Context) -> String {
                let weights = join_all([1, 2].map(weigh)).await;
                format!("{:?}", weights.into_iter().flatten().collect::<Vec<_>>())
            }
        }
        run old() new();
        at "join_all" [] [] holding ["weigh 2"] => Goes("[1, 12]");
    }

    "a `cx.map` of another activity is added before the one that the run is at"
    other_map_added {
        old [weigh] {
            #[activity(name = "other_map_added.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> u64 {
                pass(cx, format!("weigh {id}")).await;
                id
            }

            #[workflow]
            pub async fn other_map_added(cx: &Context) -> String {
                let weights = cx.map(vec![1, 2], weigh).await;
                format!("{weights:?}")
            }
        }
        new [weigh] {
            #[activity(name = "other_map_added.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> u64 {
                pass(cx, format!("weigh {id}")).await;
                id
            }

            #[workflow]
            pub async fn other_map_added(cx: &Context) -> String {
                let payers = cx.map(vec![1, 2], payer).await.len();
                let weights = cx.map(vec![1, 2], weigh).await;
                format!("{weights:?} {}", payers + 1)
            }
        }
        run old() new();
        at "map" [] [] holding ["weigh 2"] => Blocked("MissingLocal", "`payers`", "[1, 2]");
    }

    "a `cx.map` of another activity is added behind the one that the run is at"
    other_map_follows {
        old [weigh] {
            #[activity(name = "other_map_follows.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> u64 {
                pass(cx, format!("weigh {id}")).await;
                id
            }

            #[workflow]
            pub async fn other_map_follows(cx: &Context) -> String {
                let weights = cx.map(vec![1, 2], weigh).await;
                format!("{weights:?}")
            }
        }
        new [weigh] {
            #[activity(name = "other_map_follows.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> u64 {
                pass(cx, format!("weigh {id}")).await;
                id
            }

            #[workflow]
            pub async fn other_map_follows(cx: &Context) -> String {
                let weights = cx.map(vec![1, 2], weigh).await;
                let payers = cx.map(vec![1, 2], payer).await.len();
                format!("{weights:?} {payers}")
            }
        }
        run old() new();
        at "map" [] [] holding ["weigh 2"] => Goes("[1, 2] 2");
    }

    "the error of an activity becomes an enum, and one branch of a `join!` keeps the old error"
    kept_error_retyped {
        old [weigh] {
            #[activity(name = "kept_error_retyped.weigh", retry(max_attempts = 1))]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> Result<u8, String> {
                pass(cx, format!("weigh {id}")).await;
                Err("Heavy".to_owned())
            }

            #[workflow]
            pub async fn kept_error_retyped() -> String {
                let (kilos, paid) = join!(weigh(1), payer(1));
                format!("{} {paid}", kilos.is_err())
            }
        }
        new [weigh] {
            #[derive(Debug, thiserror::Error, Serialize, Deserialize)]
            #[error("{self:?}")]
            pub enum Problem {
                Light,
                Heavy,
            }

            #[activity(name = "kept_error_retyped.weigh", retry(max_attempts = 1))]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> Result<u8, Problem> {
                pass(cx, format!("weigh {id}")).await;
                Err(Problem::Light)
            }

            #[workflow]
            pub async fn kept_error_retyped() -> String {
                let (kilos, paid) = join!(weigh(1), payer(1));
                let error = kilos.err().map(|error| error.to_string()).unwrap_or_default();
                format!("{error} {paid}")
            }
        }
        run old() new();
        at "join" [] [] holding ["payer 1"] => Goes("Heavy payer 1");
    }

    "the error of an activity becomes a struct, and one branch of a `join!` keeps the old error"
    kept_error_unreadable {
        old [weigh] {
            #[activity(name = "kept_error_unreadable.weigh", retry(max_attempts = 1))]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> Result<u8, String> {
                pass(cx, format!("weigh {id}")).await;
                Err("heavy".to_owned())
            }

            #[workflow]
            pub async fn kept_error_unreadable() -> String {
                let (kilos, paid) = join!(weigh(1), payer(1));
                format!("{} {paid}", kilos.is_err())
            }
        }
        new [weigh] {
            #[derive(Debug, thiserror::Error, Serialize, Deserialize)]
            #[error("{kilos}")]
            pub struct Heavy {
                kilos: u8,
            }

            #[activity(name = "kept_error_unreadable.weigh", retry(max_attempts = 1))]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> Result<u8, Heavy> {
                pass(cx, format!("weigh {id}")).await;
                Err(Heavy { kilos: 7 })
            }

            #[workflow]
            pub async fn kept_error_unreadable() -> String {
                let (kilos, paid) = join!(weigh(1), payer(1));
                format!("{} {paid}", kilos.is_err())
            }
        }
        run old() new();
        at "join" [] [] holding ["payer 1"] => Blocked("", "heavy", "true payer 1");
    }

    "an activity is called as a child of its name from now on"
    activity_to_child {
        old [] {
            #[workflow]
            pub async fn activity_to_child(cx: &Context) -> String {
                let paid = payer(1).await;
                let Go(go) = cx.signal::<Go>().await;
                format!("{paid} {go}")
            }
        }
        new [] {
            #[workflow(name = "activity_to_child.payer")]
            pub async fn payer(id: u64) -> String {
                format!("child {id}")
            }

            #[workflow]
            pub async fn activity_to_child(cx: &Context) -> String {
                #[state("payer")]
                let paid = cx.start_child(payer(1)).await.unwrap_or_default();
                let Go(go) = cx.signal::<Go>().await;
                format!("{paid} {go}")
            }
        }
        run old() new();
        children old [] new [payer];
        at "payer" [] [Go(1)] holding ["payer 1"] => Blocked("OtherOperation", "payer", "payer 1 1");
        at "signal<Go>" [] [Go(1)] => Goes("payer 1 1");
    }

    "an activity is `at_most_once` from now on, and was interrupted"
    once_from_now_on {
        old [weigh] {
            #[activity(name = "once_from_now_on.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> String {
                pass(cx, format!("weigh {id}")).await;
                format!("weighed {id}")
            }

            #[workflow]
            pub async fn once_from_now_on() -> String {
                weigh(1).await
            }
        }
        new [weigh] {
            #[activity(name = "once_from_now_on.weigh", at_most_once)]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> String {
                pass(cx, format!("weigh {id}")).await;
                format!("weighed {id}")
            }

            #[workflow]
            pub async fn once_from_now_on() -> String {
                weigh(1).await
            }
        }
        run old() new();
        at "weigh" [] [] holding ["weigh 1"] => Goes("weighed 1");
    }

    "an activity is `blocking` from now on"
    blocking_from_now_on {
        old [weigh] {
            #[activity(name = "blocking_from_now_on.weigh")]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> String {
                pass(cx, format!("weigh {id}")).await;
                format!("weighed {id}")
            }

            #[workflow]
            pub async fn blocking_from_now_on() -> String {
                weigh(1).await
            }
        }
        new [weigh] {
            #[activity(name = "blocking_from_now_on.weigh", blocking)]
            pub fn weigh(id: u64) -> String {
                format!("weighed again {id}")
            }

            #[workflow]
            pub async fn blocking_from_now_on() -> String {
                weigh(1).await
            }
        }
        run old() new();
        at "weigh" [] [] holding ["weigh 1"] => Goes("weighed again 1");
    }
}

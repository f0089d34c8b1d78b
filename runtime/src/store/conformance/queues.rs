//! The status of queues, and pauses.

use std::time::Duration;

use super::fixture::{QUEUE, StoreUnderTest, activity, by_worker, outcome, retry};
use crate::store::{
    ActivityEnd, FailedCallId, FailedCallQuery, PausedQueue, QueueLimits, QueueRecord,
    ResumeOutcome,
};

crate::store::conformance::list_cases!("paused_queues":
    queues_are_listed_with_what_lies_on_them,
    a_queue_is_found_as_it_is_listed,
    a_paused_queue_gives_nothing,
    attempts_of_a_paused_queue_go_on,
    a_pause_keeps_its_time_and_takes_the_last_reason,
    a_queue_is_resumed_once,
    a_queue_that_no_database_keeps_has_nothing,
);

async fn list(t: &StoreUnderTest) -> Vec<QueueRecord> {
    t.other.list_queues().await.expect("queues can be listed")
}

async fn pause(t: &StoreUnderTest, reason: &str) {
    t.store.pause_queue(QUEUE, reason).await.expect("it can be paused");
}

async fn resume(t: &StoreUnderTest) -> ResumeOutcome {
    t.other.resume_queue(QUEUE).await.expect("it can be resumed")
}

async fn queues_are_listed_with_what_lies_on_them(t: StoreUnderTest) {
    assert_eq!(list(&t).await, []);
    let worker = t.worker().await;
    let began = t.now();
    let elsewhere = crate::store::NewActivity { queue: "a queue".into(), ..activity(5) };
    let all = (0..5).map(activity).chain([elsewhere]).collect();
    t.queue(worker, all).await;
    let [failed, later, _] = &t.claim_activities(worker, 3).await[..] else {
        panic!("there are three");
    };
    let minute = Duration::from_secs(60);
    t.finish(by_worker(worker, failed, retry(t.now() + minute))).await;
    t.finish(by_worker(worker, later, ActivityEnd::Later)).await;
    let [other, queue] = &list(&t).await[..] else { panic!("there are two") };
    assert_eq!((other.queue.as_str(), other.waiting, other.under_way), ("a queue", 1, 0));
    assert_eq!((queue.queue.as_str(), queue.waiting, queue.delayed), (QUEUE, 2, 1));
    assert_eq!((queue.under_way, queue.awaiting_token), (1, 1));
    assert_eq!((queue.oldest_due_at, &queue.paused), (Some(began), &None));
    t.clock.advance(minute);
    let [_, queue] = &list(&t).await[..] else { panic!("there are two") };
    assert_eq!((queue.waiting, queue.delayed), (3, 0));
}

async fn a_queue_is_found_as_it_is_listed(t: StoreUnderTest) {
    let find = async |queue: &str| t.store.find_queue(queue).await.expect("it can be found");
    let worker = t.worker().await;
    let elsewhere = crate::store::NewActivity { queue: "a queue".into(), ..activity(5) };
    t.queue(worker, vec![activity(0), activity(1), elsewhere]).await;
    assert_eq!(t.claim_activities(worker, 1).await.len(), 1);
    pause(&t, "the printer burns").await;
    t.store.pause_queue("paused", "lunch").await.expect("it can be paused");
    let limits = QueueLimits::default().max_concurrent(7);
    t.store.limit_queue("limited", limits).await.expect("it can be limited");
    let listed = list(&t).await;
    assert_eq!(listed.len(), 4, "{listed:?}");
    for queue in listed {
        assert_eq!(find(&queue.queue).await, Some(queue));
    }
    assert_eq!(find("none").await, None);
}

async fn a_paused_queue_gives_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.queue(worker, vec![activity(0)]).await;
    pause(&t, "the printer burns").await;
    assert_eq!(t.claim_activities(worker, 10).await, []);
    let [queue] = &list(&t).await[..] else { panic!("there is one") };
    let paused = PausedQueue { since: t.now(), reason: "the printer burns".into() };
    assert_eq!((queue.waiting, &queue.paused), (1, &Some(paused)));
    assert_eq!(resume(&t).await, ResumeOutcome::Resumed);
    assert_eq!(t.claim_activities(worker, 10).await.len(), 1);
}

async fn attempts_of_a_paused_queue_go_on(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0)]).await;
    let claimed = t.claim_one(worker).await;
    pause(&t, "").await;
    t.finish(by_worker(worker, &claimed, outcome())).await;
    assert_eq!(t.inbox(run_id).await.len(), 1);
}

async fn a_pause_keeps_its_time_and_takes_the_last_reason(t: StoreUnderTest) {
    let began = t.now();
    pause(&t, "one").await;
    t.clock.advance(Duration::from_secs(1));
    pause(&t, "another").await;
    let [queue] = &list(&t).await[..] else { panic!("there is one") };
    let paused = PausedQueue { since: began, reason: "another".into() };
    assert_eq!((queue.queue.as_str(), queue.waiting, &queue.paused), (QUEUE, 0, &Some(paused)));
}

async fn a_queue_is_resumed_once(t: StoreUnderTest) {
    assert_eq!(resume(&t).await, ResumeOutcome::NotPaused);
    pause(&t, "").await;
    assert_eq!(resume(&t).await, ResumeOutcome::Resumed);
    assert_eq!(resume(&t).await, ResumeOutcome::NotPaused);
    assert_eq!(list(&t).await, []);
}

async fn a_queue_that_no_database_keeps_has_nothing(t: StoreUnderTest) {
    let queue = "ma\0il";
    assert_eq!(t.store.resume_queue(queue).await.expect("a look"), ResumeOutcome::NotPaused);
    let query = FailedCallQuery { queue, ids: None, after: None, limit: 10 };
    assert_eq!(t.store.list_failed_calls(query).await.expect("a look"), []);
    assert_eq!(t.store.discard_failed_calls(queue, &[FailedCallId(1)]).await.expect("a look"), 0);
    assert_eq!(t.store.redrive_calls(queue, Vec::new()).await.expect("a look"), 0);
    pause(&t, "a\0b").await;
    let [queue] = &list(&t).await[..] else { panic!("there is one") };
    let reason = queue.paused.as_ref().map(|pause| pause.reason.as_str());
    assert!([Some("a\0b"), Some("a\u{FFFD}b")].contains(&reason), "{reason:?}");
}

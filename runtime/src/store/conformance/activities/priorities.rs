//! Activities with a priority.

use std::time::Duration;

use crate::store::conformance::fixture::{
    QUEUE, StoreUnderTest, activity, by_worker, outcome, retry,
};
use crate::store::{ActivityEnd, ActivityKey, ClaimActivities, NewActivity, WorkerLease};

crate::store::conformance::list_cases!("activities_priorities":
    a_higher_priority_is_given_first,
    a_delayed_call_of_a_high_priority_is_waited_for,
    a_priority_stays_over_attempts,
    priorities_are_compared_over_activities,
    a_redriven_call_has_its_priority,
);

fn with(handle: u64, priority: i16) -> NewActivity {
    NewActivity { priority, ..activity(handle) }
}

fn handles(keys: Vec<ActivityKey>) -> Vec<u64> {
    keys.into_iter().map(|key| key.handle.0).collect()
}

async fn take(t: &StoreUnderTest, worker: WorkerLease, room: u32) -> Vec<u64> {
    handles(t.claim_keys(worker, room).await)
}

async fn a_higher_priority_is_given_first(t: StoreUnderTest) {
    let worker = t.worker().await;
    let all =
        [with(0, -3), with(1, 0), with(2, 7), with(3, 0), with(4, 7), with(5, 2), with(6, -9)];
    t.queue(worker, all.to_vec()).await;
    t.clock.advance(Duration::from_secs(1));
    assert_eq!(take(&t, worker, 3).await, [2, 4, 5]);
    // What is due later has a priority all the same.
    t.queue(worker, vec![with(7, 1)]).await;
    assert_eq!(take(&t, worker, 2).await, [7, 1]);
    assert_eq!(take(&t, worker, 9).await, [3, 0, 6]);
}

async fn a_delayed_call_of_a_high_priority_is_waited_for(t: StoreUnderTest) {
    let worker = t.worker().await;
    let second = Duration::from_secs(1);
    let later = NewActivity { due_at: Some(t.now() + 3 * second), ..with(0, 9) };
    let latest = NewActivity { due_at: Some(t.now() + 5 * second), ..with(1, 99) };
    let soon = NewActivity { due_at: Some(t.now() + second), ..with(2, 1) };
    t.queue(worker, vec![later, latest, soon, with(3, 0)]).await;
    let claim = async |limit| {
        let (queues, activities) = (&[(QUEUE, limit)][..], &[("train", limit)][..]);
        let claim = ClaimActivities { worker, queues, activities, limit };
        t.store.claim_activities(claim).await.expect("a valid worker can claim")
    };
    let claimed = claim(9).await;
    assert_eq!(claimed.activities.len(), 1);
    assert_eq!(claimed.next_due_at, Some(t.now() + second));
    t.clock.advance(3 * second);
    let claimed = claim(9).await;
    let taken = claimed.activities.iter().map(|one| one.key).collect();
    assert_eq!(handles(taken), [0, 2]);
    assert_eq!(claimed.next_due_at, Some(t.now() + 2 * second));
}

async fn a_priority_stays_over_attempts(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.queue(worker, vec![with(0, 5), with(1, 0), with(2, 0)]).await;
    let first = t.claim_one(worker).await;
    assert_eq!(first.key.handle.0, 0);
    t.finish(by_worker(worker, &first, retry(t.now()))).await;
    let second = t.claim_one(worker).await;
    assert_eq!((second.key.handle.0, second.attempt), (0, 2));
    t.finish(by_worker(worker, &second, outcome())).await;
    assert_eq!(take(&t, worker, 9).await, [1, 2]);
}

async fn priorities_are_compared_over_activities(t: StoreUnderTest) {
    let worker = t.worker().await;
    let rare = |handle, priority| NewActivity { activity: "rare".into(), ..with(handle, priority) };
    t.queue(worker, vec![with(0, 1), rare(1, 2), with(2, 3), rare(3, 4), with(4, 0)]).await;
    let queues = &[(QUEUE, 3)][..];
    let activities = &[("train", 9), ("rare", 1)][..];
    let claim = ClaimActivities { worker, queues, activities, limit: 9 };
    let claimed = t.store.claim_activities(claim).await.expect("a valid worker can claim");
    let taken: Vec<u64> = claimed.activities.iter().map(|one| one.key.handle.0).collect();
    assert!(taken.starts_with(&[3, 2]), "{taken:?}");
    assert!(!taken.contains(&1), "there is room for one of its kind");
}

async fn a_redriven_call_has_its_priority(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.queue(worker, vec![with(0, 5), with(1, 1), with(2, 9)]).await;
    let claimed = t.claim_activities(worker, 2).await;
    assert_eq!(claimed[1].key.handle.0, 0);
    let fails = ActivityEnd::Failed {
        outcome: crate::machine::OperationOutcome::Unknown,
        failure: "no".to_owned(),
    };
    t.finish(by_worker(worker, &claimed[1], fails)).await;
    let query = crate::store::FailedCallQuery { queue: QUEUE, ids: None, after: None, limit: 9 };
    let failed = t.store.list_failed_calls(query).await.expect("they can be listed");
    assert_eq!(failed[0].priority, 5);
    let again = super::super::failed_calls::again(&failed[0]);
    t.store.redrive_calls(QUEUE, vec![again]).await.expect("it can be put on its queue again");
    let first = t.claim_one(worker).await;
    assert!(first.key.is_item(), "it goes before the other");
}

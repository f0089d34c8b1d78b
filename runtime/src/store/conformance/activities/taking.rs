//! Claims of due activities, within the worker's capacities.

use std::time::Duration;

use crate::error::StoreError;
use crate::store::conformance::fixture::{
    ACTIVITY, QUEUE, StoreUnderTest, activity, by_worker, claim_of, enqueue, keep, key, limited,
    retry,
};
use crate::store::{ActivityLimits, ClaimActivities, CommitStep, NewActivity};

crate::store::conformance::list_cases!("taking":
    a_claim_gives_what_is_known_and_the_first_attempt,
    a_claimed_activity_is_not_given_again,
    a_claim_gives_no_more_than_there_is_room_for,
    a_claim_gives_what_has_waited_longest_first,
    of_several_activities_the_one_that_has_waited_longest_comes_first,
    of_several_queues_the_one_that_has_waited_longest_comes_first,
    activities_of_one_step_are_given_in_the_order_of_their_handles,
    a_claim_without_room_gives_and_tells_nothing,
    only_the_queues_asked_for_are_looked_at,
    each_queue_has_its_own_room,
    each_activity_has_its_own_room,
    a_claim_has_a_limit_over_all_queues,
    only_the_activities_asked_for_are_given,
    a_worker_without_a_lease_is_given_nothing,
    two_workers_share_a_queue,
    a_delayed_activity_is_given_when_it_is_due,
);

async fn a_claim_gives_what_is_known_and_the_first_attempt(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(5)]).await;
    let claimed = t.claim_one(worker).await;
    assert_eq!((claimed.key, claimed.queue.as_str()), (key(run_id, 5), QUEUE));
    assert_eq!((claimed.attempt, claimed.interruptions), (1, 0));
    assert_eq!((claimed.call.as_slice(), claimed.details), (&b"call 5"[..], None));
    let record = t.activity(key(run_id, 5)).await.expect("it is there");
    assert_eq!((record.worker, record.due_at), (Some(worker), None));
}

async fn a_claimed_activity_is_not_given_again(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.queue(worker, vec![activity(0)]).await;
    t.claim_one(worker).await;
    let again = t.try_claim_activities(worker, 5).await.expect("it can ask");
    assert!(again.activities.is_empty());
    assert_eq!((again.next_due_at, again.now), (None, t.now()));
}

async fn a_claim_gives_no_more_than_there_is_room_for(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.queue(worker, (0..5).map(activity).collect()).await;
    let claimed = t.try_claim_activities(worker, 3).await.expect("it can claim");
    assert_eq!(claimed.activities.len(), 3);
    assert_eq!(claimed.next_due_at, None, "there is no room for what is left");
    assert_eq!(t.claim_activities(worker, 3).await.len(), 2);
}

async fn a_claim_gives_what_has_waited_longest_first(t: StoreUnderTest) {
    let worker = t.worker().await;
    // Not in the order of their handles.
    let run_id = t.queue(worker, vec![activity(3)]).await;
    for (handle, step_no) in [(2, 1), (1, 2), (0, 3)] {
        t.clock.advance(Duration::from_millis(1));
        let activities = vec![activity(handle)];
        t.commit(
            worker,
            CommitStep { effects: enqueue(activities), ..keep(run_id, step_no, "asked") },
        )
        .await;
    }
    let expected = [3, 2, 1, 0].map(|handle| key(run_id, handle));
    assert_eq!(t.claim_keys(worker, 2).await, expected[..2]);
    assert_eq!(t.claim_keys(worker, 9).await, expected[2..]);
}

async fn of_several_activities_the_one_that_has_waited_longest_comes_first(t: StoreUnderTest) {
    let worker = t.worker().await;
    let mut expected = Vec::new();
    for (handle, name) in [(0, "b"), (1, "b"), (2, "a"), (3, "b"), (4, "a"), (5, "a")] {
        let activity = NewActivity { activity: name.into(), ..activity(handle) };
        expected.push(key(t.queue(worker, vec![activity]).await, handle));
        t.clock.advance(Duration::from_millis(1));
    }
    for (part, (room, limit)) in expected.chunks(2).zip([(2, 9), (9, 2), (2, 2)]) {
        let (queues, activities) = (&[(QUEUE, room)], &[("a", u32::MAX), ("b", u32::MAX)]);
        let request = ClaimActivities { worker, queues, activities, limit };
        let claimed = t.store.claim_activities(request).await.expect("a valid worker can claim");
        let keys: Vec<_> = claimed.activities.iter().map(|claimed| claimed.key).collect();
        assert_eq!(keys, part);
    }
}

async fn of_several_queues_the_one_that_has_waited_longest_comes_first(t: StoreUnderTest) {
    let worker = t.worker().await;
    let mut expected = Vec::new();
    for queue in ["b", "a", "c"] {
        let activity = NewActivity { queue: queue.into(), ..activity(0) };
        expected.push(key(t.queue(worker, vec![activity]).await, 0));
        t.clock.advance(Duration::from_millis(1));
    }
    let queues = &[("a", 9), ("b", 9), ("c", 9)];
    let request = ClaimActivities { activities: &[(ACTIVITY, 1)], ..claim_of(worker, queues) };
    for key in expected {
        let claimed = t.store.claim_activities(request).await.expect("it can claim");
        assert_eq!(claimed.activities.iter().map(|one| one.key).collect::<Vec<_>>(), [key]);
    }
}

async fn activities_of_one_step_are_given_in_the_order_of_their_handles(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, [7, 2, 9, 4].map(activity).to_vec()).await;
    assert_eq!(t.claim_keys(worker, 9).await, [2, 4, 7, 9].map(|handle| key(run_id, handle)));
}

async fn a_delayed_activity_is_given_when_it_is_due(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (later, second) = (Duration::from_secs(5), Duration::from_secs(1));
    let due_at = t.now() + later;
    let limits = ActivityLimits { schedule_to_start: Some(second), ..ActivityLimits::default() };
    let delayed = NewActivity { due_at: Some(due_at), ..limited(0, limits) };
    let overdue = NewActivity { due_at: Some(t.now() - later), ..limited(1, limits) };
    let run_id = t.queue(worker, vec![delayed, overdue]).await;
    let record = t.activity(key(run_id, 0)).await.expect("it waits");
    assert_eq!((record.due_at, record.expires_at), (Some(due_at), Some(due_at + second)));
    let record = t.activity(key(run_id, 1)).await.expect("it waits");
    assert_eq!((record.due_at, record.expires_at), (Some(t.now()), Some(t.now() + second)));

    let request = claim_of(worker, &[(QUEUE, 9)]);
    let claimed = t.store.claim_activities(request).await.expect("it can claim");
    assert_eq!(claimed.activities.iter().map(|one| one.key).collect::<Vec<_>>(), [key(run_id, 1)]);
    assert_eq!(claimed.next_due_at, Some(due_at));
    t.clock.advance(later);
    assert_eq!(t.claim_keys(worker, 9).await, [key(run_id, 0)]);
}

async fn a_claim_without_room_gives_and_tells_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.queue(worker, vec![activity(0)]).await;
    let request = claim_of(worker, &[(QUEUE, 1)]);
    for request in [
        ClaimActivities { queues: &[(QUEUE, 0)], ..request },
        ClaimActivities { activities: &[(ACTIVITY, 0)], ..request },
        ClaimActivities { limit: 0, ..request },
    ] {
        let claimed = t.store.claim_activities(request).await.expect("it can ask");
        assert!(claimed.activities.is_empty());
        assert_eq!((claimed.next_due_at, claimed.now), (None, t.now()));
    }
    assert_eq!(t.claim_keys(worker, 1).await.len(), 1);
}

/// Two queues with two activities, of which one has little capacity.
async fn each_activity_has_its_own_room(t: StoreUnderTest) {
    let worker = t.worker().await;
    let rare = |handle, queue: &str| NewActivity {
        activity: "rare".into(),
        queue: queue.into(),
        ..activity(handle)
    };
    let new = (0..4).map(|handle| rare(handle, QUEUE)).chain((4..6).map(activity));
    let new = new.chain((6..8).map(|handle| rare(handle, "cpu")));
    t.queue(worker, new.collect()).await;
    let retry_at = t.now() + Duration::from_secs(5);
    for (claimed, at) in t.claim_activities(worker, 5).await.iter().zip([t.now(), retry_at]) {
        t.finish(by_worker(worker, claimed, retry(at))).await;
    }
    let request = ClaimActivities {
        worker,
        queues: &[(QUEUE, 9), ("cpu", 9)],
        activities: &[(ACTIVITY, 9), ("rare", 3)],
        limit: 9,
    };
    let claimed = t.store.claim_activities(request).await.expect("it can claim");
    let handles: Vec<u64> = claimed.activities.iter().map(|one| one.key.handle.0).collect();
    assert_eq!(handles, [0, 1, 2, 4], "over all queues, and what is behind is not held up");
    assert_eq!(claimed.next_due_at, Some(retry_at), "not when the rare ones are due");
    let request = ClaimActivities { activities: &[("rare", 1)], ..request };
    let claimed = t.store.claim_activities(request).await.expect("it can claim");
    assert_eq!((claimed.activities.len(), claimed.next_due_at), (1, None));
}

async fn a_claim_has_a_limit_over_all_queues(t: StoreUnderTest) {
    let worker = t.worker().await;
    let on_cpu = |handle| NewActivity { queue: "cpu".into(), ..activity(handle) };
    let run_id = t.queue(worker, vec![on_cpu(0), activity(1), on_cpu(2), activity(3)]).await;
    let request = ClaimActivities { limit: 3, ..claim_of(worker, &[(QUEUE, 9), ("cpu", 9)]) };
    let claimed = t.store.claim_activities(request).await.expect("it can claim");
    let keys: Vec<_> = claimed.activities.iter().map(|one| one.key).collect();
    assert_eq!(keys, [0, 1, 2].map(|handle| key(run_id, handle)), "the first, whatever the queue");
    assert_eq!(claimed.next_due_at, None);
    let claimed = t.store.claim_activities(request).await.expect("it can claim");
    assert_eq!(claimed.activities.len(), 1);
}

async fn only_the_queues_asked_for_are_looked_at(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.queue(worker, vec![NewActivity { queue: "cpu".into(), ..activity(0) }]).await;
    let claimed = t.try_claim_activities(worker, 5).await.expect("it can ask");
    assert!(claimed.activities.is_empty());
    assert_eq!(claimed.next_due_at, None);
}

async fn each_queue_has_its_own_room(t: StoreUnderTest) {
    let worker = t.worker().await;
    let on_cpu = |handle| NewActivity { queue: "cpu".into(), ..activity(handle) };
    let new = (0..4).map(activity).chain((4..8).map(on_cpu)).collect();
    t.queue(worker, new).await;
    let request = claim_of(worker, &[(QUEUE, 3), ("cpu", 1), ("empty", 9)]);
    let claimed = t.store.claim_activities(request).await.expect("it can claim");
    let handles: Vec<u64> = claimed.activities.iter().map(|one| one.key.handle.0).collect();
    assert_eq!(handles, [0, 1, 2, 4]);
    assert_eq!(claimed.activities[3].queue, "cpu");
    assert_eq!(claimed.next_due_at, None);
}

async fn only_the_activities_asked_for_are_given(t: StoreUnderTest) {
    let worker = t.worker().await;
    let other = NewActivity { activity: "render".into(), ..activity(0) };
    let run_id = t.queue(worker, vec![other, activity(1)]).await;
    assert_eq!(t.claim_keys(worker, 5).await, [key(run_id, 1)]);
    let rest = t.try_claim_activities(worker, 5).await.expect("it can ask");
    assert_eq!(rest.next_due_at, None, "what this worker does not have is not its concern");
}

async fn a_worker_without_a_lease_is_given_nothing(t: StoreUnderTest) {
    let (worker, other) = (t.worker().await, t.worker().await);
    let run_id = t.queue(worker, vec![activity(0)]).await;
    t.store.fence_workers(&[other.worker_id]).await.expect("it can be fenced");
    assert!(matches!(t.try_claim_activities(other, 5).await, Err(StoreError::Fenced)));
    assert_eq!(t.activity(key(run_id, 0)).await.expect("it is there").attempt, 0);
}

async fn two_workers_share_a_queue(t: StoreUnderTest) {
    let (one, two) = (t.worker().await, t.worker().await);
    t.queue(one, (0..20).map(activity).collect()).await;
    let request = |worker| claim_of(worker, &[(QUEUE, 7)]);
    let mut all = Vec::new();
    while all.len() < 20 {
        let (first, second) = tokio::join!(
            t.store.claim_activities(request(one)),
            t.other.claim_activities(request(two))
        );
        let before = all.len();
        for claimed in [first, second] {
            all.extend(claimed.expect("both can claim").activities.iter().map(|one| one.key));
        }
        assert!(all.len() > before, "somebody gets something");
    }
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 20, "each is given once");
}

//! Partitions of queues: their turns, their limits and their status.

use std::time::Duration;

use super::fixture::{
    ACTIVITY, LONGER_THAN_LEASE, QUEUE, StoreUnderTest, activity, by_worker, claim_of, enqueue,
    keep, limited, outcome, retry,
};
use crate::store::{
    ActivityEnd, ActivityLimits, ClaimActivities, ClaimedActivities, CommitStep, FailedCallQuery,
    FinishOutcome, NewActivity, PartitionRecord, QueueLimits, WorkerLease,
};

crate::store::conformance::list_cases!("partitions":
    partitions_take_turns_in_the_order_of_their_names,
    a_partition_has_as_many_calls_in_its_turn_as_its_weight_says,
    the_turn_goes_on_where_it_was_for_another_worker,
    calls_without_a_partition_are_one_more,
    a_priority_decides_within_a_partition,
    each_partition_has_a_limit,
    the_queue_has_a_limit,
    a_queue_without_partitions_has_a_limit,
    a_lower_limit_stops_no_attempt,
    the_attempts_of_a_dead_worker_count_until_it_is_fenced,
    what_awaits_its_token_counts_no_more,
    a_partition_has_a_rate,
    a_delayed_call_is_waited_for,
    a_claim_takes_what_it_has_room_for,
    a_call_whose_time_is_over_is_not_taken,
    a_paused_queue_gives_nothing_of_its_partitions,
    a_failed_call_stays_in_its_partition,
    many_partitions_are_served_in_one_round,
    claims_at_the_same_time_keep_the_limits,
    queues_are_listed_with_their_limits,
    partitions_are_listed,
);

/// The numbers of no calls.
const NONE: [u64; 0] = [];

/// A call in a partition.
fn of(partition: &str, handle: u64) -> NewActivity {
    NewActivity { partition: partition.into(), ..activity(handle) }
}

async fn limit(t: &StoreUnderTest, limits: QueueLimits) {
    t.other.limit_queue(QUEUE, limits).await.expect("queues can be limited");
}

async fn weigh(t: &StoreUnderTest, partition: &str, weight: u32) {
    let weighed = t.other.weigh_partition(QUEUE, partition, weight).await;
    weighed.expect("partitions can be weighed");
}

async fn claim(t: &StoreUnderTest, worker: WorkerLease, room: u32) -> ClaimedActivities {
    t.try_claim_activities(worker, room).await.expect("a valid worker can claim")
}

/// Claims, and returns the numbers of the calls.
async fn take(t: &StoreUnderTest, worker: WorkerLease, room: u32) -> Vec<u64> {
    claim(t, worker, room).await.activities.iter().map(|one| one.key.handle.0).collect()
}

async fn partitions_take_turns_in_the_order_of_their_names(t: StoreUnderTest) {
    let worker = t.worker().await;
    let many = (0..5).map(|handle| of("big", handle));
    let others = [of("a", 10), of("c", 11), of("d", 12), of("d", 13)];
    t.queue(worker, many.chain(others).collect()).await;
    assert_eq!(take(&t, worker, 1).await, [10]);
    assert_eq!(take(&t, worker, 1).await, [0]);
    assert_eq!(take(&t, worker, 2).await, [11, 12]);
    // The next round; what comes meanwhile is in it.
    t.queue(worker, vec![of("a", 14)]).await;
    assert_eq!(take(&t, worker, 3).await, [14, 1, 13]);
    assert_eq!(take(&t, worker, 2).await, [2, 3]);
    let last = claim(&t, worker, 2).await;
    assert_eq!((last.activities.len(), last.next_due_at, last.is_held_back), (1, None, false));
}

async fn a_partition_has_as_many_calls_in_its_turn_as_its_weight_says(t: StoreUnderTest) {
    let worker = t.worker().await;
    let calls = (0..6).map(|handle| of("a", handle)).chain((10..16).map(|handle| of("b", handle)));
    t.queue(worker, calls.collect()).await;
    weigh(&t, "b", 2).await;
    for expected in [vec![0], vec![10], vec![11], vec![1], vec![12]] {
        assert_eq!(take(&t, worker, 1).await, expected);
    }
    // One is left of its turn, and two are in the next one.
    assert_eq!(take(&t, worker, 4).await, [13, 14, 15, 2]);
    assert_eq!(take(&t, worker, 1).await, [3]);
}

async fn the_turn_goes_on_where_it_was_for_another_worker(t: StoreUnderTest) {
    let (worker, other) = (t.worker().await, t.worker().await);
    let calls = (0..4).map(|handle| of("a", handle)).chain((10..14).map(|handle| of("b", handle)));
    t.queue(worker, calls.collect()).await;
    assert_eq!(take(&t, worker, 1).await, [0]);
    assert_eq!(take(&t, other, 1).await, [10]);
    assert_eq!(take(&t, worker, 1).await, [1]);
}

async fn calls_without_a_partition_are_one_more(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.queue(worker, vec![activity(0), activity(1)]).await;
    t.queue(worker, vec![of("a", 10), of("a", 11)]).await;
    assert_eq!(take(&t, worker, 1).await, [0]);
    assert_eq!(take(&t, worker, 1).await, [10]);
    assert_eq!(take(&t, worker, 9).await, [1, 11]);
    // The partitions of one queue do not affect another queue.
    let elsewhere = |handle| NewActivity { queue: "cpu".into(), ..activity(handle) };
    t.queue(worker, vec![elsewhere(20), of("a", 21), elsewhere(22)]).await;
    let queues = &[("cpu", 9), (QUEUE, 9)];
    let claimed = t.store.claim_activities(claim_of(worker, queues)).await;
    let claimed = claimed.expect("a valid worker can claim").activities;
    let numbers: Vec<u64> = claimed.iter().map(|one| one.key.handle.0).collect();
    assert_eq!(numbers, [20, 22, 21]);
}

async fn a_priority_decides_within_a_partition(t: StoreUnderTest) {
    let worker = t.worker().await;
    let with = |partition, handle, priority| NewActivity { priority, ..of(partition, handle) };
    let calls = [with("a", 0, 0), with("a", 1, 5), with("a", 2, -1), with("b", 3, 0)];
    t.queue(worker, calls.to_vec()).await;
    assert_eq!(take(&t, worker, 1).await, [1]);
    assert_eq!(take(&t, worker, 9).await, [3, 0, 2]);
}

async fn each_partition_has_a_limit(t: StoreUnderTest) {
    let (worker, other) = (t.worker().await, t.worker().await);
    limit(&t, QueueLimits::default().partition_concurrent(2)).await;
    let calls = (0..4).map(|handle| of("a", handle)).chain([of("b", 10)]);
    t.queue(worker, calls.collect()).await;
    let first = t.claim_one(worker).await;
    let claimed = claim(&t, other, 9).await;
    let numbers: Vec<u64> = claimed.activities.iter().map(|one| one.key.handle.0).collect();
    assert_eq!(numbers, [10, 1]);
    assert_eq!((claimed.next_due_at, claimed.is_held_back), (None, true));
    let none = claim(&t, worker, 9).await;
    assert_eq!((none.activities.len(), none.next_due_at, none.is_held_back), (0, None, true));
    // A failed attempt that waits for the next one counts no more, and neither does one that has ended.
    let later = t.now() + Duration::from_secs(60);
    t.finish(by_worker(worker, &first, retry(later))).await;
    assert_eq!(take(&t, worker, 9).await, [2]);
    t.finish(by_worker(other, &claimed.activities[1], outcome())).await;
    assert_eq!(take(&t, worker, 9).await, [3]);
    t.clock.advance(Duration::from_secs(60));
    assert_eq!(take(&t, t.worker().await, 9).await, NONE);
}

async fn the_queue_has_a_limit(t: StoreUnderTest) {
    let worker = t.worker().await;
    limit(&t, QueueLimits::default().max_concurrent(3)).await;
    let calls = (0..3).map(|handle| of("a", handle)).chain((10..13).map(|handle| of("b", handle)));
    t.queue(worker, calls.collect()).await;
    let claimed = claim(&t, worker, 9).await;
    let numbers: Vec<u64> = claimed.activities.iter().map(|one| one.key.handle.0).collect();
    assert_eq!(numbers, [0, 1, 10]);
    assert!(claimed.is_held_back);
    assert_eq!(take(&t, worker, 9).await, NONE);
    t.finish(by_worker(worker, &claimed.activities[0], outcome())).await;
    assert_eq!(take(&t, worker, 9).await, [11]);
    limit(&t, QueueLimits::default()).await;
    assert_eq!(take(&t, worker, 9).await, [2, 12]);
}

async fn a_queue_without_partitions_has_a_limit(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.queue(worker, (0..5).map(activity).collect()).await;
    let first = t.claim_one(worker).await;
    limit(&t, QueueLimits::default().max_concurrent(2)).await;
    assert_eq!(take(&t, worker, 9).await, [1]);
    t.finish(by_worker(worker, &first, outcome())).await;
    assert_eq!(take(&t, worker, 9).await, [2]);
}

async fn a_lower_limit_stops_no_attempt(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.queue(worker, (0..6).map(|handle| of("a", handle)).collect()).await;
    let claimed = t.claim_activities(worker, 4).await;
    limit(&t, QueueLimits::default().partition_concurrent(2)).await;
    for attempt in &claimed[..2] {
        assert_eq!(take(&t, worker, 9).await, NONE);
        let end = by_worker(worker, attempt, outcome());
        assert_eq!(t.finish(end).await, FinishOutcome::Finished);
    }
    assert_eq!(take(&t, worker, 9).await, NONE);
    t.finish(by_worker(worker, &claimed[2], outcome())).await;
    assert_eq!(take(&t, worker, 9).await, [4]);
}

async fn the_attempts_of_a_dead_worker_count_until_it_is_fenced(t: StoreUnderTest) {
    let dead = t.worker().await;
    limit(&t, QueueLimits::default().partition_concurrent(1)).await;
    t.queue(dead, vec![of("a", 0), of("a", 1)]).await;
    assert_eq!(take(&t, dead, 9).await, [0]);
    t.clock.advance(LONGER_THAN_LEASE);
    let worker = t.worker().await;
    assert_eq!(take(&t, worker, 9).await, NONE);
    t.store.fence_expired_workers().await.expect("workers can be fenced");
    // The other call has been due for longer.
    assert_eq!(take(&t, worker, 9).await, [1]);
    assert_eq!(take(&t, worker, 9).await, NONE);
}

async fn what_awaits_its_token_counts_no_more(t: StoreUnderTest) {
    let worker = t.worker().await;
    limit(&t, QueueLimits::default().partition_concurrent(1)).await;
    t.queue(worker, vec![of("a", 0), of("a", 1)]).await;
    let first = t.claim_one(worker).await;
    assert_eq!(take(&t, worker, 9).await, NONE);
    t.finish(by_worker(worker, &first, ActivityEnd::Later)).await;
    assert_eq!(take(&t, worker, 9).await, [1]);
}

async fn a_partition_has_a_rate(t: StoreUnderTest) {
    let worker = t.worker().await;
    limit(&t, QueueLimits::default().partition_rate(2, Duration::from_secs(1))).await;
    let calls = (0..6).map(|handle| of("a", handle)).chain([of("b", 10)]);
    t.queue(worker, calls.collect()).await;
    let claimed = claim(&t, worker, 9).await;
    let numbers: Vec<u64> = claimed.activities.iter().map(|one| one.key.handle.0).collect();
    assert_eq!(numbers, [0, 1, 10]);
    let half = Duration::from_millis(500);
    assert_eq!(claimed.next_due_at, Some(t.now() + half));
    assert!(!claimed.is_held_back, "time is all that it needs");
    t.clock.advance(half - Duration::from_millis(1));
    assert_eq!(take(&t, worker, 9).await, NONE);
    t.clock.advance(Duration::from_millis(1));
    let claimed = claim(&t, worker, 9).await;
    assert_eq!(claimed.activities.len(), 1);
    assert_eq!(claimed.next_due_at, Some(t.now() + half));
    // No more than those of one period, however long it rests.
    t.clock.advance(Duration::from_secs(5));
    assert_eq!(take(&t, worker, 9).await, [3, 4]);
}

async fn a_delayed_call_is_waited_for(t: StoreUnderTest) {
    let worker = t.worker().await;
    let second = Duration::from_secs(1);
    let later =
        |seconds: u32, call| NewActivity { due_at: Some(t.now() + seconds * second), ..call };
    let calls = [later(3, of("a", 0)), later(2, of("b", 1)), later(1, activity(2)), of("c", 3)];
    t.queue(worker, calls.to_vec()).await;
    let claimed = claim(&t, worker, 9).await;
    assert_eq!(claimed.activities.len(), 1);
    assert_eq!(claimed.next_due_at, Some(t.now() + second));
    t.clock.advance(second);
    let claimed = claim(&t, worker, 9).await;
    assert_eq!(claimed.activities[0].key.handle.0, 2);
    assert_eq!(claimed.next_due_at, Some(t.now() + second));
    t.clock.advance(2 * second);
    assert_eq!(take(&t, worker, 9).await, [0, 1]);
}

async fn a_claim_takes_what_it_has_room_for(t: StoreUnderTest) {
    let worker = t.worker().await;
    let rare = |partition, handle| NewActivity { activity: "rare".into(), ..of(partition, handle) };
    let calls = [rare("a", 0), rare("a", 1), of("a", 2), rare("b", 3), of("b", 4), of("b", 5)];
    t.queue(worker, calls.to_vec()).await;
    let queues = &[(QUEUE, 5)][..];
    let claim = async |activities: &[(&str, u32)], limit| {
        let claim = ClaimActivities { worker, queues, activities, limit };
        t.store.claim_activities(claim).await.expect("a valid worker can claim")
    };
    let numbers = |claimed: &ClaimedActivities| -> Vec<u64> {
        claimed.activities.iter().map(|one| one.key.handle.0).collect()
    };
    // There is room for one of the rare ones. What is behind the others may be left for the next claim.
    let first = claim(&[(ACTIVITY, 9), ("rare", 1)], 3).await;
    let mut all = numbers(&first);
    assert!(all.contains(&0) && !all.contains(&1) && !all.contains(&3), "{all:?}");
    assert_eq!(first.next_due_at, Some(t.now()));
    for _ in 0..3 {
        all.extend(numbers(&claim(&[(ACTIVITY, 9)], 2).await));
    }
    all.sort_unstable();
    assert_eq!(all, [0, 2, 4, 5]);
    let last = claim(&[(ACTIVITY, 9)], 9).await;
    assert_eq!((numbers(&last).len(), last.next_due_at), (0, None));
}

async fn a_call_whose_time_is_over_is_not_taken(t: StoreUnderTest) {
    let worker = t.worker().await;
    let second = Duration::from_secs(1);
    let limits = ActivityLimits { schedule_to_start: Some(second), ..ActivityLimits::default() };
    let overdue = NewActivity { partition: "a".into(), ..limited(0, limits) };
    t.queue(worker, vec![overdue, of("b", 1)]).await;
    t.clock.advance(second);
    let claimed = claim(&t, worker, 9).await;
    assert_eq!(claimed.activities.len(), 1);
    assert_eq!((claimed.activities[0].key.handle.0, claimed.next_due_at), (1, None));
}

async fn a_paused_queue_gives_nothing_of_its_partitions(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.queue(worker, vec![of("a", 0), activity(1)]).await;
    t.store.pause_queue(QUEUE, "it burns").await.expect("it can be paused");
    let claimed = claim(&t, worker, 9).await;
    assert_eq!((claimed.activities.len(), claimed.next_due_at), (0, None));
    t.store.resume_queue(QUEUE).await.expect("it can be resumed");
    assert_eq!(take(&t, worker, 9).await, [1, 0]);
}

async fn a_failed_call_stays_in_its_partition(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.queue(worker, vec![of("a", 0), of("b", 1)]).await;
    let first = t.claim_one(worker).await;
    let fails = ActivityEnd::Failed {
        outcome: crate::machine::OperationOutcome::Unknown,
        failure: "no".to_owned(),
    };
    t.finish(by_worker(worker, &first, fails)).await;
    let query = FailedCallQuery { queue: QUEUE, ids: None, after: None, limit: 9 };
    let failed = t.store.list_failed_calls(query).await.expect("they can be listed");
    assert_eq!(failed[0].partition, "a");
    let again = super::failed_calls::again(&failed[0]);
    t.store.redrive_calls(QUEUE, vec![again]).await.expect("it can be put on its queue again");
    let listed = t.store.list_partitions(QUEUE, None, 9).await.expect("they can be listed");
    let waiting: Vec<_> = listed.iter().map(|one| (&*one.partition, one.waiting)).collect();
    assert_eq!(waiting, [("a", 1), ("b", 1)]);
}

async fn many_partitions_are_served_in_one_round(t: StoreUnderTest) {
    const COUNT: u64 = 150;
    let worker = t.worker().await;
    let name = |number: u64| format!("tenant-{number:03}");
    let calls = (0..COUNT).map(|number| of(&name(number), number));
    let more = (0..COUNT).map(|number| of("tenant-000", 1_000 + number));
    t.queue(worker, calls.chain(more).collect()).await;
    let mut numbers = Vec::new();
    for _ in 0..3 {
        numbers.extend(take(&t, worker, 50).await);
    }
    assert_eq!(numbers, (0..COUNT).collect::<Vec<_>>());
    // Only one of them has calls left, and gets all places.
    assert_eq!(take(&t, worker, 50).await.len(), 50);
}

async fn claims_at_the_same_time_keep_the_limits(t: StoreUnderTest) {
    let workers = [t.worker().await, t.worker().await, t.worker().await, t.worker().await];
    limit(&t, QueueLimits::default().partition_concurrent(3).max_concurrent(5)).await;
    let calls = (0..40).map(|handle| of(["a", "b"][handle as usize % 2], handle)).collect();
    t.queue(workers[0], calls).await;
    let stores = [&t.store, &t.other];
    let claims = (0..12).map(|number| async move {
        let queues = &[(QUEUE, 2)];
        let claim = claim_of(workers[number % 4], queues);
        let claimed = stores[number % 2].claim_activities(claim).await;
        claimed.expect("a valid worker can claim").activities.len()
    });
    let claimed: usize = futures_util::future::join_all(claims).await.into_iter().sum();
    let rest = claim(&t, workers[0], 9).await.activities.len();
    assert_eq!(claimed + rest, 5);
    let listed = t.store.list_partitions(QUEUE, None, 9).await.expect("they can be listed");
    assert!(listed.iter().all(|one| one.under_way <= 3), "{listed:?}");
}

async fn queues_are_listed_with_their_limits(t: StoreUnderTest) {
    let rate = Duration::from_millis(1_500);
    let limits = QueueLimits::default().max_concurrent(7).partition_concurrent(2);
    let limits = limits.partition_rate(3, rate);
    limit(&t, limits).await;
    let queues = t.store.list_queues().await.expect("queues can be listed");
    let [queue] = &queues[..] else { panic!("there is one") };
    assert_eq!((&*queue.queue, queue.waiting, queue.limits), (QUEUE, 0, limits));
    limit(&t, QueueLimits::default()).await;
    assert_eq!(t.store.list_queues().await.expect("queues can be listed"), []);
    let worker = t.worker().await;
    t.queue(worker, vec![of("a", 0)]).await;
    let queues = t.store.list_queues().await.expect("queues can be listed");
    assert!(queues[0].limits.is_empty(), "{queues:?}");
}

async fn partitions_are_listed(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let minute = Duration::from_secs(60);
    let delayed = NewActivity { due_at: Some(t.now() + minute), ..of("b", 3) };
    let calls = vec![of("a", 0), of("a", 1), of("a", 2), delayed, activity(4)];
    let step = CommitStep { effects: enqueue(calls), ..keep(run_id, 0, "asked") };
    t.commit(worker, step).await;
    let claimed = t.claim_activities(worker, 3).await;
    let first = claimed.iter().find(|one| one.key.handle.0 == 0).expect("it has its turn");
    t.finish(by_worker(worker, first, ActivityEnd::Later)).await;
    weigh(&t, "c", 9).await;
    let list = async |after, limit| {
        let listed = t.other.list_partitions(QUEUE, after, limit).await;
        listed.expect("partitions can be listed")
    };
    let new = |name: &str| PartitionRecord::new(name.to_owned());
    let expected = [
        PartitionRecord { under_way: 1, ..new("") },
        PartitionRecord { waiting: 2, awaiting_token: 1, oldest_due_at: Some(t.now()), ..new("a") },
        PartitionRecord { delayed: 1, ..new("b") },
        PartitionRecord { weight: 9, ..new("c") },
    ];
    assert_eq!(list(None, 9).await, expected);
    assert_eq!(list(Some("a"), 1).await, expected[2..3]);
    assert_eq!(t.other.list_partitions("cpu", None, 9).await.expect("they can be listed"), []);
}

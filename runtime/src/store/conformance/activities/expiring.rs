//! The time limits of queued activities, by the database's clock.

use std::time::Duration;

use crate::machine::TimeoutKind;
use crate::store::conformance::fixture::{
    StoreUnderTest, beat, by_expiry, by_worker, key, limited, outcome, retry,
};
use crate::store::{
    ActivityEnd, ActivityKey, ActivityLimits, FinishOutcome, HeartbeatOutcome, WorkerLease,
};

crate::store::conformance::list_cases!("expiring":
    without_limits_nothing_expires,
    waiting_too_long_expires,
    what_has_waited_too_long_is_not_given,
    the_wait_for_a_retry_is_limited_from_when_it_is_due,
    the_wait_after_an_interruption_is_limited_anew,
    an_attempt_that_takes_too_long_expires,
    silence_expires,
    a_heartbeat_puts_the_end_off,
    a_heartbeat_does_not_put_off_the_end_of_the_attempt,
    the_end_of_all_attempts_expires_whatever_is_going_on,
    an_attempt_that_awaits_its_token_keeps_its_limits,
    an_expired_attempt_can_be_tried_again,
    what_has_not_expired_cannot_be_ended_for_it,
    what_was_put_off_in_the_meantime_cannot_be_ended,
    the_longest_overdue_come_first,
    limits_shorter_than_a_millisecond_are_rounded_up,
    endless_limits_do_not_overflow,
);

const SECOND: Duration = Duration::from_secs(1);

fn none() -> ActivityLimits {
    ActivityLimits::default()
}

async fn queued(t: &StoreUnderTest, limits: ActivityLimits) -> (WorkerLease, ActivityKey) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![limited(0, limits)]).await;
    (worker, key(run_id, 0))
}

/// The expired activities, with their limits.
async fn expired(t: &StoreUnderTest) -> Vec<(ActivityKey, u32, TimeoutKind)> {
    t.expired().await.iter().map(|one| (one.key, one.attempt, one.limit)).collect()
}

async fn without_limits_nothing_expires(t: StoreUnderTest) {
    let (worker, _) = queued(&t, none()).await;
    t.claim_one(worker).await;
    t.clock.advance(Duration::from_secs(1_000_000));
    assert!(t.expired().await.is_empty());
}

async fn waiting_too_long_expires(t: StoreUnderTest) {
    let limits = ActivityLimits { schedule_to_start: Some(3 * SECOND), ..none() };
    let (_, key) = queued(&t, limits).await;
    t.clock.advance(3 * SECOND - Duration::from_micros(1));
    assert!(t.expired().await.is_empty());
    t.clock.advance(Duration::from_micros(1));
    let expired = t.expired().await;
    assert_eq!((expired[0].key, expired[0].attempt), (key, 0));
    assert_eq!((expired[0].limit, expired[0].now), (TimeoutKind::ScheduleToStart, t.now()));
    assert_eq!((expired[0].call.as_slice(), expired[0].interruptions), (&b"call 0"[..], 0));
    assert_eq!(t.finish(by_expiry(key, 0, outcome())).await, FinishOutcome::Finished);
    assert_eq!(t.inbox(key.run_id).await, [1]);
    assert!(t.expired().await.is_empty());
}

async fn what_has_waited_too_long_is_not_given(t: StoreUnderTest) {
    let limits = ActivityLimits { schedule_to_start: Some(3 * SECOND), ..none() };
    let (worker, _) = queued(&t, limits).await;
    t.clock.advance(3 * SECOND);
    let claimed = t.try_claim_activities(worker, 5).await.expect("it can ask");
    assert!(claimed.activities.is_empty());
    assert_eq!(claimed.next_due_at, None, "it is for the sweep");
}

async fn the_wait_for_a_retry_is_limited_from_when_it_is_due(t: StoreUnderTest) {
    let limits = ActivityLimits { schedule_to_start: Some(2 * SECOND), ..none() };
    let (worker, key) = queued(&t, limits).await;
    let claimed = t.claim_one(worker).await;
    assert_eq!(t.activity(key).await.expect("it is there").expires_at, None);
    t.finish(by_worker(worker, &claimed, retry(t.now() + 5 * SECOND))).await;
    t.clock.advance(6 * SECOND);
    assert!(t.expired().await.is_empty());
    t.clock.advance(SECOND);
    assert_eq!(expired(&t).await, [(key, 1, TimeoutKind::ScheduleToStart)]);
}

async fn the_wait_after_an_interruption_is_limited_anew(t: StoreUnderTest) {
    let limits = ActivityLimits { schedule_to_start: Some(2 * SECOND), ..none() };
    let (worker, key) = queued(&t, limits).await;
    t.claim_one(worker).await;
    t.clock.advance(5 * SECOND);
    t.store.fence_workers(&[worker.worker_id]).await.expect("it can be fenced");
    t.clock.advance(SECOND);
    assert!(t.expired().await.is_empty());
    t.clock.advance(SECOND);
    assert_eq!(expired(&t).await, [(key, 1, TimeoutKind::ScheduleToStart)]);
}

async fn an_attempt_that_takes_too_long_expires(t: StoreUnderTest) {
    let limits = ActivityLimits { start_to_close: Some(3 * SECOND), ..none() };
    let (worker, key) = queued(&t, limits).await;
    t.clock.advance(2 * SECOND);
    let claimed = t.claim_one(worker).await;
    t.clock.advance(2 * SECOND);
    assert!(t.expired().await.is_empty());
    t.clock.advance(SECOND);
    assert_eq!(expired(&t).await, [(key, 1, TimeoutKind::StartToClose)]);
    assert_eq!(t.finish(by_expiry(key, 1, outcome())).await, FinishOutcome::Finished);
    assert_eq!(t.finish(by_worker(worker, &claimed, outcome())).await, FinishOutcome::Stale);
    assert_eq!(t.inbox(key.run_id).await, [1]);
}

async fn silence_expires(t: StoreUnderTest) {
    let limits = ActivityLimits { heartbeat: Some(SECOND), ..none() };
    let (worker, key) = queued(&t, limits).await;
    t.claim_one(worker).await;
    t.clock.advance(SECOND);
    assert_eq!(expired(&t).await, [(key, 1, TimeoutKind::Heartbeat)]);
}

async fn a_heartbeat_puts_the_end_off(t: StoreUnderTest) {
    let limits = ActivityLimits { heartbeat: Some(2 * SECOND), ..none() };
    let (worker, key) = queued(&t, limits).await;
    let claimed = t.claim_one(worker).await;
    for _ in 0..5 {
        t.clock.advance(SECOND);
        let noted = t.heartbeat(beat(worker, &claimed, None)).await;
        assert_eq!(noted, HeartbeatOutcome::Noted);
        assert!(t.expired().await.is_empty());
    }
    t.clock.advance(2 * SECOND);
    assert_eq!(expired(&t).await, [(key, 1, TimeoutKind::Heartbeat)]);
}

async fn a_heartbeat_does_not_put_off_the_end_of_the_attempt(t: StoreUnderTest) {
    let limits =
        ActivityLimits { heartbeat: Some(2 * SECOND), start_to_close: Some(3 * SECOND), ..none() };
    let (worker, key) = queued(&t, limits).await;
    let claimed = t.claim_one(worker).await;
    t.clock.advance(SECOND);
    t.heartbeat(beat(worker, &claimed, None)).await;
    t.clock.advance(SECOND);
    t.heartbeat(beat(worker, &claimed, None)).await;
    t.clock.advance(SECOND);
    assert_eq!(expired(&t).await, [(key, 1, TimeoutKind::StartToClose)]);
}

async fn the_end_of_all_attempts_expires_whatever_is_going_on(t: StoreUnderTest) {
    let close_by = Some(t.now() + 5 * SECOND);
    let long = Some(100 * SECOND);
    let limits =
        ActivityLimits { close_by, schedule_to_start: long, start_to_close: long, heartbeat: long };
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![limited(0, limits), limited(1, limits)]).await;
    let claimed = t.claim_one(worker).await;
    t.heartbeat(beat(worker, &claimed, None)).await;
    t.clock.advance(5 * SECOND - Duration::from_millis(1));
    assert!(t.expired().await.is_empty());
    t.clock.advance(Duration::from_millis(1));
    let mut expired = expired(&t).await;
    expired.sort_by_key(|one| one.0);
    let limit = TimeoutKind::ScheduleToClose;
    assert_eq!(expired, [(key(run_id, 0), 1, limit), (key(run_id, 1), 0, limit)]);
}

async fn an_attempt_that_awaits_its_token_keeps_its_limits(t: StoreUnderTest) {
    let limits =
        ActivityLimits { heartbeat: Some(2 * SECOND), start_to_close: Some(9 * SECOND), ..none() };
    let (worker, key) = queued(&t, limits).await;
    let claimed = t.claim_one(worker).await;
    t.clock.advance(SECOND);
    t.finish(by_worker(worker, &claimed, ActivityEnd::Later)).await;
    t.clock.advance(SECOND);
    assert_eq!(expired(&t).await, [(key, 1, TimeoutKind::Heartbeat)]);
    t.clock.advance(7 * SECOND);
    assert_eq!(expired(&t).await, [(key, 1, TimeoutKind::StartToClose)]);
}

async fn an_expired_attempt_can_be_tried_again(t: StoreUnderTest) {
    let limits = ActivityLimits { start_to_close: Some(SECOND), ..none() };
    let (worker, key) = queued(&t, limits).await;
    t.claim_one(worker).await;
    t.clock.advance(SECOND);
    assert_eq!(t.finish(by_expiry(key, 1, retry(t.now()))).await, FinishOutcome::Finished);
    assert!(t.expired().await.is_empty());
    let second = t.claim_one(worker).await;
    assert_eq!((second.attempt, second.interruptions), (2, 0));
}

async fn what_has_not_expired_cannot_be_ended_for_it(t: StoreUnderTest) {
    let limits = ActivityLimits { start_to_close: Some(SECOND), ..none() };
    let (worker, key) = queued(&t, limits).await;
    t.claim_one(worker).await;
    assert_eq!(t.finish(by_expiry(key, 1, outcome())).await, FinishOutcome::Stale);
    t.clock.advance(SECOND);
    assert_eq!(t.finish(by_expiry(key, 0, outcome())).await, FinishOutcome::Stale);
    assert_eq!(t.finish(by_expiry(key, 2, outcome())).await, FinishOutcome::Stale);
    assert_eq!(t.finish(by_expiry(key, 1, outcome())).await, FinishOutcome::Finished);
}

async fn what_was_put_off_in_the_meantime_cannot_be_ended(t: StoreUnderTest) {
    let limits = ActivityLimits { heartbeat: Some(SECOND), ..none() };
    let (worker, key) = queued(&t, limits).await;
    let claimed = t.claim_one(worker).await;
    t.clock.advance(SECOND);
    assert_eq!(expired(&t).await.len(), 1);
    t.heartbeat(beat(worker, &claimed, None)).await;
    assert_eq!(t.finish(by_expiry(key, 1, outcome())).await, FinishOutcome::Stale);
}

async fn the_longest_overdue_come_first(t: StoreUnderTest) {
    let worker = t.worker().await;
    let limits = |seconds: u32| ActivityLimits {
        schedule_to_start: Some(SECOND * seconds),
        ..ActivityLimits::default()
    };
    let activities = vec![limited(0, limits(3)), limited(1, limits(1)), limited(2, limits(2))];
    let run_id = t.queue(worker, activities).await;
    t.clock.advance(10 * SECOND);
    let expired = t.store.expired_activities(2).await.expect("they can be looked up");
    let keys: Vec<_> = expired.iter().map(|one| one.key).collect();
    assert_eq!(keys, [key(run_id, 1), key(run_id, 2)]);
}

async fn limits_shorter_than_a_millisecond_are_rounded_up(t: StoreUnderTest) {
    let limits = ActivityLimits { schedule_to_start: Some(Duration::from_nanos(1)), ..none() };
    let (worker, _) = queued(&t, limits).await;
    // Less than that would give it to nobody.
    t.claim_one(worker).await;
}

async fn endless_limits_do_not_overflow(t: StoreUnderTest) {
    let endless = Some(Duration::MAX);
    let limits = ActivityLimits {
        schedule_to_start: endless,
        start_to_close: endless,
        heartbeat: endless,
        close_by: Some(crate::model::Timestamp::MAX),
    };
    let (worker, _) = queued(&t, limits).await;
    let claimed = t.claim_one(worker).await;
    t.heartbeat(beat(worker, &claimed, None)).await;
    let retry = retry(crate::model::Timestamp::MAX);
    assert_eq!(t.finish(by_worker(worker, &claimed, retry)).await, FinishOutcome::Finished);
    t.store.fence_workers(&[worker.worker_id]).await.expect("it can be fenced");
    assert!(t.expired().await.is_empty());
}

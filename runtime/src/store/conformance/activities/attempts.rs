//! Attempts of queued activities: heartbeats and ends.

use std::time::Duration;

use crate::machine::OperationOutcome;
use crate::model::{AttemptFailure, Handle, Payload, RunId};
use crate::store::conformance::fixture::{
    NOTHING, StoreUnderTest, activity, beat, block, by_expiry, by_token, by_worker, close, key,
    outcome, park, retry,
};
use crate::store::{
    ActivityEnd, ActivityHeartbeat, ArrivalKind, CommitOutcome, CommitStep, Effect, FinishActivity,
    FinishOutcome, HeartbeatOutcome, Reporter, RunEvent, WorkerLease,
};

crate::store::conformance::list_cases!("attempts":
    an_outcome_arrives_once,
    an_outcome_wakes_a_parked_run,
    an_outcome_is_news_to_the_owner,
    an_outcome_does_not_wake_a_blocked_run,
    the_first_of_several_ends_counts,
    outcomes_of_one_run_are_numbered_in_their_order,
    a_retry_is_due_at_its_time,
    a_retry_keeps_what_the_last_heartbeat_said,
    a_retry_can_bring_details,
    the_last_failure_is_kept_with_its_attempt,
    a_retry_is_not_an_arrival,
    an_attempt_put_back_does_not_count,
    an_attempt_of_another_number_cannot_be_ended,
    an_attempt_of_another_worker_cannot_be_ended,
    an_activity_that_waits_cannot_be_ended,
    an_unknown_activity_cannot_be_ended,
    a_heartbeat_keeps_details,
    a_heartbeat_without_details_keeps_those_before,
    a_heartbeat_of_an_old_attempt_is_stale,
    heartbeats_are_judged_one_by_one,
    nobody_gives_a_sign_of_life_because_a_limit_has_run_out,
    a_token_ends_the_attempt_that_awaits_it,
    a_token_ends_an_attempt_that_is_being_made,
    whoever_makes_an_attempt_that_a_token_has_ended_is_told,
    a_token_used_again_is_known,
    a_token_that_has_failed_an_attempt_is_known,
    a_token_of_an_old_attempt_is_stale,
    a_token_of_a_closed_run_is_stale,
    a_token_gives_signs_of_life,
    an_attempt_that_awaits_its_token_outlives_its_worker,
    an_activity_of_a_closed_run_that_was_left_behind_goes,
);

/// A run with one activity in its first attempt.
async fn begun(t: &StoreUnderTest) -> (WorkerLease, RunId, crate::store::ClaimedActivity) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0)]).await;
    let claimed = t.claim_one(worker).await;
    (worker, run_id, claimed)
}

async fn an_outcome_arrives_once(t: StoreUnderTest) {
    let (worker, run_id, claimed) = begun(&t).await;
    assert_eq!(t.finish(by_worker(worker, &claimed, outcome())).await, FinishOutcome::Finished);
    assert_eq!(t.activity(claimed.key).await, None);
    assert_eq!(t.finish(by_worker(worker, &claimed, outcome())).await, FinishOutcome::Stale);
    let inbox = t.store.read_inbox(run_id, 0, 10).await.expect("it can be read");
    let returned = OperationOutcome::Returned(Payload(b"done".to_vec()));
    let [arrival] = &inbox.arrivals[..] else { panic!("one arrival: {inbox:?}") };
    assert_eq!(arrival.seq, 1);
    assert_eq!(arrival.kind, ArrivalKind::Outcome { handle: Handle(0), outcome: returned });
}

async fn an_outcome_wakes_a_parked_run(t: StoreUnderTest) {
    let (worker, run_id, claimed) = begun(&t).await;
    assert_eq!(t.commit(worker, park(run_id, 1, None, 0)).await, CommitOutcome::Committed);
    t.clock.advance(Duration::from_secs(1));
    assert_eq!(t.finish(by_worker(worker, &claimed, outcome())).await, FinishOutcome::Finished);
    assert_eq!(t.record(run_id).await.due_at, Some(t.now()));
    let run = &t.claim(worker, 1).await[0];
    assert_eq!((run.run_id, run.inbox_count, run.inbox.arrivals.len()), (run_id, 1, 1));
}

async fn an_outcome_is_news_to_the_owner(t: StoreUnderTest) {
    let (worker, run_id, claimed) = begun(&t).await;
    let (sender, mut news) = tokio::sync::mpsc::unbounded_channel();
    let _subscription = t.store.hub().subscribe(run_id, sender);
    assert_eq!(t.finish(by_worker(worker, &claimed, outcome())).await, FinishOutcome::Finished);
    assert_eq!(news.try_recv(), Ok(RunEvent::Arrival(run_id)));
    assert_eq!(t.record(run_id).await.owner, Some(worker.worker_id));
}

async fn an_outcome_does_not_wake_a_blocked_run(t: StoreUnderTest) {
    let (worker, run_id, claimed) = begun(&t).await;
    t.commit(worker, block(run_id, 1)).await;
    assert_eq!(t.finish(by_worker(worker, &claimed, outcome())).await, FinishOutcome::Finished);
    assert_eq!(t.record(run_id).await.due_at, None);
    assert_eq!(t.inbox(run_id).await, [1]);
}

async fn the_first_of_several_ends_counts(t: StoreUnderTest) {
    let (worker, run_id, claimed) = begun(&t).await;
    let ends =
        vec![by_worker(worker, &claimed, retry(t.now())), by_worker(worker, &claimed, outcome())];
    assert_eq!(t.finish_all(ends).await, [FinishOutcome::Finished, FinishOutcome::Stale]);
    assert_eq!(t.inbox(run_id).await, NOTHING);
    assert_eq!(t.claim_one(worker).await.attempt, 2);
}

async fn outcomes_of_one_run_are_numbered_in_their_order(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, (0..4).map(activity).collect()).await;
    let claimed = t.claim_activities(worker, 4).await;
    let ends = [2, 0, 3, 1].map(|at: usize| by_worker(worker, &claimed[at], outcome()));
    assert_eq!(t.finish_all(ends.to_vec()).await, [FinishOutcome::Finished; 4]);
    let inbox = t.store.read_inbox(run_id, 0, 10).await.expect("it can be read");
    let handles: Vec<u64> = inbox
        .arrivals
        .iter()
        .map(|arrival| match &arrival.kind {
            ArrivalKind::Outcome { handle, .. } => handle.0,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(handles, [2, 0, 3, 1]);
}

async fn a_retry_is_due_at_its_time(t: StoreUnderTest) {
    let (worker, _, claimed) = begun(&t).await;
    let retry_at = t.now() + Duration::from_secs(5);
    assert_eq!(
        t.finish(by_worker(worker, &claimed, retry(retry_at))).await,
        FinishOutcome::Finished
    );
    let waiting = t.try_claim_activities(worker, 5).await.expect("it can ask");
    assert!(waiting.activities.is_empty());
    assert_eq!(waiting.next_due_at, Some(retry_at));
    t.clock.advance(Duration::from_secs(5));
    let second = t.claim_one(worker).await;
    assert_eq!((second.key, second.attempt, second.interruptions), (claimed.key, 2, 0));
}

async fn a_retry_keeps_what_the_last_heartbeat_said(t: StoreUnderTest) {
    let (worker, _, claimed) = begun(&t).await;
    t.heartbeat(beat(worker, &claimed, Some("half"))).await;
    t.finish(by_worker(worker, &claimed, retry(t.now()))).await;
    assert_eq!(t.claim_one(worker).await.details, Some(Payload(b"half".to_vec())));
}

async fn a_retry_can_bring_details(t: StoreUnderTest) {
    let (worker, _, claimed) = begun(&t).await;
    t.heartbeat(beat(worker, &claimed, Some("half"))).await;
    let details = Some(Payload(b"more".to_vec()));
    let end = ActivityEnd::Retry { retry_at: t.now(), failure: "declined".into(), details };
    t.finish(by_worker(worker, &claimed, end)).await;
    assert_eq!(t.claim_one(worker).await.details, Some(Payload(b"more".to_vec())));
}

async fn the_last_failure_is_kept_with_its_attempt(t: StoreUnderTest) {
    let (worker, _, first) = begun(&t).await;
    let last_failure = async || t.activity(first.key).await.expect("it is not over").last_failure;
    assert_eq!(last_failure().await, None);
    let failed = |error: &str| ActivityEnd::Retry {
        retry_at: t.now(),
        failure: error.to_owned(),
        details: None,
    };
    t.finish(by_worker(worker, &first, failed("declined"))).await;
    let declined = AttemptFailure::new(1, "declined".to_owned());
    assert_eq!(last_failure().await, Some(declined.clone()));

    // What is no failure leaves it: a further attempt, one that is put back, one that awaits its token.
    let second = t.claim_one(worker).await;
    assert_eq!(last_failure().await, Some(declined.clone()));
    let end = ActivityEnd::PutBack { due_at: t.now() };
    t.finish(by_worker(worker, &second, end)).await;
    assert_eq!(last_failure().await, Some(declined.clone()));
    let second = t.claim_one(worker).await;
    t.finish(by_worker(worker, &second, ActivityEnd::Later)).await;
    assert_eq!(last_failure().await, Some(declined));

    t.finish(by_token(first.key, 2, failed("out of\u{a0}money: ✗"))).await;
    let second = AttemptFailure::new(2, "out of\u{a0}money: ✗".to_owned());
    assert_eq!(last_failure().await, Some(second));
}

async fn a_retry_is_not_an_arrival(t: StoreUnderTest) {
    let (worker, run_id, claimed) = begun(&t).await;
    t.finish(by_worker(worker, &claimed, retry(t.now()))).await;
    assert_eq!(t.inbox(run_id).await, NOTHING);
    assert_eq!(t.record(run_id).await.step_no.0, 1);
}

async fn an_attempt_put_back_does_not_count(t: StoreUnderTest) {
    let (worker, _, claimed) = begun(&t).await;
    let end = ActivityEnd::PutBack { due_at: t.now() };
    assert_eq!(t.finish(by_worker(worker, &claimed, end)).await, FinishOutcome::Finished);
    let again = t.claim_one(worker).await;
    assert_eq!((again.key, again.attempt, again.interruptions), (claimed.key, 1, 0));
}

async fn an_attempt_of_another_number_cannot_be_ended(t: StoreUnderTest) {
    let (worker, _, first) = begun(&t).await;
    t.finish(by_worker(worker, &first, retry(t.now()))).await;
    let second = t.claim_one(worker).await;
    assert_eq!(t.finish(by_worker(worker, &first, outcome())).await, FinishOutcome::Stale);
    let third = crate::store::ClaimedActivity { attempt: 3, ..second.clone() };
    assert_eq!(t.finish(by_worker(worker, &third, outcome())).await, FinishOutcome::Stale);
    assert_eq!(t.finish(by_worker(worker, &second, outcome())).await, FinishOutcome::Finished);
}

async fn an_attempt_of_another_worker_cannot_be_ended(t: StoreUnderTest) {
    let (_, _, claimed) = begun(&t).await;
    let other = t.worker().await;
    assert_eq!(t.finish(by_worker(other, &claimed, outcome())).await, FinishOutcome::Stale);
}

async fn an_activity_that_waits_cannot_be_ended(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0)]).await;
    let key = key(run_id, 0);
    let by = |reporter| FinishActivity { key, attempt: 0, reporter, end: outcome() };
    assert_eq!(t.finish(by(Reporter::Worker(worker))).await, FinishOutcome::Stale);
    assert_eq!(t.finish(by(Reporter::Token)).await, FinishOutcome::Stale);
    assert_eq!(t.finish(by(Reporter::Expiry)).await, FinishOutcome::Stale);
    assert!(t.activity(key).await.is_some());
}

async fn an_unknown_activity_cannot_be_ended(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start("one").await;
    let ends = [key(run_id, 0), key(RunId::new(), 3)].map(|key| {
        [Reporter::Worker(worker), Reporter::Token, Reporter::Expiry]
            .map(|reporter| FinishActivity { key, attempt: 1, reporter, end: outcome() })
    });
    assert_eq!(t.finish_all(ends.concat()).await, [FinishOutcome::Stale; 6]);
}

async fn a_heartbeat_keeps_details(t: StoreUnderTest) {
    let (worker, _, claimed) = begun(&t).await;
    let noted = t.heartbeat(beat(worker, &claimed, Some("one"))).await;
    assert_eq!(noted, HeartbeatOutcome::Noted);
    t.heartbeat(beat(worker, &claimed, Some("two"))).await;
    let record = t.activity(claimed.key).await.expect("it is there");
    assert_eq!(record.details, Some(Payload(b"two".to_vec())));
    t.store.fence_workers(&[worker.worker_id]).await.expect("it can be fenced");
    let next = t.worker().await;
    assert_eq!(t.claim_one(next).await.details, Some(Payload(b"two".to_vec())));
}

async fn a_heartbeat_without_details_keeps_those_before(t: StoreUnderTest) {
    let (worker, _, claimed) = begun(&t).await;
    t.heartbeat(beat(worker, &claimed, Some("one"))).await;
    t.heartbeat(beat(worker, &claimed, None)).await;
    let record = t.activity(claimed.key).await.expect("it is there");
    assert_eq!(record.details, Some(Payload(b"one".to_vec())));
}

async fn a_heartbeat_of_an_old_attempt_is_stale(t: StoreUnderTest) {
    let (worker, _, first) = begun(&t).await;
    t.finish(by_worker(worker, &first, retry(t.now()))).await;
    assert_eq!(t.heartbeat(beat(worker, &first, Some("x"))).await, HeartbeatOutcome::Stale);
    let second = t.claim_one(worker).await;
    assert_eq!(second.details, None);
    assert_eq!(t.heartbeat(beat(worker, &first, Some("x"))).await, HeartbeatOutcome::Stale);
    let both = vec![beat(worker, &second, Some("y")), beat(worker, &first, Some("x"))];
    let outcomes = t.store.heartbeat_activities(both).await.expect("they can be given");
    assert_eq!(outcomes, [HeartbeatOutcome::Noted, HeartbeatOutcome::Stale]);
}

async fn heartbeats_are_judged_one_by_one(t: StoreUnderTest) {
    let (one, two) = (t.worker().await, t.worker().await);
    t.queue(one, (0..4).map(activity).collect()).await;
    let claimed = t.claim_activities(one, 4).await;
    let beats = vec![
        beat(one, &claimed[3], Some("a")),
        beat(two, &claimed[1], Some("b")),
        beat(one, &claimed[0], None),
        beat(one, &claimed[3], Some("c")),
    ];
    let outcomes = t.store.heartbeat_activities(beats).await.expect("they can be given");
    let (noted, stale) = (HeartbeatOutcome::Noted, HeartbeatOutcome::Stale);
    assert_eq!(outcomes, [noted, stale, noted, noted]);
    let record = t.activity(claimed[3].key).await.expect("it is there");
    assert_eq!(record.details, Some(Payload(b"c".to_vec())), "the last counts");
    assert_eq!(t.activity(claimed[1].key).await.expect("it is there").details, None);
}

async fn nobody_gives_a_sign_of_life_because_a_limit_has_run_out(t: StoreUnderTest) {
    let (worker, _, claimed) = begun(&t).await;
    let beat = ActivityHeartbeat { reporter: Reporter::Expiry, ..beat(worker, &claimed, None) };
    assert_eq!(t.heartbeat(beat).await, HeartbeatOutcome::Stale);
}

async fn a_token_ends_the_attempt_that_awaits_it(t: StoreUnderTest) {
    let (worker, run_id, claimed) = begun(&t).await;
    let later = by_worker(worker, &claimed, ActivityEnd::Later);
    assert_eq!(t.finish(later).await, FinishOutcome::Finished);
    assert!(t.claim_activities(worker, 5).await.is_empty());
    assert_eq!(t.finish(by_worker(worker, &claimed, outcome())).await, FinishOutcome::Stale);
    assert_eq!(t.finish(by_token(claimed.key, 1, outcome())).await, FinishOutcome::Finished);
    assert_eq!(t.inbox(run_id).await, [1]);
}

async fn a_token_ends_an_attempt_that_is_being_made(t: StoreUnderTest) {
    let (worker, run_id, claimed) = begun(&t).await;
    assert_eq!(t.finish(by_token(claimed.key, 1, outcome())).await, FinishOutcome::Finished);
    let later = by_worker(worker, &claimed, ActivityEnd::Later);
    assert_eq!(t.finish(later).await, FinishOutcome::Stale);
    assert_eq!(t.inbox(run_id).await, [1]);
}

async fn whoever_makes_an_attempt_that_a_token_has_ended_is_told(t: StoreUnderTest) {
    let (worker, _, claimed) = begun(&t).await;
    let mut given_up = t.store.hub().listen_for_given_up();
    t.finish(by_token(claimed.key, 1, outcome())).await;
    assert_eq!(given_up.try_recv(), Ok(claimed.key));
    t.queue(worker, vec![activity(0)]).await;
    let other = t.claim_one(worker).await;
    t.finish(by_worker(worker, &other, outcome())).await;
    assert!(given_up.try_recv().is_err(), "the worker knows what it has done itself");
}

async fn a_token_used_again_is_known(t: StoreUnderTest) {
    let (worker, run_id, claimed) = begun(&t).await;
    let end = || by_token(claimed.key, 1, outcome());
    assert_eq!(
        t.finish_all(vec![end(), end()]).await,
        [FinishOutcome::Finished, FinishOutcome::Repeated]
    );
    assert_eq!(t.finish(end()).await, FinishOutcome::Repeated);
    t.commit(worker, close(run_id, 1)).await;
    assert_eq!(t.finish(end()).await, FinishOutcome::Repeated);
    assert_eq!(t.finish(by_token(claimed.key, 2, outcome())).await, FinishOutcome::Stale);
}

async fn a_token_that_has_failed_an_attempt_is_known(t: StoreUnderTest) {
    let (worker, run_id, claimed) = begun(&t).await;
    let end = || by_token(claimed.key, 1, retry(t.now()));
    assert_eq!(t.finish(end()).await, FinishOutcome::Finished);
    assert_eq!(t.finish(end()).await, FinishOutcome::Repeated);
    assert_eq!(t.claim_one(worker).await.attempt, 2);
    assert_eq!(t.finish(end()).await, FinishOutcome::Repeated);
    assert_eq!(t.inbox(run_id).await, NOTHING);
}

async fn a_token_of_an_old_attempt_is_stale(t: StoreUnderTest) {
    let (worker, _, claimed) = begun(&t).await;
    t.finish(by_worker(worker, &claimed, retry(t.now()))).await;
    assert_eq!(t.finish(by_token(claimed.key, 1, outcome())).await, FinishOutcome::Stale);
    t.claim_one(worker).await;
    assert_eq!(t.finish(by_token(claimed.key, 1, outcome())).await, FinishOutcome::Stale);
    assert_eq!(t.finish(by_token(claimed.key, 2, outcome())).await, FinishOutcome::Finished);
}

async fn a_token_of_a_closed_run_is_stale(t: StoreUnderTest) {
    let (worker, run_id, claimed) = begun(&t).await;
    t.finish(by_worker(worker, &claimed, ActivityEnd::Later)).await;
    let step = CommitStep { effects: vec![Effect::GiveUp(Handle(0))], ..close(run_id, 1) };
    t.commit(worker, step).await;
    assert_eq!(t.finish(by_token(claimed.key, 1, outcome())).await, FinishOutcome::Stale);
}

async fn a_token_gives_signs_of_life(t: StoreUnderTest) {
    let (worker, _, claimed) = begun(&t).await;
    t.finish(by_worker(worker, &claimed, ActivityEnd::Later)).await;
    let by_token = |attempt| ActivityHeartbeat {
        reporter: Reporter::Token,
        attempt,
        ..beat(worker, &claimed, Some("alive"))
    };
    assert_eq!(t.heartbeat(by_token(1)).await, HeartbeatOutcome::Noted);
    assert_eq!(t.heartbeat(by_token(2)).await, HeartbeatOutcome::Stale);
    assert_eq!(t.heartbeat(beat(worker, &claimed, None)).await, HeartbeatOutcome::Stale);
    let record = t.activity(claimed.key).await.expect("it is there");
    assert_eq!(record.details, Some(Payload(b"alive".to_vec())));
}

async fn an_attempt_that_awaits_its_token_outlives_its_worker(t: StoreUnderTest) {
    let (worker, run_id, claimed) = begun(&t).await;
    t.finish(by_worker(worker, &claimed, ActivityEnd::Later)).await;
    let next = t.worker().await;
    t.store.fence_workers(&[worker.worker_id]).await.expect("it can be fenced");
    assert!(t.claim_activities(next, 5).await.is_empty());
    assert_eq!(t.finish(by_token(claimed.key, 1, outcome())).await, FinishOutcome::Finished);
    assert_eq!(t.inbox(run_id).await, [1]);
}

async fn an_activity_of_a_closed_run_that_was_left_behind_goes(t: StoreUnderTest) {
    let (worker, run_id, claimed) = begun(&t).await;
    t.commit(worker, close(run_id, 1)).await;
    assert_eq!(t.finish(by_expiry(claimed.key, 1, outcome())).await, FinishOutcome::Stale);
    assert_eq!(t.finish(by_worker(worker, &claimed, outcome())).await, FinishOutcome::Stale);
    assert_eq!(t.activity(claimed.key).await, None);
    assert_eq!(t.inbox(run_id).await, NOTHING);
}

//! The life of queued activities: creation, claims, removal.

use std::time::Duration;

use crate::error::StoreError;
use crate::model::{Handle, RunId};
use crate::store::conformance::fixture::{
    ACTIVITY, LONGER_THAN_LEASE, NOTHING, QUEUE, StoreUnderTest, activity, beat, by_worker, close,
    giving_up, keep, key, outcome, park,
};
use crate::store::{CommitOutcome, CommitStep, Effect, FinishOutcome, HeartbeatOutcome};

crate::store::conformance::list_cases!("queues":
    an_activity_comes_with_the_step_that_asks_for_it,
    a_lost_step_asks_for_nothing,
    a_fenced_worker_asks_for_nothing,
    a_parked_run_can_ask_for_activities,
    a_given_up_activity_is_gone,
    an_activity_asked_for_and_given_up_elsewhere_stays,
    whoever_works_at_a_given_up_activity_is_told,
    nobody_is_told_of_a_given_up_activity_that_waited,
    closing_a_run_takes_its_activities_along,
    terminating_a_run_takes_its_activities_along,
    an_attempt_of_a_fenced_worker_is_interrupted,
    an_attempt_of_an_expired_worker_is_interrupted,
    attempts_that_are_cut_off_again_and_again_wait_longer,
    releasing_a_worker_hands_its_attempts_back,
    a_review_tells_what_was_lost,
    a_review_finds_what_a_lost_answer_had_given,
    a_review_is_for_valid_workers,
    a_queue_is_announced,
    many_activities_come_and_go_in_one_step,
);

async fn an_activity_comes_with_the_step_that_asks_for_it(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(3)]).await;
    let record = t.activity(key(run_id, 3)).await.expect("it is there");
    assert_eq!((record.queue.as_str(), record.activity.as_str()), (QUEUE, ACTIVITY));
    assert_eq!((record.attempt, record.interruptions, record.worker), (0, 0, None));
    assert_eq!((record.due_at, record.expires_at), (Some(t.now()), None));
    assert_eq!((record.call.as_slice(), record.details), (&b"call 3"[..], None));
    assert_eq!(t.activity(key(run_id, 4)).await, None);
}

async fn a_lost_step_asks_for_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("one", worker).await;
    let step =
        CommitStep { effects: vec![Effect::Enqueue(activity(0))], ..keep(run_id, 7, "asked") };
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Lost);
    assert_eq!(t.activity(key(run_id, 0)).await, None);
}

async fn a_fenced_worker_asks_for_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("one", worker).await;
    t.clock.advance(LONGER_THAN_LEASE);
    let step =
        CommitStep { effects: vec![Effect::Enqueue(activity(0))], ..keep(run_id, 0, "asked") };
    let committed = t.store.commit_steps(worker, &[&step]).await;
    assert!(matches!(committed, Err(StoreError::Fenced)));
    assert_eq!(t.activity(key(run_id, 0)).await, None);
}

async fn a_parked_run_can_ask_for_activities(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("one", worker).await;
    let step =
        CommitStep { effects: vec![Effect::Enqueue(activity(0))], ..park(run_id, 0, None, 0) };
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    let claimed = t.claim_one(worker).await;
    assert_eq!(t.finish(by_worker(worker, &claimed, outcome())).await, FinishOutcome::Finished);
    assert_eq!(t.claim_ids(worker, 5).await, [run_id], "its outcome wakes it");
}

async fn a_given_up_activity_is_gone(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0), activity(1)]).await;
    let claimed = t.claim_one(worker).await;
    assert_eq!(claimed.key, key(run_id, 0));
    give_up(&t, worker, run_id, &[0]).await;
    assert_eq!(t.activity(key(run_id, 0)).await, None);
    assert_eq!(t.finish(by_worker(worker, &claimed, outcome())).await, FinishOutcome::Stale);
    assert_eq!(t.heartbeat(beat(worker, &claimed, None)).await, HeartbeatOutcome::Stale);
    assert_eq!(t.inbox(run_id).await, NOTHING);
    assert!(t.activity(key(run_id, 1)).await.is_some());
}

async fn an_activity_asked_for_and_given_up_elsewhere_stays(t: StoreUnderTest) {
    let worker = t.worker().await;
    let one = t.queue(worker, vec![activity(0)]).await;
    let two = t.queue(worker, vec![activity(0)]).await;
    give_up(&t, worker, one, &[0, 77]).await;
    assert!(t.activity(key(two, 0)).await.is_some());
}

async fn whoever_works_at_a_given_up_activity_is_told(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0), activity(1)]).await;
    assert_eq!(t.claim_keys(worker, 2).await.len(), 2);
    let mut here = t.store.hub().listen_for_given_up();
    give_up(&t, worker, run_id, &[0]).await;
    assert_eq!(here.try_recv(), Ok(key(run_id, 0)));
    assert!(here.try_recv().is_err());
    t.store.terminate_run(run_id, "enough").await.expect("it can be terminated");
    assert_eq!(here.try_recv(), Ok(key(run_id, 1)));
}

async fn nobody_is_told_of_a_given_up_activity_that_waited(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0)]).await;
    let mut here = t.store.hub().listen_for_given_up();
    give_up(&t, worker, run_id, &[0]).await;
    assert!(here.try_recv().is_err());
}

async fn closing_a_run_takes_its_activities_along(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0), activity(1)]).await;
    let claimed = t.claim_one(worker).await;
    let step = CommitStep {
        effects: vec![Effect::GiveUp(Handle(0)), Effect::GiveUp(Handle(1))],
        ..close(run_id, 1)
    };
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert_eq!(t.finish(by_worker(worker, &claimed, outcome())).await, FinishOutcome::Stale);
    assert!(t.claim_activities(worker, 5).await.is_empty());
}

async fn terminating_a_run_takes_its_activities_along(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0), activity(1)]).await;
    let other = t.queue(worker, vec![activity(0)]).await;
    let claimed = t.claim_one(worker).await;
    assert!(t.store.terminate_run(run_id, "enough").await.expect("it can be terminated"));
    assert_eq!(t.finish(by_worker(worker, &claimed, outcome())).await, FinishOutcome::Stale);
    assert_eq!(t.claim_keys(worker, 5).await, [key(other, 0)]);
}

async fn an_attempt_of_a_fenced_worker_is_interrupted(t: StoreUnderTest) {
    let (dead, worker) = (t.worker().await, t.worker().await);
    t.queue(worker, vec![activity(0)]).await;
    let first = t.claim_one(dead).await;
    t.store.fence_workers(&[dead.worker_id]).await.expect("it can be fenced");
    assert_eq!(t.finish(by_worker(dead, &first, outcome())).await, FinishOutcome::Stale);
    let second = t.claim_one(worker).await;
    assert_eq!((second.key, second.attempt, second.interruptions), (first.key, 2, 1));
    assert_eq!(t.heartbeat(beat(dead, &first, None)).await, HeartbeatOutcome::Stale);
    assert_eq!(t.finish(by_worker(dead, &second, outcome())).await, FinishOutcome::Stale);
    assert_eq!(t.finish(by_worker(worker, &second, outcome())).await, FinishOutcome::Finished);
}

async fn an_attempt_of_an_expired_worker_is_interrupted(t: StoreUnderTest) {
    let dead = t.worker().await;
    t.queue(dead, vec![activity(0)]).await;
    let first = t.claim_one(dead).await;
    t.clock.advance(LONGER_THAN_LEASE);
    // Even before anybody has fenced it.
    assert_eq!(t.finish(by_worker(dead, &first, outcome())).await, FinishOutcome::Stale);
    assert_eq!(t.heartbeat(beat(dead, &first, None)).await, HeartbeatOutcome::Stale);
    let worker = t.worker().await;
    assert!(t.claim_activities(worker, 5).await.is_empty());
    t.store.fence_expired_workers().await.expect("it can be fenced");
    let second = t.claim_one(worker).await;
    assert_eq!((second.attempt, second.interruptions), (2, 1));
}

async fn attempts_that_are_cut_off_again_and_again_wait_longer(t: StoreUnderTest) {
    let owner = t.worker().await;
    t.queue(owner, vec![activity(0)]).await;
    for pause in [0, 1, 2, 4, 8, 16, 32, 60, 60].map(Duration::from_secs) {
        let dead = t.worker().await;
        let made = t.claim_one(dead).await;
        t.store.fence_workers(&[dead.worker_id]).await.expect("it can be fenced");
        let row = t.store.find_activity(made.key).await.expect("readable").expect("it waits");
        assert_eq!(row.due_at, Some(t.now() + pause), "{row:?}");
        t.clock.advance(pause);
    }
}

async fn releasing_a_worker_hands_its_attempts_back(t: StoreUnderTest) {
    let (leaving, worker) = (t.worker().await, t.worker().await);
    t.queue(worker, vec![activity(0)]).await;
    let first = t.claim_one(leaving).await;
    t.store.release_worker(leaving).await.expect("it can be released");
    let second = t.claim_one(worker).await;
    assert_eq!((second.key, second.attempt, second.interruptions), (first.key, 2, 1));
}

async fn a_review_tells_what_was_lost(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0), activity(1), activity(2)]).await;
    let held: Vec<_> = t.claim_activities(worker, 3).await.iter().map(|one| (one.key, 1)).collect();
    give_up(&t, worker, run_id, &[1]).await;
    let reviewed = t.store.review_activities(worker, &held).await.expect("it can ask");
    assert_eq!(reviewed.lost, [key(run_id, 1)]);
    assert!(reviewed.strays.is_empty());
}

async fn a_review_finds_what_a_lost_answer_had_given(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.queue(worker, vec![activity(0), activity(1), activity(2)]).await;
    let given = t.claim_activities(worker, 3).await;
    let held = [(given[0].key, 1), (given[2].key, 1)];
    let reviewed = t.store.review_activities(worker, &held).await.expect("it can ask");
    assert!(reviewed.lost.is_empty());
    assert_eq!(reviewed.strays, [given[1].clone()]);
}

async fn a_review_is_for_valid_workers(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.clock.advance(LONGER_THAN_LEASE);
    let reviewed = t.store.review_activities(worker, &[]).await;
    assert!(matches!(reviewed, Err(StoreError::Fenced)));
}

async fn a_queue_is_announced(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (gpu, cpu) =
        (t.store.hub().listen_to_queues([QUEUE]), t.store.hub().listen_to_queues(["cpu"]));
    t.queue(worker, vec![activity(0)]).await;
    gpu.notified().await;
    assert!(futures_util::FutureExt::now_or_never(cpu.notified()).is_none());
    t.claim_one(worker).await;
    t.store.fence_workers(&[worker.worker_id]).await.expect("it can be fenced");
    gpu.notified().await;
}

async fn many_activities_come_and_go_in_one_step(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, (0..600).map(activity).collect()).await;
    let claimed = t.claim_activities(worker, 550).await;
    assert_eq!(claimed.len(), 550);
    let ends = claimed[..300].iter().map(|one| by_worker(worker, one, outcome())).collect();
    assert_eq!(t.finish_all(ends).await, vec![FinishOutcome::Finished; 300]);
    assert_eq!(t.inbox(run_id).await, (1..=300).collect::<Vec<i64>>());
    give_up(&t, worker, run_id, &(300..600).collect::<Vec<u64>>()).await;
    let held: Vec<_> = claimed.iter().map(|one| (one.key, one.attempt)).collect();
    let reviewed = t.store.review_activities(worker, &held).await.expect("it can ask");
    assert_eq!(reviewed.lost.len(), 550);
}

/// Makes the run, at step 1, drop activities.
async fn give_up(
    t: &StoreUnderTest,
    worker: crate::store::WorkerLease,
    run_id: RunId,
    handles: &[u64],
) {
    let effects = giving_up(handles.iter().map(|handle| Handle(*handle)));
    let step = CommitStep { effects, ..keep(run_id, 1, "given up") };
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
}

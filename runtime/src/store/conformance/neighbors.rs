//! Changes of one row leave similar rows unchanged: other runs of the worker, other activities of the run, and
//! activities of other runs with the same handles.

use std::time::Duration;

use super::fixture::{
    ACTIVITY, NOTHING, QUEUE, StoreUnderTest, accepted, activity, beat, by_token, by_worker, close,
    keep, limited, new_run, outcome, park, retry, signal,
};
use crate::model::{Handle, RunId, RunStatus, StepNo};
use crate::store::{
    ActivityEnd, ActivityHeartbeat, ActivityKey, ActivityLimits, ActivityRecord, ArrivalKind,
    ClaimActivities, ClaimedActivity, CommitStep, Effect, FinishOutcome, FirstArrival,
    HeartbeatOutcome, NewActivity, NewArrival, NewRun, Reporter, RunKey, StartOutcome, WorkerLease,
};

crate::store::conformance::list_cases!("neighbors":
    a_step_that_comes_alone_is_of_one_run,
    what_becomes_of_an_activity_leaves_the_others_alone,
    fencing_leaves_the_attempts_of_others_alone,
    terminating_leaves_what_others_have_alone,
    outcomes_are_numbered_for_each_run,
    an_outcome_leaves_a_run_due_since_when_it_was,
    several_tokens_are_used_up_at_once,
    a_stale_sign_of_life_changes_nothing,
    a_review_goes_by_the_numbers_of_attempts,
    activities_of_one_queue_have_rooms_of_their_own,
    what_is_due_next_has_not_expired,
    a_retry_ends_by_the_end_of_all_attempts,
    a_name_is_that_of_one_run,
    the_run_that_stands_in_the_way_is_the_open_one,
    a_refused_start_can_be_made_later,
);

const SECOND: Duration = Duration::from_secs(1);

async fn a_step_that_comes_alone_is_of_one_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (one, two) = (t.start_owned("one", worker).await, t.start_owned("two", worker).await);
    t.commit(worker, keep(one, 0, "next")).await;
    let record = t.record(two).await;
    assert_eq!((record.step_no, record.state.as_str()), (StepNo(0), "start"));
    assert_eq!(t.record(one).await.step_no, StepNo(1));
    for (run_id, expected) in [(one, "next"), (two, "start")] {
        let snapshot = t.store.find_snapshot(run_id).await.expect("it can be looked at");
        assert_eq!(snapshot.as_deref(), Some(expected.as_bytes()));
    }
}

/// Two runs with two activities each. `maker` makes an attempt of each activity.
async fn crowd(
    t: &StoreUnderTest,
    owner: WorkerLease,
    maker: WorkerLease,
) -> ([RunId; 2], Vec<ClaimedActivity>) {
    let runs = [
        t.queue(owner, vec![activity(0), activity(1)]).await,
        t.queue(owner, vec![activity(0), activity(1)]).await,
    ];
    let mut made = t.claim_activities(maker, 4).await;
    made.sort_by_key(|made| (made.key.run_id != runs[0], made.key.handle));
    assert_eq!(made.len(), 4);
    (runs, made)
}

async fn records(t: &StoreUnderTest, made: &[ClaimedActivity]) -> Vec<Option<ActivityRecord>> {
    let mut records = Vec::new();
    for made in made {
        records.push(t.activity(made.key).await);
    }
    records
}

async fn what_becomes_of_an_activity_leaves_the_others_alone(t: StoreUnderTest) {
    let worker = t.worker().await;
    for what in 0..6 {
        let (runs, made) = crowd(&t, worker, worker).await;
        let before = records(&t, &made).await;
        let first = &made[0];
        match what {
            0 => drop(t.finish(by_worker(worker, first, outcome())).await),
            1 => drop(t.finish(by_worker(worker, first, retry(t.now() + SECOND))).await),
            2 => drop(t.finish(by_token(first.key, 1, outcome())).await),
            3 => drop(t.finish(by_token(first.key, 1, ActivityEnd::Later)).await),
            4 => drop(t.heartbeat(beat(worker, first, Some("alive"))).await),
            _ => {
                let effects = vec![Effect::GiveUp(Handle(0))];
                t.commit(worker, CommitStep { effects, ..keep(runs[0], 1, "next") }).await;
            }
        }
        let after = records(&t, &made).await;
        assert_ne!(before[0], after[0], "{what}");
        assert_eq!(before[1..], after[1..], "{what}");
        assert_eq!(t.inbox(runs[1]).await, NOTHING, "{what}");
        assert_eq!(t.deliver(signal(runs[1], "go")).await, accepted(1), "{what}");
    }
}

async fn fencing_leaves_the_attempts_of_others_alone(t: StoreUnderTest) {
    let (owner, other) = (t.worker().await, t.worker().await);
    let (_, made) = crowd(&t, owner, owner).await;
    // The other makes an attempt beside them: of the same run, and of the same handle of the other run.
    for made in &made[1..3] {
        t.finish(by_worker(owner, made, retry(t.now()))).await;
    }
    assert_eq!(t.claim_activities(other, 4).await.len(), 2);
    let before = records(&t, &made).await;
    t.store.fence_workers(&[other.worker_id]).await.expect("it can be fenced");
    let after = records(&t, &made).await;
    assert_eq!((&before[0], &before[3]), (&after[0], &after[3]));
    for record in after[1..3].iter().flatten() {
        assert_eq!((record.worker, record.interruptions), (None, 1));
    }
}

async fn terminating_leaves_what_others_have_alone(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (runs, made) = crowd(&t, worker, worker).await;
    for run_id in runs {
        let cancel = ArrivalKind::Cancel { reason: "enough".into() };
        t.deliver(NewArrival { kind: cancel, ..signal(run_id, "") }).await;
    }
    let before = records(&t, &made).await;
    assert!(t.store.terminate_run(runs[0], "enough").await.expect("it can be terminated"));
    let after = records(&t, &made).await;
    assert_eq!((&after[..2], &after[2..]), (&[None, None][..], &before[2..]));
    assert_eq!((t.inbox(runs[0]).await, t.inbox(runs[1]).await), (vec![], vec![1]));
    let other = t.record(runs[1]).await;
    assert_eq!((other.status, other.owner), (RunStatus::Running, Some(worker.worker_id)));
}

async fn outcomes_are_numbered_for_each_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (runs, made) = crowd(&t, worker, worker).await;
    let ends = made.iter().map(|made| by_worker(worker, made, outcome())).collect();
    assert_eq!(t.finish_all(ends).await, vec![FinishOutcome::Finished; 4]);
    for run_id in runs {
        assert_eq!(t.inbox(run_id).await, [1, 2]);
    }
}

async fn an_outcome_leaves_a_run_due_since_when_it_was(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0)]).await;
    let made = t.claim_one(worker).await;
    let due_at = t.now();
    t.commit(worker, park(run_id, 1, Some(due_at), 0)).await;
    t.clock.advance(SECOND);
    t.finish(by_worker(worker, &made, outcome())).await;
    assert_eq!(t.record(run_id).await.due_at, Some(due_at));
}

async fn several_tokens_are_used_up_at_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (_, made) = crowd(&t, worker, worker).await;
    let again = || made.iter().map(|made| by_token(made.key, 1, retry(t.now()))).collect();
    assert_eq!(t.finish_all(again()).await, vec![FinishOutcome::Finished; 4]);
    assert_eq!(t.finish_all(again()).await, vec![FinishOutcome::Repeated; 4]);
}

/// One of an attempt that has ended, and one of a waiting activity.
async fn a_stale_sign_of_life_changes_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let limits = ActivityLimits { heartbeat: Some(SECOND), ..ActivityLimits::default() };
    t.queue(worker, vec![limited(0, limits)]).await;
    let first = t.claim_one(worker).await;
    t.finish(by_worker(worker, &first, retry(t.now()))).await;
    let waiting = t.activity(first.key).await;
    let by_token =
        ActivityHeartbeat { reporter: Reporter::Token, ..beat(worker, &first, Some("late")) };
    assert_eq!(t.heartbeat(by_token.clone()).await, HeartbeatOutcome::Stale);
    assert_eq!(t.activity(first.key).await, waiting);
    t.claim_one(worker).await;
    let made = t.activity(first.key).await;
    t.clock.advance(SECOND / 2);
    for stale in [by_token, beat(worker, &first, Some("late"))] {
        assert_eq!(t.heartbeat(stale).await, HeartbeatOutcome::Stale);
    }
    assert_eq!(t.activity(first.key).await, made);
}

async fn a_review_goes_by_the_numbers_of_attempts(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.queue(worker, vec![activity(0)]).await;
    let first = t.claim_one(worker).await;
    t.finish(by_worker(worker, &first, retry(t.now()))).await;
    let second = t.claim_one(worker).await;
    // Of another run, with the same handle.
    t.queue(worker, vec![activity(0)]).await;
    let other = t.claim_one(worker).await;
    let held = [(first.key, 1), (other.key, 1)];
    let reviewed = t.store.review_activities(worker, &held).await.expect("it can ask");
    assert_eq!((reviewed.lost, reviewed.strays), (vec![first.key], vec![second]));
}

async fn activities_of_one_queue_have_rooms_of_their_own(t: StoreUnderTest) {
    let worker = t.worker().await;
    let rare = |handle| NewActivity { activity: "rare".into(), ..activity(handle) };
    t.queue(worker, vec![activity(0), activity(1), rare(2), rare(3)]).await;
    let (queues, activities) = (&[(QUEUE, 9)], &[(ACTIVITY, 1), ("rare", 1)]);
    let claim = ClaimActivities { worker, queues, activities, limit: 9 };
    let claimed = t.store.claim_activities(claim).await.expect("it can claim").activities;
    assert_eq!(claimed.iter().map(|made| made.key.handle.0).collect::<Vec<_>>(), [0, 2]);
}

async fn what_is_due_next_has_not_expired(t: StoreUnderTest) {
    let worker = t.worker().await;
    let short = ActivityLimits { schedule_to_start: Some(SECOND), ..ActivityLimits::default() };
    t.queue(worker, vec![limited(0, short), activity(1)]).await;
    t.clock.advance(2 * SECOND);
    let claimed = t.try_claim_activities(worker, 9).await.expect("it can claim");
    assert_eq!((claimed.activities.len(), claimed.next_due_at), (1, None));
}

async fn a_retry_ends_by_the_end_of_all_attempts(t: StoreUnderTest) {
    let worker = t.worker().await;
    let close_by = t.now() + 5 * SECOND;
    let limits = ActivityLimits {
        schedule_to_start: Some(100 * SECOND),
        close_by: Some(close_by),
        ..ActivityLimits::default()
    };
    t.queue(worker, vec![limited(0, limits)]).await;
    let expires_at = async |key: ActivityKey| t.activity(key).await.and_then(|it| it.expires_at);
    let made = t.claim_one(worker).await;
    assert_eq!(expires_at(made.key).await, Some(close_by), "of the attempt");
    t.finish(by_worker(worker, &made, retry(t.now()))).await;
    assert_eq!(expires_at(made.key).await, Some(close_by), "of the wait");
    t.claim_one(worker).await;
    t.store.fence_workers(&[worker.worker_id]).await.expect("it can be fenced");
    assert_eq!(expires_at(made.key).await, Some(close_by), "of the wait after an interruption");
}

/// A run's own id is its workflow id only if it was given no other.
async fn a_name_is_that_of_one_run(t: StoreUnderTest) {
    let named = t.start("somebody").await;
    let find = async || {
        let found = t.store.find_run(&RunKey::WorkflowId(named.to_string())).await;
        found.expect("runs can be looked up").map(|record| record.run_id)
    };
    assert_eq!(find().await, None);
    let other = t.start(&named.to_string()).await;
    assert_eq!(find().await, Some(other));
    let taken = StartOutcome::IdTaken { run_id: other };
    assert_eq!(t.start_all(vec![new_run(&named.to_string())]).await, [taken]);
}

/// Not earlier runs with its workflow id, whether it was given or is their run id.
async fn the_run_that_stands_in_the_way_is_the_open_one(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = RunId::new();
    let name = run_id.to_string();
    let first = NewRun { run_id, owner: Some(worker), ..new_run(&name) };
    t.start_all(vec![first]).await;
    t.commit(worker, close(run_id, 0)).await;
    for _ in 0..2 {
        let open = t.start_owned(&name, worker).await;
        let taken = StartOutcome::IdTaken { run_id: open };
        assert_eq!(t.start_all(vec![new_run(&name)]).await, [taken]);
        t.commit(worker, close(open, 0)).await;
    }
}

/// Nothing is left of it that could conflict.
async fn a_refused_start_can_be_made_later(t: StoreUnderTest) {
    let worker = t.worker().await;
    let open = t.start_owned("the one", worker).await;
    let kind = signal(open, "go").kind;
    let first = Some(FirstArrival { kind, dedup_key: Some("once".into()) });
    let run = NewRun { first, ..new_run("the one") };
    let run_id = run.run_id;
    let taken = StartOutcome::IdTaken { run_id: open };
    assert_eq!(t.start_all(vec![run.clone()]).await, [taken]);
    assert_eq!(t.inbox(run_id).await, NOTHING);
    t.commit(worker, close(open, 0)).await;
    assert_eq!(t.start_all(vec![run]).await, [StartOutcome::Started { owned: false }]);
    assert_eq!(t.inbox(run_id).await, [1]);
}

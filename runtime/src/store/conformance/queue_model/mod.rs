//! Random histories of activities on queues.

mod history;
mod rows;

use std::collections::BTreeMap;
use std::time::Duration;

use self::history::{Action, End};
use self::rows::{Model, Row, Run, Tally};
use super::fixture::{
    ACTIVITY, LEASE, QUEUE, StoreUnderTest, activity, close, giving_up, keep, key, new_worker,
    outcome,
};
use crate::error::StoreError;
use crate::model::{AttemptFailure, Handle, Payload, RunId, Timestamp};
use crate::store::{
    ActivityEnd, ActivityHeartbeat, ActivityKey, ActivityLimits, ClaimActivities, CommitOutcome,
    CommitStep, Effect, FinishActivity, FinishOutcome, HeartbeatOutcome, NewActivity, Renewal,
    Reporter, WorkerLease,
};

crate::store::conformance::list_cases!("queue_model":
    a_random_history_is_told_alike,
    another_random_history_is_told_alike,
    a_third_random_history_is_told_alike,
    a_fourth_random_history_is_told_alike,
);

/// The number of runs, and the maximum number of workers, in a history.
const FEW: usize = 3;

/// The queues and activities of a history.
const QUEUES: [&str; 2] = [QUEUE, "cpu"];
const ACTIVITIES: [&str; 2] = [ACTIVITY, "rare"];

async fn a_random_history_is_told_alike(t: StoreUnderTest) {
    tell(&t, 11).await;
}

async fn another_random_history_is_told_alike(t: StoreUnderTest) {
    tell(&t, 12).await;
}

async fn a_third_random_history_is_told_alike(t: StoreUnderTest) {
    tell(&t, 13).await;
}

async fn a_fourth_random_history_is_told_alike(t: StoreUnderTest) {
    tell(&t, 14).await;
}

async fn tell(t: &StoreUnderTest, seed: u8) {
    let mut model = Model::default();
    register(t, &mut model).await;
    for id in 0..FEW {
        let owner = model.workers[0].0;
        let run_id = t.start_owned(&id.to_string(), owner).await;
        let (is_open, step_no, handles, arrived) = (true, 0, 0, 0);
        let run = Run { run_id, owner: Some(owner), is_open, step_no, handles, arrived };
        model.runs.push(run);
    }
    for (number, action) in history::history(seed).into_iter().enumerate() {
        apply(t, &mut model, &action).await;
        compare(t, &model, &action).await;
        if number.is_multiple_of(10) {
            compare_the_rest(t, &model, &action).await;
        }
    }
    let Tally { taken, noted, finished, repeated, interrupted } = model.tally;
    assert!(taken >= 20 && noted >= 10 && finished >= 15, "{:?}", model.tally);
    // Where workers live long, tokens do, too.
    assert!(repeated + interrupted >= 5, "{:?}", model.tally);
}

async fn register(t: &StoreUnderTest, model: &mut Model) {
    let lease = t.store.register_worker(new_worker()).await.expect("it can register");
    model.workers.push((lease, Some(t.now() + LEASE)));
}

async fn apply(t: &StoreUnderTest, model: &mut Model, action: &Action) {
    let now = t.now();
    match *action {
        Action::Wait(seconds) => t.clock.advance(Duration::from_secs(seconds)),
        Action::Register => {
            let living = model.workers.iter().filter(|(_, end)| end.is_some()).count();
            if living < FEW {
                register(t, model).await;
            }
        }
        Action::Renew(number) => {
            let worker = model.worker(number);
            let valid = model.is_valid(worker, now);
            let renewal = t.store.renew_lease(worker, LEASE).await.expect("it is answered");
            let expected = if valid { Renewal::Renewed(now + LEASE) } else { Renewal::Fenced };
            assert_eq!(renewal, expected);
            let known = model.workers.iter_mut().find(|(known, _)| *known == worker);
            known.into_iter().filter(|_| valid).for_each(|(_, end)| *end = Some(now + LEASE));
        }
        Action::Release(number) => {
            let worker = model.worker(number);
            t.store.release_worker(worker).await.expect("it can leave");
            model.lose(worker, now);
        }
        Action::Fence(number) => {
            let worker = model.worker(number);
            t.store.fence_workers(&[worker.worker_id]).await.expect("it can be fenced");
            model.lose(worker, now);
        }
        Action::FenceExpired => {
            t.store.fence_expired_workers().await.expect("it can be done");
            let is_over = |end: Option<Timestamp>| end.is_some_and(|end| end <= now);
            let expired = model.workers.iter().filter(|(_, end)| is_over(*end));
            let expired: Vec<WorkerLease> = expired.map(|(worker, _)| *worker).collect();
            expired.into_iter().for_each(|worker| model.lose(worker, now));
        }
        Action::Adopt(number) => {
            let worker = model.worker(number);
            if model.is_valid(worker, now) {
                t.claim(worker, 100).await;
                let orphans = model.runs.iter_mut().filter(|run| run.is_open);
                orphans.filter(|run| run.owner.is_none()).for_each(|run| run.owner = Some(worker));
            }
        }
        Action::Ask { run: number, queue, activity: name, limits } => {
            let handle = model.runs[number % FEW].handles;
            let seconds = |at: usize| limits[at].map(Duration::from_secs);
            let limits = ActivityLimits {
                schedule_to_start: seconds(0),
                start_to_close: seconds(1),
                heartbeat: seconds(2),
                close_by: limits[3].map(|limit| now + Duration::from_secs(2 * limit)),
            };
            let (queue, name) = (QUEUES[queue], ACTIVITIES[name]);
            let new = NewActivity {
                queue: queue.to_owned(),
                activity: name.to_owned(),
                limits,
                ..activity(handle)
            };
            let asks = |step| CommitStep { effects: vec![Effect::Enqueue(new)], ..step };
            if commit(t, model, number % FEW, asks, false).await {
                let run = &mut model.runs[number % FEW];
                run.handles += 1;
                let mut row = Row {
                    queue,
                    activity: name,
                    limits,
                    attempt: 0,
                    interruptions: 0,
                    worker: None,
                    due_at: None,
                    end_by: None,
                    expires_at: None,
                    details: None,
                    last_failure: None,
                };
                row.wait(now);
                model.rows.insert(key(run.run_id, handle), row);
            }
        }
        Action::GiveUp(number) => {
            let Some(gone) = model.pick(number) else { return };
            let run = model.runs.iter().position(|run| run.run_id == gone.run_id);
            let gives_up = |step| CommitStep { effects: vec![Effect::GiveUp(gone.handle)], ..step };
            if commit(t, model, run.expect("it is known"), gives_up, false).await {
                model.remove(|key| *key == gone);
            }
        }
        Action::Close(number) => {
            // Rarely, or there is soon nothing left.
            let run_id = model.runs[number % FEW].run_id;
            let wanted = model.rows.keys().filter(|key| key.run_id == run_id);
            let effects = giving_up(wanted.map(|key| key.handle));
            let gives_up = |step| CommitStep { effects, ..step };
            if number.is_multiple_of(8) && commit(t, model, number % FEW, gives_up, true).await {
                let run = &mut model.runs[number % FEW];
                (run.is_open, run.owner, run.arrived) = (false, None, 0);
                replace(t, model, number % FEW).await;
            }
        }
        Action::Terminate(number) => {
            if number.is_multiple_of(8) {
                let run_id = model.runs[number % FEW].run_id;
                t.store.terminate_run(run_id, "enough").await.expect("it can be done");
                model.remove(|key| key.run_id == run_id);
                replace(t, model, number % FEW).await;
            }
        }
        Action::Take { worker, queues, activities, limit } => {
            let worker = model.worker(worker);
            take(t, model, worker, [queues, activities], limit).await;
        }
        Action::Beat { activity, by, behind, details } => {
            let Some(key) = model.pick(activity) else { return };
            let Some(reporter) = model.reporter(by, key) else { return };
            let attempt = model.attempt(key).saturating_sub(behind);
            let details = details.map(|said| Payload(vec![said]));
            let is_meant = model.is_entitled(key, reporter, now)
                && !matches!(reporter, Reporter::Expiry)
                && model.rows[&key].attempt == attempt;
            let beat = ActivityHeartbeat { key, attempt, reporter, details: details.clone() };
            let noted = t.heartbeat(beat).await;
            assert_eq!(noted == HeartbeatOutcome::Noted, is_meant, "{action:?}");
            model.tally.noted += u32::from(is_meant);
            if let Some(row) = model.rows.get_mut(&key).filter(|_| is_meant) {
                row.live(now);
                row.details = details.or_else(|| row.details.take());
            }
        }
        Action::Finish { activity, by, behind, end } => {
            let Some(key) = model.pick(activity) else { return };
            let Some(reporter) = model.reporter(by, key) else { return };
            finish(t, model, (key, reporter), behind, end).await;
        }
    }
}

/// A new run replaces a closed one.
async fn replace(t: &StoreUnderTest, model: &mut Model, number: usize) {
    let closed = model.runs[number].run_id;
    model.remove(|key| key.run_id == closed);
    model.over.retain(|key| key.run_id != closed);
    let run_id = t.start(&RunId::new().to_string()).await;
    let (is_open, step_no, handles, arrived) = (true, 0, 0, 0);
    model.runs[number] = Run { run_id, owner: None, is_open, step_no, handles, arrived };
}

/// Commits a step of the run's owner. Returns whether it was committed.
async fn commit(
    t: &StoreUnderTest,
    model: &mut Model,
    number: usize,
    with: impl FnOnce(CommitStep) -> CommitStep,
    closes: bool,
) -> bool {
    let run = &model.runs[number];
    let Some(owner) = run.owner else { return false };
    let step = match closes {
        true => close(run.run_id, run.step_no),
        false => keep(run.run_id, run.step_no, "kept"),
    };
    let outcome = t.store.commit_steps(owner, &[&with(step)]).await;
    if !model.is_valid(owner, t.now()) {
        assert!(matches!(outcome, Err(StoreError::Fenced)));
        return false;
    }
    assert_eq!(outcome.expect("a valid worker can commit"), [CommitOutcome::Committed]);
    model.runs[number].step_no += 1;
    true
}

async fn take(
    t: &StoreUnderTest,
    model: &mut Model,
    worker: WorkerLease,
    [queues, activities]: [[u32; 2]; 2],
    limit: u32,
) {
    let now = t.now();
    let mut queue_rooms: BTreeMap<&str, u32> = QUEUES.into_iter().zip(queues).collect();
    let mut activity_rooms: BTreeMap<&str, u32> = ACTIVITIES.into_iter().zip(activities).collect();
    let mut left = limit;
    let queues: Vec<_> = queue_rooms.iter().map(|(name, room)| (*name, *room)).collect();
    let activities: Vec<_> = activity_rooms.iter().map(|(name, room)| (*name, *room)).collect();
    let request = ClaimActivities { worker, queues: &queues, activities: &activities, limit };
    let claimed = t.store.claim_activities(request).await;
    if !model.is_valid(worker, now) {
        assert!(matches!(claimed, Err(StoreError::Fenced)));
        return;
    }
    let claimed = claimed.expect("a valid worker can claim");
    let mut before = None;
    for one in &claimed.activities {
        let row = model.rows.get_mut(&one.key).expect("it is not over");
        let due_at = row.due_at.expect("it waits");
        assert!(due_at <= now && !row.is_expired(now) && before <= Some((due_at, one.key)));
        before = Some((due_at, one.key));
        for room in [queue_rooms.get_mut(row.queue), activity_rooms.get_mut(row.activity)] {
            let room = room.expect("it was asked for");
            *room = room.checked_sub(1).expect("there is room");
        }
        left = left.checked_sub(1).expect("there is room");
        row.begin(worker, now);
        model.tally.taken += 1;
        assert_eq!((one.queue.as_str(), one.activity.as_str()), (row.queue, row.activity));
        assert_eq!((one.attempt, one.interruptions), (row.attempt, row.interruptions));
        assert_eq!(one.details, row.details);
    }
    // Less may be given than there is room for; then this tells.
    let has_room =
        |row: &Row| left > 0 && queue_rooms[row.queue] > 0 && activity_rooms[row.activity] > 0;
    let waiting = model.rows.values().filter(|row| !row.is_expired(now) && has_room(row));
    assert_eq!(claimed.next_due_at, waiting.filter_map(|row| row.due_at).min());
}

async fn finish(
    t: &StoreUnderTest,
    model: &mut Model,
    (key, reporter): (ActivityKey, Reporter),
    behind: u32,
    end: End,
) {
    let now = t.now();
    let attempt = model.attempt(key).saturating_sub(behind);
    let at = |seconds| now + Duration::from_secs(seconds);
    let end = match end {
        End::Outcome => outcome(),
        End::Retry(seconds, said) => ActivityEnd::Retry {
            retry_at: at(seconds),
            failure: format!("failed, and {said:?}"),
            details: said.map(|said| Payload(vec![said])),
        },
        End::Later => ActivityEnd::Later,
        End::PutBack(seconds) => ActivityEnd::PutBack { due_at: at(seconds) },
    };
    // An attempt that was not begun cannot be taken back, nor be left to its token.
    let waits = model.rows.get(&key).is_some_and(|row| row.due_at.is_some());
    if waits && matches!(end, ActivityEnd::PutBack { .. } | ActivityEnd::Later) {
        return;
    }
    let finish = FinishActivity { key, attempt, reporter, end: end.clone() };
    let finished = t.finish(finish).await;
    let is_token = reporter == Reporter::Token;
    if is_token && model.used.contains(&(key, attempt)) {
        assert_eq!(finished, FinishOutcome::Repeated);
        model.tally.repeated += 1;
        return;
    }
    let is_entitled = model.is_entitled(key, reporter, now);
    let row = model.rows.get_mut(&key).filter(|row| is_entitled && row.attempt == attempt);
    let Some(row) = row else {
        assert_eq!(finished, FinishOutcome::Stale);
        return;
    };
    assert_eq!(finished, FinishOutcome::Finished);
    model.tally.finished += 1;
    if is_token {
        model.used.insert((key, attempt));
    }
    match end {
        ActivityEnd::Outcome(_) | ActivityEnd::Failed { .. } => {
            let run = model.runs.iter_mut().find(|run| run.run_id == key.run_id);
            run.expect("it is known").arrived += 1;
            model.remove(|known| *known == key);
        }
        ActivityEnd::Retry { retry_at, failure: error, details } => {
            row.wait(retry_at);
            row.last_failure = Some(AttemptFailure { attempt, error });
            row.details = details.or_else(|| row.details.take());
        }
        ActivityEnd::Later => row.worker = None,
        ActivityEnd::PutBack { due_at } => {
            row.wait(due_at);
            row.attempt -= 1;
        }
    }
}

async fn compare(t: &StoreUnderTest, model: &Model, action: &Action) {
    for (key, row) in &model.rows {
        let record = t.activity(*key).await;
        let record = record.unwrap_or_else(|| panic!("{key:?} is gone after {action:?}"));
        assert_eq!(
            (record.attempt, record.interruptions, record.worker, record.due_at),
            (row.attempt, row.interruptions, row.worker, row.due_at),
            "{key:?} after {action:?}",
        );
        assert_eq!(
            (record.expires_at, record.details, record.last_failure),
            (row.expires_at, row.details.clone(), row.last_failure.clone()),
            "{key:?} after {action:?}",
        );
    }
    for run in &model.runs {
        assert_eq!(t.inbox(run.run_id).await.len(), run.arrived, "after {action:?}");
    }
    let expired: BTreeMap<_, _> =
        t.expired().await.into_iter().map(|one| (one.key, (one.attempt, one.limit))).collect();
    let now = t.now();
    let expected = model.rows.iter().filter(|(_, row)| row.is_expired(now));
    let expected: BTreeMap<_, _> =
        expected.map(|(key, row)| (*key, (row.attempt, row.expired_limit(now)))).collect();
    assert_eq!(expired, expected, "after {action:?}");
}

/// Written together with the rest, or not at all.
async fn compare_the_rest(t: &StoreUnderTest, model: &Model, action: &Action) {
    let now = t.now();
    for key in &model.over {
        assert_eq!(t.activity(*key).await, None, "{key:?} is over after {action:?}");
    }
    for (worker, _) in model.workers.iter().filter(|(worker, _)| model.is_valid(*worker, now)) {
        let held = model.rows.iter().filter(|(_, row)| row.worker == Some(*worker));
        let held: Vec<_> = held.map(|(key, row)| (*key, row.attempt)).collect();
        let nobody = ActivityKey { handle: Handle(1_000), ..key(RunId::new(), 0) };
        let claims: Vec<_> = held.iter().copied().chain([(nobody, 1)]).collect();
        let reviewed = t.store.review_activities(*worker, &claims).await.expect("it can ask");
        assert_eq!((reviewed.lost, reviewed.strays), (vec![nobody], vec![]), "after {action:?}");
    }
}

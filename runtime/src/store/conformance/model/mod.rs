//! Random histories, compared with a model that is small enough to verify by reading.

mod history;

use std::collections::BTreeMap;
use std::time::Duration;

use self::history::{Action, FEW, Step, history};
use super::fixture::{
    LEASE, StoreUnderTest, block, close, keep, keyed, new_run, new_worker, park, signal,
};
use crate::error::StoreError;
use crate::model::{RunId, RunStatus, Timestamp};
use crate::store::{
    ArrivalOutcome, CommitOutcome, CommitStep, NewRun, Renewal, StartOutcome, WorkerLease,
};

crate::store::conformance::list_cases!("model":
    a_random_history_is_told_alike,
    another_random_history_is_told_alike,
    a_third_random_history_is_told_alike,
    a_fourth_random_history_is_told_alike,
);

#[derive(Debug)]
struct Run {
    run_id: RunId,
    id: usize,
    status: RunStatus,
    owner: Option<WorkerLease>,
    due_at: Option<Timestamp>,
    step_no: i64,
    takeovers: u32,
    inbox_count: i64,
    /// The numbers of unread arrivals.
    inbox: Vec<i64>,
    keys: Vec<u8>,
}

/// The state of the model.
#[derive(Debug, Default)]
struct Model {
    runs: Vec<Run>,
    /// Every worker ever registered, with the end of its lease; `None` once it is removed.
    workers: Vec<(WorkerLease, Option<Timestamp>)>,
}

impl Model {
    fn is_valid(&self, worker: WorkerLease, now: Timestamp) -> bool {
        let ends = self.workers.iter().find(|(known, _)| *known == worker);
        ends.is_some_and(|(_, end)| end.is_some_and(|end| end > now))
    }

    fn let_go(&mut self, worker: WorkerLease, now: Timestamp, takeover: bool) -> u64 {
        let mut count = 0;
        for run in self.runs.iter_mut().filter(|run| run.owner == Some(worker)) {
            run.owner = None;
            run.due_at = Some(now);
            run.takeovers += u32::from(takeover);
            count += 1;
        }
        count
    }
}

async fn a_random_history_is_told_alike(t: StoreUnderTest) {
    tell(&t, 1).await;
}

async fn another_random_history_is_told_alike(t: StoreUnderTest) {
    tell(&t, 2).await;
}

async fn a_third_random_history_is_told_alike(t: StoreUnderTest) {
    tell(&t, 3).await;
}

async fn a_fourth_random_history_is_told_alike(t: StoreUnderTest) {
    tell(&t, 4).await;
}

/// The histories are the same for every store and every run of the suite.
async fn tell(t: &StoreUnderTest, seed: u8) {
    let mut model = Model::default();
    for action in history(seed) {
        apply(t, &mut model, &action).await;
        compare(t, &model, &action).await;
    }
}

async fn apply(t: &StoreUnderTest, model: &mut Model, action: &Action) {
    let now = t.now();
    let worker = |number: usize| {
        let count = model.workers.len();
        model.workers.get(number.checked_rem(count)?).map(|(worker, _)| *worker)
    };
    let run = |number: usize| number.checked_rem(model.runs.len());
    match *action {
        Action::Wait(seconds) => t.clock.advance(Duration::from_secs(seconds)),
        Action::Register => {
            if model.workers.len() < FEW {
                let lease = t.store.register_worker(new_worker()).await.expect("it can register");
                model.workers.push((lease, Some(now + LEASE)));
            }
        }
        Action::Renew(number) => {
            let Some(worker) = worker(number) else { return };
            let valid = model.is_valid(worker, now);
            let expected = if valid { Renewal::Renewed(now + LEASE) } else { Renewal::Fenced };
            let renewal = t.store.renew_lease(worker, LEASE).await.expect("it is answered");
            assert_eq!(renewal, expected);
            let known = model.workers.iter_mut().find(|(known, _)| *known == worker);
            if let Some((_, end)) = known.filter(|_| valid) {
                *end = Some(now + LEASE);
            }
        }
        Action::Release(number) => {
            let Some(worker) = worker(number) else { return };
            t.store.release_worker(worker).await.expect("it can leave");
            forget(model, worker);
            model.let_go(worker, now, false);
        }
        Action::Fence(number) => {
            let Some(worker) = worker(number) else { return };
            let let_go =
                t.store.fence_workers(&[worker.worker_id]).await.expect("it can be fenced");
            forget(model, worker);
            assert_eq!(let_go, model.let_go(worker, now, true));
        }
        Action::FenceExpired => {
            let expired: Vec<WorkerLease> = model
                .workers
                .iter()
                .filter(|(_, end)| end.is_some_and(|end| end <= now))
                .map(|(worker, _)| *worker)
                .collect();
            let (fenced, let_go) = t.store.fence_expired_workers().await.expect("it can be done");
            assert_eq!(fenced.len(), expired.len());
            let expected: u64 = expired
                .into_iter()
                .map(|worker| {
                    forget(model, worker);
                    model.let_go(worker, now, true)
                })
                .sum();
            assert_eq!(let_go, expected);
        }
        Action::Start { id, owner, delay } => {
            let owner = owner.and_then(worker);
            start(t, model, id % FEW, owner, delay).await;
        }
        Action::Claim { worker: number, limit } => {
            let Some(worker) = worker(number) else { return };
            claim(t, model, worker, limit).await;
        }
        Action::Commit { worker: number, run: index, ahead, step } => {
            let (Some(worker), Some(index)) = (worker(number), run(index)) else { return };
            // Mostly by the owner, or nearly all would be lost.
            let worker = model.runs[index].owner.filter(|_| number % 8 != 0).unwrap_or(worker);
            commit(t, model, worker, index, ahead, step).await;
        }
        Action::Deliver { run: index, key, owner } => {
            let (owner, Some(index)) = (owner.and_then(worker), run(index)) else { return };
            deliver(t, model, index, key, owner).await;
        }
        Action::Terminate(index) => {
            let Some(index) = run(index) else { return };
            let run = &mut model.runs[index];
            let is_so = t.store.terminate_run(run.run_id, "enough").await.expect("it can be done");
            assert_eq!(is_so, run.status.is_open() || run.status == RunStatus::Terminated);
            if run.status.is_open() {
                end(run, RunStatus::Terminated);
            }
        }
        Action::Unblock(index) => {
            let Some(index) = run(index) else { return };
            let run = &mut model.runs[index];
            let count = t.store.unblock_runs(&[], Some(run.run_id)).await.expect("it can be done");
            assert_eq!(count, u64::from(run.status == RunStatus::Blocked));
            if count > 0 {
                run.status = RunStatus::Running;
                run.due_at = Some(now);
            }
        }
    }
}

fn forget(model: &mut Model, worker: WorkerLease) {
    for (_, end) in model.workers.iter_mut().filter(|(known, _)| *known == worker) {
        *end = None;
    }
}

fn end(run: &mut Run, status: RunStatus) {
    run.status = status;
    run.owner = None;
    run.due_at = None;
}

async fn start(
    t: &StoreUnderTest,
    model: &mut Model,
    id: usize,
    owner: Option<WorkerLease>,
    delay: u64,
) {
    let now = t.now();
    let start_at = now + Duration::from_secs(delay);
    let new = NewRun { owner, start_at: Some(start_at), ..new_run(&id.to_string()) };
    let run_id = new.run_id;
    let outcomes = t.start_all(vec![new]).await;
    if let Some(open) = model.runs.iter().find(|run| run.id == id && run.status.is_open()) {
        assert_eq!(outcomes, [StartOutcome::IdTaken { run_id: open.run_id }]);
        return;
    }
    let owner = owner.filter(|owner| model.is_valid(*owner, now));
    assert_eq!(outcomes, [StartOutcome::Started { owned: owner.is_some() }]);
    model.runs.push(Run {
        run_id,
        id,
        status: RunStatus::Running,
        owner,
        due_at: owner.is_none().then_some(start_at),
        step_no: 0,
        takeovers: 0,
        inbox_count: 0,
        inbox: Vec::new(),
        keys: Vec::new(),
    });
}

async fn claim(t: &StoreUnderTest, model: &mut Model, worker: WorkerLease, limit: u32) {
    let now = t.now();
    let claimed = t.try_claim(worker, limit).await;
    if !model.is_valid(worker, now) {
        assert!(matches!(claimed, Err(StoreError::Fenced)));
        return;
    }
    let claimed = claimed.expect("a valid worker can claim");
    let mut waiting: BTreeMap<(Timestamp, RunId), &mut Run> =
        model.runs.iter_mut().filter_map(|run| Some(((run.due_at?, run.run_id), run))).collect();
    for run in claimed.runs {
        let ((due_at, run_id), expected) = waiting.pop_first().expect("no more than there are");
        assert!(due_at <= now);
        assert_eq!((run.run_id, run.step_no.0), (run_id, expected.step_no));
        assert_eq!(run.takeovers, expected.takeovers);
        assert_eq!(run.inbox_count, expected.inbox_count);
        let seqs: Vec<i64> = run.inbox.arrivals.iter().map(|arrival| arrival.seq).collect();
        assert_eq!(seqs, expected.inbox[..expected.inbox.len().min(10)]);
        expected.owner = Some(worker);
        expected.due_at = None;
    }
    assert_eq!(claimed.next_due_at, waiting.first_key_value().map(|((due_at, _), _)| *due_at));
}

async fn commit(
    t: &StoreUnderTest,
    model: &mut Model,
    worker: WorkerLease,
    index: usize,
    ahead: i64,
    step: Step,
) {
    let now = t.now();
    let valid = model.is_valid(worker, now);
    let run = &mut model.runs[index];
    let (run_id, expected) = (run.run_id, run.step_no + ahead);
    let (mut due_at, mut inbox_read) = (None, 0);
    let new = match step {
        Step::Keep => keep(run_id, expected, "kept"),
        Step::Park { due_in, behind } => {
            due_at = due_in.map(|seconds| now + Duration::from_secs(seconds));
            inbox_read = run.inbox_count - behind;
            park(run_id, expected, due_at, inbox_read)
        }
        Step::Close => close(run_id, expected),
        Step::Block => block(run_id, expected),
    };
    let consumed: Vec<i64> = run.inbox.first().copied().into_iter().collect();
    let new = CommitStep { consumed: consumed.clone(), ..new };
    let outcome = t.store.commit_steps(worker, &[&new]).await;
    if !valid {
        assert!(matches!(outcome, Err(StoreError::Fenced)));
        return;
    }
    let outcome = outcome.expect("a valid worker can commit");
    if run.owner != Some(worker) || ahead != 0 {
        assert_eq!(outcome, [CommitOutcome::Lost]);
        return;
    }
    assert_eq!(outcome, [CommitOutcome::Committed]);
    run.step_no += 1;
    if !matches!(step, Step::Block) {
        run.takeovers = 0;
    }
    run.inbox.retain(|seq| !consumed.contains(seq));
    match step {
        Step::Keep => {}
        Step::Park { .. } => {
            run.owner = None;
            let unread = run.inbox_count > inbox_read;
            run.due_at = if unread { Some(due_at.map_or(now, |at| at.min(now))) } else { due_at };
        }
        Step::Close => end(run, RunStatus::Completed),
        Step::Block => {
            run.owner = None;
            run.status = RunStatus::Blocked;
        }
    }
}

async fn deliver(
    t: &StoreUnderTest,
    model: &mut Model,
    index: usize,
    key: Option<u8>,
    owner: Option<WorkerLease>,
) {
    let now = t.now();
    let owner_is_valid = owner.is_none_or(|owner| model.is_valid(owner, now));
    let run = &mut model.runs[index];
    let arrival = match key {
        Some(key) => keyed(run.run_id, &key.to_string()),
        None => signal(run.run_id, "x"),
    };
    let outcome = t.deliver(crate::store::NewArrival { owner, ..arrival }).await;
    let expected = if key.is_some_and(|key| run.keys.contains(&key)) {
        ArrivalOutcome::Duplicate
    } else if !run.status.is_open() {
        ArrivalOutcome::Closed
    } else if owner.is_some() && (run.owner != owner || !owner_is_valid) {
        ArrivalOutcome::NotOwner
    } else {
        run.inbox_count += 1;
        run.inbox.push(run.inbox_count);
        run.keys.extend(key);
        if run.step_no > 0 && run.owner.is_none() && run.status == RunStatus::Running {
            run.due_at = Some(run.due_at.map_or(now, |at| at.min(now)));
        }
        ArrivalOutcome::Accepted { seq: run.inbox_count }
    };
    assert_eq!(outcome, expected);
}

async fn compare(t: &StoreUnderTest, model: &Model, action: &Action) {
    for run in &model.runs {
        let record = t.record(run.run_id).await;
        assert_eq!(
            (record.status, record.owner, record.due_at, record.step_no.0),
            (run.status, run.owner.map(|owner| owner.worker_id), run.due_at, run.step_no),
            "run {} after {action:?}",
            run.run_id,
        );
        assert_eq!(t.inbox(run.run_id).await, run.inbox, "inbox after {action:?}");
    }
}

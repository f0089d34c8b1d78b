//! A store with helper methods for cases.

use std::sync::Arc;
use std::time::Duration;

use crate::error::StoreError;
use crate::machine::OperationOutcome;
use crate::model::{
    BlockedReason, DefinitionHash, Handle, Payload, RunId, RunStatus, StepNo, Timestamp,
};
use crate::store::{
    ActivityEnd, ActivityHeartbeat, ActivityKey, ActivityLimits, ActivityRecord, ArrivalKind,
    ArrivalOutcome, ClaimActivities, ClaimRequest, Claimed, ClaimedActivities, ClaimedActivity,
    ClaimedRun, CommitOutcome, CommitStep, Disposition, EditRun, Effect, ExpiredActivity,
    FinishActivity, FinishOutcome, HeartbeatOutcome, ManualClock, NewActivity, NewArrival,
    NewAuditEntry, NewRun, NewWorker, Reporter, RunKey, RunRecord, StartOutcome, Store,
    WorkerLease,
};

/// The lease of workers in the cases.
pub(super) const LEASE: Duration = Duration::from_secs(10);

/// A moment longer than [`LEASE`].
pub(super) const LONGER_THAN_LEASE: Duration = Duration::from_secs(11);

/// The workflow of runs in the cases.
pub(super) const WORKFLOW: &str = "order";

/// The queue of activities in the cases.
pub(super) const QUEUE: &str = "gpu";

/// The name of activities in the cases.
pub(super) const ACTIVITY: &str = "train";

/// The result of [`StoreUnderTest::inbox`] for an empty inbox.
pub(super) const NOTHING: [i64; 0] = [];

/// An empty store, and its clock.
#[derive(Debug)]
pub struct StoreUnderTest {
    pub(super) store: Arc<dyn Store>,
    pub(super) other: Arc<dyn Store>,
    pub(super) clock: Arc<ManualClock>,
}

impl StoreUnderTest {
    /// An empty store that was opened with `clock`. `other` is the same database opened again, as by another
    /// process; for a store without anything to open, pass the same store twice.
    pub fn new(store: Arc<dyn Store>, other: Arc<dyn Store>, clock: Arc<ManualClock>) -> Self {
        Self { store, other, clock }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(super) async fn worker(&self) -> WorkerLease {
        self.store.register_worker(new_worker()).await.expect("a worker can register")
    }

    /// Starts a run without an owner.
    pub(super) async fn start(&self, workflow_id: &str) -> RunId {
        let run = new_run(workflow_id);
        let run_id = run.run_id;
        assert_eq!(self.start_all(vec![run]).await, [StartOutcome::Started { owned: false }]);
        run_id
    }

    /// Starts a run that `owner` owns.
    pub(super) async fn start_owned(&self, workflow_id: &str, owner: WorkerLease) -> RunId {
        let run = NewRun { owner: Some(owner), ..new_run(workflow_id) };
        let run_id = run.run_id;
        assert_eq!(self.start_all(vec![run]).await, [StartOutcome::Started { owned: true }]);
        run_id
    }

    /// Starts `count` runs that `owner` owns.
    pub(super) async fn start_many_owned(&self, count: usize, owner: WorkerLease) -> Vec<RunId> {
        let runs: Vec<NewRun> = (0..count)
            .map(|number| NewRun { owner: Some(owner), ..new_run(&format!("run-{number}")) })
            .collect();
        let run_ids = runs.iter().map(|run| run.run_id).collect();
        self.start_all(runs).await;
        run_ids
    }

    pub(super) async fn start_all(&self, runs: Vec<NewRun>) -> Vec<StartOutcome> {
        self.store.start_runs(runs).await.expect("runs can be started")
    }

    pub(super) async fn try_claim(
        &self,
        worker: WorkerLease,
        limit: u32,
    ) -> Result<Claimed, StoreError> {
        let request = ClaimRequest { worker, workflows: &[WORKFLOW], limit, inbox_limit: 10 };
        self.store.claim_runs(request).await
    }

    pub(super) async fn claim(&self, worker: WorkerLease, limit: u32) -> Vec<ClaimedRun> {
        self.try_claim(worker, limit).await.expect("a valid worker can claim").runs
    }

    pub(super) async fn claim_ids(&self, worker: WorkerLease, limit: u32) -> Vec<RunId> {
        self.claim(worker, limit).await.iter().map(|run| run.run_id).collect()
    }

    pub(super) async fn commit(&self, worker: WorkerLease, step: CommitStep) -> CommitOutcome {
        let outcomes = self.commit_all(worker, vec![step]).await;
        let [outcome] = outcomes[..] else { panic!("one step, {} outcomes", outcomes.len()) };
        outcome
    }

    pub(super) async fn commit_all(
        &self,
        worker: WorkerLease,
        steps: Vec<CommitStep>,
    ) -> Vec<CommitOutcome> {
        let steps: Vec<_> = steps.iter().collect();
        self.store.commit_steps(worker, &steps).await.expect("a valid worker can commit")
    }

    /// Starts a run that `owner` owns and that puts these activities on queues.
    pub(super) async fn queue(&self, owner: WorkerLease, activities: Vec<NewActivity>) -> RunId {
        let run_id = self.start_owned(&RunId::new().to_string(), owner).await;
        let step = CommitStep { effects: enqueue(activities), ..keep(run_id, 0, "asked") };
        assert_eq!(self.commit(owner, step).await, CommitOutcome::Committed);
        run_id
    }

    pub(super) async fn try_claim_activities(
        &self,
        worker: WorkerLease,
        room: u32,
    ) -> Result<ClaimedActivities, StoreError> {
        let queues = &[(QUEUE, room)];
        self.store.claim_activities(claim_of(worker, queues)).await
    }

    pub(super) async fn claim_activities(
        &self,
        worker: WorkerLease,
        room: u32,
    ) -> Vec<ClaimedActivity> {
        let claimed = self.try_claim_activities(worker, room).await;
        claimed.expect("a valid worker can claim").activities
    }

    /// Claims, and returns the runs.
    pub(super) async fn claim_keys(&self, worker: WorkerLease, room: u32) -> Vec<ActivityKey> {
        self.claim_activities(worker, room).await.iter().map(|claimed| claimed.key).collect()
    }

    pub(super) async fn claim_one(&self, worker: WorkerLease) -> ClaimedActivity {
        let mut claimed = self.claim_activities(worker, 1).await;
        claimed.pop().expect("an activity is due")
    }

    pub(super) async fn finish(&self, end: FinishActivity) -> FinishOutcome {
        let outcomes = self.finish_all(vec![end]).await;
        let [outcome] = outcomes[..] else { panic!("one end, {} outcomes", outcomes.len()) };
        outcome
    }

    pub(super) async fn finish_all(&self, ends: Vec<FinishActivity>) -> Vec<FinishOutcome> {
        self.store.finish_activities(ends).await.expect("attempts can be ended")
    }

    pub(super) async fn heartbeat(&self, beat: ActivityHeartbeat) -> HeartbeatOutcome {
        let outcomes = self.store.heartbeat_activities(vec![beat]).await;
        outcomes.expect("signs of life can be given")[0]
    }

    pub(super) async fn expired(&self) -> Vec<ExpiredActivity> {
        self.store.expired_activities(100).await.expect("activities can be looked up")
    }

    pub(super) async fn activity(&self, key: ActivityKey) -> Option<ActivityRecord> {
        self.store.find_activity(key).await.expect("activities can be looked up")
    }

    pub(super) async fn deliver(&self, arrival: NewArrival) -> ArrivalOutcome {
        let mut outcomes = self.deliver_all(vec![arrival]).await;
        assert_eq!(outcomes.len(), 1);
        outcomes.remove(0)
    }

    pub(super) async fn deliver_all(&self, arrivals: Vec<NewArrival>) -> Vec<ArrivalOutcome> {
        self.store.deliver(arrivals).await.expect("arrivals can be delivered")
    }

    /// The numbers of a run's unread arrivals.
    pub(super) async fn inbox(&self, run_id: RunId) -> Vec<i64> {
        let inbox = self.store.read_inbox(run_id, 0, 1_000).await.expect("inboxes can be read");
        inbox.arrivals.iter().map(|arrival| arrival.seq).collect()
    }

    pub(super) async fn record(&self, run_id: RunId) -> RunRecord {
        let record = self.store.find_run(&RunKey::RunId(run_id)).await;
        record.expect("runs can be looked up").expect("the run is there")
    }
}

pub(super) fn new_worker() -> NewWorker {
    NewWorker { host: "here".into(), pid: 4_711, lease: LEASE }
}

pub(super) fn new_run(workflow_id: &str) -> NewRun {
    NewRun {
        run_id: RunId::new(),
        workflow_id: workflow_id.into(),
        workflow: WORKFLOW.into(),
        arguments: Payload(vec![1, 2, 3]),
        snapshot: b"start".to_vec(),
        state: "start".into(),
        definition: DefinitionHash(1),
        owner: None,
        start_at: None,
        first: None,
        attributes: Default::default(),
        memo: Default::default(),
        terms: None,
    }
}

/// An edit of a run that was read at this `step_no`.
pub(super) fn edit_of(run_id: RunId, step_no: i64) -> EditRun {
    EditRun {
        run_id,
        step_no: StepNo(step_no),
        snapshot: b"edited".to_vec(),
        state: "edited".into(),
        definition: DefinitionHash(u64::MAX - 1),
        wake_at: None,
        arrivals: Vec::new(),
        given_up: Vec::new(),
        effects: Vec::new(),
        called_again: Vec::new(),
        attempts: 0,
        reopen: false,
        audit: NewAuditEntry {
            who: "ann".into(),
            action: "edit".into(),
            reason: "why".into(),
            details: None,
        },
    }
}

/// Effects that put these activities on queues.
pub(super) fn enqueue(activities: Vec<NewActivity>) -> Vec<Effect> {
    activities.into_iter().map(Effect::Enqueue).collect()
}

/// Effects that drop these activities.
pub(super) fn giving_up(handles: impl IntoIterator<Item = Handle>) -> Vec<Effect> {
    handles.into_iter().map(Effect::GiveUp).collect()
}

fn step(run_id: RunId, expected: i64, disposition: Disposition) -> CommitStep {
    CommitStep::new(run_id, StepNo(expected), disposition)
}

pub(super) fn keep(run_id: RunId, expected: i64, state: &str) -> CommitStep {
    let snapshot = state.as_bytes().to_vec();
    let state = state.to_owned().into();
    step(run_id, expected, Disposition::Keep { snapshot, state })
}

pub(super) fn park(
    run_id: RunId,
    expected: i64,
    due_at: Option<Timestamp>,
    inbox_read: i64,
) -> CommitStep {
    let (snapshot, state) = (b"parked".to_vec(), "parked".into());
    step(run_id, expected, Disposition::Park { snapshot, state, due_at, inbox_read })
}

pub(super) fn close(run_id: RunId, expected: i64) -> CommitStep {
    let result = Some(Payload(b"result".to_vec()));
    close_as(run_id, expected, RunStatus::Completed, result, None)
}

pub(super) fn close_as(
    run_id: RunId,
    expected: i64,
    status: RunStatus,
    result: Option<Payload>,
    failure: Option<&str>,
) -> CommitStep {
    let failure = failure.map(str::to_owned);
    step(run_id, expected, Disposition::close(status, result, failure))
}

pub(super) fn block(run_id: RunId, expected: i64) -> CommitStep {
    let reason = BlockedReason::Panicked("oh no".into());
    step(run_id, expected, Disposition::Block { reason })
}

pub(super) fn signal(run_id: RunId, name: &str) -> NewArrival {
    let payload = Payload(name.as_bytes().to_vec());
    let kind = ArrivalKind::Signal { name: name.into(), payload };
    NewArrival { run_id, kind, dedup_key: None, owner: None }
}

pub(super) fn keyed(run_id: RunId, key: &str) -> NewArrival {
    NewArrival { dedup_key: Some(key.into()), ..signal(run_id, "keyed") }
}

pub(super) fn accepted(seq: i64) -> ArrivalOutcome {
    ArrivalOutcome::Accepted { seq }
}

pub(super) fn activity(handle: u64) -> NewActivity {
    NewActivity {
        handle: Handle(handle),
        queue: QUEUE.into(),
        activity: ACTIVITY.into(),
        call: format!("call {handle}").into_bytes(),
        due_at: None,
        priority: 0,
        partition: String::new(),
        limits: ActivityLimits::default(),
    }
}

/// A claim limited only by its queues.
pub(super) fn claim_of<'a>(
    worker: WorkerLease,
    queues: &'a [(&'a str, u32)],
) -> ClaimActivities<'a> {
    ClaimActivities { worker, queues, activities: &[(ACTIVITY, u32::MAX)], limit: u32::MAX }
}

pub(super) fn limited(handle: u64, limits: ActivityLimits) -> NewActivity {
    NewActivity { limits, ..activity(handle) }
}

pub(super) fn key(run_id: RunId, handle: u64) -> ActivityKey {
    ActivityKey { run_id, handle: Handle(handle) }
}

/// The outcome of activities in the cases.
pub(super) fn outcome() -> ActivityEnd {
    ActivityEnd::Outcome(OperationOutcome::Returned(Payload(b"done".to_vec())))
}

pub(super) fn retry(retry_at: Timestamp) -> ActivityEnd {
    ActivityEnd::Retry { retry_at, failure: "declined".to_owned(), details: None }
}

/// The end of an attempt, as reported by the worker that claimed it.
pub(super) fn by_worker(
    worker: WorkerLease,
    claimed: &ClaimedActivity,
    end: ActivityEnd,
) -> FinishActivity {
    let reporter = Reporter::Worker(worker);
    FinishActivity { key: claimed.key, attempt: claimed.attempt, reporter, end }
}

pub(super) fn by_token(key: ActivityKey, attempt: u32, end: ActivityEnd) -> FinishActivity {
    FinishActivity { key, attempt, reporter: Reporter::Token, end }
}

pub(super) fn by_expiry(key: ActivityKey, attempt: u32, end: ActivityEnd) -> FinishActivity {
    FinishActivity { key, attempt, reporter: Reporter::Expiry, end }
}

pub(super) fn beat(
    worker: WorkerLease,
    claimed: &ClaimedActivity,
    details: Option<&str>,
) -> ActivityHeartbeat {
    let details = details.map(|details| Payload(details.as_bytes().to_vec()));
    let reporter = Reporter::Worker(worker);
    ActivityHeartbeat { key: claimed.key, attempt: claimed.attempt, reporter, details }
}

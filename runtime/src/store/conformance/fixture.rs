//! A store with the words that cases are written in.

use std::sync::Arc;
use std::time::Duration;

use crate::error::StoreError;
use crate::model::{BlockedReason, Payload, RunId, RunStatus, StepNo, Timestamp};
use crate::store::{
    ArrivalKind, ArrivalOutcome, ClaimRequest, Claimed, ClaimedRun, CommitOutcome, CommitStep,
    Disposition, ManualClock, NewArrival, NewRun, NewWorker, RunKey, RunRecord, StartOutcome,
    Store, WorkerLease,
};

/// The lease of workers that cases register.
pub(super) const LEASE: Duration = Duration::from_secs(10);

/// A moment more than [`LEASE`].
pub(super) const LONGER_THAN_LEASE: Duration = Duration::from_secs(11);

/// The workflow of runs that cases start.
pub(super) const WORKFLOW: &str = "order";

/// What [`StoreUnderTest::inbox`] gives for an empty inbox.
pub(super) const NOTHING: [i64; 0] = [];

/// A store with nothing in it, and the clock that it goes by.
#[derive(Debug)]
pub struct StoreUnderTest {
    pub(super) store: Arc<dyn Store>,
    pub(super) other: Arc<dyn Store>,
    pub(super) clock: Arc<ManualClock>,
}

impl StoreUnderTest {
    /// A store with nothing in it that was opened with `clock`. `other` is the same database opened
    /// again, as another process would; a store that has nothing to open is given twice.
    pub fn new(store: Arc<dyn Store>, other: Arc<dyn Store>, clock: Arc<ManualClock>) -> Self {
        Self { store, other, clock }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(super) async fn worker(&self) -> WorkerLease {
        self.store.register_worker(new_worker()).await.expect("a worker can register")
    }

    /// Starts a run that nobody owns.
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
        self.store.commit_steps(worker, steps).await.expect("a valid worker can commit")
    }

    pub(super) async fn deliver(&self, arrival: NewArrival) -> ArrivalOutcome {
        let outcomes = self.deliver_all(vec![arrival]).await;
        let [outcome] = outcomes[..] else { panic!("one arrival, {} outcomes", outcomes.len()) };
        outcome
    }

    pub(super) async fn deliver_all(&self, arrivals: Vec<NewArrival>) -> Vec<ArrivalOutcome> {
        self.store.deliver(arrivals).await.expect("arrivals can be delivered")
    }

    /// The numbers of the arrivals that wait for a run.
    pub(super) async fn inbox(&self, run_id: RunId) -> Vec<i64> {
        let inbox = self.store.read_inbox(run_id, 0, 1_000).await.expect("inboxes can be read");
        inbox.iter().map(|arrival| arrival.seq).collect()
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
        owner: None,
        start_at: None,
    }
}

fn step(run_id: RunId, expected: i64, disposition: Disposition) -> CommitStep {
    CommitStep { run_id, expected: StepNo(expected), disposition, consumed: Vec::new() }
}

pub(super) fn keep(run_id: RunId, expected: i64, state: &str) -> CommitStep {
    let snapshot = state.as_bytes().to_vec();
    step(run_id, expected, Disposition::Keep { snapshot, state: state.into() })
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
    step(run_id, expected, Disposition::Close { status, result, failure })
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

//! A store outside the crate: written with the public API, and tested with the public suite.
//!
//! It keeps its runs in a [`MemoryStore`], and can be switched off: it then fails with its own error.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use piton::error::{LookupError, RunError, StoreError};
use piton::filter::{Column, Filter};
use piton::model::{
    DefinitionHash, PromiseKey, RunId, SchemaHash, StepNo, Terms, Timestamp, WorkerId,
};
use piton::prelude::*;
use piton::store::conformance::{StoreUnderTest, cases};
use piton::store::contract::*;
use piton::store::{
    ActivityHeartbeat, ActivityKey, ActivityRecord, ActivityTransaction, ArrivalOutcome,
    AuditEntry, AuditEntryId, BlockedRun, ChainEntry, ChangeOutcome, ChangeRun, ChildRecord,
    ClaimActivities, ClaimRequest, ClaimSchedules, Claimed, ClaimedActivities, ClaimedRun,
    ClaimedSchedules, CommitOutcome, CommitStep, CompletePromise, CompletionOutcome, DeadLetter,
    DeadLetterFilter, DeadLetterId, DefinitionCount, DefinitionRecord, DefinitionSummary,
    EditOutcome, EditRun, ExpireRun, Expired, ExpiredActivity, FailedCall, FailedCallId,
    FailedCallQuery, FinishActivity, FinishOutcome, FoundEnding, FoundUpdate, HeartbeatOutcome,
    Hub, IdPolicy, Inbox, Kin, LastRun, ManualClock, MemoryStore, MessageKey, NewArrival, NewRun,
    NewSchedule, NewWorker, PartitionRecord, PastState, PastStep, PromiseFilter, PromiseRecord,
    QueueLimits, QueueRecord, RedeliverOutcome, RedriveCall, RelayMessages, Relayed, RemoveClosed,
    RemovePromises, Removed, RemovedPromises, Renewal, ResumeOutcome, ReviewedActivities,
    ReviewedRuns, RunCount, RunDetails, RunKey, RunQuery, RunRecord, SaveSchedule, ScheduleCreated,
    ScheduleLogEntry, ScheduleRecord, SchemaRecord, StartOutcome, StripClosed, Stripped, UpdateKey,
    WaitingMessage, WorkerLease,
};

#[derive(Debug, PartialEq)]
struct SwitchedOff;

impl fmt::Display for SwitchedOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the store is switched off")
    }
}

impl Error for SwitchedOff {}

#[derive(Debug)]
struct ThirdStore {
    rows: Arc<MemoryStore>,
    is_off: AtomicBool,
    /// Finds no endings, which the contract does not allow.
    is_dumb: AtomicBool,
    answers: AtomicU32,
}

impl ThirdStore {
    fn new(rows: Arc<MemoryStore>) -> Arc<Self> {
        let (is_off, is_dumb) = (AtomicBool::new(false), AtomicBool::new(false));
        Arc::new(Self { rows, is_off, is_dumb, answers: AtomicU32::new(0) })
    }

    fn check(&self, operation: &'static str) -> Result<(), StoreError> {
        match self.is_off.load(Ordering::SeqCst) {
            true => {
                let source = Box::new(SwitchedOff);
                Err(StoreError::Database { operation, retryable: false, source })
            }
            false => Ok(()),
        }
    }
}

/// Methods of one subject that call the inner store while the store is on.
macro_rules! delegate {
    ($subject:ident: $($name:ident($($argument:ident: $type:ty),*) -> $returned:ty;)*) => {
        #[async_trait::async_trait]
        impl $subject for ThirdStore {
            $(async fn $name(&self, $($argument: $type),*) -> Result<$returned, StoreError> {
                self.check(stringify!($name))?;
                self.rows.$name($($argument),*).await
            })*
        }
    };
}

#[async_trait::async_trait]
impl Store for ThirdStore {
    fn hub(&self) -> &Arc<Hub> {
        self.rows.hub()
    }

    async fn now(&self) -> Result<Timestamp, StoreError> {
        self.check("now")?;
        self.rows.now().await
    }

    fn has_virtual_clock(&self) -> bool {
        self.rows.has_virtual_clock()
    }

    async fn close(&self) {
        self.rows.close().await;
    }
}

#[async_trait::async_trait]
impl Visibility for ThirdStore {
    async fn find_run(&self, key: &RunKey) -> Result<Option<RunRecord>, StoreError> {
        self.check("find_run")?;
        self.rows.find_run(key).await
    }

    async fn find_snapshot(&self, run_id: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        self.check("find_snapshot")?;
        self.rows.find_snapshot(run_id).await
    }

    async fn find_endings(&self, run_ids: &[RunId]) -> Result<Vec<FoundEnding>, StoreError> {
        self.check("find_endings")?;
        if self.is_dumb.load(Ordering::SeqCst) {
            // Otherwise the test would not end.
            assert!(self.answers.fetch_add(1, Ordering::SeqCst) < 100, "it asks for ever");
            return Ok(Vec::new());
        }
        self.rows.find_endings(run_ids).await
    }

    async fn list_runs(&self, query: RunQuery<'_>) -> Result<Vec<RunRecord>, StoreError> {
        self.check("list_runs")?;
        self.rows.list_runs(query).await
    }

    async fn count_runs(
        &self,
        filter: &Filter,
        group_by: Option<Column>,
    ) -> Result<Vec<RunCount>, StoreError> {
        self.check("count_runs")?;
        self.rows.count_runs(filter, group_by).await
    }

    async fn list_attribute_names(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        self.check("list_attribute_names")?;
        self.rows.list_attribute_names(limit).await
    }

    async fn count_by_definition(
        &self,
        workflow: &str,
    ) -> Result<Vec<DefinitionCount>, StoreError> {
        self.check("count_by_definition")?;
        self.rows.count_by_definition(workflow).await
    }

    async fn find_kin(&self, run_id: RunId) -> Result<Option<Kin>, StoreError> {
        self.check("find_kin")?;
        self.rows.find_kin(run_id).await
    }

    async fn find_last_runs(
        &self,
        first_run_ids: &[RunId],
    ) -> Result<Vec<Option<LastRun>>, StoreError> {
        self.check("find_last_runs")?;
        self.rows.find_last_runs(first_run_ids).await
    }

    async fn list_chain(
        &self,
        first_run_id: RunId,
        after: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ChainEntry>, StoreError> {
        self.check("list_chain")?;
        self.rows.list_chain(first_run_id, after, limit).await
    }

    async fn list_children(
        &self,
        first_run_id: RunId,
        after: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<ChildRecord>, StoreError> {
        self.check("list_children")?;
        self.rows.list_children(first_run_id, after, limit).await
    }

    async fn find_details(&self, run_id: RunId) -> Result<Option<RunDetails>, StoreError> {
        self.check("find_details")?;
        self.rows.find_details(run_id).await
    }

    async fn list_history(&self, run_id: RunId) -> Result<Vec<PastStep>, StoreError> {
        self.check("list_history")?;
        self.rows.list_history(run_id).await
    }

    async fn find_history(
        &self,
        run_id: RunId,
        step_no: StepNo,
    ) -> Result<Option<PastState>, StoreError> {
        self.check("find_history")?;
        self.rows.find_history(run_id, step_no).await
    }

    async fn list_audit(
        &self,
        run_id: Option<RunId>,
        before: Option<AuditEntryId>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        self.check("list_audit")?;
        self.rows.list_audit(run_id, before, limit).await
    }
}

delegate! { Promises:
    complete_promises(completions: Vec<CompletePromise>) -> Vec<CompletionOutcome>;
    settle_promises(limit: u32) -> bool;
    find_promise(key: &PromiseKey) -> Option<PromiseRecord>;
    list_promises(filter: &PromiseFilter, after: Option<&PromiseKey>, limit: u32)
        -> Vec<PromiseRecord>;
}

delegate! { Schedules:
    create_schedule(schedule: NewSchedule) -> ScheduleCreated;
    find_schedule(id: &str) -> Option<ScheduleRecord>;
    list_schedules(workflow: Option<&str>, after: Option<&str>, limit: u32) -> Vec<ScheduleRecord>;
    count_schedules(workflow: Option<&str>) -> u64;
    claim_schedules(request: ClaimSchedules<'_>) -> ClaimedSchedules;
    save_schedules(changes: Vec<SaveSchedule>) -> Vec<bool>;
    delete_schedule(id: &str) -> bool;
    list_schedule_log(id: &str, before: Option<i64>, limit: u32) -> Vec<ScheduleLogEntry>;
}

delegate! { Lifecycle:
    start_by_policy(run: NewRun, policy: IdPolicy) -> StartOutcome;
    find_terms(run_id: RunId) -> Option<Terms>;
    find_expired(after: Option<(Timestamp, RunId)>, limit: u32) -> Expired;
    defer_deadline(run_id: RunId, from: Timestamp, to: Timestamp) -> bool;
    expire_run(expiry: ExpireRun) -> bool;
}

delegate! { Attendance:
    attend(workflows: &[&str], hold: Duration) -> u64;
}

delegate! { Workers:
    register_worker(worker: NewWorker) -> WorkerLease;
    renew_lease(worker: WorkerLease, lease: Duration) -> Renewal;
    release_worker(worker: WorkerLease) -> ();
    fence_expired_workers() -> (Vec<WorkerId>, u64);
    fence_workers(workers: &[WorkerId]) -> u64;
    list_workers() -> Vec<(WorkerLease, NewWorker)>;
}

delegate! { Runs:
    start_runs(runs: Vec<NewRun>) -> Vec<StartOutcome>;
    claim_runs(request: ClaimRequest<'_>) -> Claimed;
    recover_claims(worker: WorkerLease, held: &[RunId], inbox_limit: u32) -> Vec<ClaimedRun>;
    review_runs(worker: WorkerLease, held: &[(RunId, i64)]) -> ReviewedRuns;
    commit_steps(worker: WorkerLease, steps: &[&CommitStep]) -> Vec<CommitOutcome>;
    settle_run(run_id: RunId) -> ();
    terminate_run(run_id: RunId, reason: &str) -> bool;
    unblock_runs(workflows: &[&str], run_id: Option<RunId>) -> u64;
    find_blocked(workflows: &[&str], after: Option<RunId>, limit: u32) -> Vec<BlockedRun>;
    adopt_blocked(worker: WorkerLease, run_ids: &[RunId], inbox_limit: u32) -> Vec<ClaimedRun>;
    edit_run(edit: EditRun) -> EditOutcome;
    change_run(change: ChangeRun) -> ChangeOutcome;
}

delegate! { Activities:
    claim_activities(request: ClaimActivities<'_>) -> ClaimedActivities;
    review_activities(worker: WorkerLease, held: &[(ActivityKey, u32)]) -> ReviewedActivities;
    heartbeat_activities(heartbeats: Vec<ActivityHeartbeat>) -> Vec<HeartbeatOutcome>;
    finish_activities(ends: Vec<FinishActivity>) -> Vec<FinishOutcome>;
    expired_activities(limit: u32) -> Vec<ExpiredActivity>;
    find_activity(key: ActivityKey) -> Option<ActivityRecord>;
    begin_activity() -> Box<dyn ActivityTransaction>;
}

delegate! { Messages:
    deliver(arrivals: Vec<NewArrival>) -> Vec<ArrivalOutcome>;
    read_inbox(run_id: RunId, after: i64, limit: u32) -> Inbox;
    relay_messages(request: RelayMessages<'_>) -> Relayed;
    list_outbox(after: Option<MessageKey>, limit: u32) -> Vec<WaitingMessage>;
    list_dead_letters(filter: &DeadLetterFilter, after: Option<DeadLetterId>, limit: u32) -> Vec<DeadLetter>;
    redeliver_dead_letters(ids: &[DeadLetterId]) -> Vec<RedeliverOutcome>;
    find_update(key: &UpdateKey) -> FoundUpdate;
    drop_dead_letters(ids: &[DeadLetterId]) -> u64;
}

delegate! { Definitions:
    record_definitions(definitions: &[DefinitionRecord]) -> ();
    find_definition(workflow: &str, hash: DefinitionHash) -> Option<DefinitionRecord>;
    find_definitions(hash: DefinitionHash) -> Vec<DefinitionRecord>;
    list_definitions(workflow: Option<&str>) -> Vec<DefinitionSummary>;
    record_schemas(schemas: &[SchemaRecord]) -> ();
    find_schemas(hashes: &[SchemaHash]) -> Vec<SchemaRecord>;
}

/// All cases except those with many histories, which take longer and test nothing more here.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_passes_the_suite() {
    let cases = cases().into_iter().filter(|case| !case.name().contains("model"));
    let mut count = 0;
    for case in cases {
        println!("{}", case.name());
        let clock = ManualClock::new(Timestamp::now());
        let rows = MemoryStore::with_clock(Arc::clone(&clock));
        let other = ThirdStore::new(rows.connect());
        case.run(StoreUnderTest::new(ThirdStore::new(rows), other, clock)).await;
        count += 1;
    }
    assert!(count > 100, "{count} cases");
}

#[activity]
async fn add(a: u32, b: u32) -> u32 {
    a + b
}

#[workflow]
async fn sum(numbers: Vec<u32>) -> u32 {
    let mut sum = 0;
    for number in numbers {
        sum = add(sum, number).await;
    }
    sum
}

#[tokio::test(start_paused = true)]
async fn it_carries_runs_and_its_errors_reach_the_program() {
    let store = ThirdStore::new(MemoryStore::new());
    let client = Client::new(store.clone());
    let worker = Worker::new(&client).start().await.expect("it can be started");
    let run = client.start(sum(vec![1, 2, 3])).id("a").await.expect("it can be started");
    assert_eq!(run.result().await.expect("it ends well"), 6);
    worker.shutdown().await.expect("it hands back its runs");
    store.is_off.store(true, Ordering::SeqCst);
    let error = client.run::<sum>("a").await.expect_err("it is off");
    let LookupError::Store(StoreError::Database { operation: "find_run", source, .. }) = &error
    else {
        panic!("{error:?}")
    };
    assert_eq!(source.downcast_ref::<SwitchedOff>(), Some(&SwitchedOff));
}

/// A wait returns the error, and does not wait forever.
#[tokio::test(start_paused = true)]
async fn a_store_that_finds_no_endings_is_an_error() {
    let store = ThirdStore::new(MemoryStore::new());
    let client = Client::new(store.clone());
    let run = client.start(sum(vec![1])).await.expect("it can be started");
    store.is_dumb.store(true, Ordering::SeqCst);
    let error = run.result().await.expect_err("nothing is answered");
    let RunError::Store(error) = error else { panic!("{error:?}") };
    let StoreError::Corrupt { what: "answer", reason } = &*error else { panic!("{error:?}") };
    assert!(reason.contains("find_endings"), "{reason}");
    assert_eq!(store.answers.load(Ordering::SeqCst), 1);
}

delegate!(Queues:
    pause_queue(queue: &str, reason: &str) -> ();
    resume_queue(queue: &str) -> ResumeOutcome;
    list_queues() -> Vec<QueueRecord>;
    find_queue(queue: &str) -> Option<QueueRecord>;
);

delegate!(Partitions:
    limit_queue(queue: &str, limits: QueueLimits) -> ();
    weigh_partition(queue: &str, partition: &str, weight: u32) -> ();
    list_partitions(queue: &str, after: Option<&str>, limit: u32) -> Vec<PartitionRecord>;
);

delegate!(FailedCalls:
    list_failed_calls(query: FailedCallQuery<'_>) -> Vec<FailedCall>;
    find_failed_call(key: ActivityKey) -> Option<FailedCall>;
    redrive_calls(queue: &str, calls: Vec<RedriveCall>) -> u64;
    discard_failed_calls(queue: &str, ids: &[FailedCallId]) -> u64;
    remove_failed_calls(age: Duration, limit: u32) -> u64;
);

delegate!(Retention:
    closed_workflows() -> Vec<String>;
    remove_closed(request: RemoveClosed<'_>) -> Removed;
    strip_closed(request: StripClosed<'_>) -> Stripped;
    remove_shared_promises(request: RemovePromises<'_>) -> RemovedPromises;
);

//! The embedded store: one SQLite file, any number of processes on one machine.
//!
//! WAL with `synchronous=FULL`: a commit is on disk when the call returns. Each process writes
//! through one connection ([`writer`], [`desk`]) and reads through a few others; a transaction that writes
//! takes the file's write lock before it looks at anything, so what it has read stays true until it
//! commits. A statement whose guards are all in its own text needs no transaction around it.
//!
//! Invariant: every write either carries its guard or follows a read in the same `BEGIN IMMEDIATE`
//! transaction. This module must not know what a snapshot or an arrival holds.

mod activities;
mod blocked;
mod claim;
mod commit;
mod definitions;
mod desk;
mod ends;
mod inbox;
mod lists;
mod liveness;
mod open;
mod runs;
mod script;
mod transaction;
mod workers;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::sqlite::SqlitePool;

use self::liveness::Liveness;
pub(super) use self::open::{open_file, open_memory};
use self::script::{Rows, Script};
use self::writer::{Turn, Writer};
use super::failure::Verdict;
use super::{
    ActivityHeartbeat, ActivityKey, ActivityRecord, ActivityTransaction, ArrivalOutcome,
    BlockedRun, ClaimActivities, ClaimRequest, Claimed, ClaimedActivities, ClaimedRun, Clock,
    CommitOutcome, CommitStep, DefinitionRecord, ExpiredActivity, FinishActivity, FinishOutcome,
    FoundEnding, HeartbeatOutcome, Hub, Inbox, NewArrival, NewRun, NewWorker, Renewal,
    ReviewedActivities, ReviewedRuns, RunFilter, RunKey, RunRecord, StartOutcome, Store,
    WorkerLease,
};
use crate::error::StoreError;
use crate::model::{DefinitionHash, RunId, RunStatus, Timestamp, WorkerId};

/// A store in an SQLite file or, for tests, in memory.
#[derive(Debug)]
pub(super) struct SqliteStore {
    hub: Arc<Hub>,
    clock: Clock,
    writer: Writer,
    /// `None` for a database in memory, which only its one connection can see.
    readers: Option<SqlitePool>,
    liveness: Liveness,
}

impl SqliteStore {
    /// The database's clock, see [`Clock::Database`].
    fn time(&self) -> Timestamp {
        self.clock.manual_now().unwrap_or_else(Timestamp::now)
    }

    async fn turn(&self) -> Turn {
        self.writer.turn().await
    }

    /// Runs a script that only reads.
    async fn read(&self, script: Script) -> Result<Rows, sqlx::Error> {
        match &self.readers {
            Some(pool) => script.run(&mut *pool.acquire().await?).await,
            None => self.turn().await.run(script).await,
        }
    }
}

/// Trying again may help if somebody else holds a lock, the disk is full or does not answer, or
/// memory or file handles have run out.
fn judge(code: &str) -> Verdict {
    const BUSY: i32 = 5;
    const LOCKED: i32 = 6;
    const NOMEM: i32 = 7;
    const INTERRUPT: i32 = 9;
    const IOERR: i32 = 10;
    const FULL: i32 = 13;
    const CANTOPEN: i32 = 14;
    const PROTOCOL: i32 = 15;
    const TOOBIG: i32 = 18;
    match primary_code(code) {
        Some(BUSY | LOCKED | NOMEM | INTERRUPT | IOERR | FULL | CANTOPEN | PROTOCOL) => {
            Verdict::Retryable
        }
        Some(TOOBIG) => Verdict::Unstorable,
        _ => Verdict::Final,
    }
}

/// The primary result code of an extended one.
fn primary_code(code: &str) -> Option<i32> {
    code.parse::<i32>().ok().map(|code| code & 0xff)
}

fn failed(operation: &'static str) -> impl Fn(sqlx::Error) -> StoreError + Copy {
    super::failure::failed(operation, judge)
}

#[async_trait]
impl Store for SqliteStore {
    fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    async fn now(&self) -> Result<Timestamp, StoreError> {
        Ok(self.time())
    }

    async fn register_worker(&self, worker: NewWorker) -> Result<WorkerLease, StoreError> {
        workers::register(self, worker).await
    }

    async fn renew_lease(
        &self,
        worker: WorkerLease,
        lease: Duration,
    ) -> Result<Renewal, StoreError> {
        workers::renew(self, worker, lease).await
    }

    /// A database in memory ends with its process, so nobody else can take anything over.
    fn renews_apart(&self) -> bool {
        self.readers.is_some()
    }

    async fn release_worker(&self, worker: WorkerLease) -> Result<(), StoreError> {
        workers::release(self, worker).await
    }

    async fn fence_expired_workers(&self) -> Result<(Vec<WorkerId>, u64), StoreError> {
        workers::fence_expired(self).await
    }

    async fn find_dead_workers(&self) -> Result<Vec<WorkerId>, StoreError> {
        workers::find_dead(self).await
    }

    async fn fence_workers(&self, workers: &[WorkerId]) -> Result<u64, StoreError> {
        workers::fence(self, workers).await
    }

    async fn list_workers(&self) -> Result<Vec<(WorkerLease, NewWorker)>, StoreError> {
        workers::list(self).await
    }

    async fn start_runs(&self, runs: Vec<NewRun>) -> Result<Vec<StartOutcome>, StoreError> {
        runs::start(self, runs).await
    }

    async fn claim_runs(&self, request: ClaimRequest<'_>) -> Result<Claimed, StoreError> {
        claim::claim(self, request).await
    }

    async fn recover_claims(
        &self,
        worker: WorkerLease,
        held: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError> {
        claim::recover(self, worker, held, inbox_limit).await
    }

    async fn commit_steps(
        &self,
        worker: WorkerLease,
        steps: &[&CommitStep],
    ) -> Result<Vec<CommitOutcome>, StoreError> {
        commit::commit(self, worker, steps).await
    }

    async fn deliver(&self, arrivals: Vec<NewArrival>) -> Result<Vec<ArrivalOutcome>, StoreError> {
        inbox::deliver(self, arrivals).await
    }

    async fn claim_activities(
        &self,
        request: ClaimActivities<'_>,
    ) -> Result<ClaimedActivities, StoreError> {
        activities::claim(self, request).await
    }

    async fn review_activities(
        &self,
        worker: WorkerLease,
        held: &[(ActivityKey, u32)],
    ) -> Result<ReviewedActivities, StoreError> {
        activities::review_held(self, worker, held).await
    }

    async fn heartbeat_activities(
        &self,
        heartbeats: Vec<ActivityHeartbeat>,
    ) -> Result<Vec<HeartbeatOutcome>, StoreError> {
        ends::heartbeat(self, heartbeats).await
    }

    async fn finish_activities(
        &self,
        ends: Vec<FinishActivity>,
    ) -> Result<Vec<FinishOutcome>, StoreError> {
        ends::finish(self, ends).await
    }

    async fn expired_activities(&self, limit: u32) -> Result<Vec<ExpiredActivity>, StoreError> {
        activities::find_expired(self, limit).await
    }

    async fn find_activity(&self, key: ActivityKey) -> Result<Option<ActivityRecord>, StoreError> {
        activities::find(self, key).await
    }

    async fn begin_activity(&self) -> Result<Box<dyn ActivityTransaction>, StoreError> {
        transaction::begin(self).await
    }

    async fn read_inbox(&self, run_id: RunId, after: i64, limit: u32) -> Result<Inbox, StoreError> {
        inbox::read(self, run_id, after, limit).await
    }

    async fn review_runs(
        &self,
        worker: WorkerLease,
        held: &[(RunId, i64)],
    ) -> Result<ReviewedRuns, StoreError> {
        inbox::review(self, worker, held).await
    }

    async fn find_run(&self, key: &RunKey) -> Result<Option<RunRecord>, StoreError> {
        lists::find(self, key).await
    }

    async fn find_snapshot(&self, run_id: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        lists::find_snapshot(self, run_id).await
    }

    async fn find_endings(&self, run_ids: &[RunId]) -> Result<Vec<FoundEnding>, StoreError> {
        lists::find_endings(self, run_ids).await
    }

    async fn list_runs(
        &self,
        filter: &RunFilter,
        before: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<RunRecord>, StoreError> {
        lists::list(self, filter, before, limit).await
    }

    async fn count_runs(&self, filter: &RunFilter) -> Result<Vec<(RunStatus, u64)>, StoreError> {
        lists::count(self, filter).await
    }

    async fn terminate_run(&self, run_id: RunId, reason: &str) -> Result<bool, StoreError> {
        runs::terminate(self, run_id, reason).await
    }

    async fn unblock_runs(
        &self,
        workflows: &[&str],
        run_id: Option<RunId>,
    ) -> Result<u64, StoreError> {
        runs::unblock(self, workflows, run_id).await
    }

    async fn find_blocked(
        &self,
        workflows: &[&str],
        after: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<BlockedRun>, StoreError> {
        blocked::find(self, workflows, after, limit).await
    }

    async fn adopt_blocked(
        &self,
        worker: WorkerLease,
        run_ids: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError> {
        blocked::adopt(self, worker, run_ids, inbox_limit).await
    }

    async fn record_definitions(&self, definitions: &[DefinitionRecord]) -> Result<(), StoreError> {
        definitions::record(self, definitions).await
    }

    async fn find_definition(
        &self,
        workflow: &str,
        hash: DefinitionHash,
    ) -> Result<Option<DefinitionRecord>, StoreError> {
        definitions::find(self, workflow, hash).await
    }

    async fn close(&self) {
        if let Some(readers) = &self.readers {
            readers.close().await;
        }
        self.writer.close().await;
        self.liveness.let_go_of_all();
    }
}

//! The store for many machines: one Postgres database, any number of processes.
//!
//! Each transition is one statement where that can be, in read-committed isolation. What a
//! transition depends on it locks, in the order of the [contract](super): the worker's row, then runs,
//! ascending. The worker's row is locked as those do who rely on its key (`FOR KEY SHARE`): commits
//! exclude neither each other nor the renewal of the lease, which changes no key, and would otherwise
//! wait for ever where one commit begins before the last has ended; fencing locks it `FOR UPDATE` and
//! excludes them all. A worker's statements ask for its epoch and its lease, and rows for the worker and
//! its epoch: fencing ends all of them at once, so each would do alone. Lists travel as arrays; the
//! sessions' settings keep the planner from doing anything but looking up one element after the other,
//! in their order.
//!
//! Other conditions stand twice as well, and no test can miss one of them. A look for whether there is
//! anything to do asks what the statement that does it asks again: for runs and activities that are due,
//! for leases that have run out, for candidates of a claim before they are locked. A start looks for what
//! is in its way, though the unique indexes would refuse it, because a refusal costs the whole
//! statement. An order is asked for where an index would give it: that the planner reads the index is
//! its own affair. Of an attempt, its end is refused by the run's row or the worker's as well, under whose
//! locks nobody else ends or begins one.
//!
//! Invariant: a statement that relies on a lock taken before it is a statement of its own, because
//! its snapshot must be younger than the lock. Notifications are sent after the commit by a task of
//! their own, since they are hints. This module must not know what a snapshot or an arrival holds.

mod activities;
mod blocked;
mod blockers;
mod claim;
mod commit;
mod definitions;
mod ends;
mod fragments;
mod inbox;
mod lanes;
mod lent;
mod lists;
mod liveness;
mod news;
mod open;
mod outcomes;
mod reads;
mod runs;
mod session;
mod transaction;
mod workers;

use std::borrow::Cow;
use std::io::ErrorKind;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use self::blockers::Blockers;
use self::fragments::{lock_worker, named_after, named_by, now, workflow_id};
use self::lanes::Lanes;
use self::liveness::Liveness;
use self::news::News;
pub(super) use self::open::open;
use self::reads::Reads;
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

/// A store in a Postgres database.
#[derive(Debug)]
pub(super) struct PostgresStore {
    hub: Arc<Hub>,
    clock: Clock,
    /// Connections of owners for claims and commits.
    lanes: Lanes,
    /// How many of them commits may have at a time; the others are left to claims.
    commit_lanes: usize,
    /// One for renewals of leases alone, which must not wait for a commit to end.
    leases: Lanes,
    /// Connections for starts, arrivals, looks for results and news.
    calls: Lanes,
    /// Connections for everything else.
    pool: PgPool,
    /// One permit for each connection that may be lent to an activity.
    lendable: Arc<Semaphore>,
    /// How long the server may take to answer.
    answer_timeout: Duration,
    news: News,
    reads: Reads,
    liveness: Liveness,
    blockers: Blockers,
}

/// A call that has taken this part of the time that it may take is looked into: 5 s unless somebody says
/// otherwise, longer than what locks of piton's own are waited for.
const SLOW_PART: u32 = 6;

const NOW: &str = concat!("SELECT now FROM ", now!(), " AS clock");

impl PostgresStore {
    /// The time that statements are to go by, if it is not the database's.
    fn given_time(&self) -> Option<i64> {
        self.clock.manual_now().map(Timestamp::as_micros)
    }

    /// A connection for what has none of its own.
    async fn connection(&self) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        self.pool.acquire().await.map_err(lanes::hung_up)
    }

    /// Gives up on a server that has gone without a word, as it does when its host loses its power
    /// or its network: the connection would be open for as long as the operating system hopes.
    async fn answered<T>(
        &self,
        operation: &'static str,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let silence = |_| failed(operation)(sqlx::Error::Io(ErrorKind::TimedOut.into()));
        let mut call = pin!(call);
        let soon = self.answer_timeout / SLOW_PART;
        if let Ok(answer) = timeout(soon, &mut call).await {
            return answer;
        }
        self.blockers.name(operation);
        timeout(self.answer_timeout - soon, call).await.map_err(silence)?
    }
}

/// Trying again may help if the connection or the server has gone or is not ready, a resource has run
/// out, or another transaction got in the way.
fn judge(state: &str) -> Verdict {
    const READ_ONLY: &str = "25006";
    const LOCK_NOT_AVAILABLE: &str = "55P03";
    const QUERY_CANCELED: &str = "57014";
    const SHUTDOWNS: [&str; 4] = ["57P01", "57P02", "57P03", "57P05"];
    // The process stood still in the middle, and the server has not waited for it.
    const TRANSACTION_TIMEOUTS: [&str; 2] = ["25P03", "25P04"];
    match (state, state.get(..2).unwrap_or_default()) {
        (READ_ONLY | LOCK_NOT_AVAILABLE | QUERY_CANCELED, _) => Verdict::Retryable,
        (_, "08" | "40" | "53" | "58") => Verdict::Retryable,
        _ if SHUTDOWNS.contains(&state) || TRANSACTION_TIMEOUTS.contains(&state) => {
            Verdict::Retryable
        }
        // Of data, and of a limit of the server.
        (_, "22" | "54") => Verdict::Unstorable,
        _ => Verdict::Final,
    }
}

/// A text for people as Postgres can keep it: without the character NUL.
fn kept(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', "\u{FFFD}").into() } else { text.into() }
}

fn failed(operation: &'static str) -> impl Fn(sqlx::Error) -> StoreError + Copy {
    super::failure::failed(operation, judge)
}

#[async_trait]
impl Store for PostgresStore {
    fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    async fn now(&self) -> Result<Timestamp, StoreError> {
        let now = async {
            let now = sqlx::query_scalar(NOW).bind(self.given_time()).fetch_one(&self.pool).await;
            now.map(Timestamp).map_err(failed("now"))
        };
        self.answered("now", now).await
    }

    async fn register_worker(&self, worker: NewWorker) -> Result<WorkerLease, StoreError> {
        self.answered("register_worker", workers::register(self, worker)).await
    }

    async fn renew_lease(
        &self,
        worker: WorkerLease,
        lease: Duration,
    ) -> Result<Renewal, StoreError> {
        self.answered("renew_lease", workers::renew(self, worker, lease)).await
    }

    /// Through a connection that has no other use.
    fn renews_apart(&self) -> bool {
        true
    }

    async fn release_worker(&self, worker: WorkerLease) -> Result<(), StoreError> {
        self.answered("release_worker", workers::release(self, worker)).await
    }

    async fn fence_expired_workers(&self) -> Result<(Vec<WorkerId>, u64), StoreError> {
        self.answered("fence_expired_workers", workers::fence_expired(self)).await
    }

    async fn find_dead_workers(&self) -> Result<Vec<WorkerId>, StoreError> {
        self.answered("find_dead_workers", workers::find_dead(self)).await
    }

    async fn fence_workers(&self, workers: &[WorkerId]) -> Result<u64, StoreError> {
        self.answered("fence_workers", workers::fence(self, workers)).await
    }

    async fn list_workers(&self) -> Result<Vec<(WorkerLease, NewWorker)>, StoreError> {
        self.answered("list_workers", workers::list(self)).await
    }

    async fn start_runs(&self, runs: Vec<NewRun>) -> Result<Vec<StartOutcome>, StoreError> {
        self.answered("start_runs", runs::start(self, runs)).await
    }

    async fn claim_runs(&self, request: ClaimRequest<'_>) -> Result<Claimed, StoreError> {
        self.answered("claim_runs", claim::claim(self, request)).await
    }

    async fn recover_claims(
        &self,
        worker: WorkerLease,
        held: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError> {
        self.answered("recover_claims", claim::recover(self, worker, held, inbox_limit)).await
    }

    async fn commit_steps(
        &self,
        worker: WorkerLease,
        steps: &[&CommitStep],
    ) -> Result<Vec<CommitOutcome>, StoreError> {
        self.answered("commit_steps", commit::commit(self, worker, steps)).await
    }

    fn commit_lanes(&self) -> usize {
        self.commit_lanes
    }

    async fn deliver(&self, arrivals: Vec<NewArrival>) -> Result<Vec<ArrivalOutcome>, StoreError> {
        self.answered("deliver", inbox::deliver(self, arrivals)).await
    }

    async fn claim_activities(
        &self,
        request: ClaimActivities<'_>,
    ) -> Result<ClaimedActivities, StoreError> {
        self.answered("claim_activities", activities::claim(self, request)).await
    }

    async fn review_activities(
        &self,
        worker: WorkerLease,
        held: &[(ActivityKey, u32)],
    ) -> Result<ReviewedActivities, StoreError> {
        self.answered("review_activities", activities::review_held(self, worker, held)).await
    }

    async fn heartbeat_activities(
        &self,
        heartbeats: Vec<ActivityHeartbeat>,
    ) -> Result<Vec<HeartbeatOutcome>, StoreError> {
        self.answered("heartbeat_activities", ends::heartbeat(self, heartbeats)).await
    }

    async fn finish_activities(
        &self,
        ends: Vec<FinishActivity>,
    ) -> Result<Vec<FinishOutcome>, StoreError> {
        self.answered("finish_activities", ends::finish(self, ends)).await
    }

    async fn expired_activities(&self, limit: u32) -> Result<Vec<ExpiredActivity>, StoreError> {
        self.answered("expired_activities", activities::find_expired(self, limit)).await
    }

    async fn find_activity(&self, key: ActivityKey) -> Result<Option<ActivityRecord>, StoreError> {
        self.answered("find_activity", activities::find(self, key)).await
    }

    async fn begin_activity(&self) -> Result<Box<dyn ActivityTransaction>, StoreError> {
        lent::begin(self).await
    }

    async fn settle_run(&self, run_id: RunId) -> Result<(), StoreError> {
        self.answered("settle_run", inbox::settle(self, run_id)).await
    }

    async fn read_inbox(&self, run_id: RunId, after: i64, limit: u32) -> Result<Inbox, StoreError> {
        let failed = failed("read_inbox");
        let read = async { self.reads.read(run_id, after, limit).await.map_err(failed)? };
        self.answered("read_inbox", read).await
    }

    async fn review_runs(
        &self,
        worker: WorkerLease,
        held: &[(RunId, i64)],
    ) -> Result<ReviewedRuns, StoreError> {
        self.answered("review_runs", inbox::review(self, worker, held)).await
    }

    async fn find_run(&self, key: &RunKey) -> Result<Option<RunRecord>, StoreError> {
        self.answered("find_run", lists::find(self, key)).await
    }

    async fn find_snapshot(&self, run_id: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        self.answered("find_snapshot", lists::find_snapshot(self, run_id)).await
    }

    async fn find_endings(&self, run_ids: &[RunId]) -> Result<Vec<FoundEnding>, StoreError> {
        self.answered("find_endings", lists::find_endings(self, run_ids)).await
    }

    async fn list_runs(
        &self,
        filter: &RunFilter,
        before: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<RunRecord>, StoreError> {
        self.answered("list_runs", lists::list(self, filter, before, limit)).await
    }

    async fn count_runs(&self, filter: &RunFilter) -> Result<Vec<(RunStatus, u64)>, StoreError> {
        self.answered("count_runs", lists::count(self, filter)).await
    }

    async fn terminate_run(&self, run_id: RunId, reason: &str) -> Result<bool, StoreError> {
        self.answered("terminate_run", runs::terminate(self, run_id, reason)).await
    }

    async fn unblock_runs(
        &self,
        workflows: &[&str],
        run_id: Option<RunId>,
    ) -> Result<u64, StoreError> {
        self.answered("unblock_runs", runs::unblock(self, workflows, run_id)).await
    }

    async fn find_blocked(
        &self,
        workflows: &[&str],
        after: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<BlockedRun>, StoreError> {
        self.answered("find_blocked", blocked::find(self, workflows, after, limit)).await
    }

    async fn adopt_blocked(
        &self,
        worker: WorkerLease,
        run_ids: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError> {
        self.answered("adopt_blocked", blocked::adopt(self, worker, run_ids, inbox_limit)).await
    }

    async fn record_definitions(&self, definitions: &[DefinitionRecord]) -> Result<(), StoreError> {
        self.answered("record_definitions", definitions::record(self, definitions)).await
    }

    async fn find_definition(
        &self,
        workflow: &str,
        hash: DefinitionHash,
    ) -> Result<Option<DefinitionRecord>, StoreError> {
        self.answered("find_definition", definitions::find(self, workflow, hash)).await
    }

    async fn close(&self) {
        self.news.close();
        self.reads.close();
        self.liveness.close();
        self.lanes.close();
        self.leases.close();
        self.calls.close();
        self.pool.close().await;
    }
}

//! Queued activities and their attempts.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::machine::{OperationOutcome, TimeoutKind};
use crate::model::{AttemptFailure, Handle, Payload, RunId, Timestamp};
use crate::store::{ActivityTransaction, WorkerLease};

/// Activities on queues.
///
/// The rules common to all methods are documented at [`Store`](super::Store).
#[async_trait]
pub trait Activities: Send + Sync {
    /// Assigns due activities to a worker, the longest due first, within the capacities in the request. Each comes
    /// with the number of its next attempt. Skips activities one of whose time limits has expired. A claim that
    /// finds nothing writes nothing. From a partitioned queue, [partitions](super::Partitions) take turns. A claim may return fewer activities than the worker has room for, because
    /// other workers claim them or the response is full; `next_due_at` then says that the next one is already due.
    ///
    /// Guards: the lease is valid, and each activity is still due once it is locked. Locks the worker's row, then
    /// the activities in the order of their due times, skipping rows that are locked. Of a partitioned queue, it locks
    /// the worker's row, the queue's row, and then the activities in the same way.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if the worker's lease is not valid.
    async fn claim_activities(
        &self,
        request: ClaimActivities<'_>,
    ) -> Result<ClaimedActivities, StoreError>;

    /// Compares the attempts assigned to `worker` with `held`, those that the worker knows of, each with its number.
    /// This slow poll finds changes whose notification or response was lost. Of the attempts missing from `held` it
    /// returns as many as fit in one response. Locks nothing.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if the worker's lease is not valid.
    async fn review_activities(
        &self,
        worker: WorkerLease,
        held: &[(ActivityKey, u32)],
    ) -> Result<ReviewedActivities, StoreError>;

    /// Records heartbeats, each independently. A heartbeat restarts the heartbeat timeout, by the database's clock
    /// and at most until the end of the attempt; its details replace earlier ones. Of several heartbeats of one
    /// attempt, the last counts. Returns outcomes in the order of `heartbeats`.
    ///
    /// Guards: the attempt is the activity's current one and is running or waits for its token. A worker must run
    /// the attempt and have a valid lease; a token needs no lease; [`Reporter::Expiry`] may send no heartbeat.
    /// Otherwise the outcome is [`HeartbeatOutcome::Stale`]. Locks the workers' rows in their order, then the
    /// activities in theirs; no run.
    async fn heartbeat_activities(
        &self,
        heartbeats: Vec<ActivityHeartbeat>,
    ) -> Result<Vec<HeartbeatOutcome>, StoreError>;

    /// Ends attempts, in this order, each independently. Of several ends of one attempt, the first counts. Notifies
    /// the run of an outcome as of any arrival. Returns outcomes in the order of `ends`.
    ///
    /// Guards, in this order. An end reported with a token must have a [key](FinishActivity::dedup_key) that was
    /// not used before, otherwise the outcome is [`FinishOutcome::Repeated`], even if the activity no longer
    /// exists. The attempt is the current one, the reporter has the [right](Reporter) to end it, and a run that is
    /// to get an outcome is open; otherwise the outcome is [`FinishOutcome::Stale`]. If the run is closed, the
    /// activity's row is deleted all the same. Locks the workers' rows in their order, then the runs that get
    /// outcomes, then the activities.
    async fn finish_activities(
        &self,
        ends: Vec<FinishActivity>,
    ) -> Result<Vec<FinishOutcome>, StoreError>;

    /// Activities one of whose time limits has expired, the longest overdue first: at most `limit`, and as many as
    /// fit in one response, but at least one if there is one. The caller decides what follows and reports it with
    /// [`Reporter::Expiry`]; [`finish_activities`](Self::finish_activities) checks then that the limit is still
    /// expired. Locks nothing.
    async fn expired_activities(&self, limit: u32) -> Result<Vec<ExpiredActivity>, StoreError>;

    /// An activity on a queue, as long as it has no outcome. Locks nothing.
    async fn find_activity(&self, key: ActivityKey) -> Result<Option<ActivityRecord>, StoreError>;

    /// Begins a transaction for an activity's writes. The transaction blocks other writers (on SQLite, all of them;
    /// on Postgres it occupies a connection), so it must be short.
    ///
    /// # Errors
    /// [`StoreError::NoTransactions`] if the store has none.
    async fn begin_activity(&self) -> Result<Box<dyn ActivityTransaction>, StoreError> {
        Err(StoreError::NoTransactions)
    }
}

/// Identifies one call of an activity: the calling run and its operation, or an [item](Self::is_item) of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActivityKey {
    /// The run.
    pub run_id: RunId,
    /// The operation.
    pub handle: Handle,
}

/// The prefix of dedup keys that piton itself uses. Clients refuse keys with this prefix from programs.
pub(crate) const RESERVED_KEYS: &str = "piton:";

impl ActivityKey {
    /// The handle of an item of a queue. No operation of a run has it.
    pub(crate) const OF_ITEM: Handle = Handle(i64::MAX as u64);

    /// Whether this is an item of a queue: an activity with a key, which belongs to no run. Its `run_id` identifies
    /// it.
    pub fn is_item(self) -> bool {
        self.handle == Self::OF_ITEM
    }

    /// The dedup key of an end that is reported with the token of this attempt, through
    /// [`Activities::finish_activities`] or, for an activity without a queue, through
    /// [`Messages::deliver`](super::Messages::deliver). Both use the same key, so a second use of the token is
    /// detected either way.
    pub fn token_key(self, attempt: u32) -> String {
        format!("{RESERVED_KEYS}activity/{}/{attempt}", self.handle.0)
    }
}

/// An activity that a step puts on a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct NewActivity {
    /// The operation of the run that makes the step.
    pub handle: Handle,
    /// The queue.
    pub queue: String,
    /// The activity's stored name.
    pub activity: String,
    /// What a worker needs to make an attempt. The store does not interpret it.
    pub call: Vec<u8>,
    /// When its first attempt is due. `None` or a past time means at once.
    pub due_at: Option<Timestamp>,
    /// Of those that are due, the ones with a higher priority are given first.
    pub priority: i16,
    /// The partition of the queue; empty means none. See [`Partitions`](super::Partitions).
    pub partition: String,
    /// Its time limits.
    pub limits: ActivityLimits,
}

impl NewActivity {
    /// Whether it has a priority or a partition.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn is_placed(&self) -> bool {
        self.priority != 0 || !self.partition.is_empty()
    }
}

/// The time limits of an activity on a queue; `None` means no limit. Stores keep them in milliseconds, rounded up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActivityLimits {
    /// How long an attempt may wait for a worker once it is due.
    pub schedule_to_start: Option<Duration>,
    /// How long an attempt may take.
    pub start_to_close: Option<Duration>,
    /// How long an attempt may go without a heartbeat.
    pub heartbeat: Option<Duration>,
    /// When the last attempt must have ended.
    pub close_by: Option<Timestamp>,
}

/// A limit in milliseconds, rounded up, and capped so that it can be added to a time.
pub(crate) fn limit_ms(limit: Duration) -> i64 {
    const LONGEST: i64 = i64::MAX / 8 / 1_000;
    i64::try_from(limit.as_nanos().div_ceil(1_000_000)).unwrap_or(LONGEST).min(LONGEST)
}

/// Which due activities a worker asks for. All three capacities apply together.
#[derive(Clone, Copy, Debug)]
pub struct ClaimActivities<'a> {
    /// The worker.
    pub worker: WorkerLease,
    /// The queues it serves, each once, with the number of activities that it can take from each.
    pub queues: &'a [(&'a str, u32)],
    /// The activities it has registered, each once, with the number of attempts that it can take of each.
    pub activities: &'a [(&'a str, u32)],
    /// The number of attempts that it can take in total.
    pub limit: u32,
}

/// The result of a claim.
#[derive(Clone, Debug, Default)]
pub struct ClaimedActivities {
    /// The activities, the longest due first.
    pub activities: Vec<ClaimedActivity>,
    /// When the next activity that the worker has room for becomes due, as far as this claim could see.
    pub next_due_at: Option<Timestamp>,
    /// Whether a limit of a [partitioned queue](super::Partitions) on attempts under way keeps back activities, so that
    /// there may be more when an attempt ends.
    pub is_held_back: bool,
    /// The database's clock at the claim.
    pub now: Timestamp,
}

/// An activity, as given to the worker that makes its next attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimedActivity {
    /// Which one.
    pub key: ActivityKey,
    /// The queue it was on.
    pub queue: String,
    /// The activity's stored name.
    pub activity: String,
    /// The number of the attempt to make, from 1.
    pub attempt: u32,
    /// How many earlier attempts ended because their worker died.
    pub interruptions: u32,
    /// See [`NewActivity::call`].
    pub call: Vec<u8>,
    /// The details of the last heartbeat.
    pub details: Option<Payload>,
}

/// The difference between the attempts that a worker has and those that it knows of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReviewedActivities {
    /// Attempts that are no longer the worker's, in order.
    pub lost: Vec<ActivityKey>,
    /// Attempts that are the worker's and that it does not know of, because the response to its claim was lost: as
    /// many as fit in one response, in the order of their keys.
    pub strays: Vec<ClaimedActivity>,
    /// Whether there are more strays. To get them, call again with these in `held`.
    pub has_more: bool,
}

/// The right by which somebody reports on an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reporter {
    /// The worker that makes the attempt, with a valid lease.
    Worker(WorkerLease),
    /// A holder of the attempt's token; the attempt is running or waits for the token.
    Token,
    /// Anybody, because a time limit of the activity has expired.
    Expiry,
}

/// A heartbeat of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivityHeartbeat {
    /// Which activity.
    pub key: ActivityKey,
    /// The number of the attempt.
    pub attempt: u32,
    /// By what right; [`Reporter::Expiry`] has none.
    pub reporter: Reporter,
    /// Details for the next attempt; `None` keeps earlier ones.
    pub details: Option<Payload>,
}

/// The result of a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeartbeatOutcome {
    /// It is recorded, and the heartbeat timeout starts again.
    Noted,
    /// The attempt has ended or is not the reporter's; the reporter should stop.
    Stale,
}

/// The end of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishActivity {
    /// Which activity.
    pub key: ActivityKey,
    /// The number of the attempt; if none is running, of the last attempt, or 0.
    pub attempt: u32,
    /// By what right it ends.
    pub reporter: Reporter,
    /// What follows.
    pub end: ActivityEnd,
}

impl FinishActivity {
    /// The dedup key of an end that is reported with a token, see [`ActivityKey::token_key`]. The store keeps the
    /// key together with the consequences of the end. Before any other check, an end whose key is already stored is
    /// [repeated](FinishOutcome::Repeated).
    pub fn dedup_key(&self) -> Option<String> {
        (self.reporter == Reporter::Token).then(|| self.key.token_key(self.attempt))
    }
}

/// What follows from the end of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub enum ActivityEnd {
    /// The activity is complete: the outcome goes to the run's inbox, and the activity's row is deleted. The
    /// outcome of an item of a queue goes to the item's promise, by a message of the outbox; this needs no open
    /// run.
    Outcome(OperationOutcome),
    /// The same, after a last attempt that has failed: the call is also kept as a [failed
    /// one](super::FailedCalls), unless it belongs to a run that is closed.
    Failed {
        /// The outcome.
        outcome: OperationOutcome,
        /// What went wrong, for people.
        failure: String,
    },
    /// Another attempt is due at this time.
    Retry {
        /// When.
        retry_at: Timestamp,
        /// What went wrong, for people. It is kept as [`ActivityRecord::last_failure`].
        failure: String,
        /// Details for the next attempt; `None` leaves those of the last heartbeat.
        details: Option<Payload>,
    },
    /// The worker is done, and the attempt continues until its token is used or a limit expires.
    Later,
    /// The attempt was not made and does not count; the activity is due again at this time.
    PutBack {
        /// When.
        due_at: Timestamp,
    },
}

impl ActivityEnd {
    /// The end of an attempt with this outcome, and with its error if it has failed.
    pub(crate) fn of(outcome: OperationOutcome, attempt: u32, failure: Option<String>) -> Self {
        match failure {
            None => Self::Outcome(outcome),
            Some(failure) => {
                let failure = AttemptFailure::new(attempt, failure).error;
                Self::Failed { outcome, failure }
            }
        }
    }
}

/// The result of ending an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishOutcome {
    /// It is committed.
    Finished,
    /// The token of this attempt was used before.
    Repeated,
    /// The attempt has ended, is not the reporter's, or its run no longer waits for it; nothing was written.
    Stale,
}

/// An activity one of whose time limits has expired.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpiredActivity {
    /// Which one.
    pub key: ActivityKey,
    /// The number of the attempt that has exceeded its limit, or of the last one before.
    pub attempt: u32,
    /// How many attempts ended because their worker died.
    pub interruptions: u32,
    /// Which limit; if several have expired, the one that allows the fewest further attempts.
    pub limit: TimeoutKind,
    /// See [`NewActivity::call`].
    pub call: Vec<u8>,
    /// The database's clock when the activity was found.
    pub now: Timestamp,
}

/// An activity on a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivityRecord {
    /// Which one.
    pub key: ActivityKey,
    /// The queue.
    pub queue: String,
    /// The activity's stored name.
    pub activity: String,
    /// Number of attempts started.
    pub attempt: u32,
    /// How many of them ended because their worker died.
    pub interruptions: u32,
    /// The worker that makes the current attempt.
    pub worker: Option<WorkerLease>,
    /// When the next attempt is due, if none is running.
    pub due_at: Option<Timestamp>,
    /// When the next time limit expires.
    pub expires_at: Option<Timestamp>,
    /// See [`NewActivity::call`].
    pub call: Vec<u8>,
    /// The details of the last heartbeat.
    pub details: Option<Payload>,
    /// How the last attempt that was followed by another failed, see [`ActivityEnd::Retry`].
    pub last_failure: Option<AttemptFailure>,
}

//! Queued activities and their attempts.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::machine::{OperationOutcome, TimeoutKind};
use crate::model::{AttemptFailure, Handle, Payload, RunId, Timestamp};
use crate::store::{ActivityTransaction, WorkerLease};

/// Activities on queues.
///
/// What holds for all methods is said at [`Store`](super::Store).
#[async_trait]
pub trait Activities: Send + Sync {
    /// Gives due activities to a worker, those that have been due for longest first as far as there
    /// is room for each, with its next attempt's number. Activities whose limits have run out are
    /// not given. Asking in vain writes nothing. Less may be given than there is room for, because
    /// of others who claim or because no more fits one answer, which then says that the next is due already.
    ///
    /// Guards: the lease is valid, and each activity is still due once it is locked. Locks the worker's
    /// row, then the activities, in the order in which they are due, skipping those that somebody else has
    /// locked.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if the worker's lease is not valid.
    async fn claim_activities(
        &self,
        request: ClaimActivities<'_>,
    ) -> Result<ClaimedActivities, StoreError>;

    /// Compares the attempts that `worker` makes with those it thinks it makes, `held`, each with
    /// its number. The slow poll that finds what lost news and lost answers would have told. Of those it
    /// does not know of, as many as fit one answer. Locks nothing.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if the worker's lease is not valid.
    async fn review_activities(
        &self,
        worker: WorkerLease,
        held: &[(ActivityKey, u32)],
    ) -> Result<ReviewedActivities, StoreError>;

    /// Notes signs of life, each on its own: the limit for silence runs anew, from the database's clock
    /// and not beyond that of the attempt, and details replace those before; of several of one attempt the
    /// last ones count. The outcomes are in the order of `heartbeats`.
    ///
    /// Guards: the attempt is the activity's current one and is being made or awaits its token; a worker
    /// makes it and its lease is valid, while a token gives the right by itself and a limit that has run
    /// out gives none. Otherwise [`HeartbeatOutcome::Stale`]. Locks the rows of the workers in their order,
    /// then the activities in theirs; no run.
    async fn heartbeat_activities(
        &self,
        heartbeats: Vec<ActivityHeartbeat>,
    ) -> Result<Vec<HeartbeatOutcome>, StoreError>;

    /// Ends attempts, in this order, each on its own: of several ends of one attempt the first
    /// counts. An outcome is announced as an arrival. The outcomes are in the order of `ends`.
    ///
    /// Guards, in this order. An end that is told with a token was not told before, by its
    /// [key](FinishActivity::dedup_key), or else [`FinishOutcome::Repeated`], also when the activity is
    /// long gone. The attempt is the current one and whoever reports has the [right](Reporter) to; the run
    /// is open, if there is an outcome for it: or else [`FinishOutcome::Stale`]. The row of an activity
    /// whose run is closed goes all the same. Locks the rows of the workers in their order, then the
    /// runs that outcomes are for, then the activities.
    async fn finish_activities(
        &self,
        ends: Vec<FinishActivity>,
    ) -> Result<Vec<FinishOutcome>, StoreError>;

    /// Activities one of whose limits has run out, at most `limit` and as far as their calls fit one
    /// answer, the longest overdue first. If there is one, there is one in the answer. What
    /// follows is for the caller to decide and to say with [`Reporter::Expiry`]. Locks nothing: that the
    /// limit has still run out is looked at when the end is told.
    async fn expired_activities(&self, limit: u32) -> Result<Vec<ExpiredActivity>, StoreError>;

    /// What is known of an activity on a queue, for as long as it is not over. Locks nothing.
    async fn find_activity(&self, key: ActivityKey) -> Result<Option<ActivityRecord>, StoreError>;

    /// Begins a transaction in which an activity writes. It holds what other writers need (on
    /// SQLite, the right to write; on Postgres, a connection), so it must be short.
    ///
    /// # Errors
    /// [`StoreError::NoTransactions`] if the store has none.
    async fn begin_activity(&self) -> Result<Box<dyn ActivityTransaction>, StoreError> {
        Err(StoreError::NoTransactions)
    }
}

/// One call of an activity: the run that asked for it, and which of its operations it is; or an
/// [item](Self::is_item) of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActivityKey {
    /// The run.
    pub run_id: RunId,
    /// The operation.
    pub handle: Handle,
}

/// How the dedup keys begin that are not a program's own; clients refuse such a key from a program.
pub(crate) const RESERVED_KEYS: &str = "piton:";

impl ActivityKey {
    /// The handle of an item of a queue, which no operation of a run has.
    pub(crate) const OF_ITEM: Handle = Handle(i64::MAX as u64);

    /// Whether it is an item of a queue: an activity with a key, which belongs to no run. Its `run_id` stands for it alone.
    pub fn is_item(self) -> bool {
        self.handle == Self::OF_ITEM
    }

    /// The dedup key under which the token of this attempt says its word, whether that goes through
    /// [`Activities::finish_activities`] or, for an activity without a
    /// queue, through [`Messages::deliver`](super::Messages::deliver): so a second use is known, whichever
    /// way the first one went.
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
    /// What whoever makes an attempt has to know; the store does not look into it.
    pub call: Vec<u8>,
    /// When its first attempt is due. `None` and what is past are at once.
    pub due_at: Option<Timestamp>,
    /// Its time limits.
    pub limits: ActivityLimits,
}

/// The time limits of an activity on a queue; what is `None` is not limited. Stores keep them in
/// milliseconds, rounded up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActivityLimits {
    /// How long an attempt may wait for a worker once it is due.
    pub schedule_to_start: Option<Duration>,
    /// How long an attempt may take.
    pub start_to_close: Option<Duration>,
    /// How long an attempt may be silent.
    pub heartbeat: Option<Duration>,
    /// When the last attempt must have ended.
    pub close_by: Option<Timestamp>,
}

/// A limit in stored milliseconds, rounded up, short enough to be added to a time.
pub(crate) fn limit_ms(limit: Duration) -> i64 {
    const LONGEST: i64 = i64::MAX / 8 / 1_000;
    i64::try_from(limit.as_nanos().div_ceil(1_000_000)).unwrap_or(LONGEST).min(LONGEST)
}

/// Which due activities a worker wants. All three kinds of room hold together.
#[derive(Clone, Copy, Debug)]
pub struct ClaimActivities<'a> {
    /// Who asks.
    pub worker: WorkerLease,
    /// The queues it serves, each once, and for how many more activities of each it has room.
    pub queues: &'a [(&'a str, u32)],
    /// The activities it has, each once, and for how many more attempts of each it has room.
    pub activities: &'a [(&'a str, u32)],
    /// For how many more attempts it has room altogether.
    pub limit: u32,
}

/// What a claim gave.
#[derive(Clone, Debug, Default)]
pub struct ClaimedActivities {
    /// The activities, those that have been due for longest first.
    pub activities: Vec<ClaimedActivity>,
    /// When the next one falls due for which there is room after this claim, as far as is known
    /// now.
    pub next_due_at: Option<Timestamp>,
    /// The database's clock at the claim.
    pub now: Timestamp,
}

/// An activity as the worker gets it that is to make an attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimedActivity {
    /// Which one.
    pub key: ActivityKey,
    /// The queue it was on.
    pub queue: String,
    /// The activity's stored name.
    pub activity: String,
    /// The number of the attempt to be made, from 1.
    pub attempt: u32,
    /// How many attempts before were cut off by the death of their worker.
    pub interruptions: u32,
    /// See [`NewActivity::call`].
    pub call: Vec<u8>,
    /// What the last heartbeat said.
    pub details: Option<Payload>,
}

/// What a worker holds, compared with what it thinks it holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReviewedActivities {
    /// Attempts that the worker is no longer to make, in order.
    pub lost: Vec<ActivityKey>,
    /// Attempts that it is to make and does not know of: what a claim gave whose answer was lost on
    /// the way. Those that fit one answer, by their keys in order.
    pub strays: Vec<ClaimedActivity>,
    /// Whether there are more of them: whoever asks again, with these among those held, gets the rest.
    pub has_more: bool,
}

/// By what right something is said of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reporter {
    /// It is the worker that makes the attempt, and its lease is valid.
    Worker(WorkerLease),
    /// It has the attempt's token; the attempt is being made or awaits it.
    Token,
    /// Anybody may, because a time limit of the activity has run out.
    Expiry,
}

/// A sign of life of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivityHeartbeat {
    /// Which activity.
    pub key: ActivityKey,
    /// The number of the attempt.
    pub attempt: u32,
    /// By what right; [`Reporter::Expiry`] gives none.
    pub reporter: Reporter,
    /// What the next attempt is to know; `None` leaves what was said before.
    pub details: Option<Payload>,
}

/// What became of a sign of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeartbeatOutcome {
    /// It is kept, and the limit for silence runs anew.
    Noted,
    /// The attempt is over or not the reporter's; it should be given up.
    Stale,
}

/// The end of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishActivity {
    /// Which activity.
    pub key: ActivityKey,
    /// The number of the attempt; of one that waits, the number of the last attempt, or 0.
    pub attempt: u32,
    /// By what right it is ended.
    pub reporter: Reporter,
    /// What follows.
    pub end: ActivityEnd,
}

impl FinishActivity {
    /// The dedup key of an end that is told with a token, see [`ActivityKey::token_key`]. The store
    /// keeps it with whatever follows from the end, and an end whose key is there is
    /// [repeated](FinishOutcome::Repeated), before anything else is looked at.
    pub fn dedup_key(&self) -> Option<String> {
        (self.reporter == Reporter::Token).then(|| self.key.token_key(self.attempt))
    }
}

/// What follows from the end of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub enum ActivityEnd {
    /// The activity is over: its outcome goes into the run's inbox, and its row goes. That of an item of a queue goes to the
    /// promise of the item by a message from the outbox, and no run has to be open for it.
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
        /// What the next attempt is to know; `None` leaves what the last heartbeat said.
        details: Option<Payload>,
    },
    /// The worker has done its part; the attempt goes on until its token is used or a limit runs
    /// out.
    Later,
    /// The attempt was not made and does not count; the activity is due again at this time.
    PutBack {
        /// When.
        due_at: Timestamp,
    },
}

impl ActivityEnd {
    /// The end with this outcome of an attempt, in which that went wrong if anything did.
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

/// What became of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishOutcome {
    /// It is durable.
    Finished,
    /// The token was used for this attempt before.
    Repeated,
    /// The attempt is over, not the reporter's, or the run no longer wants it; nothing was written.
    Stale,
}

/// An activity one of whose limits has run out.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpiredActivity {
    /// Which one.
    pub key: ActivityKey,
    /// The number of the attempt that has taken too long, or of the last one before.
    pub attempt: u32,
    /// How many attempts were cut off by the death of their worker.
    pub interruptions: u32,
    /// The limit; if several have run out, the one that leaves the least to be done.
    pub limit: TimeoutKind,
    /// See [`NewActivity::call`].
    pub call: Vec<u8>,
    /// The database's clock when it was found.
    pub now: Timestamp,
}

/// What is known of an activity on a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivityRecord {
    /// Which one.
    pub key: ActivityKey,
    /// The queue.
    pub queue: String,
    /// The activity's stored name.
    pub activity: String,
    /// Attempts begun so far.
    pub attempt: u32,
    /// How many of them were cut off by the death of their worker.
    pub interruptions: u32,
    /// Who makes the attempt.
    pub worker: Option<WorkerLease>,
    /// When the next attempt is due, if none is being made.
    pub due_at: Option<Timestamp>,
    /// When a time limit runs out.
    pub expires_at: Option<Timestamp>,
    /// See [`NewActivity::call`].
    pub call: Vec<u8>,
    /// What the last heartbeat said.
    pub details: Option<Payload>,
    /// How the last attempt failed that was followed by another, see [`ActivityEnd::Retry`].
    pub last_failure: Option<AttemptFailure>,
}

//! What goes into a store and what comes out of it about activities on queues.

use std::collections::HashMap;
use std::time::Duration;

use super::WorkerLease;
use crate::machine::{OperationOutcome, TimeoutKind};
use crate::model::{Handle, Payload, RunId, Timestamp};

/// One call of an activity: the run that asked for it, and which of its operations it is.
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
    /// The dedup key under which the token of this attempt says its word, whether that goes through
    /// [`Store::finish_activities`](super::Store::finish_activities) or, for an activity without a
    /// queue, through [`Store::deliver`](super::Store::deliver): so a second use is known, whichever
    /// way the first one went.
    pub fn token_key(self, attempt: u32) -> String {
        format!("{RESERVED_KEYS}activity/{}/{attempt}", self.handle.0)
    }
}

/// An activity that a step puts on a queue; it is due at once.
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
pub(super) fn limit_ms(limit: Duration) -> i64 {
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

/// The room for attempts, while activities are being chosen.
pub(super) struct Rooms<'a> {
    queues: HashMap<&'a str, u32>,
    activities: HashMap<&'a str, u32>,
    limit: u32,
}

impl<'a> Rooms<'a> {
    pub(super) fn of(request: &ClaimActivities<'a>) -> Self {
        Self {
            queues: request.queues.iter().copied().collect(),
            activities: request.activities.iter().copied().collect(),
            limit: request.limit,
        }
    }

    /// How many of this activity may be taken from this queue.
    pub(super) fn left(&self, queue: &str, activity: &str) -> u32 {
        let room = |rooms: &HashMap<&str, u32>, name| rooms.get(name).copied().unwrap_or(0);
        room(&self.queues, queue).min(room(&self.activities, activity)).min(self.limit)
    }

    /// Takes one, if there is room.
    pub(super) fn take(&mut self, queue: &str, activity: &str) -> bool {
        if self.left(queue, activity) == 0 {
            return false;
        }
        let rooms = [self.queues.get_mut(queue), self.activities.get_mut(activity)];
        rooms.into_iter().flatten().for_each(|room| *room -= 1);
        self.limit -= 1;
        true
    }
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
    /// The activity is over: its outcome goes into the run's inbox, and its row goes.
    Outcome(OperationOutcome),
    /// Another attempt is due at this time.
    Retry {
        /// When.
        retry_at: Timestamp,
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
}

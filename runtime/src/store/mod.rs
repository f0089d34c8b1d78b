//! The contract between the engine and a database: whole transitions, each atomic and durable when
//! it returns.
//!
//! A store knows rows, guards and clocks. It must not know how a state machine is stepped, what a
//! snapshot holds, or when to call what: that is the engine's part.
//!
//! # Ownership
//! A run is *owned* when it points to a worker's `(WorkerId, Epoch)`. Only the owner commits steps.
//! Every write of an owner carries the guard: its worker row is valid (this epoch, lease not
//! expired by the **database's** clock), the run still points to it, and `step_no` is as expected.
//! Fencing a worker raises the epoch of its row and lets go of its runs in one transaction, so a
//! worker that wakes up late finds its epoch gone and commits nothing.
//!
//! # Lock order
//! Worker row, then run rows in ascending `run_id`, then the run's other rows, activities in
//! ascending (`run_id`, `handle`), then rows of the outbox in ascending (`run_id`, `seq`), then dead
//! letters in the order of their ids, then promises in the order of their keys. Schedules are locked alone, in the order of
//! their ids. Every transaction that touches more than one row follows it, so
//! stores with row locks do not deadlock. A worker that must stay valid until the transaction ends is
//! locked so that others may rely on it too and its lease may be renewed, but nobody can fence it
//! (Postgres: `FOR KEY SHARE`); fencing locks it alone (`FOR UPDATE`). A row of the outbox is locked without
//! the run that has sent it: a commit adds rows, which nobody else can see yet, and takes none away. On
//! SQLite the one right to write stands for all of these locks. What locks nothing below reads what is
//! committed, and guards nothing.
//!
//! # Arrivals and wake-ups
//! The run row counts its inbox (`inbox_count`); an arrival takes the next number under the row's
//! lock and, if nobody owns the run, makes it due. A commit that parks a run says how far it has
//! read (`inbox_read`); if the count has moved on, the run is due at once. So no wake-up is lost,
//! and arrivals of one run are numbered without gaps in the order in which they were acknowledged.
//!
//! # Messages between runs
//! A commit touches the rows of its own run and of nobody else. What a step sends to another workflow is a
//! row of the outbox, written with the commit, and goes from there in a transition of its own
//! ([`Messages::relay_messages`]), which any process may carry out, at once or late, once or many times. The
//! row is the proof that a message has not been delivered: whoever deletes it, under the lock of the run that
//! receives, is the one who delivers, in the same transaction. A key in the inbox could not serve: the
//! workflow id may pass to another run between two tries. Messages from one run to another stay in order,
//! because they are taken from the sender's first on, and under the same lock.
//!
//! # Promises
//! A promise has no owner and is no row of a run, so no commit touches it: that a run awaits one is a message in the
//! outbox, and the relay, under the locks of the run and of the promise, either puts the outcome into the inbox or
//! notes the wait. Whoever completes the promise holds the same locks and finds the wait, or is found by it. The wait's
//! row is the proof that the outcome has not been delivered.
//!
//! # Runs that belong together
//! A run that follows another one in its chain has a row that says so, written by the commit that closes the other.
//! A child has a row as well, by the id of its first run, whatever becomes of it. Whatever closes a run whose end
//! concerns others writes the message that it is over with the same transaction; none of these transactions touches
//! another run. Rows of children are locked before runs by whoever starts children, and after them by whoever deals
//! with the end of a parent; nobody does both, and a run that is being started is known to nobody else.
//!
//! # Activities on queues
//! An activity that runs elsewhere is a row, written by the commit of the step that asks for it and
//! gone when its outcome is in the run's inbox (one transaction) or when the run gives it up. The
//! row *waits*, or a worker *makes an attempt*, under the same lease and epoch as it owns runs, or
//! an attempt *awaits its token*. A claim raises the attempt's number; whoever ends an attempt names
//! that number and by what right ([`Reporter`]), so each attempt ends once. Fencing or releasing a
//! worker makes its attempts interruptions: the activities are due again at once. Time limits are
//! told by the database's clock.
//!
//! # Answers
//! A worker may ask for hundreds of runs, arrivals or activities, each of which may be megabytes. What it
//! is given in one answer ends where snapshots, arrivals or calls come to more than [`MAX_ANSWER_BYTES`],
//! apart from the first, which is given however long it is. What is left is there for the next call, and
//! the answer says so. So does what people and clients are given where results and failures come to more;
//! that may be shorter than what was asked for, and is empty only if there is nothing.

mod clock;
#[cfg(feature = "conformance")]
pub mod conformance;
mod connect;
pub mod contract;
mod effects;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod ends;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod failure;
mod hub;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod kin;
pub mod memory;
mod namespace;
#[cfg(feature = "postgres")]
mod postgres;
mod promises;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod recipients;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod relay;
mod rooms;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod rows;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod steps;
mod weight;

pub use clock::{Clock, ManualClock};
pub use connect::{StoreOptions, connect, namespaces};
pub(crate) use contract::activities::RESERVED_KEYS;
pub use contract::activities::{
    ActivityEnd, ActivityHeartbeat, ActivityKey, ActivityLimits, ActivityRecord, ClaimActivities,
    ClaimedActivities, ClaimedActivity, ExpiredActivity, FinishActivity, FinishOutcome,
    HeartbeatOutcome, NewActivity, Reporter, ReviewedActivities,
};
pub use contract::activity_transaction::ActivityTransaction;
pub use contract::audit::{AuditEntry, AuditEntryId, NewAuditEntry};
pub use contract::changes::{ChangeOutcome, ChangeRun, RunChange};
pub use contract::definitions::{DefinitionRecord, DefinitionSummary, SchemaRecord};
pub use contract::details::{MAX_DETAILS, QueuedActivity, RunDetails, UnreadArrival};
pub use contract::edits::{EditOutcome, EditRun};
pub use contract::effects::Effect;
pub use contract::history::{MAX_HISTORY_BYTES, PastState, PastStep};
pub(crate) use contract::kin::reason_of_parent_close;
pub use contract::kin::{ChainEntry, ChildRecord, Kin, LastRun};
pub use contract::lifecycle::{ExpireRun, Expired, ExpiredRun, IdPolicy, IdReuse};
pub use contract::lists::{
    InvalidCursor, InvalidOrder, OrderBy, RunCount, RunCursor, RunOrder, RunQuery,
};
pub use contract::messages::arrivals::{
    Arrival, ArrivalKind, ArrivalOutcome, FirstArrival, Inbox, NewArrival,
};
pub use contract::messages::dead_letters::{
    DeadLetter, DeadLetterFilter, DeadLetterId, DeadLetterReason, NewDeadLetter, RedeliverOutcome,
};
pub(crate) use contract::messages::outbox::{AwaitedChild, Errand};
pub use contract::messages::outbox::{
    DeliveredMessage, MessageKey, RelayMessages, Relayed, Senders,
};
pub use contract::messages::updates::{FoundUpdate, UpdateKey};
pub use contract::pauses::Pause;
pub use contract::promises::{
    CompletePromise, CompletionOutcome, MAX_AT_ONCE, PromiseFilter, PromiseRecord,
};
pub use contract::queues::{PausedQueue, QueueRecord, ResumeOutcome};
pub use contract::retention::{
    ClosedPart, RemoveClosed, RemovePromises, Removed, RemovedPromises, StripClosed, Stripped,
};
pub use contract::runs::{
    BlockedRun, ClaimRequest, Claimed, ClaimedRun, CommitOutcome, CommitStep, Disposition, NewRun,
    ReviewedRuns, StartOutcome, Successor,
};
pub use contract::schedules::{
    ClaimSchedules, ClaimedSchedules, MAX_SCHEDULE_LOG, NewSchedule, NewScheduleLogEntry,
    SaveSchedule, ScheduleChange, ScheduleCreated, ScheduleLogEntry, ScheduleRecord,
};
pub use contract::visibility::{DefinitionCount, Ending, FoundEnding, RunKey, RunRecord};
pub use contract::workers::{NewWorker, Renewal, WorkerLease};
pub use contract::{
    Activities, Attendance, Definitions, Lifecycle, Messages, Promises, Queues, Retention, Runs,
    Schedules, Store, Visibility, Workers,
};
pub use hub::{EndWatch, Hub, RunEvent, RunWatch, Subscription};
pub use memory::MemoryStore;
pub(crate) use weight::Weight;
pub use weight::{MAX_ANSWER_BYTES, MAX_VALUE_BYTES};

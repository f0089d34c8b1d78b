//! The contract between the engine and a database. Each method is a whole transition: atomic, and durable when it
//! returns.
//!
//! A store knows rows, guards and clocks. It must not know how a state machine is stepped, what a snapshot
//! contains, or when to call which method.
//!
//! # Ownership
//! A run is *owned* if its row names a worker's `(WorkerId, Epoch)`. Only the owner commits steps. Every write of
//! an owner has a guard: the worker's row is valid (this epoch, and a lease that has not expired by the
//! **database's** clock), the run's row still names it, and `step_no` is as expected. Fencing a worker increases
//! the epoch of its row and releases its runs in one transaction. A worker that wakes up late therefore has an old
//! epoch and commits nothing.
//!
//! # Lock order
//! The worker's row; runs in ascending `run_id`; their other rows, activities in ascending (`run_id`, `handle`);
//! rows of the outbox in ascending (`run_id`, `seq`); dead letters in the order of their ids; promises in the order
//! of their keys. A claim locks the row of a partitioned queue between the worker and the activities. Schedules are locked alone, in the order of their ids. Every transition that locks more than one
//! row follows this order, so stores with row locks do not deadlock. A worker that must stay valid until the end of
//! a transaction is locked in a mode that other such transactions and renewals of its lease can share, but fencing
//! cannot (Postgres: `FOR KEY SHARE`); fencing locks it exclusively (`FOR UPDATE`). A row of the outbox is locked
//! without its sending run: a commit only adds rows, which no other transaction can see yet, and removes none. On
//! SQLite, the single write lock takes the place of all of these locks. Methods documented as "Locks nothing" read
//! committed data and guard nothing.
//!
//! # Arrivals and wake-ups
//! The run's row counts its inbox (`inbox_count`). An arrival takes the next number under the row's lock and, if
//! nobody owns the run, makes it due. A commit that parks a run passes the number of the last arrival it has read
//! (`inbox_read`); if the count is higher, the run is due at once. So no wake-up is lost, and the arrivals of a run
//! are numbered without gaps in the order in which they were acknowledged.
//!
//! # Messages between runs
//! A commit touches only the rows of its own run. A message of a step to another workflow is a row of the outbox,
//! written with the commit. A separate transition delivers it ([`Messages::relay_messages`]), which any process may
//! call, at any time and more than once. The row proves that the message has not been delivered: the transaction
//! that deletes it, under the lock of the receiving run, also delivers it. A dedup key in the inbox would not do,
//! because another run may get the workflow id between two tries. Messages from one run to another stay in order,
//! because they are taken from the sender's first on, under the same lock.
//!
//! # Promises
//! A promise has no owner and is not a row of a run, so no commit touches it. A wait for a promise is a message in
//! the outbox. Under the locks of the run and of the promise, the relay either puts the outcome into the inbox or
//! writes a row for the wait. A completion takes the same locks, so either it finds the wait's row or the relay
//! finds its outcome. The wait's row proves that the outcome has not been delivered.
//!
//! # Chains and children
//! A run that follows another one in its chain has a row for that, written by the commit that closes the other run.
//! A child has a row, too, under the id of its first run. A transaction that closes a run on whose end others
//! depend also writes the message about the end; it does not touch any other run. A transaction that starts
//! children locks the children's rows before runs; one that processes the end of a parent locks them after runs. No
//! transaction does both, and no other transaction knows a run that is being started.
//!
//! # Activities on queues
//! A queued activity is a row. The commit of the step that requests it writes the row. The transaction that puts the
//! outcome into the run's inbox deletes it, and so does a commit that drops the activity. The activity *waits*, or a worker *makes an attempt* (under the lease and the epoch with which it owns runs), or an attempt *waits for
//! its token*. A claim increases the number of the attempt. Whoever ends an attempt names that number and the right
//! to end it ([`Reporter`]), so each attempt ends once. Fencing or releasing a worker interrupts its attempts: the
//! activities are due again at once. Time limits use the database's clock.
//!
//! # Sizes of responses
//! A worker may ask for hundreds of runs, arrivals or activities, each of which may have megabytes. A response ends
//! when its snapshots, arrivals or calls exceed [`MAX_ANSWER_BYTES`] in total; the first item is always included.
//! The rest is left for the next call, and the response says that there is more. The same holds for lists for
//! people and clients, by the size of results and failures. Such a list may be shorter than requested, and is empty
//! only if there is nothing.

mod clock;
#[cfg(feature = "conformance")]
pub mod conformance;
mod connect;
pub mod contract;
mod effects;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod ends;
mod failed_calls;
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
mod turns;
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
pub use contract::failed_calls::{FailedCall, FailedCallId, FailedCallQuery, RedriveCall};
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
    DeliveredMessage, MessageKey, RelayMessages, Relayed, Senders, WaitingMessage,
};
pub use contract::messages::updates::{FoundUpdate, UpdateKey};
pub use contract::partitions::{PartitionRecord, QueueLimits, Rate};
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
    Activities, Attendance, Definitions, FailedCalls, Lifecycle, Messages, Partitions, Promises,
    Queues, Retention, Runs, Schedules, Store, Visibility, Workers,
};
pub use hub::{EndWatch, Hub, RunEvent, RunWatch, Subscription};
pub use memory::MemoryStore;
pub(crate) use weight::Weight;
pub use weight::{MAX_ANSWER_BYTES, MAX_VALUE_BYTES};

//! State machines without a database: the interface of the code that `#[workflow]` generates, and its driver.
//!
//! A workflow is an enum of states and one synchronous function from state to state. A step does no I/O: it is a
//! function of the state and the arrivals, and its result is the next state, new
//! [operations](crate::model::Operation), and a condition to wait for. This module must not know tokio, stores or
//! how operations are executed. Functions that only generated code calls are in `generated/`.

pub(crate) mod activity;
mod awaited;
pub(crate) mod branches;
mod cancellation;
mod child_options;
mod children;
mod compensation;
pub(crate) mod context;
mod continued;
pub(crate) mod definition;
mod durable;
pub(crate) mod entry;
pub(crate) mod frame;
pub(crate) mod future;
mod handles;
pub(crate) mod id_pattern;
mod inline;
mod join_all;
mod map;
mod named;
mod outside;
pub(crate) mod parked;
mod pending;
mod poll_until;
mod promise;
mod race;
mod replies;
mod shield;
mod signal;
mod spawn;
mod standalone;
mod states;
mod step;
mod timer;
mod try_join_all;
pub(crate) mod turns;
pub(crate) mod unreadable;
mod update;
pub(crate) mod values;
mod within;
pub(crate) mod workflow;
mod writer;

pub use crate::error::ChildError;
pub use activity::{
    Activity, ActivityCall, ActivityError, ActivityOptions, PendingActivity, ResultParts,
    Retryable, TimeoutKind,
};
#[doc(hidden)]
pub use awaited::Awaited;
#[cfg(feature = "engine")]
pub(crate) use awaited::call_values;
pub use cancellation::{Cancellation, Cancelled, OrCancelled, UntilCancelled};
pub(crate) use cancellation::{is_by_request, request};
pub(crate) use children::StartOfChild;
pub use children::{ChildHandle, ChildResult, PendingChild};
pub use compensation::OnFailure;
pub use context::{Context, RunInfo};
#[doc(hidden)]
pub use continued::NextRun;
pub use definition::Definition;
pub use durable::Durable;
pub use entry::WorkflowEntry;
pub use frame::{FrameReader, Saved};
pub use future::DurableFuture;
pub use inline::PendingInline;
pub use join_all::{JoinAll, PendingItem, join_all};
#[cfg(feature = "engine")]
pub(crate) use map::MapProgress;
pub use map::{
    All, Counted, Gather, Map, MapCounts, PendingMap, Tolerant, TolerantCount, TooManyFailures,
};
pub(crate) use parked::Parked;
pub use pending::{PendingLimited, PendingOne};
#[cfg(feature = "engine")]
pub(crate) use poll_until::PollRound;
pub use poll_until::{PendingPoll, PollPolicy, PollUntil, Polled};
#[cfg(feature = "engine")]
pub(crate) use promise::read as read_promise;
pub use promise::{Fill, Fills, PendingFill, Promise, PromiseError, PromiseWithin};
pub use race::{Race, race};
pub use shield::Shield;
pub use signal::{Signal, SignalValue, SignalWait, SignalWithin};
pub use spawn::{Spawn, Spawned};
pub use standalone::{Progress, Standalone};
pub use states::{States, UnknownState};
pub use step::{Machine, OperationOutcome, SetAside, StepError, StepOutcome};
pub use timer::{PendingTimer, Sleep};
pub use try_join_all::{TryJoinAll, try_join_all};
pub use turns::Arrived;
pub(crate) use update::ReceivedUpdate;
pub use update::{Answer, Never, Update, UpdateRequest, UpdateWait, UpdateWithin};
#[doc(hidden)]
pub use within::Elapse;
pub use within::{Elapsed, PendingWithin, Within};
pub use workflow::{Durability, Failure, Outcome, StepOf, Workflow, WorkflowCall, WorkflowOptions};
pub(crate) use workflow::{Halt, Returned};

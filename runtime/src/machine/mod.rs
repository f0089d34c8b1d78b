//! State machines without a database: what `#[workflow]` generates, and what drives it.
//!
//! A workflow is an enum of states and one synchronous function from state to state. A step does no
//! I/O: it is a function of the state and of what has arrived, and its outcome is the next state,
//! new [operations](crate::model::Operation), and a condition to wait for. This module must not
//! know about tokio, stores or how operations are carried out. What only generated code calls is in
//! `generated/`.

pub(crate) mod activity;
mod awaited;
pub(crate) mod branches;
mod cancellation;
pub(crate) mod context;
pub(crate) mod definition;
mod durable;
pub(crate) mod entry;
pub(crate) mod frame;
pub(crate) mod future;
mod inline;
mod join_all;
pub(crate) mod parked;
mod promise;
mod signal;
mod standalone;
mod states;
mod step;
mod timer;
pub(crate) mod unreadable;
pub(crate) mod values;
pub(crate) mod workflow;
mod writer;

pub use activity::{
    Activity, ActivityCall, ActivityError, ActivityOptions, PendingActivity, ResultParts,
    Retryable, TimeoutKind,
};
#[doc(hidden)]
pub use awaited::Awaited;
pub use cancellation::{Cancellation, Cancelled};
pub use context::{Context, RunInfo};
pub use definition::Definition;
pub use durable::Durable;
pub use entry::WorkflowEntry;
pub use frame::{FrameReader, Saved};
pub use future::DurableFuture;
pub use inline::PendingInline;
pub use join_all::{JoinAll, PendingItem, join_all};
pub(crate) use parked::Parked;
pub(crate) use promise::read as read_promise;
pub use promise::{
    Fill, Fills, Never, PendingFill, PendingPromise, PendingPromiseWithin, Promise, PromiseError,
    PromiseWithin,
};
pub use signal::{PendingSignal, Signal, SignalValue, SignalWait, SignalWithin};
pub use standalone::{Progress, Standalone};
pub use states::{States, UnknownState};
pub use step::{Machine, OperationOutcome, SetAside, StepError, StepOutcome};
pub use timer::{PendingTimer, Sleep};
pub use workflow::{Durability, Outcome, StepOf, Workflow, WorkflowCall, WorkflowOptions};
pub(crate) use workflow::{Halt, Returned};

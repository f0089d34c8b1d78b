//! The names that programs with workflows need: `use piton::prelude::*;`.

// So that a workflow's constants can be named, such as `fulfill::GRAPH`.
pub use crate::machine::Workflow as _;
// For `.or_cancelled()`.
pub use crate::machine::OrCancelled as _;
pub use crate::machine::{
    ActivityError, ChildError, ChildHandle, Context, Durable, Elapsed, Promise, Retryable, Signal,
    Spawned, Update, UpdateRequest, join_all, race, try_join_all,
};
pub use crate::model::{
    ActivityToken, ParentClose, PromiseToken, RetryPolicy, RunStatus, Timestamp, days, hours,
    minutes, seconds,
};

pub use crate::activities::ActivityContext;
pub use crate::{bail, ensure, join, select, try_join};

#[cfg(feature = "engine")]
pub use crate::client::{Client, OnConflict, RunHandle};
#[cfg(feature = "engine")]
pub use crate::error::{
    CompleteError, QueryError, RunError, SignalError, StartError, TokenError, UpdateError,
};
#[cfg(feature = "engine")]
pub use crate::model::{OnTimeout, TimeoutClock};
#[cfg(feature = "engine")]
pub use crate::store::IdReuse;
#[cfg(feature = "engine")]
pub use crate::worker::{Queue, RunningWorker, Worker};
#[cfg(feature = "macros")]
pub use crate::{Signal, Update, activity, deterministic, register, workflow};
#[cfg(all(feature = "macros", feature = "engine"))]
pub use crate::{query, validator};

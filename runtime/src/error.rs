//! The errors of the public API.

#[cfg(feature = "engine")]
mod bulk;
#[cfg(feature = "engine")]
mod chain;
mod child;
#[cfg(feature = "engine")]
mod connect;
#[cfg(feature = "engine")]
mod edit;
#[cfg(feature = "engine")]
mod engine;
mod general;
mod key;
#[cfg(feature = "schedules")]
mod schedule;
#[cfg(feature = "engine")]
mod update;

#[cfg(feature = "engine")]
pub use bulk::BulkError;
#[cfg(feature = "engine")]
pub(crate) use chain::with_causes;
pub use child::ChildError;
#[cfg(feature = "engine")]
pub use connect::{ConnectError, StoreError};
#[cfg(feature = "engine")]
pub use edit::EditError;
#[cfg(feature = "engine")]
pub use engine::{
    BlockedHolder, CompleteError, LookupError, OtherBuildsHolder, RegistryError, RunError,
    SignalError, StartError, TokenError, WorkerError,
};
pub use general::{Error, Result};
pub use key::KeyError;
#[cfg(feature = "schedules")]
pub use schedule::ScheduleError;
#[cfg(feature = "engine")]
pub use update::{QueryError, UpdateError};

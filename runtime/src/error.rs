//! The errors of the public API.

#[cfg(feature = "engine")]
mod bulk;
#[cfg(feature = "engine")]
mod chain;
mod child;
#[cfg(feature = "engine")]
mod completion;
#[cfg(feature = "engine")]
mod connect;
#[cfg(feature = "engine")]
mod edit;
mod general;
mod key;
#[cfg(feature = "engine")]
mod run;
#[cfg(feature = "schedules")]
mod schedule;
#[cfg(feature = "engine")]
mod signal;
#[cfg(feature = "engine")]
mod start;
#[cfg(feature = "engine")]
mod update;
#[cfg(feature = "engine")]
mod worker;

#[cfg(feature = "engine")]
pub use bulk::BulkError;
#[cfg(feature = "engine")]
pub(crate) use chain::with_causes;
pub use child::ChildError;
#[cfg(feature = "engine")]
pub use completion::{CompleteError, TokenError};
#[cfg(feature = "engine")]
pub use connect::{ConnectError, StoreError};
#[cfg(feature = "engine")]
pub use edit::EditError;
pub use general::{Error, Result};
pub use key::KeyError;
#[cfg(feature = "engine")]
pub use run::{LookupError, RunError};
#[cfg(feature = "schedules")]
pub use schedule::ScheduleError;
#[cfg(feature = "engine")]
pub use signal::SignalError;
#[cfg(feature = "engine")]
pub use start::{BlockedHolder, OtherBuildsHolder, StartError};
#[cfg(feature = "engine")]
pub use update::{QueryError, UpdateError};
#[cfg(feature = "engine")]
pub use worker::{RegistryError, WorkerError};

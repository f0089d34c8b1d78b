//! The errors of the public API.

#[cfg(feature = "engine")]
mod bulk;
#[cfg(feature = "engine")]
mod chain;
#[cfg(feature = "engine")]
mod connect;
#[cfg(feature = "engine")]
mod edit;
#[cfg(feature = "engine")]
mod engine;
mod general;
mod key;
#[cfg(feature = "engine")]
mod update;

#[cfg(feature = "engine")]
pub use bulk::BulkError;
#[cfg(feature = "engine")]
pub(crate) use chain::with_causes;
#[cfg(feature = "engine")]
pub use connect::{ConnectError, StoreError};
#[cfg(feature = "engine")]
pub use edit::EditError;
#[cfg(feature = "engine")]
pub use engine::{
    BlockedHolder, LookupError, RegistryError, RunError, SignalError, StartError, TokenError,
    WorkerError,
};
pub use general::{Error, Result};
pub use key::KeyError;
#[cfg(feature = "engine")]
pub use update::{QueryError, UpdateError};

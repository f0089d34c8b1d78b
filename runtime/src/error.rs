//! The errors of the public API.

#[cfg(feature = "engine")]
mod connect;
#[cfg(feature = "engine")]
mod engine;
mod general;

#[cfg(feature = "engine")]
pub use connect::{ConnectError, StoreError};
#[cfg(feature = "engine")]
pub use engine::{
    BlockedHolder, KeyError, LookupError, RegistryError, RunError, SignalError, StartError,
    TokenError, WorkerError,
};
pub use general::{Error, Result};

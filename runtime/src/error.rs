//! The errors of the public API.

#[cfg(feature = "engine")]
mod connect;
mod general;

#[cfg(feature = "engine")]
pub use connect::{ConnectError, StoreError};
pub use general::{Error, Result};

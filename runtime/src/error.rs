//! The errors of the public API.

mod connect;
mod general;

pub use connect::{ConnectError, StoreError};
pub use general::{Error, Result};

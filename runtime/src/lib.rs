//! Durable workflows: an ordinary `async fn` marked `#[workflow]` becomes a serializable state
//! machine whose state is written to SQLite or Postgres after every step.

pub mod activities;
pub mod codec;
pub mod error;
pub mod machine;
mod macros;
pub mod model;
mod question;
#[cfg(feature = "engine")]
pub mod store;

#[doc(hidden)]
pub mod __private;

pub use error::{Error, Result};

#[cfg(feature = "macros")]
pub use piton_macros::{Signal, activity, workflow};

//! Durable workflows: an ordinary `async fn` marked `#[workflow]` becomes a serializable state
//! machine whose state is written to SQLite or Postgres after every step.

// A function that is `extern "C"` cannot unwind, so rustc generates no cleanup code for its calls. None is called from C.
#![allow(improper_ctypes_definitions)]

pub mod activities;
#[cfg(feature = "engine")]
pub mod client;
// Only the engine calls the code that reads values of other builds.
#[cfg_attr(not(feature = "engine"), allow(dead_code, unused_imports))]
pub mod codec;
#[cfg(feature = "engine")]
mod engine;
pub mod error;
#[cfg(feature = "engine")]
pub mod evolution;
#[cfg(feature = "engine")]
pub mod failpoints;
#[cfg(feature = "engine")]
pub mod filter;
mod generated;
mod hidden;
#[cfg(feature = "engine")]
pub mod lock;
pub mod machine;
mod macros;
pub mod model;
pub mod prelude;
#[cfg(feature = "engine")]
pub mod process;
#[cfg(feature = "schedules")]
mod schedules;
#[cfg(feature = "signed-tokens")]
pub mod signed;
#[cfg(feature = "engine")]
pub mod store;
#[cfg(feature = "engine")]
pub mod worker;

/// What generated code uses: see `generated/`.
#[doc(hidden)]
pub mod __private {
    pub use crate::generated::*;
}

/// What an `#[activity(transaction)]` writes with.
#[cfg(feature = "engine")]
pub use sqlx;

/// When schedules are due: calendars, intervals, cron strings.
#[cfg(feature = "schedules")]
pub use piton_schedule as schedule;

pub use codec::{Json, Secret};
pub use error::{Error, Result};
pub use model::Attributes;

#[cfg(feature = "engine")]
pub use evolution::Resume;
#[cfg(feature = "macros")]
pub use piton_macros::{Attributes, Signal, Update, activity, deterministic, register, workflow};
#[cfg(all(feature = "macros", feature = "engine"))]
pub use piton_macros::{migrate, query, validator};

/// The programs of the README and of the guide compile and run.
#[cfg(all(doctest, feature = "macros", feature = "sqlite"))]
#[doc = include_str!("../../README.md")]
#[doc = include_str!("../../docs/guide/activities.md")]
#[doc = include_str!("../../docs/guide/cancellation.md")]
#[doc = include_str!("../../docs/guide/children.md")]
#[doc = include_str!("../../docs/guide/fan-out.md")]
#[doc = include_str!("../../docs/guide/finding-runs.md")]
#[doc = include_str!("../../docs/guide/namespaces.md")]
#[doc = include_str!("../../docs/guide/operating.md")]
#[doc = include_str!("../../docs/guide/promises.md")]
#[doc = include_str!("../../docs/guide/queues.md")]
#[doc = include_str!("../../docs/guide/starting.md")]
#[doc = include_str!("../../docs/guide/testing.md")]
#[doc = include_str!("../../docs/guide/timeouts-retries.md")]
#[doc = include_str!("../../docs/guide/updates-queries.md")]
struct Guide;

#[cfg(all(doctest, feature = "macros", feature = "sqlite", feature = "schedules"))]
#[doc = include_str!("../../docs/guide/schedules.md")]
struct Schedules;

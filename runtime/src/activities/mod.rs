//! Activities as functions: what `#[activity]` registers and what the running function sees.
//!
//! How attempts are scheduled, timed and retried is the engine's part; nothing in here knows tokio.

mod context;
mod link;
mod registry;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod transaction;

pub use context::{ActivityContext, ActivityInfo, Dependencies};
pub use link::AttemptLink;
pub use registry::{
    ActivityEntry, ActivityReport, Attempt, BoxFuture, Call, ReportedError, register,
};

//! Activities as functions: what `#[activity]` registers and what the running function sees.
//!
//! How attempts are scheduled, timed and retried is the engine's part; nothing in here knows tokio.

mod context;
mod link;
pub(crate) mod registry;
pub(crate) mod report;
pub(crate) mod transaction;

pub use context::{ActivityContext, ActivityInfo, Dependencies};
pub use link::AttemptLink;
pub(crate) use registry::ReportedError;
pub use registry::{ActivityEntry, ActivityReport, Attempt, BoxFuture};

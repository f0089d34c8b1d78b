//! Activities as functions: their registration by `#[activity]`, and the context of a running one.
//!
//! The engine schedules, times and retries attempts; this module does not know tokio.

mod context;
mod link;
pub(crate) mod registry;
pub(crate) mod report;
pub(crate) mod transaction;

pub use context::{ActivityContext, ActivityInfo, Dependencies};
pub use link::AttemptLink;
pub(crate) use registry::ReportedError;
pub use registry::{ActivityEntry, ActivityReport, Attempt, BoxFuture};

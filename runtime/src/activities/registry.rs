//! Activities by name.

use std::pin::Pin;
use std::time::Duration;

use super::ActivityContext;
use super::transaction::ConnectionKind;
use crate::codec::CodecError;
use crate::machine::ActivityOptions;
use crate::model::Payload;

/// A future without a type.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// An activity as the registry holds it.
#[derive(Debug)]
pub struct ActivityEntry {
    /// The stored name.
    pub name: &'static str,
    /// What the attribute says.
    pub options: ActivityOptions,
    /// The connection that it writes through, if its writes are to be committed with the state of
    /// the run.
    pub connection: Option<ConnectionKind>,
    /// Runs one attempt.
    pub run: fn(ActivityContext, Payload) -> BoxFuture<Result<ActivityReport, CodecError>>,
}

inventory::collect!(ActivityEntry);

impl ActivityEntry {
    /// The entry registered under `name`.
    pub fn find(name: &str) -> Option<&'static Self> {
        inventory::iter::<Self>().find(|entry| entry.name == name)
    }
}

/// What an attempt came to.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivityReport {
    /// The encoded return value.
    pub returned: Payload,
    /// The error that the return value holds, if it is one.
    pub error: Option<ReportedError>,
}

/// What the engine has to know of an activity's error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedError {
    /// Its text, for people.
    pub message: String,
    /// Whether another attempt may succeed.
    pub is_retryable: bool,
    /// When to try again, instead of the policy's wait.
    pub retry_after: Option<Duration>,
}

//! Activities by name.

use std::pin::Pin;
use std::time::Duration;

use super::ActivityContext;
use super::transaction::ConnectionKind;
use crate::codec::{ArgumentKind, CodecError, Described, Reader};
use crate::generated::registration::Registrations;
use crate::machine::{Activity, ActivityOptions};
use crate::model::Payload;

/// A future without a type.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// An activity as the registry holds it.
#[derive(Debug)]
pub struct ActivityEntry {
    /// The stored name.
    pub name: &'static str,
    /// The file and the line of the definition, for people.
    pub place: (&'static str, u32),
    /// What the attribute says.
    pub options: ActivityOptions,
    /// The connection that it writes through, if its writes are to be committed with the state of
    /// the run.
    pub connection: Option<ConnectionKind>,
    /// What its parameters look like.
    pub(crate) parameters: &'static [ArgumentKind],
    /// What it returns looks like.
    #[cfg_attr(not(feature = "engine"), expect(dead_code, reason = "a worker records its schema"))]
    pub(crate) returned: Described,
    /// Reads the arguments and calls the function.
    call: Call,
}

/// The future of one attempt.
pub type Attempt = BoxFuture<Result<ActivityReport, CodecError>>;

/// Reads arguments, and calls a function with them if they are there.
pub(crate) type Call = fn(&ActivityContext, &mut Reader<'_>) -> Option<Attempt>;

static REGISTERED: Registrations<ActivityEntry> = Registrations::new();

/// Puts an activity into the registry, before `main`.
#[doc(hidden)]
pub extern "C" fn register<A: Activity>() {
    add(const { &ActivityEntry::of::<A>() });
}

extern "C" fn add(entry: &'static ActivityEntry) {
    REGISTERED.add(entry);
}

impl ActivityEntry {
    /// The entry of `A`.
    pub const fn of<A: Activity>() -> Self {
        Self {
            name: A::NAME,
            place: A::PLACE,
            options: A::OPTIONS,
            connection: A::CONNECTION,
            parameters: A::ARGUMENTS,
            returned: A::OUTCOMES.returned,
            call: A::attempt,
        }
    }

    /// All that are registered.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        REGISTERED.all().into_iter()
    }

    /// Begins one attempt.
    pub fn run(&self, context: &ActivityContext, arguments: &Payload) -> Attempt {
        let mut arguments = Reader::arguments(arguments.as_bytes(), self.parameters);
        let failure = match (self.call)(context, &mut arguments) {
            Some(attempt) => match arguments.finish() {
                Ok(()) => return attempt,
                Err(error) => error,
            },
            None => arguments.failure(),
        };
        Box::pin(std::future::ready(Err(failure)))
    }

    /// The entry registered under `name`.
    pub fn find(name: &str) -> Option<&'static Self> {
        Self::all().find(|entry| entry.name == name)
    }
}

/// The outcome of an attempt.
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

//! Activities by name.

use std::pin::Pin;
use std::time::Duration;

use super::ActivityContext;
use super::transaction::ConnectionKind;
#[cfg(feature = "engine")]
use crate::codec::schemas;
use crate::codec::{ArgumentKind, CodecError, Described, Reader};
use crate::generated::registration::Registrations;
#[cfg(feature = "engine")]
use crate::machine::call_values;
use crate::machine::{Activity, ActivityOptions};
use crate::model::Payload;

/// A type-erased future.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// An activity in the registry.
#[derive(Debug)]
pub struct ActivityEntry {
    /// The stored name.
    pub name: &'static str,
    /// The file and the line of the definition, for error messages.
    pub place: (&'static str, u32),
    /// The options of the attribute.
    pub options: ActivityOptions,
    /// The type of its connection, if its writes are committed with the state of the run.
    pub connection: Option<ConnectionKind>,
    /// The schema of its parameters.
    pub(crate) parameters: &'static [ArgumentKind],
    /// The schema of its return value.
    #[cfg_attr(not(feature = "engine"), expect(dead_code, reason = "a worker records its schema"))]
    pub(crate) returned: Described,
    /// Decodes the arguments and calls the function.
    call: Call,
}

/// The future of one attempt.
pub type Attempt = BoxFuture<Result<ActivityReport, CodecError>>;

/// Decodes arguments and calls a function with them.
pub(crate) type Call = fn(&ActivityContext, &mut Reader<'_>) -> Option<Attempt>;

static REGISTERED: Registrations<ActivityEntry> = Registrations::new();

/// Adds an activity to the registry, before `main`.
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

    /// All registered activities.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        REGISTERED.all().into_iter()
    }

    /// Checks that arguments are those of the activity.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if they are not.
    #[cfg(feature = "engine")]
    pub(crate) fn check(&self, arguments: &Payload) -> Result<(), CodecError> {
        crate::codec::check_arguments(arguments, self.parameters)
    }

    /// The types of arguments or of the result that cannot be saved, each with the reason.
    #[cfg(feature = "engine")]
    pub(crate) fn problems(&self) -> Vec<String> {
        let values = call_values(self.name, self.parameters, self.returned).into_iter();
        values.filter_map(|(what, it)| schemas::problem_of(&what, schemas::of_type(it))).collect()
    }

    /// Begins an attempt.
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
    /// The error, if the return value is one.
    pub error: Option<ReportedError>,
}

/// The properties of an activity's error that the engine needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedError {
    /// Its text, for people.
    pub message: String,
    /// Whether another attempt may succeed.
    pub is_retryable: bool,
    /// When to retry, instead of the policy's delay.
    pub retry_after: Option<Duration>,
}

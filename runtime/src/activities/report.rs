//! The outcome of an attempt, and the properties of its error that generated code reads.
//!
//! Only code that knows an error type knows its traits. There, a method call on a probe selects the most specific
//! of several traits with the same method: method lookup takes the implementation that needs the fewest
//! dereferences ("autoref specialization", after dtolnay's `case-studies`), so for a type without the trait it
//! falls through to the next one.

use std::any::type_name;
use std::fmt::{Debug, Display};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::{ActivityReport, Attempt, ReportedError};
use crate::codec::{Arguments, CodecError, Described, add_result};
use crate::machine::{Durable, Retryable};

/// The call of a function, as an attempt.
pub(crate) fn attempt(
    returned: Described,
    call: Pin<Box<dyn Returning + Send>>,
) -> Option<Attempt> {
    Some(Box::pin(Attempted { returned, call }))
}

/// The same for a function that returns a `Result`; `error` extracts the properties of an error.
pub(crate) fn attempt_result<E: Durable + 'static>(
    returned: Described,
    call: Pin<Box<dyn Failing<E> + Send>>,
    error: fn(&E) -> ReportedError,
) -> Option<Attempt> {
    Some(Box::pin(AttemptedResult { returned, call, error }))
}

/// A call with any return type. Its future is stored separately; a second future around it would be compiled for
/// each activity.
pub(crate) trait Returning {
    /// Polls it. When it is ready, stores the return value and returns `true`.
    fn poll_returned(self: Pin<&mut Self>, cx: &mut Context<'_>, to: &mut Arguments) -> bool;
}

impl<T: Durable, F: Future<Output = T>> Returning for F {
    fn poll_returned(self: Pin<&mut Self>, cx: &mut Context<'_>, to: &mut Arguments) -> bool {
        match self.poll(cx) {
            Poll::Ready(returned) => to.add_owned(returned),
            Poll::Pending => false,
        }
    }
}

/// A call of a function that may fail, with any type of value.
pub(crate) trait Failing<E> {
    /// Polls it. When it is ready, stores the return value, or returns the error.
    fn poll_returned(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        to: &mut Arguments,
    ) -> Poll<Option<E>>;
}

impl<T: Durable, E, F: Future<Output = Result<T, E>>> Failing<E> for F {
    fn poll_returned(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        to: &mut Arguments,
    ) -> Poll<Option<E>> {
        match self.poll(cx) {
            Poll::Ready(returned) => add_if_ok(to, returned),
            Poll::Pending => Poll::Pending,
        }
    }
}

/// Consumes the result, so that the code for a single activity has nothing to drop.
pub(crate) fn add_if_ok<T: Durable, E>(
    to: &mut Arguments,
    returned: Result<T, E>,
) -> Poll<Option<E>> {
    match returned {
        Ok(value) => {
            to.begin_result(true);
            to.add_owned(value);
            Poll::Ready(None)
        }
        Err(error) => Poll::Ready(Some(error)),
    }
}

/// A call that returns a report.
struct Attempted {
    returned: Described,
    call: Pin<Box<dyn Returning + Send>>,
}

impl Future for Attempted {
    type Output = Result<ActivityReport, CodecError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut returned = Arguments::value(self.returned);
        if self.call.as_mut().poll_returned(cx, &mut returned) {
            Poll::Ready(finish(returned, None))
        } else {
            Poll::Pending
        }
    }
}

/// The same for a function that may fail. Independent of the type of the value, and there are few types of errors.
struct AttemptedResult<E> {
    returned: Described,
    call: Pin<Box<dyn Failing<E> + Send>>,
    error: fn(&E) -> ReportedError,
}

impl<E: Durable> Future for AttemptedResult<E> {
    type Output = Result<ActivityReport, CodecError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut returned = Arguments::value(self.returned);
        match self.call.as_mut().poll_returned(cx, &mut returned) {
            Poll::Ready(None) => Poll::Ready(finish(returned, None)),
            Poll::Ready(Some(error)) => Poll::Ready(failed(returned, &error, self.error)),
            Poll::Pending => Poll::Pending,
        }
    }
}

fn failed<E: Durable>(
    mut returned: Arguments,
    error: &E,
    reported: fn(&E) -> ReportedError,
) -> Result<ActivityReport, CodecError> {
    returned.begin_result(false);
    returned.add(error);
    finish(returned, Some(reported(error)))
}

fn finish(returned: Arguments, error: Option<ReportedError>) -> Result<ActivityReport, CodecError> {
    Ok(ActivityReport { returned: returned.finish()?, error })
}

/// The report of an attempt that returned `value`.
pub(crate) fn of<T: Durable, E>(
    value: &T,
    _: fn(&E) -> ReportedError,
) -> Result<ActivityReport, CodecError> {
    let mut returned = Arguments::value(Described::of::<T>());
    returned.add(value);
    finish(returned, None)
}

/// The report of an attempt that returned a `Result`.
pub(crate) fn of_result<T: Durable, E: Durable>(
    result: &Result<T, E>,
    error: fn(&E) -> ReportedError,
) -> Result<ActivityReport, CodecError> {
    let mut returned = Arguments::value(Described::of_result::<T, E>());
    add_result(&mut returned, result);
    let error = match result {
        Ok(_) => None,
        Err(of) => Some(error(of)),
    };
    finish(returned, error)
}

/// An error whose traits are to be found. The result does not depend on the activity either.
#[derive(Debug)]
pub struct ErrorProbe<'a, E>(pub &'a E);

/// Whether and when to try again: `(is_retryable, retry_after)`.
pub type Retry = (bool, Option<Duration>);

/// For errors that the attribute lists as not retryable.
pub const NEVER_AGAIN: Retry = (false, None);

/// For errors without information about it.
const AS_THE_POLICY_SAYS: Retry = (true, None);

/// Asks the error.
pub trait RetryByError {
    /// What the error returns.
    fn piton_retry(&self) -> Retry;
}

impl<E: Retryable> RetryByError for ErrorProbe<'_, E> {
    fn piton_retry(&self) -> Retry {
        (self.0.is_retryable(), self.0.retry_after())
    }
}

/// Always retries.
pub trait RetryAnyway {
    /// By the policy.
    fn piton_retry(&self) -> Retry;
}

impl<E> RetryAnyway for &ErrorProbe<'_, E> {
    fn piton_retry(&self) -> Retry {
        AS_THE_POLICY_SAYS
    }
}

/// Reports with `Display`.
pub trait ReportByDisplay {
    /// The error for the engine.
    fn piton_reported(&self, retry: Retry) -> ReportedError;
}

impl<E: Display> ReportByDisplay for &&ErrorProbe<'_, E> {
    fn piton_reported(&self, retry: Retry) -> ReportedError {
        displayed(self.0, retry)
    }
}

/// Reports with `Debug`.
pub trait ReportByDebug {
    /// The error for the engine.
    fn piton_reported(&self, retry: Retry) -> ReportedError;
}

impl<E: Debug> ReportByDebug for &ErrorProbe<'_, E> {
    fn piton_reported(&self, retry: Retry) -> ReportedError {
        displayed(&format_args!("{:?}", self.0), retry)
    }
}

/// Reports the name of the type.
pub trait ReportByType {
    /// The error for the engine.
    fn piton_reported(&self, retry: Retry) -> ReportedError;
}

impl<E> ReportByType for ErrorProbe<'_, E> {
    fn piton_reported(&self, retry: Retry) -> ReportedError {
        displayed(&type_name::<E>(), retry)
    }
}

/// A separate function, because generic code is compiled for each error type.
fn displayed(error: &dyn Display, (is_retryable, retry_after): Retry) -> ReportedError {
    ReportedError { message: error.to_string(), is_retryable, retry_after }
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! probe {
        ($error:expr) => {{
            let probe = ErrorProbe(&$error);
            (&&&probe).piton_reported((&probe).piton_retry())
        }};
    }

    #[derive(Debug)]
    struct Shown;
    impl Display for Shown {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("for people")
        }
    }
    impl Retryable for Shown {
        fn is_retryable(&self) -> bool {
            false
        }
        fn retry_after(&self) -> Option<Duration> {
            Some(Duration::from_secs(7))
        }
    }

    #[derive(Debug)]
    struct Debugged;

    struct Mute;

    #[test]
    fn the_most_telling_text_is_taken() {
        assert_eq!(probe!(Shown).message, "for people");
        assert_eq!(probe!(Debugged).message, "Debugged");
        assert!(probe!(Mute).message.ends_with("Mute"));
    }

    #[test]
    fn errors_decide_on_retries_if_they_want_to() {
        let reported = probe!(Shown);
        assert!(!reported.is_retryable);
        assert_eq!(reported.retry_after, Some(Duration::from_secs(7)));
        assert!(probe!(Debugged).is_retryable);
        assert!(probe!(Mute).is_retryable);
    }
}

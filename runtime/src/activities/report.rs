//! What an attempt came to, put together by generated code.
//!
//! Which traits an error type implements is only known where its type is. There, a method call on
//! a probe chooses the most telling of several traits of the same shape: method lookup takes the
//! implementation that needs the fewest dereferences ("autoref specialization", after dtolnay's
//! `case-studies`), so a type without the trait falls through to the next one.

use std::any::{Any, type_name};
use std::fmt::{Debug, Display};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::{ActivityReport, Attempt, ReportedError};
use crate::codec::{Arguments, CodecError};
use crate::machine::Retryable;

/// The attempt that a call is of a function that borrows nothing. The function has given its future
/// already, and a second one around it would be compiled for each activity.
pub fn attempt(
    call: Pin<Box<dyn Reported + Send>>,
    returns: &'static (dyn Any + Sync),
) -> Option<Attempt> {
    Some(Box::pin(Reporting { call, returns }))
}

/// A call that gives a report.
struct Reporting {
    call: Pin<Box<dyn Reported + Send>>,
    returns: &'static (dyn Any + Sync),
}

impl Future for Reporting {
    type Output = Result<ActivityReport, CodecError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut report = Report { returns: self.returns, made: None };
        self.call.as_mut().poll_report(cx, &mut report);
        report.made.map_or(Poll::Pending, Poll::Ready)
    }
}

/// A call that is reported on, whatever the function returns.
pub trait Reported {
    /// Polls it, and makes the report if it is over.
    fn poll_report(self: Pin<&mut Self>, cx: &mut Context<'_>, to: &mut dyn Reporter);
}

impl<F: Future<Output: 'static>> Reported for F {
    fn poll_report(self: Pin<&mut Self>, cx: &mut Context<'_>, to: &mut dyn Reporter) {
        if let Poll::Ready(value) = self.poll(cx) {
            returned(to, value);
        }
    }
}

/// What takes a report. Behind a trait object the description of what is known of it ends, see `hidden`.
pub trait Reporter {
    /// The [`Returns`] of what the function returns.
    fn returns(&self) -> &'static dyn Any;

    /// Takes the report.
    fn take(&mut self, report: Result<ActivityReport, CodecError>);
}

struct Report {
    returns: &'static dyn Any,
    made: Option<Result<ActivityReport, CodecError>>,
}

impl Reporter for Report {
    fn returns(&self) -> &'static dyn Any {
        self.returns
    }

    fn take(&mut self, report: Result<ActivityReport, CodecError>) {
        self.made = Some(report);
    }
}

/// It takes the value, so that what calls it for one activity has nothing left to drop.
pub(crate) fn returned<R: 'static>(to: &mut dyn Reporter, value: R) {
    match to.returns().downcast_ref::<Returns<R>>() {
        Some(returns) => to.take(returns.report(&value)),
        None => is_of_another(),
    }
}

fn is_of_another() -> ! {
    unreachable!("a call goes with what its function returns")
}

/// Finds the error in a return value, if it holds one.
pub type FindError<R> = fn(&R) -> Option<ReportedError>;

/// What the report on a return value is made with. None of it depends on the activity, so it is compiled once for
/// each `R`.
#[derive(Debug)]
pub struct Returns<R: 'static> {
    /// Encodes one.
    pub add: fn(&mut Arguments, &R),
    /// Finds the error in it, if it may hold one.
    pub error: Option<FindError<R>>,
}

impl<R> Returns<R> {
    /// The report on an attempt that returned `value`.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the value cannot be encoded.
    pub fn report(&self, value: &R) -> Result<ActivityReport, CodecError> {
        let mut returned = Arguments::NONE;
        (self.add)(&mut returned, value);
        finish(
            returned,
            match self.error {
                Some(error) => error(value),
                None => None,
            },
        )
    }
}

fn finish(returned: Arguments, error: Option<ReportedError>) -> Result<ActivityReport, CodecError> {
    Ok(ActivityReport { returned: returned.finish()?, error })
}

/// An error, of which is to be found out what traits it has. What is found does not depend on the activity
/// either.
#[derive(Debug)]
pub struct ErrorProbe<'a, E>(pub &'a E);

/// Whether and when to try again: `(is_retryable, retry_after)`.
pub type Retry = (bool, Option<Duration>);

/// For errors that the attribute names as not worth another attempt.
pub const NEVER_AGAIN: Retry = (false, None);

/// For errors that say nothing about it.
const AS_THE_POLICY_SAYS: Retry = (true, None);

/// Takes the error's own word.
pub trait RetryByError {
    /// What the error says.
    fn retry(&self) -> Retry;
}

impl<E: Retryable> RetryByError for ErrorProbe<'_, E> {
    fn retry(&self) -> Retry {
        (self.0.is_retryable(), self.0.retry_after())
    }
}

/// Retries whatever the error is.
pub trait RetryAnyway {
    /// As the policy says.
    fn retry(&self) -> Retry;
}

impl<E> RetryAnyway for &ErrorProbe<'_, E> {
    fn retry(&self) -> Retry {
        AS_THE_POLICY_SAYS
    }
}

/// Reports by `Display`.
pub trait ReportByDisplay {
    /// The error as the engine sees it.
    fn reported(&self, retry: Retry) -> Option<ReportedError>;
}

impl<E: Display> ReportByDisplay for &&ErrorProbe<'_, E> {
    fn reported(&self, retry: Retry) -> Option<ReportedError> {
        displayed(self.0, retry)
    }
}

/// Reports by `Debug`.
pub trait ReportByDebug {
    /// The error as the engine sees it.
    fn reported(&self, retry: Retry) -> Option<ReportedError>;
}

impl<E: Debug> ReportByDebug for &ErrorProbe<'_, E> {
    fn reported(&self, retry: Retry) -> Option<ReportedError> {
        displayed(&format_args!("{:?}", self.0), retry)
    }
}

/// Reports by the name of the type.
pub trait ReportByType {
    /// The error as the engine sees it.
    fn reported(&self, retry: Retry) -> Option<ReportedError>;
}

impl<E> ReportByType for ErrorProbe<'_, E> {
    fn reported(&self, retry: Retry) -> Option<ReportedError> {
        displayed(&type_name::<E>(), retry)
    }
}

/// Apart, because what knows the type of the error is compiled for each.
#[expect(clippy::unnecessary_wraps, reason = "it is what each of those that know the type gives")]
fn displayed(error: &dyn Display, (is_retryable, retry_after): Retry) -> Option<ReportedError> {
    Some(ReportedError { message: error.to_string(), is_retryable, retry_after })
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! probe {
        ($error:expr) => {{
            let probe = ErrorProbe(&$error);
            (&&&probe).reported((&probe).retry()).expect("there is an error")
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

//! What an attempt came to, put together by generated code.
//!
//! Which traits an error type implements is only known where its type is. There, a method call on
//! a probe chooses the most telling of several traits of the same shape: method lookup takes the
//! implementation that needs the fewest dereferences ("autoref specialization", after dtolnay's
//! `case-studies`), so a type without the trait falls through to the next one.

use std::any::type_name;
use std::fmt::{Debug, Display};
use std::time::Duration;

use super::{ActivityReport, ReportedError};
use crate::codec::{Arguments, CodecError};
use crate::machine::{Retryable, Values};

/// The report on an attempt that returned `value`. It does not depend on the activity, so it is
/// compiled once for each `R`.
///
/// # Errors
/// [`CodecError::Encode`] if the value cannot be encoded.
pub fn returned<R>(
    values: &Values<R>,
    value: &R,
    error: Option<ReportedError>,
) -> Result<ActivityReport, CodecError> {
    let mut returned = Arguments::new();
    (values.add)(&mut returned, value);
    finish(returned, error)
}

fn finish(returned: Arguments, error: Option<ReportedError>) -> Result<ActivityReport, CodecError> {
    Ok(ActivityReport { returned: returned.finish()?, error })
}

/// An error whose traits are to be found out.
#[derive(Debug)]
pub struct ErrorProbe<'a, E>(pub &'a E);

/// Whether and when to try again: `(is_retryable, retry_after)`.
pub type Retry = (bool, Option<Duration>);

/// For errors that the attribute names as not worth another attempt.
pub const NEVER_AGAIN: Retry = (false, None);

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
        (true, None)
    }
}

/// Reports by `Display`.
pub trait ReportByDisplay {
    /// The error as the engine sees it.
    fn reported(&self, retry: Retry) -> ReportedError;
}

impl<E: Display> ReportByDisplay for &&ErrorProbe<'_, E> {
    fn reported(&self, retry: Retry) -> ReportedError {
        reported(self.0.to_string(), retry)
    }
}

/// Reports by `Debug`.
pub trait ReportByDebug {
    /// The error as the engine sees it.
    fn reported(&self, retry: Retry) -> ReportedError;
}

impl<E: Debug> ReportByDebug for &ErrorProbe<'_, E> {
    fn reported(&self, retry: Retry) -> ReportedError {
        reported(format!("{:?}", self.0), retry)
    }
}

/// Reports by the name of the type.
pub trait ReportByType {
    /// The error as the engine sees it.
    fn reported(&self, retry: Retry) -> ReportedError;
}

impl<E> ReportByType for ErrorProbe<'_, E> {
    fn reported(&self, retry: Retry) -> ReportedError {
        reported(type_name::<E>().to_owned(), retry)
    }
}

fn reported(message: String, (is_retryable, retry_after): Retry) -> ReportedError {
    ReportedError { message, is_retryable, retry_after }
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! probe {
        ($error:expr) => {{
            let error = $error;
            let probe = ErrorProbe(&error);
            (&&&probe).reported((&probe).retry())
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

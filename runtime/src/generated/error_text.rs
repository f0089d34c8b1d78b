//! The properties of an error, whatever traits its type has.

use std::error::Error as StdError;

use crate::error::Error;
use crate::machine::{Failure, is_by_request};

/// An error that may be piton's own, implement `Error`, only `Display`, only `Debug`, or none of them.
/// `(&&&&ErrorText(error)).piton_failure()` takes the first of the traits below that fits.
#[derive(Debug)]
pub struct ErrorText<'a, E>(pub &'a E);

/// See [`ErrorText`].
pub trait ByOwn {
    /// The text, and whether it comes from a request to cancel.
    fn piton_failure(&self) -> Failure;
}

/// See [`ErrorText`].
pub trait ByError {
    /// The text, and whether it comes from a request to cancel.
    fn piton_failure(&self) -> Failure;
}

/// See [`ErrorText`].
pub trait ByDisplay {
    /// The text.
    fn piton_failure(&self) -> Failure;
}

/// See [`ErrorText`].
pub trait ByDebug {
    /// The text.
    fn piton_failure(&self) -> Failure;
}

/// See [`ErrorText`].
pub trait ByType {
    /// The text.
    fn piton_failure(&self) -> Failure;
}

impl ByOwn for &&&ErrorText<'_, Error> {
    fn piton_failure(&self) -> Failure {
        Failure { text: self.0.to_string(), is_cancellation: self.0.is_cancellation() }
    }
}

impl<E: StdError + 'static> ByError for &&&&ErrorText<'_, E> {
    fn piton_failure(&self) -> Failure {
        of_error(self.0)
    }
}

/// A separate function, because the callers are compiled for each type of error.
fn of_error(error: &(dyn StdError + 'static)) -> Failure {
    Failure { text: error.to_string(), is_cancellation: Some(is_by_request(error)) }
}

impl<E: std::fmt::Display> ByDisplay for &&ErrorText<'_, E> {
    fn piton_failure(&self) -> Failure {
        displayed(self.0)
    }
}

/// Like [`of_error`].
fn displayed(error: &dyn std::fmt::Display) -> Failure {
    Failure { text: error.to_string(), is_cancellation: None }
}

impl<E: std::fmt::Debug> ByDebug for &ErrorText<'_, E> {
    fn piton_failure(&self) -> Failure {
        debugged(self.0)
    }
}

/// Like [`of_error`].
fn debugged(error: &dyn std::fmt::Debug) -> Failure {
    Failure { text: format!("{error:?}"), is_cancellation: None }
}

impl<E> ByType for ErrorText<'_, E> {
    fn piton_failure(&self) -> Failure {
        Failure { text: std::any::type_name::<E>().to_owned(), is_cancellation: None }
    }
}

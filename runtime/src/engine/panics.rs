//! Panics as errors, with the panic's message.
//!
//! The caller drops or restores any state that a panic may have left inconsistent.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::{FutureExt, TryFutureExt};

/// The result of the future, or the message of the panic that ended it. Catches panics of polls only.
pub(crate) fn caught<F: Future>(call: F) -> impl Future<Output = Result<F::Output, String>> {
    AssertUnwindSafe(call).catch_unwind().map_err(text)
}

/// The result of the function, or the message of the panic that ended it.
pub(crate) fn catch<V>(call: impl FnOnce() -> V) -> Result<V, String> {
    std::panic::catch_unwind(AssertUnwindSafe(call)).map_err(text)
}

/// The message of a panic.
pub(crate) fn text(panic: Box<dyn Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => match panic.downcast_ref::<&str>() {
            Some(text) => (*text).to_owned(),
            None => "a panic without a message".to_owned(),
        },
    }
}

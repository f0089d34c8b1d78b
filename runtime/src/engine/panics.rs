//! Panics as errors, with the panic's message.
//!
//! The caller gives up or restores the state that a panic has left behind.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::{FutureExt, TryFutureExt};

/// What the future gives, or the text of the panic that has ended it. A panic before it is polled is none of
/// this.
pub(crate) fn caught<F: Future>(call: F) -> impl Future<Output = Result<F::Output, String>> {
    AssertUnwindSafe(call).catch_unwind().map_err(text)
}

/// What the function gives, or the text of the panic that has ended it.
pub(crate) fn catch<V>(call: impl FnOnce() -> V) -> Result<V, String> {
    std::panic::catch_unwind(AssertUnwindSafe(call)).map_err(text)
}

/// The text that a panic was raised with.
pub(crate) fn text(panic: Box<dyn Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => match panic.downcast_ref::<&str>() {
            Some(text) => (*text).to_owned(),
            None => "a panic without a message".to_owned(),
        },
    }
}

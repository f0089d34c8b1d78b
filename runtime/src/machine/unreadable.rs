//! The end of a step that cannot read a saved value.

use std::panic::AssertUnwindSafe;

use super::StepError;
use crate::codec::CodecError;

/// The payload of the unwinding to [`readable`]: why a step cannot continue.
#[derive(Debug)]
struct Unreadable(StepError);

/// Ends a step that cannot read a saved value.
///
/// Unwinds, because an error return for each local that is read costs a tenth of rustc's time for a step function, and
/// the case is rare: the types are those that wrote the state. With `panic = "abort"` this aborts the process.
///
/// # Panics
/// If panics end the process.
#[cold]
#[inline(never)]
pub(crate) fn unreadable(error: StepError) -> ! {
    if cfg!(panic = "abort") {
        panic!("a saved value cannot be read: {error}");
    }
    std::panic::resume_unwind(Box::new(Unreadable(error)))
}

/// Like [`unreadable`].
#[cold]
#[inline(never)]
pub(crate) fn undecodable(error: CodecError) -> ! {
    unreadable(StepError::Decode(error))
}

/// Makes a step. It fails if it cannot read a saved value.
///
/// # Errors
/// The error of `step`, or why a value cannot be read.
pub(crate) fn readable<T>(step: impl FnOnce() -> Result<T, StepError>) -> Result<T, StepError> {
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(step));
    outcome.unwrap_or_else(|panic| match panic.downcast::<Unreadable>() {
        Ok(unreadable) => Err(unreadable.0),
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

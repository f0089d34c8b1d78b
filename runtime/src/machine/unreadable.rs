//! The end of a step that cannot read a saved value.

use std::panic::AssertUnwindSafe;

use super::StepError;
use crate::codec::CodecError;

/// Why a step cannot go on, as what unwinds to [`readable`].
#[derive(Debug)]
struct Unreadable(StepError);

/// Ends a step that has come to what cannot be read.
///
/// Each local that is read would be another way out of the step function, a tenth of what rustc takes for one, for what
/// hardly happens: the types are those that wrote the state. So it unwinds. Where panics end the process, it is one.
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

/// As [`unreadable`].
#[cold]
#[inline(never)]
pub(crate) fn undecodable(error: CodecError) -> ! {
    unreadable(StepError::Decode(error))
}

/// Makes a step, which fails if it comes to what cannot be read.
///
/// # Errors
/// That of `step`, or why something cannot be read.
pub(crate) fn readable<T>(step: impl FnOnce() -> Result<T, StepError>) -> Result<T, StepError> {
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(step));
    outcome.unwrap_or_else(|panic| match panic.downcast::<Unreadable>() {
        Ok(unreadable) => Err(unreadable.0),
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

//! The branches of `try_join!`.

use super::{Branch, Halt, Parked, StepError};
use crate::codec::{self, Reader};
use crate::machine::PendingItem;
use crate::model::Payload;

/// The output of an operation or branch of `try_join!`.
#[diagnostic::on_unimplemented(
    message = "every branch of `try_join!` must return a `Result`, and this one returns `{Self}`",
    label = "this does not return a `Result`",
    note = "use `join!` if no branch can fail, or wrap this branch: `async {{ Ok(this.await) }}`",
    note = "`try_join_all` and a `cx.map` that tolerates failures need `Result`s too; `join_all` does not"
)]
pub trait MayFail {
    /// The value of `Ok`.
    type Value;
    /// The error.
    type Error;

    /// Converts it to a plain `Result`.
    ///
    /// # Errors
    /// The error, if the output is one.
    fn into_result(self) -> Result<Self::Value, Self::Error>;
}

#[diagnostic::do_not_recommend]
impl<T, E> MayFail for Result<T, E> {
    type Value = T;
    type Error = E;

    fn into_result(self) -> Self {
        self
    }
}

/// The error of a branch, if that is the outcome.
///
/// # Errors
/// [`StepError::Decode`] if it cannot be read.
pub fn failed<F, T: MayFail>(
    branch: &Branch<F, T>,
    parked: &Parked,
    index: usize,
) -> Result<Option<T::Error>, Halt> {
    if !has_failed(parked.operation(index)?)? {
        return Ok(None);
    }
    Ok((branch.take)(parked, index)?.and_then(|given| given.into_result().err()))
}

/// The value of a branch that is known not to have failed.
///
/// # Errors
/// [`StepError::Decode`] if it cannot be read.
///
/// # Panics
/// If there is no value.
pub fn take_ok<F, T: MayFail>(
    branch: &Branch<F, T>,
    parked: &Parked,
    index: usize,
) -> Result<T::Value, Halt> {
    let value = (branch.take)(parked, index)?.and_then(|given| given.into_result().ok());
    Ok(value.expect("only branches that are done are taken"))
}

/// Whether the `Result` in a payload is an error. Does not decode it, because dropping the decoded value would run its
/// destructor.
pub(crate) fn is_error(payload: &[u8]) -> Result<bool, StepError> {
    let mut reader = Reader::any_value(payload, "Result");
    match reader.is_ok() {
        Some(is_ok) => {
            reader.stop();
            Ok(!is_ok)
        }
        None => Err(StepError::Decode(reader.failure())),
    }
}

/// Whether the saved outcome of an operation is an error, like [`is_error`].
pub(super) fn has_failed(saved: &[u8]) -> Result<bool, StepError> {
    // A pending operation is not decoded: its type is not known here.
    match codec::decode_first::<PendingItem<(), Payload>>(saved) {
        Ok((PendingItem::Ready(outcome), _)) => is_error(outcome.as_bytes()),
        Ok((PendingItem::Pending(()), _)) => Ok(false),
        Err(error) => Err(StepError::Decode(error)),
    }
}

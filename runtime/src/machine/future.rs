//! The operations that a workflow can await.

use std::task::Poll;

use super::turns::Arrived;
use super::{Awaited, Context, Durable, StepError};
use crate::generated::Fut;

pub(crate) mod sealed {
    /// Only piton knows how to make an operation durable.
    pub trait Sealed {}
}

/// An operation that a workflow can await. It is saved before it starts, and survives the process.
///
/// Activity calls, calls of other workflows, and the values returned by methods of [`Context`] are durable futures.
/// The trait is sealed: use an activity for ordinary futures.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be awaited in a workflow",
    label = "not a durable operation",
    note = "a workflow awaits activities, other workflows, and the operations of its context \
            (`cx.sleep`, `cx.signal`, …)",
    note = "an `async fn` of your own that awaits only these can be a `#[workflow]` too; put any \
            other async code into an `#[activity]`",
    note = "a value needs no `.await`, and neither does a branch of `join!` or `select!`, nor a call that sends with the \
            step: `cx.signal_run`, `cx.cancel_run`",
    note = "the types of a promise, signal or update must be `Serialize + DeserializeOwned`; those of a signal or update \
            derive `Signal` or `Update`, too",
    note = "rule `not_durable`"
)]
pub trait DurableFuture: sealed::Sealed + Sized {
    /// The output.
    type Output;
    /// The saved form while it is outstanding.
    type Pending: Durable;

    /// Whether it ends as soon as its outcome has arrived. An operation with several waits, or whose end depends on
    /// the time of the outcome, must be polled at each arrival, even if it is awaited together with others.
    const ENDS_AT_ONCE: bool = true;

    /// Starts the operation, and adds it to the step's waits.
    ///
    /// # Errors
    /// The operation cannot be started, for example because its arguments cannot be encoded.
    fn start(self, cx: &Context) -> Result<Self::Pending, StepError>;

    /// Takes the outcome if it has arrived; otherwise adds the operation to the step's waits.
    ///
    /// # Errors
    /// The outcome ends the step: it cannot be decoded, or the operation's failure or cancellation cannot be
    /// expressed in [`Self::Output`].
    fn poll(pending: &mut Self::Pending, cx: &Context) -> Result<Poll<Self::Output>, StepError>;

    /// Whether the operation ended at its start, so that its outcome is available already.
    #[doc(hidden)]
    fn has_ended(_: &Self::Pending) -> bool {
        false
    }

    /// When its outcome arrived, as far as that is known before [`DurableFuture::poll`]; decides the order of
    /// several that are ready.
    #[doc(hidden)]
    fn arrived(_: &Self::Pending, _: &Context) -> Arrived {
        Arrived::Unknown
    }

    /// Drops the operation; a later outcome is ignored.
    ///
    /// # Errors
    /// Its saved form cannot be decoded.
    fn cancel(pending: Self::Pending, cx: &Context) -> Result<(), StepError>;

    /// Its description without its type.
    #[doc(hidden)]
    const AWAITED: Awaited;

    /// How a machine handles an operation that it awaits alone. Operations of a common kind share the code that
    /// does not depend on the operation.
    #[doc(hidden)]
    const ALONE: Fut<Self> = Fut::of();
}

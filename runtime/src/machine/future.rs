//! The operations that a workflow can await.

use std::task::Poll;

use super::turns::Arrived;
use super::{Awaited, Context, Durable, StepError};
use crate::generated::Fut;

pub(crate) mod sealed {
    /// Only piton knows how to make an operation durable.
    pub trait Sealed {}
}

/// An operation that a workflow can await: it is saved before it starts, and survives the process.
///
/// Activity calls, calls of other workflows, and what the methods of [`Context`] return are durable
/// futures. The trait is sealed: an ordinary future belongs into an activity.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be awaited in a workflow",
    label = "not a durable operation",
    note = "a workflow awaits activities, other workflows, and the operations of its context \
            (`cx.sleep`, `cx.signal`, …)",
    note = "an `async fn` of your own that awaits only these can be a `#[workflow]` too; put any \
            other async code into an `#[activity]`",
    note = "rule `not_durable`"
)]
pub trait DurableFuture: sealed::Sealed + Sized {
    /// What awaiting it gives.
    type Output;
    /// What is saved while it is outstanding.
    type Pending: Durable;

    /// Whether it ends as soon as what it waits for has arrived. One that goes on from one wait to
    /// the next, or whose end hangs on when that is, must be looked after at each, also when it is awaited
    /// together with others.
    const ENDS_AT_ONCE: bool = true;

    /// Asks for the operation and adds it to what the step waits for.
    ///
    /// # Errors
    /// The operation cannot be asked for, for example because its arguments cannot be encoded.
    fn start(self, cx: &Context) -> Result<Self::Pending, StepError>;

    /// Takes the outcome if it has arrived; otherwise adds the operation to what the step waits
    /// for.
    ///
    /// # Errors
    /// What has arrived ends the step: it cannot be read, or the operation's failure or
    /// cancellation has no place in [`Self::Output`].
    fn poll(pending: &mut Self::Pending, cx: &Context) -> Result<Poll<Self::Output>, StepError>;

    /// Whether the operation ended where it started, so that its outcome is there already.
    #[doc(hidden)]
    fn has_ended(_: &Self::Pending) -> bool {
        false
    }

    /// Since when its outcome has been there, as far as that is known before [`DurableFuture::poll`] takes it: by
    /// this, several that are ready take turns.
    #[doc(hidden)]
    fn arrived(_: &Self::Pending, _: &Context) -> Arrived {
        Arrived::Unknown
    }

    /// Gives the operation up; what arrives for it later is dropped.
    ///
    /// # Errors
    /// Its saved form cannot be read.
    fn cancel(pending: Self::Pending, cx: &Context) -> Result<(), StepError>;

    /// What is known of it without its type.
    #[doc(hidden)]
    const AWAITED: Awaited;

    /// What a machine does with an operation that it awaits alone. Kinds of operations that there
    /// are many of in a program share what does not depend on which they are.
    #[doc(hidden)]
    const ALONE: Fut<Self> = Fut::of();
}

//! Operations that a request to cancel does not interrupt.

use std::task::Poll;

use serde::{Deserialize, Serialize};

use super::future::sealed::Sealed;
use super::{Arrived, Awaited, Context, DurableFuture, StepError};

/// A shielded operation, created by [`Context::shield`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[must_use = "the operation does not start until it is awaited"]
pub struct Shield<F>(F);

/// For workflow code.
impl Context {
    /// Shields an operation from requests to cancel. A request is delivered to the first await after it. An `async`
    /// block, `cx.shield(async { … }).await`, and a call of another workflow are shielded as a whole.
    ///
    /// If a shielded operation is awaited together with others, as in a `join!`, the request waits for the whole
    /// run: the others are interrupted when no shielded operation is outstanding. Only a wait for the request
    /// itself, [`Context::cancelled`], receives it at once. A shield does not keep a branch of a `select!` from
    /// being dropped, nor the run from being terminated.
    ///
    /// ```
    /// # use piton::prelude::*;
    /// # #[activity] async fn book(hotel: &str) -> Result<String, String> { Ok(hotel.to_owned()) }
    /// # #[activity] async fn cancel_booking(booking: &str) -> Result<(), String> { Ok(()) }
    /// #[workflow]
    /// async fn stay(cx: &Context, hotel: String) -> piton::Result<()> {
    ///     // Nothing comes between the booking and the note of how to undo it.
    ///     let booking = cx.shield(book(&hotel)).await?;
    ///     cx.on_failure(cancel_booking(&booking));
    ///     Ok(())
    /// }
    /// ```
    pub fn shield<F: DurableFuture>(&self, operation: F) -> Shield<F> {
        Shield(operation)
    }
}

impl<F> Sealed for Shield<F> {}

/// Saved like the operation itself, so that a shield can be added to the code while runs are parked there. Their
/// operations are not shielded.
#[diagnostic::do_not_recommend]
impl<F: DurableFuture> DurableFuture for Shield<F> {
    type Output = F::Output;
    type Pending = F::Pending;
    const ENDS_AT_ONCE: bool = F::ENDS_AT_ONCE;
    const AWAITED: Awaited = F::AWAITED;

    fn start(self, cx: &Context) -> Result<F::Pending, StepError> {
        cx.shield_all(|| self.0.start(cx))
    }

    fn poll(pending: &mut F::Pending, cx: &Context) -> Result<Poll<F::Output>, StepError> {
        cx.shield_all(|| F::poll(pending, cx))
    }

    fn has_ended(pending: &F::Pending) -> bool {
        F::has_ended(pending)
    }

    fn arrived(pending: &F::Pending, cx: &Context) -> Arrived {
        F::arrived(pending, cx)
    }

    fn cancel(pending: F::Pending, cx: &Context) -> Result<(), StepError> {
        F::cancel(pending, cx)
    }
}

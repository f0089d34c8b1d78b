//! How a workflow receives a request to cancel, so that it can clean up: by waiting for it, or as an error of an
//! await.

use std::error::Error as StdError;
use std::fmt;
use std::task::Poll;

use serde::{Deserialize, Serialize};

use super::future::sealed::Sealed;
use super::turns::Arrived;
use super::{Awaited, Context, DurableFuture, StepError};
use crate::codec;
use crate::model::{Handle, Operation};

/// A wait for a request to cancel the run, created by [`Context::cancelled`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[must_use = "a request to cancel is not waited for until the wait is awaited"]
pub struct Cancellation(());

impl Cancellation {
    pub(crate) fn new() -> Self {
        Self(())
    }
}

/// A request to cancel the run. Also the error of [`OrCancelled::or_cancelled`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancelled {
    /// The reason given with the request.
    pub reason: String,
}

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cancelled: {}", self.reason)
    }
}

impl StdError for Cancelled {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(REQUEST)
    }
}

/// The source of every error that reports a request to cancel. A run that returns an error with this source closes
/// as cancelled.
#[derive(Debug, thiserror::Error)]
#[error("the run was requested to cancel")]
struct CancelRequest;

const REQUEST: &(dyn StdError + 'static) = &CancelRequest;

/// The source of errors of operations that a request to cancel has ended.
pub(crate) fn request() -> &'static (dyn StdError + 'static) {
    REQUEST
}

/// Whether the error has a request to cancel as its source.
pub(crate) fn is_by_request(error: &(dyn StdError + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |&error| error.source());
    causes.any(|cause| cause.is::<CancelRequest>())
}

impl Sealed for Cancellation {}

#[diagnostic::do_not_recommend]
impl DurableFuture for Cancellation {
    type Output = Cancelled;
    type Pending = Handle;
    const AWAITED: Awaited = Awaited::Cancellation;

    fn start(self, cx: &Context) -> Result<Handle, StepError> {
        Ok(cx.ask(Operation::Cancellation))
    }

    fn poll(pending: &mut Handle, cx: &Context) -> Result<Poll<Cancelled>, StepError> {
        if let Some(reason) = cx.take_cancel() {
            cx.settle(*pending);
            Ok(Poll::Ready(Cancelled { reason }))
        } else {
            cx.wait_for(*pending);
            Ok(Poll::Pending)
        }
    }

    fn arrived(pending: &Handle, cx: &Context) -> Arrived {
        cx.arrived(*pending)
    }

    fn cancel(pending: Handle, cx: &Context) -> Result<(), StepError> {
        cx.settle(pending);
        Ok(())
    }
}

/// Turns a request to cancel into an error of an await.
pub trait OrCancelled: DurableFuture {
    /// Returns [`Cancelled`] if a request to cancel ends the wait, so that the workflow can clean up. Without this,
    /// the run closes at such an await if its output is not a `Result`. An activity that returns a `Result` reports
    /// the request as [`ActivityError::Cancelled`](super::ActivityError::Cancelled) and needs no `or_cancelled`.
    ///
    /// This is a part of the await and not an option of the workflow, because it changes the type of the await: the
    /// type can be read at the await, and a helper function behaves the same for all callers. Around a call of
    /// another workflow, it catches the request at an await of that workflow that has no error for it.
    ///
    /// A run receives one request to cancel. Later awaits are not interrupted.
    ///
    /// ```
    /// # use piton::prelude::*;
    /// # #[activity] async fn release(seat: &str) {}
    /// #[workflow]
    /// async fn hold(cx: &Context, seat: String) -> piton::Result<()> {
    ///     if let Err(cancelled) = cx.sleep(hours(2)).or_cancelled().await {
    ///         release(&seat).await;
    ///         return Err(cancelled.into());
    ///     }
    ///     Ok(())
    /// }
    /// ```
    fn or_cancelled(self) -> UntilCancelled<Self> {
        UntilCancelled(self)
    }
}

impl<F: DurableFuture> OrCancelled for F {}

/// An operation that returns an error if a request to cancel ends it, created by [`OrCancelled::or_cancelled`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[must_use = "the operation does not start until it is awaited"]
pub struct UntilCancelled<F>(F);

impl<F> Sealed for UntilCancelled<F> {}

/// Saved like the operation itself, so that this can be added to the code while runs are parked there.
#[diagnostic::do_not_recommend]
impl<F: DurableFuture> DurableFuture for UntilCancelled<F> {
    type Output = Result<F::Output, Cancelled>;
    type Pending = F::Pending;
    const ENDS_AT_ONCE: bool = F::ENDS_AT_ONCE;
    const AWAITED: Awaited = F::AWAITED;

    fn start(self, cx: &Context) -> Result<F::Pending, StepError> {
        self.0.start(cx)
    }

    fn poll(pending: &mut F::Pending, cx: &Context) -> Result<Poll<Self::Output>, StepError> {
        let Some(reason) = cx.cancel_reason() else {
            return Ok(F::poll(pending, cx)?.map(Ok));
        };
        // Parts of the operation may have continued before the part that was ended.
        let before = codec::copied(pending).map_err(StepError::Encode)?;
        let first = Handle(cx.next_handle());
        match cx.wait_unless_ended(|| F::poll(pending, cx)) {
            Err(StepError::Cancelled) => {
                F::cancel(codec::from_copy(&before).map_err(StepError::Decode)?, cx)?;
                cx.give_up_from(first);
                Ok(Poll::Ready(Err(Cancelled { reason })))
            }
            ended => Ok(ended?.map(Ok)),
        }
    }

    fn has_ended(pending: &F::Pending) -> bool {
        F::has_ended(pending)
    }

    // If the run was requested to cancel, polling takes the request.
    fn arrived(pending: &F::Pending, cx: &Context) -> Arrived {
        match cx.cancel_reason() {
            Some(_) => Arrived::Unknown,
            None => F::arrived(pending, cx),
        }
    }

    fn cancel(pending: F::Pending, cx: &Context) -> Result<(), StepError> {
        F::cancel(pending, cx)
    }
}

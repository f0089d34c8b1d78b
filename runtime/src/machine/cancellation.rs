//! Waiting for a request to cancel, so that a workflow can clean up.

use std::task::Poll;

use serde::{Deserialize, Serialize};

use super::future::sealed::Sealed;
use super::turns::Arrived;
use super::{Awaited, Context, DurableFuture, StepError};
use crate::model::{Handle, Operation};

/// A wait for a request to cancel the run, made by [`Context::cancelled`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[must_use = "a request to cancel is not waited for until the wait is awaited"]
pub struct Cancellation(());

impl Cancellation {
    pub(crate) fn new() -> Self {
        Self(())
    }
}

/// A request to cancel the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancelled {
    /// Why, as given with the request.
    pub reason: String,
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

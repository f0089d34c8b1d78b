//! A workflow awaited by another: its frame is nested in the caller's state.

use std::pin::Pin;
use std::task::Poll;

use serde::{Deserialize, Serialize};

use super::branches::advance;
use super::future::sealed::Sealed;
use super::turns::Arrived;
use super::{
    Awaited, Context, DurableFuture, Parked, StepError, StepOf as _, Workflow, WorkflowCall,
};
use crate::model::Payload;

/// The saved form of an inline call.
#[derive(Debug, Serialize, Deserialize)]
pub enum PendingInline {
    /// The callee waits in this frame.
    Suspended(Vec<u8>),
    /// The callee returned in the step that called it.
    Returned(Payload),
}

impl<F: Sealed> Sealed for Pin<Box<F>> {}

/// A recursive `async fn` must box the call of itself. A workflow need not, but it may.
#[diagnostic::do_not_recommend]
impl<F: DurableFuture + Unpin> DurableFuture for Pin<Box<F>> {
    type Output = F::Output;
    type Pending = F::Pending;
    const ENDS_AT_ONCE: bool = F::ENDS_AT_ONCE;
    const AWAITED: Awaited = F::AWAITED;

    fn start(self, cx: &Context) -> Result<F::Pending, StepError> {
        (*Pin::into_inner(self)).start(cx)
    }

    fn poll(pending: &mut F::Pending, cx: &Context) -> Result<Poll<F::Output>, StepError> {
        F::poll(pending, cx)
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

impl<W> Sealed for WorkflowCall<W> {}

#[diagnostic::do_not_recommend]
impl<W: Workflow> DurableFuture for WorkflowCall<W> {
    type Output = W::Return;
    type Pending = PendingInline;
    const ENDS_AT_ONCE: bool = false;
    const AWAITED: Awaited = Awaited::Workflow(W::entry);

    fn start(self, cx: &Context) -> Result<Self::Pending, StepError> {
        let arguments = self.arguments.map_err(StepError::Encode)?;
        let mut parked = Parked::start(W::entry().definition(), &arguments);
        match go_on::<W>(&mut parked, cx)? {
            Poll::Pending => Ok(PendingInline::Suspended(parked.frame().to_vec())),
            Poll::Ready(value) => {
                let value = W::RETURNED.encode(&value).map_err(StepError::Encode)?;
                Ok(PendingInline::Returned(value))
            }
        }
    }

    fn poll(pending: &mut Self::Pending, cx: &Context) -> Result<Poll<W::Return>, StepError> {
        let taken = std::mem::replace(pending, PendingInline::Suspended(Vec::new()));
        let frame = match taken {
            PendingInline::Returned(value) => {
                let value = W::RETURNED.decode(&value);
                return value.map(Poll::Ready).map_err(StepError::Decode);
            }
            PendingInline::Suspended(frame) => frame,
        };
        let mut parked = Parked::read(frame.into(), W::entry().definition())?;
        let poll = go_on::<W>(&mut parked, cx)?;
        if poll.is_pending() {
            *pending = PendingInline::Suspended(parked.frame().to_vec());
        }
        Ok(poll)
    }

    fn has_ended(pending: &Self::Pending) -> bool {
        matches!(pending, PendingInline::Returned(_))
    }

    fn cancel(pending: Self::Pending, cx: &Context) -> Result<(), StepError> {
        match pending {
            PendingInline::Suspended(frame) => {
                let mut parked = Parked::read(frame.into(), W::entry().definition())?;
                cx.give_up(|| go_on::<W>(&mut parked, cx)).map(|_| ())
            }
            PendingInline::Returned(_) => Ok(()),
        }
    }
}

fn go_on<W: Workflow>(parked: &mut Parked, cx: &Context) -> Result<Poll<W::Return>, StepError> {
    advance(parked, cx, &mut |parked| W::Unit::step(parked, cx))
}

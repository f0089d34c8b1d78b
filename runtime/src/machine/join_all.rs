//! Awaiting a list of operations of one kind.

use std::task::Poll;

use serde::{Deserialize, Serialize};

use super::future::sealed::Sealed;
use super::{Awaited, Context, Durable, DurableFuture, StepError};
use crate::codec;
use crate::generated::operation_token::outcome_dropped;
use crate::model::Payload;

/// A wait for all operations of a list, created by [`join_all`].
#[derive(Debug)]
#[must_use = "the operations do not start until the list is awaited"]
pub struct JoinAll<F>(Vec<F>);

/// Starts all operations at once and waits for all of them. Returns the outputs in the order of the operations. The
/// run makes one step, when the last outcome has arrived.
pub fn join_all<F: DurableFuture>(operations: impl IntoIterator<Item = F>) -> JoinAll<F> {
    JoinAll(operations.into_iter().collect())
}

/// The saved form of one awaited operation of a list.
#[derive(Debug, Serialize, Deserialize)]
pub enum PendingItem<P, T = Payload> {
    /// It is outstanding.
    Pending(P),
    /// It has this output.
    Ready(T),
}

impl<F> Sealed for JoinAll<F> {}

#[diagnostic::do_not_recommend]
impl<F: DurableFuture> DurableFuture for JoinAll<F>
where
    F::Output: Durable,
{
    type Output = Vec<F::Output>;
    type Pending = Vec<PendingItem<F::Pending>>;
    const ENDS_AT_ONCE: bool = F::ENDS_AT_ONCE;
    const AWAITED: Awaited = Awaited::List(&F::AWAITED);

    fn start(self, cx: &Context) -> Result<Self::Pending, StepError> {
        cx.wait_for_all(|| self.start_items(cx))
    }

    fn poll(pending: &mut Self::Pending, cx: &Context) -> Result<Poll<Self::Output>, StepError> {
        cx.wait_for_all(|| pending.iter_mut().try_for_each(|item| Self::look_at(item, cx)))?;
        if pending.iter().any(|item| matches!(item, PendingItem::Pending(_))) {
            return Ok(Poll::Pending);
        }
        let ready = std::mem::take(pending).into_iter().filter_map(|item| match item {
            PendingItem::Ready(outcome) => Some(codec::from_outcome(&outcome)),
            PendingItem::Pending(_) => None,
        });
        let ready = ready.collect::<Result<_, _>>().map_err(StepError::Decode)?;
        Ok(Poll::Ready(ready))
    }

    fn has_ended(pending: &Self::Pending) -> bool {
        pending.iter().all(|item| match item {
            PendingItem::Pending(operation) => F::has_ended(operation),
            PendingItem::Ready(_) => true,
        })
    }

    fn cancel(pending: Self::Pending, cx: &Context) -> Result<(), StepError> {
        pending.into_iter().try_for_each(|item| Self::give_up(item, cx))
    }
}

/// The common part of all waits for a list.
impl<F: DurableFuture> JoinAll<F>
where
    F::Output: Durable,
{
    /// Starts every operation.
    pub(super) fn start_items(
        self,
        cx: &Context,
    ) -> Result<Vec<PendingItem<F::Pending>>, StepError> {
        let start = |item: F| cx.wait_among::<F, _>(|| item.start(cx));
        self.0.into_iter().map(|item| start(item).map(PendingItem::Pending)).collect()
    }

    /// Keeps the outcome of an operation if it has arrived.
    pub(super) fn look_at(
        item: &mut PendingItem<F::Pending>,
        cx: &Context,
    ) -> Result<(), StepError> {
        if let PendingItem::Pending(operation) = item
            && let Poll::Ready(value) = cx.wait_among::<F, _>(|| F::poll(operation, cx))?
        {
            // No definition refers to the type, so the outcome is self-describing.
            let outcome = codec::to_tagged_payload(&value).map_err(StepError::Encode)?;
            *item = PendingItem::Ready(outcome);
        }
        Ok(())
    }

    /// Cancels an operation, or drops its outcome.
    pub(super) fn give_up(item: PendingItem<F::Pending>, cx: &Context) -> Result<(), StepError> {
        match item {
            PendingItem::Pending(operation) => F::cancel(operation, cx),
            PendingItem::Ready(outcome) => {
                outcome_dropped::<F::Output>(&outcome);
                Ok(())
            }
        }
    }
}

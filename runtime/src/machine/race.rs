//! Awaiting the first of a list of operations of one kind.

use std::task::Poll;

use super::future::sealed::Sealed;
use super::turns::Arrived;
use super::{Awaited, Context, Durable, DurableFuture, JoinAll, PendingItem, StepError};
use crate::codec;

/// A wait for the first of a list of operations, created by [`race`].
#[derive(Debug)]
#[must_use = "the operations do not start until the race is awaited"]
pub struct Race<F>(JoinAll<F>);

/// Starts all operations at once and waits for the first that ends. Returns its index in the list and its output.
/// The others are dropped with the same commit.
///
/// If several have ended when the run makes its step, the one that ended first wins, as in a
/// [`select!`](crate::select). A failure is an end, too. For operations of different types, use `select!`.
///
/// ```
/// use piton::prelude::*;
///
/// #[activity]
/// async fn quote(carrier: String) -> u64 {
///     carrier.len() as u64
/// }
///
/// #[workflow]
/// async fn fastest(carriers: Vec<String>) -> String {
///     let (winner, cents) = race(carriers.iter().map(|carrier| quote(carrier.clone()))).await;
///     format!("{}: {cents}", carriers[winner])
/// }
/// ```
///
/// # Panics
/// If there are no operations, because the wait would never end.
pub fn race<F: DurableFuture>(operations: impl IntoIterator<Item = F>) -> Race<F> {
    let operations: Vec<_> = operations.into_iter().collect();
    assert!(!operations.is_empty(), "a race needs at least one operation");
    Race(super::join_all(operations))
}

impl<F> Sealed for Race<F> {}

#[diagnostic::do_not_recommend]
impl<F: DurableFuture> DurableFuture for Race<F>
where
    F::Output: Durable,
{
    type Output = (usize, F::Output);
    // Saved like a `join_all`, so that code can change from one to the other while runs are parked.
    type Pending = Vec<PendingItem<F::Pending>>;
    const ENDS_AT_ONCE: bool = F::ENDS_AT_ONCE;
    const AWAITED: Awaited = Awaited::List(&F::AWAITED);

    fn start(self, cx: &Context) -> Result<Self::Pending, StepError> {
        cx.wait_for_any(|| self.0.start_items(cx))
    }

    fn poll(pending: &mut Self::Pending, cx: &Context) -> Result<Poll<Self::Output>, StepError> {
        let Some((winner, value)) = cx.wait_for_any(|| first::<F>(pending, cx))? else {
            return Ok(Poll::Pending);
        };
        let losers = std::mem::take(pending).into_iter().enumerate();
        for (_, loser) in losers.filter(|(index, _)| *index != winner) {
            JoinAll::<F>::give_up(loser, cx)?;
        }
        Ok(Poll::Ready((winner, value)))
    }

    fn has_ended(pending: &Self::Pending) -> bool {
        pending.iter().any(|item| match item {
            PendingItem::Pending(operation) => F::has_ended(operation),
            PendingItem::Ready(_) => true,
        })
    }

    fn arrived(pending: &Self::Pending, cx: &Context) -> Arrived {
        pending.iter().map(|item| arrived::<F>(item, cx)).min().unwrap_or(Arrived::Not)
    }

    fn cancel(pending: Self::Pending, cx: &Context) -> Result<(), StepError> {
        pending.into_iter().try_for_each(|item| JoinAll::<F>::give_up(item, cx))
    }
}

/// The index and output of the one that ended first.
fn first<F: DurableFuture>(
    items: &mut [PendingItem<F::Pending>],
    cx: &Context,
) -> Result<Option<(usize, F::Output)>, StepError>
where
    F::Output: Durable,
{
    let mut order: Vec<_> = (0..items.len()).collect();
    order.sort_by_key(|index| arrived::<F>(&items[*index], cx));
    for index in order {
        match &mut items[index] {
            PendingItem::Pending(operation) => {
                if let Poll::Ready(value) = F::poll(operation, cx)? {
                    return Ok(Some((index, value)));
                }
            }
            PendingItem::Ready(outcome) => {
                let value = codec::from_outcome(outcome).map_err(StepError::Decode)?;
                return Ok(Some((index, value)));
            }
        }
    }
    Ok(None)
}

fn arrived<F: DurableFuture>(item: &PendingItem<F::Pending>, cx: &Context) -> Arrived {
    match item {
        PendingItem::Pending(operation) => F::arrived(operation, cx),
        PendingItem::Ready(_) => Arrived::Unknown,
    }
}

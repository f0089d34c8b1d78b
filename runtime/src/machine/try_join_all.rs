//! Awaiting a list of operations of one kind that may fail.

use std::task::Poll;

use super::future::sealed::Sealed;
use super::{Awaited, Context, Durable, DurableFuture, JoinAll, PendingItem, StepError};
use crate::codec;
use crate::generated::{MayFail, fallible::is_error};

/// A wait for all operations of a list or for the first that fails, created by [`try_join_all`].
#[derive(Debug)]
#[must_use = "the operations do not start until the list is awaited"]
pub struct TryJoinAll<F>(JoinAll<F>);

/// Starts all operations at once and waits for all of them; each returns a `Result`. Returns the values in the
/// order of the operations, or the first error as soon as there is one; the other operations are then dropped.
///
/// If several have failed when the run makes its step, the first of them in the list counts.
///
/// ```
/// use piton::prelude::*;
///
/// #[activity]
/// async fn reserve(item: String) -> Result<u64> {
///     Ok(item.len() as u64)
/// }
///
/// #[workflow]
/// async fn reserve_all(items: Vec<String>) -> Result<u64> {
///     let reserved = try_join_all(items.into_iter().map(reserve)).await?;
///     Ok(reserved.into_iter().sum())
/// }
/// # use piton::Result;
/// ```
pub fn try_join_all<F: DurableFuture>(operations: impl IntoIterator<Item = F>) -> TryJoinAll<F>
where
    F::Output: MayFail,
{
    TryJoinAll(super::join_all(operations))
}

type ValueOf<F> = <<F as DurableFuture>::Output as MayFail>::Value;
type ErrorOf<F> = <<F as DurableFuture>::Output as MayFail>::Error;

impl<F> Sealed for TryJoinAll<F> {}

#[diagnostic::do_not_recommend]
impl<F: DurableFuture> DurableFuture for TryJoinAll<F>
where
    F::Output: Durable + MayFail,
{
    type Output = Result<Vec<ValueOf<F>>, ErrorOf<F>>;
    // Saved like a `join_all`, so that code can change from one to the other while runs are parked.
    type Pending = Vec<PendingItem<F::Pending>>;
    // An error ends it before its last wait.
    const ENDS_AT_ONCE: bool = false;
    const AWAITED: Awaited = Awaited::List(&F::AWAITED);

    fn start(self, cx: &Context) -> Result<Self::Pending, StepError> {
        cx.wait_for_all_or_failure(|| self.0.start_items(cx))
    }

    fn poll(pending: &mut Self::Pending, cx: &Context) -> Result<Poll<Self::Output>, StepError> {
        let failed = cx.wait_for_all_or_failure(|| look_at_items::<F>(pending, cx))?;
        if let Some(failed) = failed {
            let mut items = std::mem::take(pending);
            let error = items.swap_remove(failed);
            for item in items {
                JoinAll::<F>::give_up(item, cx)?;
            }
            return match error {
                PendingItem::Ready(outcome) => {
                    let outcome = codec::from_outcome::<F::Output>(&outcome);
                    let outcome = outcome.map_err(StepError::Decode)?.into_result();
                    Ok(outcome.err().map_or(Poll::Pending, |error| Poll::Ready(Err(error))))
                }
                PendingItem::Pending(_) => Ok(Poll::Pending),
            };
        }
        if pending.iter().any(|item| matches!(item, PendingItem::Pending(_))) {
            return Ok(Poll::Pending);
        }
        let values = std::mem::take(pending).into_iter().filter_map(|item| match item {
            PendingItem::Ready(outcome) => Some(codec::from_outcome::<F::Output>(&outcome)),
            PendingItem::Pending(_) => None,
        });
        let values = values.map(|value| value.map(MayFail::into_result).map_err(StepError::Decode));
        let values: Vec<_> = values.collect::<Result<_, _>>()?;
        Ok(Poll::Ready(values.into_iter().collect()))
    }

    fn has_ended(pending: &Self::Pending) -> bool {
        pending.iter().all(|item| match item {
            PendingItem::Pending(operation) => F::has_ended(operation),
            PendingItem::Ready(_) => true,
        })
    }

    fn cancel(pending: Self::Pending, cx: &Context) -> Result<(), StepError> {
        pending.into_iter().try_for_each(|item| JoinAll::<F>::give_up(item, cx))
    }
}

/// Takes the outcomes that have arrived, up to the first failure. Returns the index of the failed item.
fn look_at_items<F: DurableFuture>(
    items: &mut [PendingItem<F::Pending>],
    cx: &Context,
) -> Result<Option<usize>, StepError>
where
    F::Output: Durable,
{
    for (index, item) in items.iter_mut().enumerate() {
        JoinAll::<F>::look_at(item, cx)?;
        if let PendingItem::Ready(outcome) = item
            && is_error(outcome.as_bytes())?
        {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

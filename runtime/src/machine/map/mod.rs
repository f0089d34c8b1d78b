//! Calling an activity for each of many items, with limited concurrency.
//!
//! The saved form contains the arguments of the remaining calls, the results so far, and the outstanding
//! operations. There are somewhat more of these than may run at the same time: they are part of the committed state
//! and wait for a slot, so that the next one begins without a commit. A step requests more when all of them have
//! begun. Since every step writes the whole state, the number of steps is limited: each requests a sixty-fourth of
//! the items, or as many as may run at the same time, whichever is more. Parts that a step does not touch are
//! copied as bytes.

mod gather;
mod packed;

use std::marker::PhantomData;
use std::task::Poll;

use serde::{Deserialize, Serialize};

pub use self::gather::{All, Counted, Gather, MapCounts, Tolerant, TolerantCount, TooManyFailures};
use self::packed::Packed;
use super::activity::StoredCall;
use super::future::sealed::Sealed;
use super::{Activity, ActivityCall, Awaited, Context, Durable, DurableFuture, StepError};
use crate::codec;
use crate::generated::MayFail;
use crate::generated::fallible::is_error;
use crate::model::{Handle, Outcomes, Payload};

/// The default number of items that run at the same time.
const CONCURRENCY: u32 = 64;

/// Roughly the number of steps for many items. Each step writes the remaining calls.
const STEPS: u32 = 64;

/// The maximum number of requested calls beyond those that may run. The worker scans them whenever a call ends.
const MAX_AHEAD: u32 = 512;

/// An activity for each of many items, created by [`Context::map`].
#[must_use = "nothing begins until it is awaited"]
pub struct Map<A, G = All> {
    calls: Vec<ActivityCall<A>>,
    at_once: u32,
    tolerated: u32,
    gather: PhantomData<fn() -> G>,
}

impl Context {
    /// Calls an activity for each of many items, with a limited number of calls at the same time
    /// ([`Map::concurrency`]). Returns the outputs in the order of the items.
    ///
    /// `call` creates all calls at once, when this method is called: `|item| ship(item)`. It may set options of the
    /// calls. The run's state contains the arguments of the remaining calls and the results of those that have
    /// ended, or with [`Map::discard`] only their number. With 100,000 items, a state has some megabytes, and each
    /// step writes it. The number of steps does not grow beyond a few hundred.
    ///
    /// Items begin in order. An item that is retried keeps its slot meanwhile.
    ///
    /// ```
    /// use piton::prelude::*;
    ///
    /// #[activity]
    /// async fn ship(parcel: u64) -> Result<String> {
    ///     Ok(format!("track-{parcel}"))
    /// }
    ///
    /// #[workflow]
    /// async fn ship_all(cx: &Context, parcels: Vec<u64>) -> Result<usize> {
    ///     let shipped = cx.map(parcels, ship).concurrency(20).tolerate(3).await?;
    ///     Ok(shipped.iter().filter(|parcel| parcel.is_ok()).count())
    /// }
    /// # use piton::Result;
    /// ```
    pub fn map<A: Activity, T>(
        &self,
        items: impl IntoIterator<Item = T>,
        call: impl FnMut(T) -> ActivityCall<A>,
    ) -> Map<A> {
        let calls = items.into_iter().map(call).collect();
        Map { calls, at_once: CONCURRENCY, tolerated: u32::MAX, gather: PhantomData }
    }
}

impl<A, G> Map<A, G> {
    /// Sets the maximum number of items that run at the same time. Default: 64.
    ///
    /// On a queue, this limits the number of calls in the queue; a quarter of them must have ended before the next
    /// ones are added.
    ///
    /// # Panics
    /// If `limit` is 0, because no item would ever begin.
    pub fn concurrency(mut self, limit: u32) -> Self {
        assert!(limit > 0, "`concurrency(0)` lets no item begin: at least 1 must be under way");
        self.at_once = limit;
        self
    }

    fn with<H>(self, tolerated: u32) -> Map<A, H> {
        let Self { calls, at_once, .. } = self;
        Map { calls, at_once, tolerated, gather: PhantomData }
    }
}

impl<A: Activity> Map<A>
where
    A::Output: MayFail,
{
    /// Continues while at most `failures` items fail. With one more, the running items are dropped, no others
    /// begin, and awaiting it returns [`TooManyFailures`] with the errors. Without this, all items are executed,
    /// whatever fails.
    pub fn tolerate(self, failures: u32) -> Map<A, Tolerant> {
        self.with(failures)
    }

    /// Counts the results instead of keeping them.
    pub fn discard(self) -> Map<A, Counted> {
        self.with(u32::MAX)
    }
}

impl<A: Activity> Map<A, Tolerant>
where
    A::Output: MayFail,
{
    /// See [`Map::discard`].
    pub fn discard(self) -> Map<A, TolerantCount> {
        let tolerated = self.tolerated;
        self.with(tolerated)
    }
}

impl<A: Activity> Map<A, Counted>
where
    A::Output: MayFail,
{
    /// See [`Map::tolerate`].
    pub fn tolerate(self, failures: u32) -> Map<A, TolerantCount> {
        self.with(failures)
    }
}

impl<A: Activity, G> std::fmt::Debug for Map<A, G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Map")
            .field("activity", &A::NAME)
            .field("items", &self.calls.len())
            .field("at_once", &self.at_once)
            .finish_non_exhaustive()
    }
}

/// The saved form of an awaited [`Map`].
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingMap {
    /// The progress.
    pub(crate) progress: MapProgress,
    at_once: u32,
    tolerated: u32,
    is_on_queue: bool,
    /// The remaining calls.
    rest: Packed<StoredCall>,
    /// The outputs of items with their numbers, in the order in which they ended, without those that are only
    /// counted.
    results: Packed<(u32, Payload)>,
}

/// The progress of a [`Map`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MapProgress {
    /// Number of items.
    pub(crate) total: u32,
    /// Number of items that succeeded.
    pub(crate) succeeded: u32,
    /// Number of items that failed.
    pub(crate) failed: u32,
    /// Outstanding items, by number.
    pub(crate) asked: Vec<(u32, Handle)>,
}

impl<A, G> Sealed for Map<A, G> {}

#[diagnostic::do_not_recommend]
impl<A: Activity, G: Gather<A::Output>> DurableFuture for Map<A, G>
where
    A::Output: Durable,
{
    type Output = G::Output;
    type Pending = PendingMap;
    const ENDS_AT_ONCE: bool = false;
    const AWAITED: Awaited = Awaited::Each(&ActivityCall::<A>::AWAITED);

    fn start(self, cx: &Context) -> Result<PendingMap, StepError> {
        let Self { calls, at_once, tolerated, .. } = self;
        let (mut rest, mut is_on_queue) = (Packed::new(), A::OPTIONS.queue.is_some());
        for call in calls {
            let call = StoredCall::of(call)?;
            is_on_queue |= call.is_on_queue();
            rest.push(&call)?;
        }
        let progress =
            MapProgress { total: rest.len(), succeeded: 0, failed: 0, asked: Vec::new() };
        let results = Packed::new();
        let mut pending = PendingMap { progress, at_once, tolerated, is_on_queue, rest, results };
        pending.go_on::<A>(cx)?;
        Ok(pending)
    }

    fn poll(pending: &mut PendingMap, cx: &Context) -> Result<Poll<G::Output>, StepError> {
        pending.take_outcomes::<A, G>(cx)?;
        let is_over = pending.progress.failed > pending.tolerated;
        if !is_over {
            pending.go_on::<A>(cx)?;
            if !pending.progress.asked.is_empty() {
                return Ok(Poll::Pending);
            }
        }
        pending.give_up(cx);
        let mut results = pending.results.take(u32::MAX)?;
        results.sort_unstable_by_key(|(number, _)| *number);
        let read = |(number, payload): (u32, Payload)| {
            Ok((number, codec::from_outcome(&payload).map_err(StepError::Decode)?))
        };
        let results = results.into_iter().map(read).collect::<Result<_, StepError>>()?;
        let MapProgress { total, succeeded, failed, .. } = pending.progress;
        let counts = MapCounts { total, succeeded, failed };
        Ok(Poll::Ready(G::gathered(results, counts, is_over)))
    }

    fn has_ended(pending: &PendingMap) -> bool {
        pending.progress.asked.is_empty()
    }

    fn cancel(pending: PendingMap, cx: &Context) -> Result<(), StepError> {
        pending.give_up(cx);
        Ok(())
    }
}

impl PendingMap {
    /// The arguments of the remaining calls.
    #[cfg(feature = "engine")]
    pub(crate) fn into_arguments(mut self) -> Result<Vec<Payload>, StepError> {
        let rest = self.rest.take(u32::MAX)?;
        Ok(rest.into_iter().map(|call| call.arguments).collect())
    }

    /// Takes the outcomes of running items.
    fn take_outcomes<A: Activity, G: Gather<A::Output>>(
        &mut self,
        cx: &Context,
    ) -> Result<(), StepError>
    where
        A::Output: Durable,
    {
        let mut left = Vec::with_capacity(self.progress.asked.len());
        for (number, handle) in std::mem::take(&mut self.progress.asked) {
            if !cx.has_outcome(handle) && !cx.ends(handle) {
                left.push((number, handle));
                continue;
            }
            let mut alone = handle.into();
            // This call is not awaited any more.
            let poll = cx.without_waits(|| ActivityCall::<A>::poll(&mut alone, cx));
            let Poll::Ready(value) = poll? else {
                left.push((number, handle));
                continue;
            };
            let payload = codec::to_tagged_payload(&value).map_err(StepError::Encode)?;
            let has_failed = G::COUNTS_FAILURES && is_error(payload.as_bytes())?;
            match has_failed {
                true => self.progress.failed += 1,
                false => self.progress.succeeded += 1,
            }
            if G::keeps(has_failed) {
                self.results.push(&(number, payload))?;
            }
        }
        self.progress.asked = left;
        Ok(())
    }

    /// Requests more items if all requested ones have begun, and waits until there is something to do.
    fn go_on<A: Activity>(&mut self, cx: &Context) -> Result<(), StepError> {
        let MapProgress { total, asked, .. } = &mut self.progress;
        let ahead = match self.is_on_queue {
            // All requested items are executed.
            true => 0,
            false => self.at_once.max(*total / STEPS).min(MAX_AHEAD),
        };
        let count_of = |asked: &[_]| u32::try_from(asked.len()).unwrap_or(u32::MAX);
        let missing = self.at_once.saturating_add(ahead).saturating_sub(count_of(asked));
        let first = *total - self.rest.len();
        for (number, call) in (first..).zip(self.rest.take(missing)?) {
            let handle = cx.without_waits(|| call.call::<A>().start(cx))?.handle();
            asked.push((number, handle));
        }
        let count = count_of(asked);
        if count == 0 {
            return Ok(());
        }
        let enough = match self.rest.len() {
            0 => count,
            _ if self.is_on_queue => self.at_once.div_ceil(4),
            _ => count.saturating_sub(self.at_once).max(1),
        };
        cx.wait_for_outcomes(Outcomes {
            of: asked.iter().map(|(_, handle)| *handle).collect(),
            ended: enough,
            failed: self.tolerated.saturating_sub(self.progress.failed).saturating_add(1),
            at_once: self.at_once,
        });
        Ok(())
    }

    /// Drops the running items.
    fn give_up(&self, cx: &Context) {
        for (_, handle) in &self.progress.asked {
            cx.settle(*handle);
        }
    }
}

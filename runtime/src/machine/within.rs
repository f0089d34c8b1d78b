//! Awaiting an operation for a limited time.

use std::error::Error;
use std::fmt;
use std::task::Poll;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::future::sealed::Sealed;
use super::spawn::copy;
use super::turns::Arrived;
use super::{Awaited, Context, DurableFuture, PendingTimer, Sleep, StepError};
use crate::model::{Handle, Operation, Timestamp};

/// A wait for an operation with a time limit, created by [`Context::timeout`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[must_use = "the operation does not start until the wait is awaited"]
pub struct Within<F> {
    limit: Duration,
    operation: F,
}

/// The error of [`Context::timeout`]: the time limit has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elapsed(());

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time limit has passed")
    }
}

impl Error for Elapsed {}

impl Context {
    /// Waits for an operation, or an `async` block, for at most `limit`. Returns its output as `Ok`, or
    /// [`Elapsed`]; the operation is then dropped. The time is counted from the step in which this is awaited.
    ///
    /// If the limit has passed before the run makes its step, for example because no worker was running, an output
    /// that has arrived by then still counts.
    ///
    /// ```
    /// use piton::prelude::*;
    ///
    /// #[activity]
    /// async fn quote(sku: String) -> u64 {
    ///     sku.len() as u64
    /// }
    ///
    /// #[workflow]
    /// async fn price(cx: &Context, sku: String) -> Option<u64> {
    ///     cx.timeout(minutes(5), quote(sku)).await.ok()
    /// }
    /// ```
    pub fn timeout<F: DurableFuture>(&self, limit: Duration, operation: F) -> Within<F> {
        Within { limit, operation }
    }
}

/// The saved form of an awaited [`Within`].
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingWithin<P> {
    timer: Handle,
    fire_at: Timestamp,
    operation: P,
}

impl<P> PendingWithin<P> {
    /// Changes the operation.
    #[cfg(feature = "engine")]
    pub(crate) fn try_map<E>(self, change: impl FnOnce(P) -> Result<P, E>) -> Result<Self, E> {
        Ok(Self { operation: change(self.operation)?, ..self })
    }
}

impl<F> Sealed for Within<F> {}

#[diagnostic::do_not_recommend]
impl<F: DurableFuture> DurableFuture for Within<F> {
    type Output = Result<F::Output, Elapsed>;
    type Pending = PendingWithin<F::Pending>;
    // Polled when its time has passed, whatever it is awaited together with.
    const ENDS_AT_ONCE: bool = false;
    const AWAITED: Awaited = Awaited::Within(&F::AWAITED);

    fn start(self, cx: &Context) -> Result<Self::Pending, StepError> {
        let Self { limit, operation } = self;
        let fire_at = cx.now() + limit;
        cx.wait_for_any(|| {
            let operation = operation.start(cx)?;
            let timer = cx.ask(Operation::Timer { fire_at });
            Ok(PendingWithin { timer, fire_at, operation })
        })
    }

    fn poll(pending: &mut Self::Pending, cx: &Context) -> Result<Poll<Self::Output>, StepError> {
        let is_over = pending.fire_at <= cx.now();
        let poll = cx.wait_for_any(|| {
            let poll = F::poll(&mut pending.operation, cx)?;
            if poll.is_pending() && !is_over {
                cx.wait_for(pending.timer);
            }
            Ok(poll)
        });
        match poll? {
            Poll::Ready(value) => {
                cx.settle(pending.timer);
                Ok(Poll::Ready(Ok(value)))
            }
            Poll::Pending if is_over => {
                F::cancel(copy(&pending.operation)?, cx)?;
                cx.settle(pending.timer);
                Ok(Poll::Ready(Err(Elapsed(()))))
            }
            Poll::Pending => Ok(Poll::Pending),
        }
    }

    fn has_ended(pending: &Self::Pending) -> bool {
        F::has_ended(&pending.operation)
    }

    fn arrived(pending: &Self::Pending, cx: &Context) -> Arrived {
        F::arrived(&pending.operation, cx).min(cx.arrived(pending.timer))
    }

    fn cancel(pending: Self::Pending, cx: &Context) -> Result<(), StepError> {
        cx.settle(pending.timer);
        F::cancel(pending.operation, cx)
    }
}

/// A wait for the time limit of an `async` block. For generated code.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[must_use = "a timer does nothing until it is awaited"]
pub struct Elapse(Sleep);

impl Context {
    /// For generated code: the timer beside the block of `cx.timeout(limit, async { … })`.
    #[doc(hidden)]
    pub fn elapse(&self, limit: Duration) -> Elapse {
        Elapse(self.sleep(limit))
    }
}

impl Sealed for Elapse {}

#[diagnostic::do_not_recommend]
impl DurableFuture for Elapse {
    type Output = Elapsed;
    type Pending = PendingTimer;
    const AWAITED: Awaited = Awaited::Timer;

    fn start(self, cx: &Context) -> Result<PendingTimer, StepError> {
        self.0.start(cx)
    }

    fn poll(pending: &mut PendingTimer, cx: &Context) -> Result<Poll<Elapsed>, StepError> {
        Ok(Sleep::poll(pending, cx)?.map(|()| Elapsed(())))
    }

    fn arrived(pending: &PendingTimer, cx: &Context) -> Arrived {
        Sleep::arrived(pending, cx)
    }

    fn cancel(pending: PendingTimer, cx: &Context) -> Result<(), StepError> {
        Sleep::cancel(pending, cx)
    }
}

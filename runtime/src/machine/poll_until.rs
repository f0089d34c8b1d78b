//! Calling an activity repeatedly until it returns a value.

use std::fmt;
use std::task::Poll;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::activity::StoredCall;
use super::future::sealed::Sealed;
use super::{Activity, ActivityCall, Awaited, Context, DurableFuture, StepError};
#[cfg(feature = "engine")]
use crate::model::Payload;
use crate::model::{Handle, Operation, Timestamp};

/// How long [`Context::poll_until`] waits between two calls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PollPolicy {
    /// The pause after the first call.
    pub interval: Duration,
    /// The factor by which each pause is longer than the previous one. Default: 1, so all pauses are equal.
    pub factor: f64,
    /// The longest pause. Default: no limit.
    pub max_interval: Option<Duration>,
}

impl PollPolicy {
    /// Equal pauses between all calls.
    pub fn every(interval: Duration) -> Self {
        Self { interval, factor: 1.0, max_interval: None }
    }

    /// Makes each pause `factor` times as long as the previous one, up to `max_interval`.
    ///
    /// # Panics
    /// If `factor` is less than 1 or not a number.
    pub fn backoff(self, factor: f64, max_interval: Duration) -> Self {
        assert!(factor >= 1.0, "pauses grow by a factor of at least 1, not {factor}");
        Self { factor, max_interval: Some(max_interval), ..self }
    }

    /// The pause after this number of calls, from 1.
    fn pause(self, calls: u32) -> Duration {
        let max = self.max_interval.unwrap_or(Duration::MAX).as_secs_f64();
        let exponent = i32::try_from(calls.saturating_sub(1)).unwrap_or(i32::MAX);
        let seconds = (self.interval.as_secs_f64() * self.factor.powi(exponent)).min(max);
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}

/// The output of an activity that can be [polled](Context::poll_until).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not show whether polling is over",
    label = "this is neither an `Option` nor a `bool`",
    note = "a polled activity returns an `Option` or a `bool`, or a `Result` of one; `Some` or `true` ends the \
            polling"
)]
pub trait Polled {
    /// The value that polling returns in the end.
    type Value;

    /// The value, if polling has ended.
    fn over(self) -> Option<Self::Value>;
}

impl<T> Polled for Option<T> {
    type Value = T;

    fn over(self) -> Self {
        self
    }
}

impl Polled for bool {
    type Value = ();

    fn over(self) -> Option<()> {
        self.then_some(())
    }
}

impl<P: Polled, E> Polled for Result<P, E> {
    type Value = Result<P::Value, E>;

    fn over(self) -> Option<Self::Value> {
        match self {
            Ok(polled) => polled.over().map(Ok),
            Err(error) => Some(Err(error)),
        }
    }
}

/// Repeated calls of an activity until it returns a value, created by [`Context::poll_until`].
#[must_use = "nothing is called until it is awaited"]
pub struct PollUntil<A> {
    call: ActivityCall<A>,
    policy: PollPolicy,
}

impl<A: Activity> fmt::Debug for PollUntil<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { call, policy } = self;
        f.debug_struct("PollUntil").field("call", call).field("policy", policy).finish()
    }
}

impl Context {
    /// Calls an activity repeatedly with the same arguments, with pauses, until it returns `Some` or `true`.
    /// Returns the value in the `Some`. An error ends the polling; failed attempts are retried first, by the retry
    /// policy of the call.
    ///
    /// The run is parked during pauses. To limit the time, wrap this in a [`timeout`](Context::timeout). If the
    /// other system can send something by itself, a signal or the token of an activity costs less.
    ///
    /// ```
    /// use piton::machine::PollPolicy;
    /// use piton::prelude::*;
    ///
    /// #[activity]
    /// async fn receipt(order: u64) -> Option<String> {
    ///     (order > 0).then(|| format!("receipt {order}"))
    /// }
    ///
    /// #[workflow]
    /// async fn wait_for_receipt(cx: &Context, order: u64) -> String {
    ///     let policy = PollPolicy::every(seconds(5)).backoff(2.0, minutes(10));
    ///     cx.poll_until(receipt(order), policy).await
    /// }
    /// ```
    pub fn poll_until<A: Activity>(
        &self,
        call: ActivityCall<A>,
        policy: PollPolicy,
    ) -> PollUntil<A> {
        PollUntil { call, policy }
    }
}

/// The saved form of an awaited [`PollUntil`].
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingPoll {
    /// The current wait.
    pub(crate) round: PollRound,
    calls: u32,
    policy: PollPolicy,
    call: StoredCall,
}

/// A wait of a [`PollUntil`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum PollRound {
    Call(Handle),
    Pause(Handle, Timestamp),
}

impl PendingPoll {
    /// The arguments of the call.
    #[cfg(feature = "engine")]
    pub(crate) fn arguments(&self) -> &Payload {
        &self.call.arguments
    }
}

impl<A> Sealed for PollUntil<A> {}

#[diagnostic::do_not_recommend]
impl<A: Activity> DurableFuture for PollUntil<A>
where
    A::Output: Polled,
{
    type Output = <A::Output as Polled>::Value;
    type Pending = PendingPoll;
    const ENDS_AT_ONCE: bool = false;
    const AWAITED: Awaited = Awaited::Repeated(&ActivityCall::<A>::AWAITED);

    fn start(self, cx: &Context) -> Result<PendingPoll, StepError> {
        let Self { call, policy } = self;
        let call = StoredCall::of(call)?;
        let handle = call.clone().call::<A>().start(cx)?.handle();
        Ok(PendingPoll { round: PollRound::Call(handle), calls: 1, policy, call })
    }

    fn poll(pending: &mut PendingPoll, cx: &Context) -> Result<Poll<Self::Output>, StepError> {
        if let PollRound::Pause(handle, fire_at) = pending.round {
            if cx.ends(handle) {
                cx.settle(handle);
                return Err(StepError::Cancelled);
            }
            if fire_at > cx.now() {
                cx.wait_for(handle);
                return Ok(Poll::Pending);
            }
            cx.settle(handle);
            let handle = pending.call.clone().call::<A>().start(cx)?.handle();
            pending.calls = pending.calls.saturating_add(1);
            pending.round = PollRound::Call(handle);
            return Ok(Poll::Pending);
        }
        let PollRound::Call(handle) = pending.round else { return Ok(Poll::Pending) };
        match ActivityCall::<A>::poll(&mut handle.into(), cx)? {
            Poll::Pending => Ok(Poll::Pending),
            Poll::Ready(polled) => match polled.over() {
                Some(value) => Ok(Poll::Ready(value)),
                None => {
                    let fire_at = cx.now() + pending.policy.pause(pending.calls);
                    let handle = cx.ask(Operation::Timer { fire_at });
                    pending.round = PollRound::Pause(handle, fire_at);
                    Ok(Poll::Pending)
                }
            },
        }
    }

    fn cancel(pending: PendingPoll, cx: &Context) -> Result<(), StepError> {
        let (PollRound::Call(handle) | PollRound::Pause(handle, _)) = pending.round;
        cx.settle(handle);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_the_longest() {
        let seconds = |policy: PollPolicy, calls: &[u32]| {
            calls.iter().map(|calls| policy.pause(*calls).as_secs()).collect::<Vec<_>>()
        };
        let every = PollPolicy::every(Duration::from_secs(5));
        assert_eq!(seconds(every, &[1, 2, 1_000_000]), [5, 5, 5]);
        let growing = every.backoff(2.0, Duration::from_secs(60));
        assert_eq!(seconds(growing, &[1, 2, 3, 4, 5, u32::MAX]), [5, 10, 20, 40, 60, 60]);
        let endless = PollPolicy { factor: 10.0, ..every };
        assert_eq!(endless.pause(u32::MAX), Duration::MAX);
    }
}

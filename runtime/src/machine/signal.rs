//! Signals: values sent to a run from outside, kept in order until the run takes them.

use std::marker::PhantomData;
use std::task::Poll;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::future::sealed::Sealed;
use super::pending::{PendingLimited, PendingOne};
use super::turns::Arrived;
use super::{Awaited, Context, DurableFuture, StepError};
use crate::codec::{self, CodecError, Described};
use crate::model::{Operation, Payload};

/// A type whose values can be sent to a run. Derive it: `#[derive(Signal, Serialize, Deserialize)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a signal",
    note = "add `#[derive(Signal, Serialize, Deserialize)]` to the type"
)]
pub trait Signal: SignalValue + 'static {
    /// The stored name; by default the type's name.
    const NAME: &'static str;
}

/// How values of a signal are encoded and decoded. Implemented for every type that is `Serialize +
/// DeserializeOwned`.
///
/// These are not supertraits, because a type that implements neither would then cause two errors.
#[diagnostic::on_unimplemented(
    message = "the signal `{Self}` cannot be stored",
    label = "`{Self}` must implement `serde::Serialize` and `serde::de::DeserializeOwned`",
    note = "derive them with it: `#[derive(Signal, Serialize, Deserialize)]`"
)]
pub trait SignalValue: Sized {
    /// The schema of the type.
    #[doc(hidden)]
    const DESCRIBED: Described;

    /// Encodes the value.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if it cannot be encoded.
    fn to_payload(&self) -> Result<Payload, CodecError>;

    /// Decodes a value.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if the payload is not a value of this type.
    fn from_payload(payload: &Payload) -> Result<Self, CodecError>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> SignalValue for T {
    const DESCRIBED: Described = Described::of::<T>();

    fn to_payload(&self) -> Result<Payload, CodecError> {
        codec::to_payload(self)
    }

    fn from_payload(payload: &Payload) -> Result<Self, CodecError> {
        codec::from_payload(payload)
    }
}

/// A wait for the next signal of a type, created by [`Context::signal`].
#[must_use = "a signal is not waited for until the wait is awaited"]
pub struct SignalWait<S>(PhantomData<fn() -> S>);

impl<S> SignalWait<S> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<S: Signal> std::fmt::Debug for SignalWait<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SignalWait").field(&S::NAME).finish()
    }
}

impl<S: Signal> SignalWait<S> {
    /// Waits for at most `limit`, and returns `None` after that. If the limit has passed before the run makes its
    /// step, for example because no worker was running, a signal that has arrived by then still counts, unless
    /// another wait for such a signal can have it.
    ///
    /// ```ignore
    /// match cx.signal::<Approve>().timeout(days(3)).await {
    ///     Some(approve) => info!(by = approve.by, "approved"),
    ///     None => bail!("nobody approved"),
    /// }
    /// ```
    pub fn timeout(self, limit: Duration) -> SignalWithin<S> {
        SignalWithin { limit, signal: PhantomData }
    }
}

/// A wait for the next signal of a type with a time limit, created by [`SignalWait::timeout`].
#[must_use = "a signal is not waited for until the wait is awaited"]
pub struct SignalWithin<S> {
    limit: Duration,
    signal: PhantomData<fn() -> S>,
}

impl<S: Signal> std::fmt::Debug for SignalWithin<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SignalWithin").field(&S::NAME).field(&self.limit).finish()
    }
}

/// Takes the first signal that can be read as the type. Signals sent as JSON that cannot be read become dead
/// letters, so that they block neither the run nor later signals. A signal encoded by another build stays in the
/// inbox, and the run is blocked until a build can read it.
fn take_readable<S: Signal>(
    cx: &Context,
    take: fn(&Context, &str) -> Option<Payload>,
) -> Result<Option<S>, StepError> {
    loop {
        let Some(payload) = take(cx, S::NAME) else { return Ok(None) };
        match S::from_payload(&payload) {
            Ok(signal) => return Ok(Some(signal)),
            Err(error) if codec::schema_of(&payload).is_some() => {
                return Err(StepError::Signal { name: S::NAME, error });
            }
            Err(error) => cx.set_aside_signal(S::NAME, &error),
        }
    }
}

impl<S> Sealed for SignalWithin<S> {}

#[diagnostic::do_not_recommend]
impl<S: Signal> DurableFuture for SignalWithin<S> {
    type Output = Option<S>;
    type Pending = PendingLimited;
    // Polled when its time has passed, whatever it is awaited together with: later signals are left to others.
    const ENDS_AT_ONCE: bool = false;
    const AWAITED: Awaited =
        Awaited::Signal { name: S::NAME, value: S::DESCRIBED, is_limited: true };

    fn start(self, cx: &Context) -> Result<PendingLimited, StepError> {
        let name = S::NAME.to_owned();
        PendingLimited::start(cx, self.limit, |until| {
            Ok(cx.ask(Operation::Signal { name, until: Some(until) }))
        })
    }

    fn poll(pending: &mut PendingLimited, cx: &Context) -> Result<Poll<Option<S>>, StepError> {
        pending.poll(cx, |is_late| {
            take_readable(
                cx,
                if is_late { Context::take_late_signal } else { Context::take_signal },
            )
        })
    }

    fn arrived(pending: &PendingLimited, cx: &Context) -> Arrived {
        pending.arrived(cx)
    }

    fn cancel(pending: PendingLimited, cx: &Context) -> Result<(), StepError> {
        pending.settle(cx);
        Ok(())
    }
}

impl<S> Sealed for SignalWait<S> {}

#[diagnostic::do_not_recommend]
impl<S: Signal> DurableFuture for SignalWait<S> {
    type Output = S;
    type Pending = PendingOne;
    const AWAITED: Awaited =
        Awaited::Signal { name: S::NAME, value: S::DESCRIBED, is_limited: false };

    fn start(self, cx: &Context) -> Result<PendingOne, StepError> {
        Ok(PendingOne(cx.ask(Operation::Signal { name: S::NAME.to_owned(), until: None })))
    }

    fn poll(pending: &mut PendingOne, cx: &Context) -> Result<Poll<S>, StepError> {
        cx.poll_one(pending.0, take_readable(cx, Context::take_signal)?)
    }

    fn arrived(pending: &PendingOne, cx: &Context) -> Arrived {
        cx.arrived(pending.0)
    }

    fn cancel(pending: PendingOne, cx: &Context) -> Result<(), StepError> {
        cx.settle(pending.0);
        Ok(())
    }
}

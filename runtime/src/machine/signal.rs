//! Signals: values sent to a run from outside, kept in order until it asks for them.

use std::marker::PhantomData;
use std::task::Poll;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::future::sealed::Sealed;
use super::turns::Arrived;
use super::{Awaited, Context, DurableFuture, StepError};
use crate::codec::{self, CodecError, Described};
use crate::model::{Handle, Operation, Payload, Timestamp};

/// A type whose values can be sent to a run. Derive it: `#[derive(Signal, Serialize, Deserialize)]`.
pub trait Signal: SignalValue + 'static {
    /// The stored name; by default the type's name.
    const NAME: &'static str;
}

/// How values of a signal are written down and read back. Implemented for everything that is
/// `Serialize + DeserializeOwned`.
///
/// These are no supertraits, because a type that is neither would be two errors.
#[diagnostic::on_unimplemented(
    message = "the signal `{Self}` cannot be stored",
    label = "`{Self}` must implement `serde::Serialize` and `serde::de::DeserializeOwned`",
    note = "derive them with it: `#[derive(Signal, Serialize, Deserialize)]`"
)]
pub trait SignalValue: Sized {
    /// What it looks like.
    #[doc(hidden)]
    const DESCRIBED: Described;

    /// The value as a signal carries it.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if it cannot be encoded.
    fn to_payload(&self) -> Result<Payload, CodecError>;

    /// Reads a value that a signal has brought.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if it is not one of this type.
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

/// A wait for the next signal of a type, made by [`Context::signal`].
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
    /// Waits no longer than this: gives `None` then. If the time has passed when the run gets to look,
    /// because no worker had it for a while, a signal that has come by then counts, unless another wait
    /// for such a signal goes on that can have it.
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

/// A wait for the next signal of a type that ends after a time, made by [`SignalWait::timeout`].
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

/// Takes the first waiting signal that is a value of the type. JSON before it that is none is set aside, so that it holds up
/// neither the run nor the signals behind it. What another build wrote as its own type waits, with the run, for
/// a build that can read it.
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

/// The saved form of an awaited [`SignalWithin`].
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingSignalWithin {
    signal: Handle,
    timer: Handle,
    fire_at: Timestamp,
}

impl PendingSignalWithin {
    /// Waits for either.
    fn wait(&self, cx: &Context) {
        cx.open_waits(false);
        cx.wait_for(self.signal);
        cx.wait_for(self.timer);
        cx.close_waits(true);
    }

    pub(super) fn settle(&self, cx: &Context) {
        cx.settle(self.signal);
        cx.settle(self.timer);
    }

    /// Asks for what is waited for until its time is over.
    pub(super) fn start(
        cx: &Context,
        limit: Duration,
        operation: impl FnOnce(Option<Timestamp>) -> Operation,
    ) -> Self {
        let fire_at = cx.now() + limit;
        cx.open_waits(false);
        let signal = cx.ask(operation(Some(fire_at)));
        let timer = cx.ask(Operation::Timer { fire_at });
        cx.close_waits(true);
        Self { signal, timer, fire_at }
    }

    /// Since when there has been something to take, or the time has been over.
    pub(super) fn arrived(&self, cx: &Context) -> Arrived {
        cx.arrived(self.signal).min(cx.arrived(self.timer))
    }

    /// Takes what has come, which is told whether the time is over.
    pub(super) fn poll<T>(
        &self,
        cx: &Context,
        take: impl FnOnce(bool) -> Result<Option<T>, StepError>,
    ) -> Result<Poll<Option<T>>, StepError> {
        let is_over = self.fire_at <= cx.now();
        if let Some(taken) = take(is_over)? {
            self.settle(cx);
            Ok(Poll::Ready(Some(taken)))
        } else if is_over {
            self.settle(cx);
            Ok(Poll::Ready(None))
        } else if cx.ends(self.signal) {
            self.settle(cx);
            Err(StepError::Cancelled)
        } else {
            self.wait(cx);
            Ok(Poll::Pending)
        }
    }
}

impl<S> Sealed for SignalWithin<S> {}

#[diagnostic::do_not_recommend]
impl<S: Signal> DurableFuture for SignalWithin<S> {
    type Output = Option<S>;
    type Pending = PendingSignalWithin;
    // It is over when its time is, whatever it is awaited together with: what comes later is for others.
    const ENDS_AT_ONCE: bool = false;
    const AWAITED: Awaited =
        Awaited::Signal { name: S::NAME, value: S::DESCRIBED, is_limited: true };

    fn start(self, cx: &Context) -> Result<PendingSignalWithin, StepError> {
        let name = S::NAME.to_owned();
        Ok(PendingSignalWithin::start(cx, self.limit, |until| Operation::Signal { name, until }))
    }

    fn poll(pending: &mut PendingSignalWithin, cx: &Context) -> Result<Poll<Option<S>>, StepError> {
        pending.poll(cx, |is_late| {
            take_readable(
                cx,
                if is_late { Context::take_late_signal } else { Context::take_signal },
            )
        })
    }

    fn arrived(pending: &PendingSignalWithin, cx: &Context) -> Arrived {
        pending.arrived(cx)
    }

    fn cancel(pending: PendingSignalWithin, cx: &Context) -> Result<(), StepError> {
        pending.settle(cx);
        Ok(())
    }
}

/// The saved form of an awaited signal.
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingSignal(pub(super) Handle);

impl PendingSignal {
    pub(crate) fn handle(&self) -> Handle {
        self.0
    }
}

impl From<Handle> for PendingSignal {
    fn from(handle: Handle) -> Self {
        Self(handle)
    }
}

impl<S> Sealed for SignalWait<S> {}

#[diagnostic::do_not_recommend]
impl<S: Signal> DurableFuture for SignalWait<S> {
    type Output = S;
    type Pending = PendingSignal;
    const AWAITED: Awaited =
        Awaited::Signal { name: S::NAME, value: S::DESCRIBED, is_limited: false };

    fn start(self, cx: &Context) -> Result<PendingSignal, StepError> {
        Ok(PendingSignal(cx.ask(Operation::Signal { name: S::NAME.to_owned(), until: None })))
    }

    fn poll(pending: &mut PendingSignal, cx: &Context) -> Result<Poll<S>, StepError> {
        if let Some(signal) = take_readable(cx, Context::take_signal)? {
            cx.settle(pending.0);
            Ok(Poll::Ready(signal))
        } else if cx.ends(pending.0) {
            cx.settle(pending.0);
            Err(StepError::Cancelled)
        } else {
            cx.wait_for(pending.0);
            Ok(Poll::Pending)
        }
    }

    fn arrived(pending: &PendingSignal, cx: &Context) -> Arrived {
        cx.arrived(pending.0)
    }

    fn cancel(pending: PendingSignal, cx: &Context) -> Result<(), StepError> {
        cx.settle(pending.0);
        Ok(())
    }
}

//! Signals: values sent to a run from outside, kept in order until it asks for them.

use std::marker::PhantomData;
use std::task::Poll;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::future::sealed::Sealed;
use super::{Context, DurableFuture, StepError};
use crate::codec;
use crate::model::{Handle, Operation};

/// A type whose values can be sent to a run. Derive it: `#[derive(Signal, Serialize, Deserialize)]`.
pub trait Signal: Serialize + DeserializeOwned + 'static {
    /// The stored name; by default the type's name.
    const NAME: &'static str;
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

/// The saved form of an awaited signal.
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingSignal(Handle);

impl<S> Sealed for SignalWait<S> {}

impl<S: Signal> DurableFuture for SignalWait<S> {
    type Output = S;
    type Pending = PendingSignal;

    fn start(self, cx: &Context) -> Result<PendingSignal, StepError> {
        Ok(PendingSignal(cx.ask(Operation::Signal { name: S::NAME.to_owned() })))
    }

    fn poll(pending: &mut PendingSignal, cx: &Context) -> Result<Poll<S>, StepError> {
        if let Some(payload) = cx.take_signal(S::NAME) {
            cx.settle(pending.0);
            let signal = codec::from_payload(&payload).map_err(StepError::Decode)?;
            Ok(Poll::Ready(signal))
        } else if cx.ends(pending.0) {
            cx.settle(pending.0);
            Err(StepError::Cancelled)
        } else {
            cx.wait_for(pending.0);
            Ok(Poll::Pending)
        }
    }

    fn cancel(pending: PendingSignal, cx: &Context) -> Result<(), StepError> {
        cx.settle(pending.0);
        Ok(())
    }
}

//! Promises: values that a run awaits and others provide by a token.

use std::fmt;
use std::marker::PhantomData;
use std::task::Poll;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};

use super::future::sealed::Sealed;
use super::pending::{PendingLimited, PendingOne};
use super::turns::Arrived;
use super::{
    ActivityError, Awaited, Context, Durable, DurableFuture, Never, OperationOutcome, StepError,
    handles,
};
use crate::codec::{self, CodecError, Described, schemas};
use crate::model::{
    Cause, Handle, Operation, Payload, PromiseOutcome, PromiseToken, PromiseTypes, PromiseWait,
    Timestamp,
};

/// A value that a run awaits and that anyone with its token provides, once. Created by [`Context::promise`].
///
/// A promise can be held across awaits, cloned, and awaited more than once. Awaiting it returns the value, or the
/// reason why there is none.
#[must_use = "a promise is not waited for until it is awaited"]
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "", deserialize = "T: Durable, E: Durable"))]
pub struct Promise<T = (), E = Never> {
    #[serde(deserialize_with = "read_token::<T, E, _>")]
    token: PromiseToken,
    expires_at: Option<Timestamp>,
    #[serde(skip)]
    types: PhantomData<fn() -> (T, E)>,
}

/// Reads the token. Records the handle first, because the tracer's made-up text may fail as a token.
fn read_token<'de, T: Durable, E: Durable, D: Deserializer<'de>>(
    from: D,
) -> Result<PromiseToken, D::Error> {
    handles::note(&Promise::<T, E>::AWAITED);
    PromiseToken::deserialize(from)
}

impl<T, E> Promise<T, E> {
    pub(crate) fn of(token: PromiseToken) -> Self {
        Self { token, expires_at: None, types: PhantomData }
    }

    /// The token by which others name the promise, see [`PromiseToken`].
    pub fn token(&self) -> PromiseToken {
        self.token.clone()
    }

    /// Sets an expiry time. If the promise is not completed by then, waits return [`PromiseError::Expired`], and it
    /// can no longer be completed. The first committed wait sets the time.
    pub fn expires_at(mut self, at: impl Into<Timestamp>) -> Self {
        self.expires_at = Some(at.into());
        self
    }

    /// The promise for one attempt, named `<name>/<attempt>`. A late answer to an abandoned attempt then does not
    /// complete the promise of the next one.
    pub fn for_attempt(mut self, attempt: u32) -> Self {
        self.token = self.token.for_attempt(attempt);
        self
    }

    /// Waits for at most `limit`, and returns `None` after that; the promise can still be completed and awaited
    /// again. If the limit has passed before the run makes its step, for example because no worker was running, an
    /// outcome that has arrived by then still counts.
    pub fn timeout(self, limit: Duration) -> PromiseWithin<T, E> {
        PromiseWithin { promise: self, limit }
    }

    /// Awaits an operation, completes the promise with its output, and returns the output.
    ///
    /// If the promise was completed before, its outcome stays, and the caller still gets the operation's output. If
    /// the run ends before the operation does, the promise is not completed.
    ///
    /// ```
    /// use piton::machine::{Never, Promise};
    /// use piton::prelude::*;
    ///
    /// #[activity]
    /// async fn quote(parts: u32) -> u64 {
    ///     u64::from(parts) * 99
    /// }
    ///
    /// /// Others await the shared promise `price`.
    /// #[workflow]
    /// async fn price(cx: &Context, parts: u32) -> u64 {
    ///     let price: Promise<u64, Never> = cx.shared_promise("price");
    ///     let cents = price.fill(quote(parts)).await;
    ///     cents
    /// }
    /// ```
    pub fn fill<F: DurableFuture>(&self, operation: F) -> Fill<F, T, E>
    where
        F::Output: Fills<T, E>,
    {
        Fill { token: self.token.clone(), operation, types: PhantomData }
    }

    fn wait(self) -> PromiseWait {
        PromiseWait { token: self.token, expires_at: self.expires_at }
    }
}

impl<T, E> Clone for Promise<T, E> {
    fn clone(&self) -> Self {
        Self { token: self.token.clone(), expires_at: self.expires_at, types: PhantomData }
    }
}

impl<T, E> PartialEq for Promise<T, E> {
    fn eq(&self, other: &Self) -> bool {
        (&self.token, self.expires_at) == (&other.token, other.expires_at)
    }
}

impl<T, E> Eq for Promise<T, E> {}

impl<T, E> fmt::Debug for Promise<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Promise").field(&self.token.to_string()).finish()
    }
}

/// Why a promise has no value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum PromiseError<E> {
    /// It was rejected with this error.
    Rejected(E),
    /// It was completed with an untyped cause.
    Broken(Cause),
    /// It was not completed before it expired.
    Expired,
}

impl<E: fmt::Display> fmt::Display for PromiseError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(error) => error.fmt(f),
            Self::Broken(cause) => write!(f, "the promise is broken: {cause}"),
            Self::Expired => f.write_str("the promise has expired"),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for PromiseError<E> {}

/// The schemas of the value and the error.
fn types<T: Durable, E: Durable>() -> PromiseTypes {
    PromiseTypes {
        resolved: schemas::of_type(Described::of::<T>()).hash,
        rejected: schemas::of_type(Described::of::<E>()).hash,
    }
}

/// Decodes the outcome of a promise.
pub(crate) fn read<T: Durable, E: Durable>(
    outcome: &PromiseOutcome,
) -> Result<Result<T, PromiseError<E>>, CodecError> {
    Ok(match outcome {
        PromiseOutcome::Resolved(payload) => Ok(codec::from_payload(payload)?),
        PromiseOutcome::Rejected(payload) => {
            Err(PromiseError::Rejected(codec::from_payload(payload)?))
        }
        PromiseOutcome::Broken(cause) => Err(PromiseError::Broken(cause.clone())),
        PromiseOutcome::Expired => Err(PromiseError::Expired),
        PromiseOutcome::Failed(failure) => {
            Err(PromiseError::Broken(Cause::failure(format!("the item failed: {failure:?}"))))
        }
        PromiseOutcome::Unreadable { reason, .. } => {
            let type_name = "outcome of a promise";
            return Err(CodecError::Decode { type_name, reason: reason.clone() });
        }
    })
}

/// The outcome of a promise, if it has arrived.
fn take<T: Durable, E: Durable>(
    handle: Handle,
    cx: &Context,
) -> Result<Option<Result<T, PromiseError<E>>>, StepError> {
    let read = cx.take_outcome(handle, |outcome| match outcome {
        None => Ok(None),
        Some(OperationOutcome::Promise(outcome)) => read(outcome).map(Some),
        Some(_) => Err(CodecError::Decode {
            type_name: "outcome of a promise",
            reason: "it is that of an activity".to_owned(),
        }),
    });
    read.map_err(|error| StepError::Promise { name: name_of(handle, cx), error })
}

/// The name of an awaited promise.
fn name_of(handle: Handle, cx: &Context) -> String {
    cx.with_operations(|operations| {
        let index = operations.binary_search_by_key(&handle, |(handle, _)| *handle);
        match index.map(|index| &operations[index].1) {
            Ok(Operation::Promise(wait)) => wait.token.name().to_owned(),
            _ => String::new(),
        }
    })
}

impl<T, E> Sealed for Promise<T, E> {}

#[diagnostic::do_not_recommend]
impl<T: Durable, E: Durable> DurableFuture for Promise<T, E> {
    type Output = Result<T, PromiseError<E>>;
    type Pending = PendingOne;
    const AWAITED: Awaited = Awaited::Promise {
        resolved: Described::of::<T>(),
        rejected: Described::of::<E>(),
        is_limited: false,
    };

    fn start(self, cx: &Context) -> Result<PendingOne, StepError> {
        cx.ask_promise(self.wait(), types::<T, E>()).map(PendingOne)
    }

    fn poll(pending: &mut PendingOne, cx: &Context) -> Result<Poll<Self::Output>, StepError> {
        cx.poll_one(pending.0, take(pending.0, cx)?)
    }

    fn arrived(pending: &PendingOne, cx: &Context) -> Arrived {
        cx.arrived(pending.0)
    }

    fn cancel(pending: PendingOne, cx: &Context) -> Result<(), StepError> {
        cx.settle(pending.0);
        Ok(())
    }
}

/// A wait for a promise with a time limit, created by [`Promise::timeout`].
#[must_use = "a promise is not waited for until it is awaited"]
#[derive(Debug)]
pub struct PromiseWithin<T, E> {
    promise: Promise<T, E>,
    limit: Duration,
}

impl<T, E> Sealed for PromiseWithin<T, E> {}

#[diagnostic::do_not_recommend]
impl<T: Durable, E: Durable> DurableFuture for PromiseWithin<T, E> {
    type Output = Option<Result<T, PromiseError<E>>>;
    type Pending = PendingLimited;
    // Polled when its time has passed, whatever it is awaited together with.
    const ENDS_AT_ONCE: bool = false;
    const AWAITED: Awaited = Awaited::Promise {
        resolved: Described::of::<T>(),
        rejected: Described::of::<E>(),
        is_limited: true,
    };

    fn start(self, cx: &Context) -> Result<PendingLimited, StepError> {
        let wait = self.promise.wait();
        PendingLimited::start(cx, self.limit, |_| cx.ask_promise(wait, types::<T, E>()))
    }

    fn poll(pending: &mut PendingLimited, cx: &Context) -> Result<Poll<Self::Output>, StepError> {
        pending.poll(cx, |_| take(pending.operation(), cx))
    }

    fn arrived(pending: &PendingLimited, cx: &Context) -> Arrived {
        pending.arrived(cx)
    }

    fn cancel(pending: PendingLimited, cx: &Context) -> Result<(), StepError> {
        pending.settle(cx);
        Ok(())
    }
}

/// The outputs of operations that can [fill](Promise::fill) a promise of `T` and `E`: a `T`, or a `Result` of an
/// activity or a promise.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot complete a promise of `{T}` and `{E}`",
    label = "the output of the operation is `{Self}`",
    note = "its output must be the promise's value, or a `Result` of the value and `ActivityError` or `PromiseError` \
            of the promise's error"
)]
pub trait Fills<T, E> {
    /// The outcome of the promise.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the value or the error cannot be encoded.
    fn outcome(&self) -> Result<PromiseOutcome, CodecError>;
}

impl<T: Durable, E> Fills<T, E> for T {
    fn outcome(&self) -> Result<PromiseOutcome, CodecError> {
        resolved(self)
    }
}

impl<T: Durable, E: Durable + fmt::Debug + fmt::Display> Fills<T, E>
    for Result<T, ActivityError<E>>
{
    fn outcome(&self) -> Result<PromiseOutcome, CodecError> {
        let cause = match self {
            Ok(value) => return resolved(value),
            Err(ActivityError::Failed(error)) => return rejected(error),
            Err(ActivityError::Panicked(message)) => Cause::panic(message.clone()),
            Err(error @ (ActivityError::Cancelled | ActivityError::OutcomeUnknown)) => {
                Cause::interruption(error.to_string())
            }
            Err(error) => Cause::failure(error.to_string()),
        };
        Ok(PromiseOutcome::Broken(cause))
    }
}

impl<T: Durable, E: Durable> Fills<T, E> for Result<T, PromiseError<E>> {
    fn outcome(&self) -> Result<PromiseOutcome, CodecError> {
        match self {
            Ok(value) => resolved(value),
            Err(PromiseError::Rejected(error)) => rejected(error),
            Err(PromiseError::Broken(cause)) => Ok(PromiseOutcome::Broken(cause.clone())),
            Err(PromiseError::Expired) => {
                Ok(PromiseOutcome::Broken(Cause::failure("the promise has expired")))
            }
        }
    }
}

fn resolved<T: Durable>(value: &T) -> Result<PromiseOutcome, CodecError> {
    codec::to_payload(value).map(PromiseOutcome::Resolved)
}

fn rejected<E: Durable>(error: &E) -> Result<PromiseOutcome, CodecError> {
    codec::to_payload(error).map(PromiseOutcome::Rejected)
}

/// An operation that completes a promise when it ends, created by [`Promise::fill`].
#[must_use = "an operation does nothing until it is awaited in a workflow"]
pub struct Fill<F, T, E> {
    token: PromiseToken,
    operation: F,
    types: PhantomData<fn() -> (T, E)>,
}

impl<F, T, E> fmt::Debug for Fill<F, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Fill").field(&self.token.to_string()).finish_non_exhaustive()
    }
}

/// The saved form of an awaited [`Fill`].
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingFill {
    /// The saved form of the operation.
    pub(crate) operation: Payload,
    pub(crate) token: PromiseToken,
}

impl PendingFill {
    fn operation<F: DurableFuture>(&self) -> Result<F::Pending, StepError> {
        codec::decode(&self.operation.0).map_err(StepError::Decode)
    }

    fn save<F: DurableFuture>(&mut self, pending: &F::Pending) -> Result<(), StepError> {
        self.operation.0.clear();
        codec::encode_into(pending, &mut self.operation.0).map_err(StepError::Encode)
    }
}

impl<F, T, E> Sealed for Fill<F, T, E> {}

#[diagnostic::do_not_recommend]
impl<F: DurableFuture, T, E> DurableFuture for Fill<F, T, E>
where
    F::Output: Fills<T, E>,
{
    type Output = F::Output;
    type Pending = PendingFill;
    const ENDS_AT_ONCE: bool = F::ENDS_AT_ONCE;
    const AWAITED: Awaited = Awaited::Fill(&F::AWAITED);

    fn start(self, cx: &Context) -> Result<PendingFill, StepError> {
        let started = self.operation.start(cx)?;
        let mut pending = PendingFill { operation: Payload::default(), token: self.token };
        pending.save::<F>(&started)?;
        Ok(pending)
    }

    fn poll(pending: &mut PendingFill, cx: &Context) -> Result<Poll<F::Output>, StepError> {
        let mut operation = pending.operation::<F>()?;
        match F::poll(&mut operation, cx)? {
            Poll::Ready(output) => {
                let outcome = output.outcome().map_err(StepError::Encode);
                cx.send_outcome(pending.token.clone(), outcome);
                Ok(Poll::Ready(output))
            }
            Poll::Pending => {
                pending.save::<F>(&operation)?;
                Ok(Poll::Pending)
            }
        }
    }

    fn has_ended(pending: &PendingFill) -> bool {
        pending.operation::<F>().is_ok_and(|operation| F::has_ended(&operation))
    }

    fn arrived(pending: &PendingFill, cx: &Context) -> Arrived {
        let operation = pending.operation::<F>();
        operation.map_or(Arrived::Unknown, |operation| F::arrived(&operation, cx))
    }

    fn cancel(pending: PendingFill, cx: &Context) -> Result<(), StepError> {
        F::cancel(pending.operation::<F>()?, cx)
    }
}

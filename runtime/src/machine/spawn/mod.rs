//! Spawned operations: they run beside the code, and their handle is data.

mod ledger;

use std::fmt;
use std::task::Poll;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use self::ledger::Ledger;
use super::future::sealed::Sealed;
use super::turns::Arrived;
use super::{
    Activity, ActivityCall, Awaited, Context, Durable, DurableFuture, PendingActivity, PendingOne,
    PendingTimer, Signal, SignalWait, Sleep, StepError, handles,
};
use crate::codec;
use crate::error::Error;
use crate::model::{Handle, RunId};

/// An operation that can be [spawned](Context::spawn): a call of an activity, a timer, or a wait for a signal.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be spawned",
    label = "not a call of an activity, a timer or a signal",
    note = "to run code with several awaits concurrently, make it a branch of `join!` or start it as a child run",
    note = "the type of a handle names the operation, not its value: `Spawned<ActivityCall<quote>>`, or `Spawned<_>` in \
            the workflow"
)]
pub trait Spawn: DurableFuture {
    /// The operation's handle.
    #[doc(hidden)]
    fn handle(pending: &Self::Pending) -> Handle;

    /// A placeholder for an operation that could not be started.
    #[doc(hidden)]
    fn nothing() -> Self::Pending;

    /// The saved name of the operation.
    #[doc(hidden)]
    const NAME: &'static str;
}

#[diagnostic::do_not_recommend]
impl<A: Activity> Spawn for ActivityCall<A> {
    fn handle(pending: &PendingActivity) -> Handle {
        pending.handle()
    }

    fn nothing() -> PendingActivity {
        Handle(u64::MAX).into()
    }

    const NAME: &'static str = A::NAME;
}

#[diagnostic::do_not_recommend]
impl Spawn for Sleep {
    fn handle(pending: &PendingTimer) -> Handle {
        pending.handle()
    }

    fn nothing() -> PendingTimer {
        PendingTimer::never(Handle(u64::MAX))
    }

    const NAME: &'static str = "sleep";
}

#[diagnostic::do_not_recommend]
impl<S: Signal> Spawn for SignalWait<S> {
    fn handle(pending: &PendingOne) -> Handle {
        pending.0
    }

    fn nothing() -> PendingOne {
        PendingOne(Handle(u64::MAX))
    }

    const NAME: &'static str = S::NAME;
}

/// An operation that runs concurrently with the code, created by [`Context::spawn`].
///
/// The handle can be held across awaits, also in a list or a field. Its type names the operation: that of `quote(sku)` is
/// `Spawned<ActivityCall<quote>>`. Awaiting it returns the operation's outcome. To
/// await it in a `select!` in a loop without consuming it, await `&spawned`; the outcome is returned once. Dropping
/// the handle cancels the operation with the commit of that step: an activity is not attempted again, and a running
/// attempt is aborted. A handle that the code does not use again is dropped at the next await.
///
/// The handle belongs to the run that has spawned the operation. Awaiting it in another run is an error.
#[must_use = "a spawned operation is cancelled when its handle is dropped"]
pub struct Spawned<F: Spawn> {
    run: u32,
    /// Taken when the handle is consumed.
    pending: Option<F::Pending>,
}

impl Context {
    /// Starts an operation without waiting for it. It begins with the next commit and runs concurrently with the
    /// following code. See [`Spawned`] for the handle.
    ///
    /// ```
    /// use piton::prelude::*;
    ///
    /// #[activity]
    /// async fn quote(sku: String) -> u64 {
    ///     sku.len() as u64
    /// }
    ///
    /// #[activity]
    /// async fn reserve(sku: String) {}
    ///
    /// #[workflow]
    /// async fn order(cx: &Context, sku: String) -> u64 {
    ///     let quote = cx.spawn(quote(sku.clone()));
    ///     reserve(sku).await;
    ///     quote.await
    /// }
    /// ```
    pub fn spawn<F: Spawn>(&self, operation: F) -> Spawned<F> {
        let started = self.without_waits(|| operation.start(self));
        let pending = started.unwrap_or_else(|error| {
            self.fail_step(error);
            F::nothing()
        });
        ledger::note_new(F::handle(&pending));
        Spawned { run: tag_of(self.run_id()), pending: Some(pending) }
    }
}

/// Distinguishes runs, so that a handle of another run is not taken for one of this run.
pub(crate) fn tag_of(run: RunId) -> u32 {
    let [.., a, b, c, d] = run.as_bytes();
    u32::from_le_bytes([*a, *b, *c, *d])
}

impl<F: Spawn> Spawned<F> {
    /// Whether the outcome has arrived, so that awaiting the handle would not wait. The arrival alone causes no
    /// step.
    pub fn is_done(&self, cx: &Context) -> bool {
        self.run == tag_of(cx.run_id())
            && self.pending.as_ref().is_some_and(|pending| {
                F::arrived(pending, cx) != Arrived::Not || !cx.is_outstanding(F::handle(pending))
            })
    }

    /// Cancels the operation, as dropping the handle does.
    pub fn cancel(self) {
        drop(self);
    }

    /// The saved form of the operation, if it belongs to this run and has not ended.
    fn check(&self, cx: &Context) -> Result<&F::Pending, StepError> {
        let failed = |message| Err(StepError::Failed(Error::msg(message)));
        match &self.pending {
            Some(_) if self.run != tag_of(cx.run_id()) => {
                failed(format!("`{}` was spawned by another run", F::NAME))
            }
            Some(pending) if cx.is_outstanding(F::handle(pending)) => Ok(pending),
            _ => failed(format!("the outcome of the spawned `{}` was already taken", F::NAME)),
        }
    }
}

impl<F: Spawn> fmt::Debug for Spawned<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let handle = self.pending.as_ref().map(F::handle);
        f.debug_struct("Spawned").field("of", &F::NAME).field("handle", &handle).finish()
    }
}

impl<F: Spawn> Drop for Spawned<F> {
    fn drop(&mut self) {
        if let Some(pending) = &self.pending {
            ledger::note_dropped(self.run, F::handle(pending));
        }
    }
}

/// The saved form. The name prevents changed code from taking the handle of one operation for that of another.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Spawned")]
struct Saved<N, P> {
    of: N,
    run: u32,
    pending: P,
}

impl<F: Spawn> Serialize for Spawned<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::Error as _;
        let Some(pending) = &self.pending else {
            return Err(S::Error::custom("the handle of a spawned operation is used up"));
        };
        ledger::note_saved(self.run, F::handle(pending));
        Saved { of: F::NAME, run: self.run, pending }.serialize(serializer)
    }
}

impl<'de, F: Spawn> Deserialize<'de> for Spawned<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Saved { of, run, pending } = Saved::<String, F::Pending>::deserialize(deserializer)?;
        // The tracer of types makes up names, and knows no run.
        if of != F::NAME && ledger::is_of_run(run) {
            return Err(D::Error::custom(format_args!(
                "`{of}` was spawned there, and `{}` is wanted",
                F::NAME
            )));
        }
        handles::note(&F::AWAITED);
        ledger::note_loaded(run, F::handle(&pending));
        Ok(Self { run, pending: Some(pending) })
    }
}

impl<F: Spawn> Sealed for Spawned<F> {}

#[diagnostic::do_not_recommend]
impl<F: Spawn> DurableFuture for Spawned<F> {
    type Output = F::Output;
    type Pending = F::Pending;
    const ENDS_AT_ONCE: bool = F::ENDS_AT_ONCE;
    const AWAITED: Awaited = F::AWAITED;

    fn start(mut self, cx: &Context) -> Result<F::Pending, StepError> {
        let handle = F::handle(self.check(cx)?);
        ledger::note_used(handle);
        // Checked above.
        Ok(self.pending.take().unwrap_or_else(F::nothing))
    }

    fn poll(pending: &mut F::Pending, cx: &Context) -> Result<Poll<F::Output>, StepError> {
        F::poll(pending, cx)
    }

    // It may have, which the same step finds out.
    fn has_ended(_: &F::Pending) -> bool {
        true
    }

    fn arrived(pending: &F::Pending, cx: &Context) -> Arrived {
        F::arrived(pending, cx)
    }

    fn cancel(pending: F::Pending, cx: &Context) -> Result<(), StepError> {
        F::cancel(pending, cx)
    }
}

impl<F: Spawn> Sealed for &Spawned<F> {}

/// A handle that is kept while it is awaited: if the wait ends in another way, the operation continues.
#[diagnostic::do_not_recommend]
impl<F: Spawn> DurableFuture for &Spawned<F> {
    type Output = F::Output;
    type Pending = F::Pending;
    const ENDS_AT_ONCE: bool = F::ENDS_AT_ONCE;
    const AWAITED: Awaited = F::AWAITED;

    fn start(self, cx: &Context) -> Result<F::Pending, StepError> {
        copy(self.check(cx)?)
    }

    fn poll(pending: &mut F::Pending, cx: &Context) -> Result<Poll<F::Output>, StepError> {
        F::poll(pending, cx)
    }

    fn has_ended(_: &F::Pending) -> bool {
        true
    }

    fn arrived(pending: &F::Pending, cx: &Context) -> Arrived {
        F::arrived(pending, cx)
    }

    fn cancel(_: F::Pending, _: &Context) -> Result<(), StepError> {
        Ok(())
    }
}

/// A copy of an operation's saved form, made by encoding and decoding it.
pub(super) fn copy<P: Durable>(pending: &P) -> Result<P, StepError> {
    let mut saved = Vec::new();
    codec::encode_into(pending, &mut saved).map_err(StepError::Encode)?;
    codec::decode(&saved).map_err(StepError::Decode)
}

//! Awaits of durable operations in ordinary `async` code, which rustc refuses with the reason.
//!
//! The operations implement [`Future`] under a bound that is never met. So the error is that of the bound, and says what
//! to write. The bound is on another type than the operation, since rustc would otherwise name `IntoFuture` instead.

use std::pin::Pin;
use std::task;
use std::task::Poll;

use super::{
    ActivityCall, Cancellation, ChildHandle, ChildResult, DurableFuture, JoinAll, Map, PollUntil,
    Promise, PromiseWithin, Race, Shield, SignalWait, SignalWithin, Sleep, Spawn, Spawned,
    TryJoinAll, UntilCancelled, Update, UpdateWait, UpdateWithin, Within, WorkflowCall,
};

/// That ordinary `async` code can await the operation `F`. Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "`{F}` can only be awaited in a workflow",
    label = "this `async` code is not a workflow",
    note = "put `#[workflow]` on the `async fn`, or start a run of a workflow that awaits it: `client.start(…).await`",
    note = "rule `not_durable`"
)]
pub trait AwaitsOutside<F> {}

macro_rules! only_in_workflows {
    ($([$($generics:tt)*] $operation:ty,)*) => {$(
        impl<$($generics)*> Future for $operation
        where
            Self: DurableFuture,
            // A bound without parameters must hold, unless it is for all lifetimes.
            for<'any> (): AwaitsOutside<$operation>,
        {
            type Output = <Self as DurableFuture>::Output;

            fn poll(self: Pin<&mut Self>, _: &mut task::Context<'_>) -> Poll<Self::Output> {
                Poll::Pending
            }
        }
    )*};
}

only_in_workflows! {
    [A] ActivityCall<A>,
    [W] WorkflowCall<W>,
    [W] ChildHandle<W>,
    [W] ChildResult<W>,
    [] Sleep,
    [] Cancellation,
    [S] SignalWait<S>,
    [S] SignalWithin<S>,
    [U: Update] UpdateWait<U>,
    [U: Update] UpdateWithin<U>,
    [T, E] Promise<T, E>,
    [T, E] PromiseWithin<T, E>,
    [F: DurableFuture] JoinAll<F>,
    [F: DurableFuture] TryJoinAll<F>,
    [F: DurableFuture] Race<F>,
    [F: DurableFuture] Within<F>,
    [F: DurableFuture] Shield<F>,
    [F: DurableFuture] UntilCancelled<F>,
    [F: Spawn] Spawned<F>,
    [A, G] Map<A, G>,
    [A] PollUntil<A>,
}

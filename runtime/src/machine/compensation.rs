//! Compensations: activities that undo the work of a run that does not complete.
//!
//! Compensations are a stack among the run's operations, so they are saved with its state. A run that fails or is
//! cancelled does not close at once: its machine requests one compensation after the other, the last registered first,
//! each in its own step (`step/ending.rs`).

use serde::{Deserialize, Serialize};

use super::{Activity, ActivityCall, Context};
use crate::model::{Compensation, Handle, Operation};

/// A registered compensation, created by [`Context::on_failure`]. The handle can be held across awaits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnFailure(Handle);

/// For workflow code.
impl Context {
    /// Registers an activity that is executed if the run does not complete: if it returns an `Err`, fails for
    /// another reason, or is cancelled. Before the run closes, the registered activities are executed one after the
    /// other, the last registered first. Each has the options of its call; by default it is retried until it
    /// succeeds. If one finally fails, the others are still executed, and the run closes as failed, with that error
    /// beside its own.
    ///
    /// The registration is saved with the run. Dropping the handle does not withdraw it; [`OnFailure::disarm`]
    /// does. A run that completes drops its compensations. A terminated run executes none, and a blocked run (for
    /// example after a panic) executes none until it continues. The compensations of an awaited inline workflow
    /// belong to the run.
    ///
    /// Operations that are running when the run fails or is cancelled are dropped, and may nevertheless have had
    /// their effect. To undo those as well, register the compensation first, or [shield](Context::shield) the
    /// operation.
    ///
    /// ```
    /// # use piton::prelude::*;
    /// # #[activity] async fn charge(order: u64) -> Result<String, String> { Ok(String::new()) }
    /// # #[activity] async fn refund(receipt: &str) -> Result<(), String> { Ok(()) }
    /// # #[activity] async fn ship(order: u64) -> Result<(), String> { Ok(()) }
    /// #[workflow]
    /// async fn fulfill(cx: &Context, order: u64) -> Result<(), ActivityError<String>> {
    ///     let receipt = cx.shield(charge(order)).await?;
    ///     cx.on_failure(refund(&receipt));
    ///     ship(order).await
    /// }
    /// ```
    pub fn on_failure<A: Activity>(&self, call: ActivityCall<A>) -> OnFailure {
        match call.call.into_operation(self) {
            Ok(activity) => {
                let compensation = Compensation { activity, may_fail: A::OUTCOMES.may_fail };
                OnFailure(self.add(Operation::Compensation(Box::new(compensation))))
            }
            Err(error) => {
                self.fail_step(error);
                OnFailure(Handle(self.next_handle()))
            }
        }
    }
}

impl OnFailure {
    /// Withdraws the compensation. Has no effect if it was withdrawn before.
    pub fn disarm(self, cx: &Context) {
        cx.settle(self.0);
    }
}

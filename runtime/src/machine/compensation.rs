//! Compensations: activities that undo the work of a run that does not complete.
//!
//! They are a stack among the run's operations, so they are saved with its state. A run that fails or is cancelled does
//! not close at once: its machine asks for one compensation after the other, the newest first, each in a step of its own
//! (`step/ending.rs`).

use serde::{Deserialize, Serialize};

use super::{Activity, ActivityCall, Context};
use crate::model::{Compensation, Handle, Operation};

/// A compensation that waits for the run to fail, made by [`Context::on_failure`]. It can be held across awaits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnFailure(Handle);

/// For workflow code.
impl Context {
    /// Has an activity carried out if the run does not complete: if it returns an `Err`, fails for another reason, or is
    /// cancelled. The activities are carried out one after the other, the last one noted first, before the run closes. Each
    /// has the options of its call: by default it is tried again until it succeeds. One that fails for good does not keep the
    /// others from being carried out; the run then closes as failed, with its error beside that of the run.
    ///
    /// It is saved with the state of the run. That it is dropped or goes out of scope changes nothing:
    /// [`OnFailure::disarm`] takes it back. A run that completes drops it. One that is terminated carries out nothing, and
    /// neither does one that is blocked, as by a panic, until it goes on. Where a call of another workflow is
    /// awaited, its compensations are those of the run.
    ///
    /// What is under way when the run fails or is cancelled is given up, and may have had its effect all the same. To
    /// undo that too, note the compensation first, or [shield](Context::shield) what is to be undone.
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
    /// Takes the compensation back: it is not carried out. Nothing happens if that has been done before.
    pub fn disarm(self, cx: &Context) {
        cx.settle(self.0);
    }
}

//! The saved form of waits for one operation, optionally with a timer: signals, updates and promises.

use std::task::Poll;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::turns::Arrived;
use super::{Context, StepError};
use crate::model::{Handle, Operation, Timestamp};

/// The saved form of a wait for one operation.
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingOne(pub(super) Handle);

/// The saved form of a wait for one operation that ends after a time.
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingLimited {
    operation: Handle,
    timer: Handle,
    fire_at: Timestamp,
}

impl Context {
    /// The result of polling a wait for one operation that has `taken` an arrival or nothing: it ends, by that or by a
    /// request to cancel, or continues.
    pub(super) fn poll_one<T>(
        &self,
        handle: Handle,
        taken: Option<T>,
    ) -> Result<Poll<T>, StepError> {
        if taken.is_none() && !self.ends(handle) {
            self.wait_for(handle);
            return Ok(Poll::Pending);
        }
        self.settle(handle);
        taken.map(Poll::Ready).ok_or(StepError::Cancelled)
    }
}

impl PendingLimited {
    /// Starts the operation by `ask`, which gets the deadline, and its timer.
    pub(super) fn start(
        cx: &Context,
        limit: Duration,
        ask: impl FnOnce(Timestamp) -> Result<Handle, StepError>,
    ) -> Result<Self, StepError> {
        let fire_at = cx.now() + limit;
        cx.open_waits(false);
        let operation = ask(fire_at);
        let timer = cx.ask(Operation::Timer { fire_at });
        cx.close_waits(true);
        Ok(Self { operation: operation?, timer, fire_at })
    }

    pub(super) fn operation(&self) -> Handle {
        self.operation
    }

    pub(super) fn settle(&self, cx: &Context) {
        cx.settle(self.operation);
        cx.settle(self.timer);
    }

    /// When an arrival became available, or the time limit passed.
    pub(super) fn arrived(&self, cx: &Context) -> Arrived {
        cx.arrived(self.operation).min(cx.arrived(self.timer))
    }

    /// Polls by `take`, which gets whether the time limit has passed.
    pub(super) fn poll<T>(
        &self,
        cx: &Context,
        take: impl FnOnce(bool) -> Result<Option<T>, StepError>,
    ) -> Result<Poll<Option<T>>, StepError> {
        let is_over = self.fire_at <= cx.now();
        let taken = take(is_over)?;
        if taken.is_some() || is_over {
            self.settle(cx);
            Ok(Poll::Ready(taken))
        } else if cx.ends(self.operation) {
            self.settle(cx);
            Err(StepError::Cancelled)
        } else {
            cx.open_waits(false);
            cx.wait_for(self.operation);
            cx.wait_for(self.timer);
            cx.close_waits(true);
            Ok(Poll::Pending)
        }
    }
}

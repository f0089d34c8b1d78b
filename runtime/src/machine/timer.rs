//! Durable timers: the deadline is saved, not the duration, so a crash loses no time.

use std::task::Poll;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::future::sealed::Sealed;
use super::turns::Arrived;
use super::{Awaited, Context, DurableFuture, StepError};
use crate::model::{Handle, Operation, Timestamp};

/// A wait for a point in time, created by [`Context::sleep`] and [`Context::sleep_until`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[must_use = "a timer does nothing until it is awaited"]
pub struct Sleep(When);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum When {
    After(Duration),
    At(Timestamp),
}

impl Sleep {
    pub(crate) fn lasting(duration: Duration) -> Self {
        Self(When::After(duration))
    }

    pub(crate) fn until(deadline: Timestamp) -> Self {
        Self(When::At(deadline))
    }
}

/// The saved form of an awaited timer.
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingTimer {
    handle: Handle,
    fire_at: Timestamp,
}

impl PendingTimer {
    pub(crate) fn handle(&self) -> Handle {
        self.handle
    }

    /// A timer that never fires.
    pub(crate) fn never(handle: Handle) -> Self {
        Self { handle, fire_at: Timestamp(i64::MAX) }
    }
}

impl Sealed for Sleep {}

#[diagnostic::do_not_recommend]
impl DurableFuture for Sleep {
    type Output = ();
    type Pending = PendingTimer;
    const AWAITED: Awaited = Awaited::Timer;

    fn start(self, cx: &Context) -> Result<PendingTimer, StepError> {
        let fire_at = match self.0 {
            When::After(duration) => cx.now() + duration,
            When::At(deadline) => deadline,
        };
        Ok(PendingTimer { handle: cx.ask(Operation::Timer { fire_at }), fire_at })
    }

    fn poll(pending: &mut PendingTimer, cx: &Context) -> Result<Poll<()>, StepError> {
        cx.poll_one(pending.handle, (pending.fire_at <= cx.now()).then_some(()))
    }

    fn arrived(pending: &PendingTimer, cx: &Context) -> Arrived {
        cx.arrived(pending.handle)
    }

    fn cancel(pending: PendingTimer, cx: &Context) -> Result<(), StepError> {
        cx.settle(pending.handle);
        Ok(())
    }
}

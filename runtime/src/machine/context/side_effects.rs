//! Nondeterministic values that a step computes once.

use std::collections::VecDeque;

use super::Context;
use crate::codec;
use crate::machine::{Durable, StepError};
use crate::model::Payload;

/// The values of a step that is compared with itself.
#[derive(Debug, Default)]
pub(super) struct SideEffects {
    /// Those that were computed, if they are wanted.
    recorded: Option<Vec<Payload>>,
    /// Those that are given in place of a computation.
    replayed: VecDeque<Payload>,
    failed: Option<StepError>,
}

impl Context {
    /// Computes a value that is not the same each time: a random number of some library, the content of a variable of the
    /// environment. The rules about randomness, clocks and the like do not hold in the closure.
    ///
    /// Nothing is awaited. The value is a local like any other, and durable with the next commit, before
    /// any operation begins that it is passed to. If the process dies before the commit, the step is made again and the
    /// value is computed again; nobody has seen the first one. So the closure must not change anything outside of the run,
    /// which is for an activity to do, and it must not fail or take long.
    ///
    /// For random numbers and UUIDs, [`Context::random`] and [`Context::uuid`] need no closure.
    ///
    /// ```
    /// use piton::prelude::*;
    ///
    /// #[activity]
    /// async fn deploy(host: String) {}
    ///
    /// #[workflow]
    /// async fn release(cx: &Context) {
    ///     let host = cx.side_effect(|| std::env::var("HOST").unwrap_or_default());
    ///     deploy(host).await;
    /// }
    /// ```
    pub fn side_effect<T: Durable>(&self, compute: impl FnOnce() -> T) -> T {
        let mut effects = self.fields().side_effects.borrow_mut();
        if let Some(payload) = effects.replayed.pop_front() {
            match codec::from_payload(&payload) {
                Ok(value) => return value,
                Err(error) => _ = effects.failed.get_or_insert(StepError::Decode(error)),
            }
        }
        // It may have a side effect of its own.
        drop(effects);
        let value = compute();
        let mut effects = self.fields().side_effects.borrow_mut();
        if let Some(recorded) = &mut effects.recorded {
            match codec::to_tagged_payload(&value) {
                Ok(payload) => recorded.push(payload),
                Err(error) => _ = effects.failed.get_or_insert(StepError::Encode(error)),
            }
        }
        value
    }

    /// Has the next step note the values that it computes.
    pub(crate) fn record_side_effects(&self) {
        self.fields().side_effects.borrow_mut().recorded = Some(Vec::new());
    }

    /// The values that were noted.
    pub(crate) fn take_side_effects(&self) -> Vec<Payload> {
        self.fields().side_effects.borrow_mut().recorded.take().unwrap_or_default()
    }

    /// Has the next step take these values and not compute any.
    pub(crate) fn replay_side_effects(&self, values: Vec<Payload>) {
        self.fields().side_effects.borrow_mut().replayed = values.into();
    }

    /// Why the values of a step could not be noted or taken.
    pub(crate) fn check_side_effects(&self) -> Result<(), StepError> {
        self.fields().side_effects.borrow_mut().failed.take().map_or(Ok(()), Err)
    }
}

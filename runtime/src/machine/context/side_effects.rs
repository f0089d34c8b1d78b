//! Nondeterministic values that a step computes once.

use std::collections::VecDeque;

use super::Context;
use crate::codec;
use crate::machine::{Durable, StepError};
use crate::model::Payload;

/// The values of a step that is run twice for comparison.
#[derive(Debug, Default)]
pub(super) struct SideEffects {
    /// The computed values, if they are recorded.
    recorded: Option<Vec<Payload>>,
    /// The values to return instead of computing them.
    replayed: VecDeque<Payload>,
    failed: Option<StepError>,
}

impl Context {
    /// Computes a nondeterministic value: a random number of another library, or an environment variable. The
    /// compiler's rules about randomness, clocks and so on do not apply to the closure.
    ///
    /// Does not wait. The value is a local like any other: it is committed before any operation starts that uses
    /// it. If the process dies before the commit, the step runs again and computes the value again; nothing has
    /// used the first one. The closure must therefore not change anything outside of the run, which is the job of
    /// an activity, and it must neither fail nor take long.
    ///
    /// For random numbers and UUIDs, use [`Context::random`] and [`Context::uuid`].
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
        // The closure may call this method itself.
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

    /// Records the values of the next step.
    pub(crate) fn record_side_effects(&self) {
        self.fields().side_effects.borrow_mut().recorded = Some(Vec::new());
    }

    /// The recorded values.
    pub(crate) fn take_side_effects(&self) -> Vec<Payload> {
        self.fields().side_effects.borrow_mut().recorded.take().unwrap_or_default()
    }

    /// Returns these values in the next step instead of computing them.
    pub(crate) fn replay_side_effects(&self, values: Vec<Payload>) {
        self.fields().side_effects.borrow_mut().replayed = values.into();
    }

    /// The error of recording or returning the values of a step.
    pub(crate) fn check_side_effects(&self) -> Result<(), StepError> {
        self.fields().side_effects.borrow_mut().failed.take().map_or(Ok(()), Err)
    }
}

//! The effects of the steps of a commit by their kinds, for stores that write all of a kind at once.

use super::{ActivityKey, CommitStep, Effect, NewActivity};
use crate::model::RunId;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Effects<'a> {
    /// Activities for queues.
    pub(super) enqueued: Vec<(RunId, &'a NewActivity)>,
    /// Activities that are no longer wanted.
    pub(super) given_up: Vec<ActivityKey>,
}

impl<'a> Effects<'a> {
    /// Those of these steps, in their order.
    pub(super) fn of(steps: impl Iterator<Item = &'a CommitStep>) -> Self {
        let mut effects = Self::default();
        for step in steps {
            let run_id = step.run_id;
            for effect in &step.effects {
                match effect {
                    Effect::Enqueue(activity) => effects.enqueued.push((run_id, activity)),
                    Effect::GiveUp(handle) => {
                        effects.given_up.push(ActivityKey { run_id, handle: *handle });
                    }
                }
            }
        }
        effects
    }
}

//! The effects of the steps of a commit by their kinds, for stores that write all of a kind at once.

use super::{ActivityKey, CommitStep, NewActivity};
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
            effects.enqueued.extend(step.activities.iter().map(|activity| (run_id, activity)));
            let gone = step.given_up.iter().map(|handle| ActivityKey { run_id, handle: *handle });
            effects.given_up.extend(gone);
        }
        effects
    }
}

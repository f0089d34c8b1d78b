//! What steps have done beside their runs: a file for each kind of [effect](crate::store::Effect).

mod enqueue;
mod give_up;

use crate::model::{RunId, Timestamp};
use crate::store::memory::state::{News, State};
use crate::store::{ActivityKey, Effect};

impl State {
    /// Carries out an effect of a step of this run.
    pub(super) fn take_effect(
        &mut self,
        run_id: RunId,
        effect: Effect,
        now: Timestamp,
        news: &mut News<'_>,
    ) {
        match effect {
            Effect::Enqueue(activity) => self.put_on_queue(run_id, activity, now, news),
            Effect::GiveUp(handle) => self.give_up(ActivityKey { run_id, handle }, news),
        }
    }
}

//! The effects of steps: a file for each kind of [effect](crate::store::Effect).

mod attributes;
mod enqueue;
mod give_up;
mod reply;
mod send;
mod set_aside;

use crate::model::{RunId, StepNo, Timestamp};
use crate::store::memory::state::{News, State};
use crate::store::{ActivityKey, Effect, MessageKey};

impl State {
    /// Writes the effects of the step made at this `step_no`.
    pub(in crate::store::memory) fn take_effects(
        &mut self,
        run_id: RunId,
        step_no: StepNo,
        effects: Vec<Effect>,
        now: Timestamp,
        news: &mut News<'_>,
    ) {
        let mut keys = (0..).map_while(|index| MessageKey::of(run_id, step_no, index));
        for effect in effects {
            match effect {
                Effect::Enqueue(activity) => self.put_on_queue(run_id, activity, now, news),
                Effect::GiveUp(handle) => self.give_up(ActivityKey { run_id, handle }, news),
                Effect::Send(message) => {
                    let key = keys.next().expect("no step sends more");
                    self.send(key, message, now);
                }
                Effect::SetAside(letter) => self.set_aside(run_id, letter, now),
                Effect::SetAttributes(changes) => self.set_attributes(run_id, changes),
                Effect::SetMemo(memo) => self.set_memo(run_id, memo),
                // After the step has let go of the run.
                Effect::Pause => {}
                Effect::Reply(reply) => self.reply(run_id, reply, news),
            }
        }
    }
}

//! Letting go of a run that somebody has paused.

use super::steps::Effects;
use super::{Driver, Ended, Rest};
use crate::model::Timestamp;

impl Driver {
    /// Makes no more steps and begins no more attempts. Those that are under way are waited for, and what they come to is
    /// put into the inbox; then the run is let go of.
    pub(super) async fn pause(&mut self, now: Timestamp) -> Result<(), Ended> {
        if self.unread {
            return self.read_inbox().await;
        }
        self.settle_uncertain();
        if !self.unsaved.is_empty() {
            return self.save().await;
        }
        if self.is_draining() {
            self.attempts.call_off();
        }
        if !self.attempts.is_empty() {
            return self.wait(None).await;
        }
        let mut effects = Effects { pauses: true, ..Effects::default() };
        effects.take_from(&mut self.machine);
        effects.consumed.append(&mut self.pauses);
        // Due at once, if somebody has resumed it meanwhile.
        self.commit_machine(Rest::Park(Some(now)), effects).await
    }
}

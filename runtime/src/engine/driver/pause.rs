//! Letting go of a paused run.

use super::steps::Effects;
use super::{Driver, Ended, Rest};
use crate::model::Timestamp;

impl Driver {
    /// Makes no more steps and begins no more attempts. Waits for running attempts, puts their outcomes into the
    /// inbox, and then lets go of the run.
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
        // Due at once if it was resumed meanwhile.
        self.commit_machine(Rest::Park(Some(now)), effects).await
    }
}

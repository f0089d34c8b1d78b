//! Arrivals are moved from inboxes to the dead letters.

use crate::model::{RunId, Timestamp};
use crate::store::memory::state::State;
use crate::store::{DeadLetter, DeadLetterReason, NewDeadLetter};

impl State {
    pub(crate) fn set_aside(&mut self, run_id: RunId, letter: NewDeadLetter, now: Timestamp) {
        let NewDeadLetter { seq, reason } = letter;
        let Some(row) = self.runs.get_mut(&run_id) else { return };
        let Some(at) = row.inbox.iter().position(|arrival| arrival.seq == seq) else { return };
        row.arrived_at.remove(&seq);
        let arrival = row.inbox.remove(at).expect("it was found there").kind;
        let workflow_id = row.workflow_id.clone();
        let reason = DeadLetterReason::Unreadable(reason);
        self.add_letter(|id| DeadLetter {
            id,
            run_id: Some(run_id),
            workflow_id,
            arrival,
            message: None,
            reason,
            set_aside_at: now,
        });
    }
}

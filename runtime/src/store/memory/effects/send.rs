//! Messages are put into the outbox.

use crate::model::{Message, OutgoingMessage, Timestamp};
use crate::store::MessageKey;
use crate::store::memory::state::State;

impl State {
    pub(crate) fn send(&mut self, key: MessageKey, message: OutgoingMessage, now: Timestamp) {
        if let Message::Start(_) = &message.body
            && let Some(row) = self.runs.get_mut(&key.run_id)
        {
            row.has_kin = true;
        }
        self.outbox.insert(key, (message, now));
    }
}

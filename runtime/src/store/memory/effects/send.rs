//! Messages are put into the outbox.

use crate::model::{OutgoingMessage, Timestamp};
use crate::store::MessageKey;
use crate::store::memory::state::State;

impl State {
    pub(crate) fn send(&mut self, key: MessageKey, message: OutgoingMessage, now: Timestamp) {
        self.outbox.insert(key, (message, now));
    }
}

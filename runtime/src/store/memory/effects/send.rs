//! Messages are put into the outbox.

use crate::model::Timestamp;
use crate::store::memory::state::State;
use crate::store::{MessageKey, NewMessage};

impl State {
    pub(crate) fn send(&mut self, key: MessageKey, message: NewMessage, now: Timestamp) {
        self.outbox.insert(key, (message, now));
    }
}

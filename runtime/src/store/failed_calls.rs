//! Putting failed calls on their queue again: the common decisions of all stores.

use std::collections::BTreeSet;

use super::contract::activities::limit_ms;
use super::promises::{NewItem, redrive_message};
use super::{ActivityKey, FailedCall, MessageKey, NewActivity, RedriveCall};
use crate::model::{OutgoingMessage, PromiseToken, QueueItem, RunId};

/// The writes for calls that are put on their queues again.
#[derive(Default)]
pub(super) struct Redriven {
    /// Messages of items to their promises.
    pub(super) messages: Vec<(MessageKey, OutgoingMessage)>,
    /// New activities, for calls that are no items.
    pub(super) activities: Vec<NewItem>,
}

impl Redriven {
    /// Adds a call whose row is removed.
    pub(super) fn add(&mut self, failed: FailedCall, again: RedriveCall) {
        let RedriveCall { run_id, call, limits, .. } = again;
        let FailedCall { key, queue, activity, attempts, priority, partition, item, .. } = failed;
        let Some((name, retention)) = item else {
            let id = if key.is_item() { key.run_id } else { run_id };
            let handle = ActivityKey::OF_ITEM;
            let due_at = None;
            let activity =
                NewActivity { handle, queue, activity, call, due_at, priority, partition, limits };
            self.activities.push(NewItem { id, key: None, attempts, activity });
            return;
        };
        let token = PromiseToken::of_item(activity, queue, name);
        let item = QueueItem {
            call,
            due_at: None,
            schedule_to_start: limits.schedule_to_start,
            start_to_close: limits.start_to_close,
            heartbeat: limits.heartbeat,
            close_by: limits.close_by,
            retention,
            priority,
            partition,
        };
        self.messages.push(redrive_message(key, token, item, attempts));
    }

    /// The senders of the messages.
    pub(super) fn senders(&self) -> BTreeSet<RunId> {
        self.messages.iter().map(|(key, _)| key.run_id).collect()
    }
}

/// The key and the retention of an item as they are stored.
pub(super) fn item_columns(item: &NewItem) -> (Option<&str>, Option<i64>) {
    let key = item.key.as_ref();
    (key.map(|(key, _)| key.as_str()), key.map(|(_, retention)| limit_ms(*retention)))
}

//! Putting activities on queues.

use crate::model::{RunId, Timestamp};
use crate::store::memory::activities::ActivityRow;
use crate::store::memory::state::{News, State};
use crate::store::promises::NewItem;
use crate::store::{ActivityKey, NewActivity};

impl State {
    pub(crate) fn put_on_queue(
        &mut self,
        run_id: RunId,
        activity: NewActivity,
        now: Timestamp,
        news: &mut News,
    ) {
        news.queues.insert(activity.queue.clone());
        if !activity.partition.is_empty() {
            self.partitioned.entry(activity.queue.clone()).or_default();
        }
        self.counts.activity_inserts += 1;
        let key = ActivityKey { run_id, handle: activity.handle };
        self.activities.insert(key, ActivityRow::new(activity, now));
    }

    pub(crate) fn put_item_on_queue(&mut self, item: NewItem, now: Timestamp, news: &mut News) {
        let NewItem { id, key, attempts, activity } = item;
        let activity_key = ActivityKey { run_id: id, handle: activity.handle };
        self.put_on_queue(id, activity, now, news);
        if let Some(row) = self.activities.get_mut(&activity_key) {
            row.item = key;
            row.count_from(attempts);
        }
    }
}

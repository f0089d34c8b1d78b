//! Activities on queues are given up.

use crate::model::RunId;
use crate::store::ActivityKey;
use crate::store::memory::state::{News, State};

impl State {
    pub(crate) fn give_up(&mut self, key: ActivityKey, news: &mut News) {
        if self.activities.remove(&key).is_some_and(|row| row.worker.is_some()) {
            news.given_up.push(key);
        }
    }

    pub(crate) fn give_up_all(&mut self, run_id: RunId, news: &mut News) {
        let keys: Vec<_> = self.activities.keys().filter(|key| key.run_id == run_id).collect();
        let keys: Vec<ActivityKey> = keys.into_iter().copied().collect();
        keys.into_iter().for_each(|key| self.give_up(key, news));
    }
}

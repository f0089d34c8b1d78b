//! Calls on queues that have failed for good, in the in-memory store.

use std::time::Duration;

use async_trait::async_trait;

use super::state::{News, State};
use super::{Guard, MemoryStore, Write};
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::failed_calls::Redriven;
use crate::store::weight::Answer;
use crate::store::{
    ActivityKey, FailedCall, FailedCallId, FailedCallQuery, FailedCalls, RedriveCall,
};

#[async_trait]
impl FailedCalls for MemoryStore {
    async fn list_failed_calls(
        &self,
        query: FailedCallQuery<'_>,
    ) -> Result<Vec<FailedCall>, StoreError> {
        self.transition("list_failed_calls", |state, _, _| {
            let matches = |failed: &&FailedCall| {
                failed.queue == query.queue
                    && query.after.is_none_or(|after| failed.id > after)
                    && query.ids.is_none_or(|ids| ids.contains(&failed.id))
            };
            let matching = state.failed_calls.values().filter(matches).take(query.limit as usize);
            let mut answer = Answer::default();
            let fitting = matching
                .take_while(|failed| answer.takes(failed.call.len() + failed.failure.len()));
            Ok(fitting.cloned().collect())
        })
        .await
    }

    async fn find_failed_call(&self, key: ActivityKey) -> Result<Option<FailedCall>, StoreError> {
        self.transition("find_failed_call", |state, _, _| Ok(state.find_failed(key).cloned())).await
    }

    async fn redrive_calls(&self, queue: &str, calls: Vec<RedriveCall>) -> Result<u64, StoreError> {
        let queue = queue.to_owned();
        self.request("redrive_calls", move |state, now, news| {
            Ok(state.redrive_calls(&queue, calls, now, news))
        })
        .await
    }

    async fn discard_failed_calls(
        &self,
        queue: &str,
        ids: &[FailedCallId],
    ) -> Result<u64, StoreError> {
        let (queue, ids) = (queue.to_owned(), ids.to_vec());
        self.request("discard_failed_calls", move |state, _, _| {
            let taken = ids.iter().filter(|id| state.discard_failed(&queue, **id));
            Ok(taken.count() as u64)
        })
        .await
    }

    async fn remove_failed_calls(&self, age: Duration, limit: u32) -> Result<u64, StoreError> {
        self.request("remove_failed_calls", move |state, now, _| {
            let old = state.failed_calls.values().filter(|failed| failed.failed_at <= now - age);
            let mut old: Vec<_> = old.map(|failed| (failed.failed_at, failed.id)).collect();
            old.sort_unstable();
            old.truncate(limit as usize);
            old.iter().for_each(|(_, id)| _ = state.failed_calls.remove(id));
            Ok(old.len() as u64)
        })
        .await
    }
}

impl State {
    /// Stores a failed call under a new id.
    pub(super) fn keep_failed(&mut self, failed: FailedCall) {
        // In a reopened run, the same call may fail a second time.
        let id = self.find_failed(failed.key).map(|known| known.id).unwrap_or_else(|| {
            self.failed_calls_ever += 1;
            FailedCallId(self.failed_calls_ever)
        });
        self.failed_calls.insert(id, FailedCall { id, ..failed });
    }

    fn find_failed(&self, key: ActivityKey) -> Option<&FailedCall> {
        self.failed_calls.values().find(|failed| failed.key == key)
    }

    /// Takes a failed call that is put on its queue again.
    pub(super) fn call_again(&mut self, id: FailedCallId, news: &News<'_>) -> Option<FailedCall> {
        let failed = self.failed_calls.get(&id)?.clone();
        news.wrote(Write::CalledAgain { call: &failed });
        if !self.lacks(Guard::FailedCall) {
            self.failed_calls.remove(&id);
        }
        Some(failed)
    }

    fn discard_failed(&mut self, queue: &str, id: FailedCallId) -> bool {
        let is_there = self.failed_calls.get(&id).is_some_and(|failed| failed.queue == queue);
        is_there && self.failed_calls.remove(&id).is_some()
    }

    fn redrive_calls(
        &mut self,
        queue: &str,
        calls: Vec<RedriveCall>,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> u64 {
        let mut redriven = Redriven::default();
        let mut count = 0;
        for again in calls {
            let is_there = |failed: &FailedCall| failed.queue == queue;
            if !self.failed_calls.get(&again.id).is_some_and(is_there) {
                continue;
            }
            if let Some(failed) = self.call_again(again.id, news) {
                count += 1;
                redriven.add(failed, again);
            }
        }
        self.counts.transactions += u64::from(count > 0);
        news.sent.extend(redriven.senders());
        redriven.messages.into_iter().for_each(|(key, message)| self.send(key, message, now));
        redriven.activities.into_iter().for_each(|item| self.put_item_on_queue(item, now, news));
        count
    }
}

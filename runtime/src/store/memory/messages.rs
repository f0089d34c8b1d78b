//! What arrives for the runs of the in-memory store.

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{RunId, RunStatus, Timestamp};
use crate::store::memory::state::{News, State};
use crate::store::memory::{Guard, MemoryStore, Write};
use crate::store::weight::Answer;
use crate::store::{Arrival, ArrivalOutcome, Inbox, Messages, NewArrival};

#[async_trait]
impl Messages for MemoryStore {
    async fn deliver(&self, arrivals: Vec<NewArrival>) -> Result<Vec<ArrivalOutcome>, StoreError> {
        self.request("deliver", move |state, now, news| {
            state.counts.transactions += 1;
            Ok(arrivals.into_iter().map(|arrival| state.deliver(arrival, now, news)).collect())
        })
        .await
    }

    async fn read_inbox(&self, run_id: RunId, after: i64, limit: u32) -> Result<Inbox, StoreError> {
        self.transition("read_inbox", |state, _, _| {
            let run = state.runs.get(&run_id);
            let read = run.map(|row| row.read_inbox(after, limit, &mut Answer::default()));
            Ok(read.unwrap_or_default())
        })
        .await
    }
}

impl State {
    pub(super) fn has_key(&self, run_id: RunId, key: &str) -> bool {
        self.runs.get(&run_id).is_some_and(|row| row.dedup_keys.contains(key))
    }

    pub(super) fn add_key(&mut self, run_id: RunId, key: String) {
        if let Some(row) = self.runs.get_mut(&run_id) {
            row.dedup_keys.insert(key);
        }
    }

    pub(super) fn deliver(
        &mut self,
        arrival: NewArrival,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> ArrivalOutcome {
        let valid = arrival.owner.is_none_or(|owner| self.is_valid(owner, now));
        let may_repeat = self.lacks(Guard::DedupKey);
        let Some(row) = self.runs.get_mut(&arrival.run_id) else { return ArrivalOutcome::Unknown };
        if !may_repeat && arrival.dedup_key.as_ref().is_some_and(|key| row.dedup_keys.contains(key))
        {
            return ArrivalOutcome::Duplicate;
        }
        if !row.status.is_open() {
            return ArrivalOutcome::Closed;
        }
        if !valid || arrival.owner.is_some_and(|owner| row.owner != Some(owner)) {
            return ArrivalOutcome::NotOwner;
        }
        row.dedup_keys.extend(arrival.dedup_key);
        self.counts.arrivals += 1;
        row.inbox_count += 1;
        let seq = row.inbox_count;
        news.wrote(Write::Arrived { run_id: arrival.run_id, seq, kind: &arrival.kind });
        row.inbox.push_back(Arrival { seq, kind: arrival.kind });
        if row.owner.is_none() && row.status == RunStatus::Running {
            row.let_go(Some(row.due_at.map_or(now, |due_at| due_at.min(now))), news);
        }
        if arrival.owner.is_none() {
            news.arrivals.push(arrival.run_id);
        }
        ArrivalOutcome::Accepted { seq }
    }
}

//! Inboxes, the outbox and dead letters of the in-memory store.

mod dead_letters;
mod relay;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{RunId, RunStatus, StepNo, Timestamp};
use crate::store::memory::state::{News, State};
use crate::store::memory::{Guard, MemoryStore, Write};
use crate::store::weight::Answer;
use crate::store::{
    Arrival, ArrivalOutcome, DeadLetter, DeadLetterFilter, DeadLetterId, FoundUpdate, Inbox,
    MessageKey, Messages, NewArrival, RedeliverOutcome, RelayMessages, Relayed, Senders, UpdateKey,
    WaitingMessage,
};

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

    async fn relay_messages(&self, request: RelayMessages<'_>) -> Result<Relayed, StoreError> {
        let limit = request.limit as usize;
        let (named, age) = match request.senders {
            Senders::Runs(senders) => (senders.to_vec(), None),
            Senders::WaitingFor(age) => (Vec::new(), Some(age)),
        };
        self.request("relay_messages", move |state, now, news| {
            let senders = age.map_or(named, |age| state.waiting_senders(age, now));
            Ok(state.relay_messages(&senders, limit, now, news))
        })
        .await
    }

    async fn list_outbox(
        &self,
        after: Option<MessageKey>,
        limit: u32,
    ) -> Result<Vec<WaitingMessage>, StoreError> {
        self.transition("list_outbox", |state, _, _| Ok(state.list_outbox(after, limit as usize)))
            .await
    }

    async fn list_dead_letters(
        &self,
        filter: &DeadLetterFilter,
        after: Option<DeadLetterId>,
        limit: u32,
    ) -> Result<Vec<DeadLetter>, StoreError> {
        self.transition("list_dead_letters", |state, _, _| {
            Ok(state.list_dead_letters(filter, after, limit as usize))
        })
        .await
    }

    async fn redeliver_dead_letters(
        &self,
        ids: &[DeadLetterId],
    ) -> Result<Vec<RedeliverOutcome>, StoreError> {
        let ids = ids.to_vec();
        self.request("redeliver_dead_letters", move |state, now, news| {
            state.counts.transactions += 1;
            let redeliver = |id| state.redeliver_dead_letter(id, now, news);
            Ok(ids.into_iter().map(redeliver).collect())
        })
        .await
    }

    async fn find_update(&self, key: &UpdateKey) -> Result<FoundUpdate, StoreError> {
        self.transition("find_update", |state, _, _| Ok(state.find_update(key))).await
    }

    async fn drop_dead_letters(&self, ids: &[DeadLetterId]) -> Result<u64, StoreError> {
        let ids = ids.to_vec();
        self.request("drop_dead_letters", move |state, _, _| {
            let dropped = ids.iter().filter(|id| state.letters.remove(id).is_some()).count();
            Ok(dropped as u64)
        })
        .await
    }
}

impl State {
    fn find_update(&self, key: &UpdateKey) -> FoundUpdate {
        let Some(row) = self.runs.get(&key.run_id) else { return FoundUpdate::Unknown };
        let accepted = row.dedup_keys.get(&key.dedup_key());
        if let Some(Some(name)) = accepted.filter(|name| name.as_ref() != Some(&key.name)) {
            return FoundUpdate::Other { name: name.clone() };
        }
        match self.replies.get(&(key.run_id, key.update.clone())) {
            Some(reply) => FoundUpdate::Answered(reply.clone()),
            None if accepted.is_none() => FoundUpdate::Unknown,
            None if row.status.is_open() => FoundUpdate::Accepted,
            None => FoundUpdate::Closed,
        }
    }

    pub(super) fn has_key(&self, run_id: RunId, key: &str) -> bool {
        match self.runs.get(&run_id) {
            Some(row) => row.dedup_keys.contains_key(key),
            None => self.item_keys.get(&run_id).is_some_and(|keys| keys.contains(key)),
        }
    }

    pub(super) fn add_key(&mut self, run_id: RunId, key: String) {
        match self.runs.get_mut(&run_id) {
            Some(row) => _ = row.dedup_keys.insert(key, None),
            None => _ = self.item_keys.entry(run_id).or_default().insert(key),
        }
    }

    pub(in crate::store::memory) fn deliver(
        &mut self,
        arrival: NewArrival,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> ArrivalOutcome {
        let valid = arrival.owner.is_none_or(|owner| self.is_valid(owner, now));
        let may_repeat = self.lacks(Guard::DedupKey);
        let Some(row) = self.runs.get_mut(&arrival.run_id) else { return ArrivalOutcome::Unknown };
        let known = arrival.dedup_key.as_ref().and_then(|key| row.dedup_keys.get(key));
        if let Some(by) = known.filter(|_| !may_repeat) {
            return ArrivalOutcome::repeated(&arrival.kind, by.as_deref());
        }
        if !row.status.is_open() {
            return ArrivalOutcome::Closed;
        }
        if !valid || arrival.owner.is_some_and(|owner| row.owner != Some(owner)) {
            return ArrivalOutcome::NotOwner;
        }
        let keyed = arrival.dedup_key.map(|key| (key, arrival.kind.name().map(str::to_owned)));
        row.dedup_keys.extend(keyed);
        self.counts.arrivals += 1;
        row.inbox_count += 1;
        let seq = row.inbox_count;
        news.wrote(Write::Arrived { run_id: arrival.run_id, seq, kind: &arrival.kind });
        row.arrived_at.insert(seq, now);
        let wakes = arrival.kind.wakes(row.step_no > StepNo(0));
        row.inbox.push_back(Arrival { seq, kind: arrival.kind });
        if wakes && row.owner.is_none() && row.status == RunStatus::Running {
            row.let_go(Some(row.due_at.map_or(now, |due_at| due_at.min(now))), news);
        }
        if arrival.owner.is_none() {
            news.arrivals.push(arrival.run_id);
        }
        ArrivalOutcome::Accepted { seq }
    }
}

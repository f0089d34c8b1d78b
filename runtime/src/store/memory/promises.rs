//! Promises of the in-memory store.

use async_trait::async_trait;

use super::state::{News, State};
use super::{Guard, MemoryStore, Write};
use crate::error::StoreError;
use crate::model::{PromiseKey, PromiseScope, RunId, Timestamp};
use crate::store::promises::{Ask, Place, PromiseRow, awaited_owner, scope_text};
use crate::store::weight::{Answer, Weight as _};
use crate::store::{
    CompletePromise, CompletionOutcome, PromiseFilter, PromiseRecord, Promises, RunKey,
};

#[async_trait]
impl Promises for MemoryStore {
    async fn complete_promises(
        &self,
        completions: Vec<CompletePromise>,
    ) -> Result<Vec<CompletionOutcome>, StoreError> {
        self.request("complete_promises", move |state, now, news| {
            state.counts.transactions += 1;
            Ok(completions.iter().map(|one| state.complete_promise(one, now, news)).collect())
        })
        .await
    }

    async fn settle_promises(&self, limit: u32) -> Result<bool, StoreError> {
        self.request("settle_promises", move |state, now, news| {
            let is_due = |row: &PromiseRow| row.due_at().is_some_and(|due_at| due_at <= now);
            let due = state.promises.0.iter().filter(|(_, row)| is_due(row));
            let due: Vec<_> = due.map(|(key, _)| key.clone()).take(limit as usize).collect();
            for key in &due {
                let place = state.place(&key.scope);
                state.settle_promise(&place, &key.name, now, news);
            }
            Ok(due.len() == limit as usize)
        })
        .await
    }

    async fn find_promise(&self, key: &PromiseKey) -> Result<Option<PromiseRecord>, StoreError> {
        self.transition("find_promise", |state, _, _| {
            let (own, ahead) = state.place(&key.scope).keys(&key.name);
            let find = |key: &PromiseKey| state.promises.0.get_key_value(key);
            // A completion for a workflow id applies to the run that has the id.
            let found = find(&own).filter(|(_, row)| row.outcome.is_some());
            let found = found.or_else(|| find(&ahead?)).or_else(|| find(&own));
            Ok(found.map(|(key, row)| row.record(key)))
        })
        .await
    }

    async fn list_promises(
        &self,
        filter: &PromiseFilter,
        after: Option<&PromiseKey>,
        limit: u32,
    ) -> Result<Vec<PromiseRecord>, StoreError> {
        self.transition("list_promises", |state, _, _| {
            let order = |key: &PromiseKey| (scope_text(&key.scope), key.name.clone());
            let after = after.map(order);
            let of_run = filter.run_id.map(PromiseScope::Run);
            let matching = state.promises.0.iter().filter(|(key, row)| {
                of_run.as_ref().is_none_or(|scope| key.scope == *scope)
                    && filter.is_open.is_none_or(|is_open| row.outcome.is_none() == is_open)
                    && after.as_ref().is_none_or(|after| order(key) > *after)
            });
            let mut matching: Vec<_> = matching.collect();
            matching.sort_by_key(|(key, _)| order(key));
            let records = matching.into_iter().map(|(key, row)| row.record(key));
            let mut answer = Answer::default();
            Ok(records.take(limit as usize).take_while(|one| answer.takes(one.weight())).collect())
        })
        .await
    }
}

impl State {
    /// The run of the promises in this scope.
    fn place(&self, scope: &PromiseScope) -> Place {
        let key = match scope {
            PromiseScope::Run(run_id) => RunKey::RunId(*run_id),
            PromiseScope::WorkflowId(workflow_id) => RunKey::WorkflowId(workflow_id.clone()),
            PromiseScope::Shared => return Place::Shared,
            PromiseScope::Queue(of) => return Place::Item(of.clone()),
        };
        match (self.find_run(&key), scope) {
            (Some(run), _) => Place::Run {
                run_id: run.run_id,
                workflow_id: run.workflow_id,
                workflow: run.workflow,
                is_open: run.status.is_open(),
            },
            (None, PromiseScope::Run(run_id)) => Place::Nowhere(*run_id),
            (None, PromiseScope::WorkflowId(workflow_id)) => Place::Ahead(workflow_id.clone()),
            (None, PromiseScope::Shared) => Place::Shared,
            (None, PromiseScope::Queue(of)) => Place::Item(of.clone()),
        }
    }

    fn complete_promise(
        &mut self,
        completion: &CompletePromise,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> CompletionOutcome {
        let place = self.place(completion.token.scope());
        if self.lacks(Guard::Outcome) {
            let (key, _) = place.keys(completion.token.name());
            self.promises.0.get_mut(&key).into_iter().for_each(|row| row.outcome = None);
        }
        let outcome = self.promises.complete_checked(&place, completion, now);
        let told = outcome == CompletionOutcome::Completed;
        news.wrote(Write::PromiseCompleted { completion, told });
        self.settle_promise(&place, completion.token.name(), now, news);
        outcome
    }

    /// Executes an operation of a run on a promise.
    pub(super) fn tell_promise(&mut self, ask: &Ask, now: Timestamp, news: &mut News<'_>) {
        let place = self.place(ask.token().scope());
        let is_open = self.runs.get(&ask.sender).is_some_and(|row| row.status.is_open());
        let mut items = Vec::new();
        let due = ask.carry_out(&mut self.promises, &place, is_open, now, &mut items);
        items.into_iter().for_each(|item| self.put_item_on_queue(item, now, news));
        due.into_iter().for_each(|due| _ = self.deliver(due.into(), now, news));
        self.settle_promise(&place, ask.token().name(), now, news);
    }

    /// Ends the waits for promises of a closed run.
    pub(super) fn end_promises(&mut self, closed: RunId, now: Timestamp, news: &mut News<'_>) {
        for name in self.awaited_of(closed) {
            let place = self.place(&PromiseScope::Run(closed));
            self.settle_promise(&place, &name, now, news);
        }
    }

    /// The names of a run's promises that are awaited and have no outcome.
    pub(super) fn awaited_of(&self, run_id: RunId) -> Vec<String> {
        let of_run = self.promises.0.iter().filter(|(key, row)| {
            key.scope == PromiseScope::Run(run_id) && row.outcome.is_none() && row.is_awaited()
        });
        of_run.map(|(key, _)| key.name.clone()).collect()
    }

    fn settle_promise(&mut self, place: &Place, name: &str, now: Timestamp, news: &mut News<'_>) {
        let (key, _) = place.keys(name);
        let item = self.promises.0.get(&key).and_then(|row| row.item);
        for due in self.promises.settle(place, name, |_| true, now) {
            if self.lacks(Guard::PromiseWait)
                && let Some(row) = self.promises.0.get_mut(&key)
            {
                row.waits.insert((due.run_id, due.handle));
            }
            self.deliver(due.into(), now, news);
        }
        if let Some(item) = item.filter(|_| !self.promises.0.contains_key(&key)) {
            self.item_keys.remove(&item);
        }
        let waits = self.promises.0.get(&key).into_iter().flat_map(|row| &row.waits);
        let owner = waits.into_iter().find_map(|(run_id, _)| awaited_owner(&key, *run_id));
        if let Some(row) = owner.and_then(|owner| self.runs.get_mut(&owner)) {
            row.has_kin = true;
        }
    }
}

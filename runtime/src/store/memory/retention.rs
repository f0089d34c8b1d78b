//! Removing old closed runs.

use std::collections::BTreeSet;

use async_trait::async_trait;

use super::MemoryStore;
use super::state::State;
use crate::error::StoreError;
use crate::model::{PromiseKey, PromiseScope, RunId, Timestamp};
use crate::store::{
    ClosedPart, MessageKey, RemoveClosed, RemovePromises, Removed, RemovedPromises, Retention,
    StripClosed, Stripped,
};

#[async_trait]
impl Retention for MemoryStore {
    async fn closed_workflows(&self) -> Result<Vec<String>, StoreError> {
        self.transition("closed_workflows", |state, _, _| {
            let closed = state.runs.values().filter(|row| !row.status.is_open());
            let names: BTreeSet<&str> = closed.map(|row| row.workflow.as_str()).collect();
            Ok(names.into_iter().map(str::to_owned).collect())
        })
        .await
    }

    async fn remove_closed(&self, request: RemoveClosed<'_>) -> Result<Removed, StoreError> {
        self.transition("remove_closed", |state, now, _| {
            let RemoveClosed { workflow, age, after, limit } = request;
            let old = state.closed_before(workflow, now - age, after, limit);
            let is_full = old.len() == limit as usize;
            let next = old.last().copied().filter(|_| is_full);
            let removed: Vec<RunId> = old
                .into_iter()
                .map(|(_, run_id)| run_id)
                .filter(|run_id| state.is_removable(*run_id))
                .collect();
            removed.iter().for_each(|run_id| state.remove_run(*run_id));
            state.counts.transactions += u64::from(!removed.is_empty());
            Ok(Removed { runs: removed.len() as u64, next })
        })
        .await
    }

    async fn strip_closed(&self, request: StripClosed<'_>) -> Result<Stripped, StoreError> {
        self.transition("strip_closed", |state, now, _| {
            let StripClosed { workflow, age, after, limit, part } = request;
            let old = state.closed_before(workflow, now - age, after, limit);
            let (last, has_more) = (old.last().copied(), old.len() == limit as usize);
            let stripped = old.into_iter().filter(|(_, run_id)| state.strip(*run_id, part));
            Ok(Stripped { runs: stripped.count() as u64, last, has_more })
        })
        .await
    }

    async fn remove_shared_promises(
        &self,
        request: RemovePromises<'_>,
    ) -> Result<RemovedPromises, StoreError> {
        self.transition("remove_shared_promises", |state, now, _| {
            let before = now - request.age;
            let shared = state.promises.0.keys().filter(|key| key.scope == PromiseScope::Shared);
            let mut names: Vec<_> = shared
                .filter(|key| request.after.is_none_or(|after| key.name > after.name))
                .cloned()
                .collect();
            names.sort_by(|one, other| one.name.cmp(&other.name));
            names.truncate(request.limit as usize);
            let next = names.last().cloned().filter(|_| names.len() == request.limit as usize);
            let is_over = |key: &PromiseKey| {
                let row = state.promises.0.get(key).filter(|row| !row.is_awaited());
                row.and_then(|row| row.completed_at).is_some_and(|at| at <= before)
            };
            names.retain(is_over);
            names.iter().for_each(|key| _ = state.promises.0.remove(key));
            Ok(RemovedPromises { promises: names.len() as u64, next })
        })
        .await
    }
}

impl State {
    /// The runs of a workflow that had closed by then, after a place in the order of their closing: at most
    /// `limit`.
    fn closed_before(
        &self,
        workflow: &str,
        before: Timestamp,
        after: Option<(Timestamp, RunId)>,
        limit: u32,
    ) -> Vec<(Timestamp, RunId)> {
        let closed = self.runs.values().filter(|row| row.workflow == workflow);
        let closed = closed.filter_map(|row| Some((row.closed_at?, row.run_id)));
        let mut closed: Vec<_> = closed
            .filter(|place| place.0 <= before && after.is_none_or(|after| *place > after))
            .collect();
        closed.sort_unstable();
        closed.truncate(limit as usize);
        closed
    }

    fn is_removable(&self, run_id: RunId) -> bool {
        let first = MessageKey { run_id, seq: i64::MIN };
        let last = MessageKey { run_id, seq: i64::MAX };
        let has_sent = self.outbox.range(first..=last).next().is_some();
        !has_sent && !self.has_open_parent(run_id)
    }

    /// Removes a part of a closed run's data. Returns whether there was any.
    fn strip(&mut self, run_id: RunId, part: ClosedPart) -> bool {
        let is_free = !self.has_open_parent(run_id);
        let Some(row) = self.runs.get_mut(&run_id) else { return false };
        match part {
            ClosedPart::Payloads if is_free && row.arguments.is_some() => {
                (row.arguments, row.result) = (None, None);
                row.snapshot.clear();
                row.inbox.clear();
                row.arrived_at.clear();
                row.terms.iter_mut().for_each(|terms| terms.last_result = None);
                self.history.remove(&run_id);
                true
            }
            ClosedPart::Payloads => false,
            ClosedPart::Keys => {
                let before = self.replies.len();
                self.replies.retain(|(of, _), _| *of != run_id);
                let had_keys = !row.dedup_keys.is_empty();
                row.dedup_keys.clear();
                had_keys || self.replies.len() < before
            }
        }
    }

    /// Removes all rows that belong to the run only.
    pub(super) fn remove_run(&mut self, run_id: RunId) {
        self.runs.remove(&run_id);
        self.history.remove(&run_id);
        self.pauses.remove(&run_id);
        self.promises.0.retain(|key, _| key.scope != PromiseScope::Run(run_id));
        self.replies.retain(|(of, _), _| *of != run_id);
        self.activities.retain(|key, _| key.run_id != run_id);
        self.failed_calls.retain(|_, failed| failed.key.run_id != run_id);
        self.remove_kin(run_id);
    }
}

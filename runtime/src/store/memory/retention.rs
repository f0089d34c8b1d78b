//! Runs that are over are removed after a while.

use std::collections::BTreeSet;

use async_trait::async_trait;

use super::MemoryStore;
use super::state::State;
use crate::error::StoreError;
use crate::model::{PromiseScope, RunId};
use crate::store::{MessageKey, RemoveClosed, Removed, Retention};

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
            let before = now - request.age;
            let old = state.runs.values().filter(|row| row.workflow == request.workflow);
            let old = old.filter_map(|row| Some((row.closed_at?, row.run_id)));
            let mut old: Vec<_> = old
                .filter(|place| place.0 <= before && request.after.is_none_or(|at| *place > at))
                .collect();
            old.sort_unstable();
            old.truncate(request.limit as usize);
            let is_full = old.len() == request.limit as usize;
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
}

impl State {
    fn is_removable(&self, run_id: RunId) -> bool {
        let first = MessageKey { run_id, seq: i64::MIN };
        let last = MessageKey { run_id, seq: i64::MAX };
        let has_sent = self.outbox.range(first..=last).next().is_some();
        !has_sent && !self.has_open_parent(run_id)
    }

    /// Removes everything that is the run's alone.
    pub(super) fn remove_run(&mut self, run_id: RunId) {
        self.runs.remove(&run_id);
        self.history.remove(&run_id);
        self.pauses.remove(&run_id);
        self.promises.0.retain(|key, _| key.scope != PromiseScope::Run(run_id));
        self.replies.retain(|(of, _), _| *of != run_id);
        self.activities.retain(|key, _| key.run_id != run_id);
        self.remove_kin(run_id);
    }
}

//! Consecutive runs of a workflow id: no run follows one that the policy of its start rules out.

use std::collections::BTreeMap;

use piton::model::{RunId, RunStatus};
use piton::store::IdReuse;

use super::Oracle;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Tenancies {
    /// The last run of each workflow id.
    last: BTreeMap<String, RunId>,
    /// How runs have ended.
    ended: BTreeMap<RunId, RunStatus>,
    /// How the run had ended that had the workflow id before.
    before: BTreeMap<RunId, RunStatus>,
}

impl Tenancies {
    pub(super) fn started(&mut self, run_id: RunId, workflow_id: &str) {
        if let Some(before) = self.last.insert(workflow_id.to_owned(), run_id)
            && let Some(status) = self.ended.get(&before)
        {
            self.before.insert(run_id, *status);
        }
    }

    pub(super) fn ended(&mut self, run_id: RunId, status: RunStatus) {
        self.ended.insert(run_id, status);
    }

    pub(super) fn opened(&mut self, run_id: RunId) {
        self.ended.remove(&run_id);
    }
}

impl Oracle {
    /// Checks a start with a policy that was acknowledged.
    pub(crate) fn was_started(&mut self, run_id: RunId, reuse: IdReuse) {
        let before = self.tenancies.before.get(&run_id).copied();
        if let Some(before) = before.filter(|before| !reuse.allows_after(*before)) {
            self.violate(format!("{run_id} was started after one that is {before}: {reuse:?}"));
        }
    }
}

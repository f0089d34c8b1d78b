//! Chains: a run has one successor, the one that its close has named, and nothing else starts another run of the chain.

use std::collections::BTreeMap;

use piton::model::{RunId, Timestamp};
use piton::store::ExpireRun;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Chains {
    /// The expected successors, and whether they were started.
    next: BTreeMap<RunId, bool>,
    /// The runs that have successors, with these.
    followed: BTreeMap<RunId, RunId>,
    /// The latest time that the database's clock has shown.
    latest: Timestamp,
}

impl Chains {
    /// Records a closed run and its successor. Returns a violation.
    pub(super) fn follows(&mut self, closed: RunId, next: RunId) -> Option<String> {
        self.next.insert(next, false);
        let is_second = self.followed.insert(closed, next).is_some();
        is_second.then(|| format!("is followed a second time, by {next}"))
    }

    /// Records a start. `is_first` says whether no earlier run had its workflow id. Returns a violation.
    pub(super) fn started(&mut self, run_id: RunId, is_first: bool) -> Option<String> {
        match self.next.get_mut(&run_id) {
            Some(is_started) => {
                let was_started = std::mem::replace(is_started, true);
                was_started.then(|| format!("{run_id} follows twice"))
            }
            None => (!is_first).then(|| format!("{run_id} follows nothing")),
        }
    }

    /// The latest run of the chain that goes on from this one.
    pub(super) fn last_of(&self, mut run_id: RunId) -> RunId {
        while let Some(next) = self.followed.get(&run_id) {
            run_id = *next;
        }
        run_id
    }

    /// Records the time of the database.
    pub(super) fn now(&mut self, now: Timestamp) {
        self.latest = self.latest.max(now);
    }

    /// Records a run that was closed at its deadline. Returns a violation.
    pub(super) fn expired(&mut self, expiry: &ExpireRun) -> Option<String> {
        if expiry.deadline_at > self.latest {
            return Some(format!("was closed before its deadline {}", expiry.deadline_at));
        }
        let successor = expiry.successor.as_ref()?;
        self.follows(expiry.run_id, successor.run.run_id)
    }

    /// The expected events that have not happened.
    pub(super) fn left(&self) -> impl Iterator<Item = String> {
        let left = self.next.iter().filter(|(_, is_started)| !**is_started);
        left.map(|(run_id, _)| format!("{run_id} was to follow and was never started"))
    }
}

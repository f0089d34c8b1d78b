//! Runs that wait for workers: if a worker serves that can continue them, they do not wait for long.

use std::time::Duration;

use piton::model::Timestamp;
use piton::process::Process;
use piton::store::RunRecord;

use super::{Oracle, key_of};

impl Oracle {
    /// Checks that blocked runs continue on a build that can read them, if its worker has polled without faults for
    /// `bound`.
    pub(crate) fn check_blocked(&mut self, bound: Duration) {
        for (who, process) in self.undisturbed(bound) {
            let mut open = self.runs.values().filter(|run| !run.is_closed);
            let waiting = open.find(|run| run.readers.waits_for(&process, bound));
            if let Some(run) = waiting {
                self.violate(format!("{} is blocked, and {who} can read it", run.workflow_id));
            }
        }
    }

    /// Checks that due runs are claimed, and that the runs of workers without a lease become due.
    pub(crate) fn check_due(&mut self, running: &[RunRecord], now: Timestamp, bound: Duration) {
        let Some((who, _)) = self.undisturbed(bound).into_iter().next() else { return };
        let is_late = |at: Timestamp| at + bound < now;
        // How soon a resumed run is claimed is checked from then on.
        let is_resumed = |run: &&RunRecord| {
            self.runs.get(&run.run_id).is_some_and(|run| run.pauses.is_resumed())
        };
        let mut due =
            running.iter().filter(|run| run.owner.is_none() && run.due_at.is_some_and(is_late));
        let due = due.find(|run| !is_resumed(run));
        if let Some(run) = due {
            self.violate(format!("{} is due, and {who} does not claim it", run.workflow_id));
        }
        let left = self.runs.values().find(|run| {
            let lease = run.owner.and_then(|owner| self.leases.get(&key_of(owner)));
            lease.is_some_and(|until| is_late(*until))
        });
        if let Some(run) = left {
            self.violate(format!("{} is left to a worker without a lease", run.workflow_id));
        }
    }

    /// The workers of runs that have served for this time without a fault.
    pub(super) fn undisturbed(&self, time: Duration) -> Vec<(String, Process)> {
        let lives = self.lives.iter().filter(|(who, process)| {
            let has_lease = self
                .processes
                .get(*who)
                .is_some_and(|(lease, _)| self.leases.contains_key(&key_of(*lease)));
            has_lease
                && self.serving.contains(*who)
                && process.is_running()
                && self.shutdowns.has_served_for(who, time)
        });
        lives.map(|(who, process)| (who.clone(), process.clone())).collect()
    }
}

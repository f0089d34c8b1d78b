//! Functions that block their threads, which a shutdown cannot stop.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use tokio::time::timeout;

use super::session::Session;
use crate::activities::ActivityInfo;
use crate::model::RunId;

/// How long to wait for one response of the database while something is stuck, which may hold a transaction. With
/// this limit, a shutdown ends within a second after its grace period.
const PATIENCE: Duration = Duration::from_millis(250);

/// The attempts, and the runs with a step, that still run after they were aborted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stuck {
    attempts: Vec<ActivityInfo>,
    /// Runs without such an attempt.
    steps: Vec<RunId>,
}

impl Stuck {
    /// What still runs in a session whose drivers and attempts were aborted.
    pub(crate) fn of(session: &Session) -> Self {
        let attempts = session.host.slots.under_way(session.lease().worker_id);
        let known: BTreeSet<RunId> = attempts.iter().map(|info| info.run_id).collect();
        let held = session.runs.list().into_iter().map(|(run_id, _)| run_id);
        Self { steps: held.filter(|run_id| !known.contains(run_id)).collect(), attempts }
    }

    /// Whether nothing is stuck.
    pub(crate) fn is_empty(&self) -> bool {
        self.attempts.is_empty() && self.steps.is_empty()
    }

    /// The result of the call. `None` if something is stuck and the call takes too long.
    pub(crate) async fn within<T>(&self, call: impl Future<Output = T>) -> Option<T> {
        if self.is_empty() { Some(call.await) } else { timeout(PATIENCE, call).await.ok() }
    }
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for info in &self.attempts {
            let ActivityInfo { name, attempt, run_id, workflow_id, .. } = info;
            write!(
                f,
                "{separator}attempt {attempt} of the activity `{name}` for the run {run_id} (workflow id \
                 `{workflow_id}`)"
            )?;
            separator = ", ";
        }
        for run_id in &self.steps {
            write!(f, "{separator}a step of the run {run_id}")?;
            separator = ", ";
        }
        Ok(())
    }
}

//! What is agreed on a run beside its arguments: how long it may take, and what follows it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{RetryPolicy, RunStatus, Timestamp};

/// What happens to a run whose timeout is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnTimeout {
    /// It is closed without running any more of its code.
    #[default]
    Terminate,
    /// It is asked to cancel, so that its code can clean up, and is closed if it has not closed by itself within the
    /// [time for that](Terms::cleanup_timeout).
    Cancel,
}

/// When a workflow is tried again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkflowRetry {
    /// How long to wait, and how many runs there are at most.
    pub policy: RetryPolicy,
    /// Errors that are not tried again: names of variants, such as `CardDeclined`, if the workflow's error is an enum.
    pub non_retryable: Vec<String>,
}

/// What is agreed on a run, for all runs of its chain, and how far the chain has come. Most runs have none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// How long each run of the chain may take, from when it is due.
    pub run_timeout: Option<Duration>,
    /// How long the whole chain may take, from when its first run is due.
    pub execution_timeout: Option<Duration>,
    /// What happens when one of these is over.
    pub on_timeout: OnTimeout,
    /// How long a run may take to close that was asked to cancel because its timeout was over.
    pub cleanup_timeout: Duration,
    /// Whether and when the workflow is tried again.
    pub retry: Option<WorkflowRetry>,
    /// Which attempt this run is, from 1.
    pub attempt: u32,
    /// When this run's timeout is over.
    pub run_deadline: Option<Timestamp>,
    /// When the timeout of the chain is over.
    pub execution_deadline: Option<Timestamp>,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            run_timeout: None,
            execution_timeout: None,
            on_timeout: OnTimeout::default(),
            cleanup_timeout: Self::CLEANUP_TIMEOUT,
            retry: None,
            attempt: 1,
            run_deadline: None,
            execution_deadline: None,
        }
    }
}

impl Terms {
    /// The time for clean-up if nothing else is said: 10 minutes.
    pub const CLEANUP_TIMEOUT: Duration = Duration::from_secs(600);

    /// Whether they say nothing.
    pub fn is_empty(&self) -> bool {
        self.run_timeout.is_none() && self.execution_timeout.is_none() && self.retry.is_none()
    }

    /// The terms of a first run that is due then.
    #[must_use]
    pub fn begin(self, due_at: Timestamp) -> Self {
        let execution_deadline = self.execution_timeout.map(|timeout| due_at + timeout);
        Self { execution_deadline, attempt: 1, ..self }.due(due_at)
    }

    /// These, for a run of the same chain that is due then.
    #[must_use]
    pub fn due(self, due_at: Timestamp) -> Self {
        let run_deadline = self.run_timeout.map(|timeout| due_at + timeout);
        Self { run_deadline, ..self }
    }

    /// The terms of the run that tries one with these again and is due then.
    #[must_use]
    pub fn retried(self, due_at: Timestamp) -> Self {
        let attempt = self.attempt.saturating_add(1);
        Self { attempt, ..self }.due(due_at)
    }

    /// The terms of the run as which one with these continues.
    #[must_use]
    pub fn continued(self, due_at: Timestamp) -> Self {
        Self { attempt: 1, ..self }.due(due_at)
    }

    /// When the first of the timeouts is over.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.run_deadline.into_iter().chain(self.execution_deadline).min()
    }

    /// What a run is told, and its row says, whose timeout is over.
    pub fn reason_of_timeout(&self) -> String {
        let (what, timeout) = match (self.run_deadline, self.execution_deadline) {
            (Some(run), Some(execution)) if run < execution => ("run", self.run_timeout),
            (_, Some(_)) => ("execution", self.execution_timeout),
            (_, None) => ("run", self.run_timeout),
        };
        format!("its {what} timeout of {:?} is over", timeout.unwrap_or_default())
    }

    /// How a run ends that closes so: one that was cancelled because its timeout was over has timed out.
    pub fn status_of(&self, status: RunStatus, failure: Option<&str>) -> RunStatus {
        let is_timeout = status == RunStatus::Cancelled
            && self.deadline().is_some()
            && failure == Some(&*self.reason_of_timeout());
        if is_timeout { RunStatus::TimedOut } else { status }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(run: Option<u64>, execution: Option<u64>) -> Terms {
        let terms = Terms {
            run_timeout: run.map(Duration::from_secs),
            execution_timeout: execution.map(Duration::from_secs),
            ..Terms::default()
        };
        terms.begin(Timestamp(0))
    }

    #[test]
    fn the_first_timeout_that_is_over_is_the_one_that_is_told() {
        for (run, execution, deadline, reason) in [
            (Some(1), None, 1, "its run timeout of 1s is over"),
            (Some(1), Some(2), 1, "its run timeout of 1s is over"),
            (Some(2), Some(2), 2, "its execution timeout of 2s is over"),
            (None, Some(3), 3, "its execution timeout of 3s is over"),
        ] {
            let terms = terms(run, execution);
            assert_eq!(terms.deadline(), Some(Timestamp(deadline * 1_000_000)));
            assert_eq!(terms.reason_of_timeout(), reason);
        }
        assert_eq!(terms(None, None).deadline(), None);
    }

    #[test]
    fn a_later_run_has_its_own_time_and_that_of_the_chain() {
        let later = terms(Some(5), Some(8)).due(Timestamp(4_000_000));
        assert_eq!(later.run_deadline, Some(Timestamp(9_000_000)));
        assert_eq!(later.deadline(), Some(Timestamp(8_000_000)));
        assert_eq!(later.reason_of_timeout(), "its execution timeout of 8s is over");
    }

    #[test]
    fn only_a_request_of_the_timeout_makes_a_run_time_out() {
        let terms = terms(Some(1), None);
        let over = terms.reason_of_timeout();
        let status = |status, failure| terms.status_of(status, Some(failure));
        assert_eq!(status(RunStatus::Cancelled, &over), RunStatus::TimedOut);
        assert_eq!(status(RunStatus::Cancelled, "enough"), RunStatus::Cancelled);
        assert_eq!(status(RunStatus::Failed, &over), RunStatus::Failed);
    }
}

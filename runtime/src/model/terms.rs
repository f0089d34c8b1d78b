//! The terms of a run: its time limits, and the runs that follow it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Cron, Payload, RetryPolicy, RunStatus, Timestamp};

/// What happens to a run whose timeout has passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnTimeout {
    /// It is closed without running any more of its code.
    #[default]
    Terminate,
    /// It gets a request to cancel, so that its code can clean up, and is closed if it does not close within the
    /// [time for that](Terms::cleanup_timeout).
    Cancel,
}

/// Which time a timeout of a run counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TimeoutClock {
    /// All time.
    #[default]
    Calendar,
    /// Only time during which a worker with the code of the workflow is running. The clock is suspended otherwise.
    Attended,
}

impl TimeoutClock {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// When a workflow is retried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkflowRetry {
    /// The delays, and the maximum number of runs.
    pub policy: RetryPolicy,
    /// Errors that are not retried: variants of the workflow's error type, such as `CardDeclined`, or whole texts
    /// if the error is a text.
    pub non_retryable: Vec<String>,
}

/// The terms of all runs of a chain, and the progress of the chain. Most runs have none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Terms {
    /// The time limit of each run of the chain, from the time it is due.
    pub run_timeout: Option<Duration>,
    /// The time limit of the whole chain, from the time its first run is due.
    pub execution_timeout: Option<Duration>,
    /// Which time these two limits count.
    #[serde(skip_serializing_if = "TimeoutClock::is_default")]
    pub clock: TimeoutClock,
    /// What happens when one of them has passed.
    pub on_timeout: OnTimeout,
    /// How long a run may clean up after a request to cancel because of a timeout.
    pub cleanup_timeout: Duration,
    /// When the workflow is retried.
    pub retry: Option<WorkflowRetry>,
    /// The cron expression, if it is repeated.
    pub cron: Option<Cron>,
    /// The number of this run's attempt, from 1.
    pub attempt: u32,
    /// When this run was due.
    pub due_at: Option<Timestamp>,
    /// The deadline of this run.
    pub run_deadline: Option<Timestamp>,
    /// The deadline of the chain.
    pub execution_deadline: Option<Timestamp>,
    /// The result of the last run of the chain that has completed before this one.
    #[serde(skip)]
    pub last_result: Option<Payload>,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            run_timeout: None,
            execution_timeout: None,
            clock: TimeoutClock::default(),
            on_timeout: OnTimeout::default(),
            cleanup_timeout: Self::CLEANUP_TIMEOUT,
            retry: None,
            cron: None,
            attempt: 1,
            due_at: None,
            run_deadline: None,
            execution_deadline: None,
            last_result: None,
        }
    }
}

impl Terms {
    /// The default time to clean up: 10 minutes.
    pub const CLEANUP_TIMEOUT: Duration = Duration::from_secs(600);

    /// Whether they have no effect.
    pub fn is_empty(&self) -> bool {
        self.run_timeout.is_none()
            && self.execution_timeout.is_none()
            && self.retry.is_none()
            && self.cron.is_none()
    }

    /// When the first run of a chain is due that is started `now` and may begin at `start_at`; `None` is at once.
    ///
    /// # Errors
    /// Those of [`Cron::first_due`].
    #[cfg(feature = "engine")]
    pub(crate) fn first_due(
        &self,
        now: Timestamp,
        start_at: Option<Timestamp>,
    ) -> Result<Option<Timestamp>, String> {
        self.cron.as_ref().map_or(Ok(start_at), |cron| cron.first_due(now, start_at))
    }

    /// The terms of a first run that is due at this time.
    #[must_use]
    pub fn begin(self, due_at: Timestamp) -> Self {
        let execution_deadline = self.execution_timeout.map(|timeout| due_at + timeout);
        Self { execution_deadline, attempt: 1, ..self }.due(due_at)
    }

    /// These terms for a run of the same chain that is due at this time.
    #[must_use]
    pub fn due(self, due_at: Timestamp) -> Self {
        let run_deadline = self.run_timeout.map(|timeout| due_at + timeout);
        Self { due_at: Some(due_at), run_deadline, ..self }
    }

    /// The terms of the run that continues this one as new, due at this time.
    #[must_use]
    pub fn continued(self, due_at: Timestamp) -> Self {
        Self { attempt: 1, ..self }.due(due_at)
    }

    /// The terms of the next attempt, with its due time, if the policy asks for one after a run that closed `now`.
    /// `error` is the name of the returned error; `draw` is from 0 to 1, for the jitter of the wait.
    #[cfg(feature = "engine")]
    pub(crate) fn retried(
        &self,
        status: RunStatus,
        error: Option<&str>,
        now: Timestamp,
        draw: f64,
    ) -> Option<(Self, Timestamp)> {
        let retry = self.retry.as_ref()?;
        let is_failure = matches!(status, RunStatus::Failed | RunStatus::TimedOut);
        if !is_failure
            || error.is_some_and(|error| retry.non_retryable.iter().any(|it| it == error))
        {
            return None;
        }
        let wait = retry.policy.delay_after(self.attempt)?;
        let due_at = now + retry.policy.shortened(wait, draw);
        let next = Self { attempt: self.attempt + 1, ..self.clone() };
        self.is_in_time(due_at).then(|| (next.due(due_at), due_at))
    }

    /// The terms of the next run of the cron expression, due at this time.
    #[cfg(feature = "engine")]
    pub(crate) fn again(
        &self,
        status: RunStatus,
        result: Option<&Payload>,
        due_at: Timestamp,
    ) -> Option<(Self, Timestamp)> {
        let result = result.filter(|_| status == RunStatus::Completed).cloned();
        let last_result = result.or_else(|| self.last_result.clone());
        let next = Self { attempt: 1, last_result, ..self.clone() };
        self.is_in_time(due_at).then(|| (next.due(due_at), due_at))
    }

    /// Whether a run that is due at this time is due before the deadline of the chain.
    #[cfg(feature = "engine")]
    fn is_in_time(&self, due_at: Timestamp) -> bool {
        self.execution_deadline.is_none_or(|deadline| due_at < deadline)
    }

    /// Whether its timeouts leave out the time in which no worker was there.
    pub fn goes_by_attendance(&self) -> bool {
        self.clock == TimeoutClock::Attended && self.deadline().is_some()
    }

    /// These with the time between `from` and `to` left out, in which no worker was there, and to what time the deadline
    /// of the run's row moves. That is the first of the timeouts, or the end of the time to clean up.
    #[must_use]
    pub fn leaving_out(
        &self,
        deadline_at: Timestamp,
        from: Timestamp,
        to: Timestamp,
    ) -> (Self, Timestamp) {
        let moved = |deadline: Option<Timestamp>, timeout: Option<Duration>| {
            // A timeout that begins later stands still from then on. Whatever was left out before has moved the deadline,
            // and was over by `from`, so the timeout began by then too.
            let begun_at = deadline? - timeout.unwrap_or_default();
            Some(deadline? + (to - from.max(begun_at)))
        };
        let run_deadline = moved(self.run_deadline, self.run_timeout);
        let execution_deadline = moved(self.execution_deadline, self.execution_timeout);
        let terms = Self { run_deadline, execution_deadline, ..self.clone() };
        let deadline_at = match terms.deadline() {
            Some(deadline) if self.deadline() == Some(deadline_at) => deadline,
            _ => deadline_at + (to - from),
        };
        (terms, deadline_at)
    }

    /// The earlier of the two deadlines.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.run_deadline.into_iter().chain(self.execution_deadline).min()
    }

    /// The reason given to a run whose timeout has passed, also stored in its row.
    pub fn reason_of_timeout(&self) -> String {
        let (what, timeout) = match (self.run_deadline, self.execution_deadline) {
            (Some(run), Some(execution)) if run < execution => ("run", self.run_timeout),
            (_, Some(_)) => ("execution", self.execution_timeout),
            (_, None) => ("run", self.run_timeout),
        };
        format!("its {what} timeout of {:?} is over", timeout.unwrap_or_default())
    }

    /// The status of a run that closes like this: one that was cancelled because of its timeout has timed out.
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
    #[cfg(feature = "engine")]
    fn attempts_follow_until_the_policy_or_the_chain_is_at_its_end() {
        let policy = RetryPolicy { max_attempts: 3, jitter: 0.0, ..RetryPolicy::DEFAULT };
        let retry = WorkflowRetry { policy, non_retryable: vec!["Declined".to_owned()] };
        let terms = Terms { retry: Some(retry), ..terms(Some(5), Some(60)) };
        let at = |terms: &Terms, seconds: i64| {
            terms.retried(RunStatus::Failed, Some("Busy"), Timestamp(seconds * 1_000_000), 0.5)
        };
        let (second, due_at) = at(&terms, 10).expect("there are attempts left");
        assert_eq!((second.attempt, due_at), (2, Timestamp(11_000_000)));
        assert_eq!(second.run_deadline, Some(Timestamp(16_000_000)));
        assert_eq!(second.execution_deadline, terms.execution_deadline);
        let (third, due_at) = at(&second, 20).expect("there is one left");
        assert_eq!((third.attempt, due_at), (3, Timestamp(22_000_000)));
        assert_eq!(at(&third, 30), None);
        assert_eq!(at(&terms, 59), None);
        for (status, error) in [
            (RunStatus::Failed, Some("Declined")),
            (RunStatus::Cancelled, None),
            (RunStatus::Completed, None),
        ] {
            assert_eq!(terms.retried(status, error, Timestamp(0), 0.5), None, "{status}");
        }
    }

    #[test]
    fn time_without_a_worker_is_left_out_of_what_has_begun() {
        let at = |seconds: i64| Timestamp(seconds * 1_000_000);
        // The chain began at 0, and this run is due at 10.
        let begun = terms(Some(5), Some(20)).due(at(10));
        for (from, to, run, execution, deadline) in
            [(12, 14, 17, 22, 17), (8, 14, 19, 26, 19), (2, 9, 15, 27, 15), (0, 100, 105, 120, 105)]
        {
            let (moved, deadline_at) = begun.leaving_out(at(15), at(from), at(to));
            assert_eq!(moved.run_deadline, Some(at(run)), "{from} to {to}");
            assert_eq!(moved.execution_deadline, Some(at(execution)), "{from} to {to}");
            assert_eq!(deadline_at, at(deadline), "{from} to {to}");
        }
        // It is cleaning up until 30.
        let (moved, deadline_at) = begun.leaving_out(at(30), at(16), at(18));
        assert_eq!((moved.run_deadline, deadline_at), (Some(at(17)), at(32)));
        // What was left out before does not count twice.
        let (once, _) = begun.leaving_out(at(15), at(11), at(12));
        let (twice, deadline_at) = once.leaving_out(at(16), at(13), at(14));
        assert_eq!((twice.execution_deadline, deadline_at), (Some(at(22)), at(17)));
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

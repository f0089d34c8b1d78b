//! The terms, attributes and memo of the runs that a schedule starts.

use std::time::Duration;

use super::{CreateSchedule, UpdateSchedule};
use crate::model::{
    AttributeChanges, Attributes, Memo, NewTerms, OnTimeout, RetryPolicy, TimeoutClock,
    WorkflowRetry,
};
use crate::schedules::Action;

/// Options of the runs, as of [`Start`](super::super::Start).
impl CreateSchedule {
    /// Limits the time of a run that the schedule starts, with all runs that follow it: see
    /// [`Start::execution_timeout`](crate::client::Start::execution_timeout). Default: no limit.
    pub fn execution_timeout(mut self, timeout: Duration) -> Self {
        self.config.action.terms.execution_timeout = Some(timeout);
        self
    }

    /// Limits the time of each run: see [`Start::run_timeout`](crate::client::Start::run_timeout). Default: no
    /// limit.
    pub fn run_timeout(mut self, timeout: Duration) -> Self {
        self.config.action.terms.run_timeout = Some(timeout);
        self
    }

    /// Sets which time the timeouts count: see [`Start::timeout_clock`](crate::client::Start::timeout_clock). Default:
    /// [`TimeoutClock::Calendar`].
    pub fn timeout_clock(mut self, clock: TimeoutClock) -> Self {
        self.config.action.terms.clock = clock;
        self
    }

    /// Sets what happens when a timeout has passed. Default: [`OnTimeout::Terminate`].
    pub fn on_timeout(mut self, on_timeout: OnTimeout) -> Self {
        self.config.action.terms.on_timeout = Some(on_timeout);
        self
    }

    /// Sets how long a run may clean up after a timeout: see
    /// [`Start::cleanup_timeout`](crate::client::Start::cleanup_timeout). Default: 10 minutes.
    pub fn cleanup_timeout(mut self, timeout: Duration) -> Self {
        self.config.action.terms.cleanup_timeout = Some(timeout);
        self
    }

    /// Retries a run that fails or times out: see [`Start::retry`](crate::client::Start::retry). To the schedule,
    /// all attempts are one run, which is open until the last of them has closed. Default: no retries.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.config.action.terms.retry = Some(policy);
        self
    }

    /// Names an error that is not retried: see [`Start::non_retryable`](crate::client::Start::non_retryable).
    /// Further calls add errors. Has no effect without [`retry`](Self::retry).
    pub fn non_retryable(mut self, error: impl Into<String>) -> Self {
        self.config.action.terms.non_retryable.push(error.into());
        self
    }

    /// Starts the runs with these attributes, by which [filters](crate::filter) find them. Further calls add
    /// attributes. Default: none.
    pub fn attributes(mut self, attributes: impl Attributes) -> Self {
        self.attributes.extend(attributes.into_changes());
        self
    }

    /// Starts the runs with a memo, which lists show. At most [`Memo::MAX_BYTES`] as JSON. Default: none.
    pub fn memo(mut self, memo: impl Into<Memo>) -> Self {
        self.config.action.memo = memo.into();
        self
    }
}

/// Changes of the runs' options; `None` means no change.
#[derive(Clone, Debug, Default)]
pub(super) struct ActionChange {
    execution_timeout: Option<Option<Duration>>,
    run_timeout: Option<Option<Duration>>,
    clock: Option<TimeoutClock>,
    on_timeout: Option<OnTimeout>,
    cleanup_timeout: Option<Duration>,
    retry: Option<Option<WorkflowRetry>>,
    attributes: AttributeChanges,
    memo: Option<Memo>,
}

impl ActionChange {
    pub(super) fn apply_to(&self, action: &mut Action) {
        let terms: &mut NewTerms = &mut action.terms;
        terms.execution_timeout = self.execution_timeout.unwrap_or(terms.execution_timeout);
        terms.run_timeout = self.run_timeout.unwrap_or(terms.run_timeout);
        terms.clock = self.clock.unwrap_or(terms.clock);
        terms.on_timeout = self.on_timeout.or(terms.on_timeout);
        terms.cleanup_timeout = self.cleanup_timeout.or(terms.cleanup_timeout);
        if let Some(retry) = self.retry.clone() {
            let (policy, errors) = retry.map(|retry| (retry.policy, retry.non_retryable)).unzip();
            (terms.retry, terms.non_retryable) = (policy, errors.unwrap_or_default());
        }
        self.attributes.clone().apply_to(&mut action.attributes);
        if let Some(memo) = &self.memo {
            action.memo = memo.clone();
        }
    }
}

/// Changes of the options of later runs. Open runs keep theirs.
impl UpdateSchedule {
    /// See [`CreateSchedule::execution_timeout`]; `None` means no limit.
    pub fn execution_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.action_change.execution_timeout = Some(timeout);
        self
    }

    /// See [`CreateSchedule::run_timeout`]; `None` means no limit.
    pub fn run_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.action_change.run_timeout = Some(timeout);
        self
    }

    /// See [`CreateSchedule::timeout_clock`].
    pub fn timeout_clock(mut self, clock: TimeoutClock) -> Self {
        self.action_change.clock = Some(clock);
        self
    }

    /// See [`CreateSchedule::on_timeout`].
    pub fn on_timeout(mut self, on_timeout: OnTimeout) -> Self {
        self.action_change.on_timeout = Some(on_timeout);
        self
    }

    /// See [`CreateSchedule::cleanup_timeout`].
    pub fn cleanup_timeout(mut self, timeout: Duration) -> Self {
        self.action_change.cleanup_timeout = Some(timeout);
        self
    }

    /// See [`CreateSchedule::retry`]: the policy with the errors that are not retried; `None` means no retries.
    pub fn retry(mut self, retry: Option<WorkflowRetry>) -> Self {
        self.action_change.retry = Some(retry);
        self
    }

    /// Sets these attributes, and removes those without a value. Others do not change. See
    /// [`CreateSchedule::attributes`].
    pub fn attributes(mut self, attributes: impl Attributes) -> Self {
        self.action_change.attributes.extend(attributes.into_changes());
        self
    }

    /// See [`CreateSchedule::memo`].
    pub fn memo(mut self, memo: impl Into<Memo>) -> Self {
        self.action_change.memo = Some(memo.into());
        self
    }
}

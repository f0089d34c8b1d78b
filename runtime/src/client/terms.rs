//! The terms of a run, set when it is started: timeouts, retries, and a cron expression.

use std::time::Duration;

use super::Start;
use crate::model::{OnTimeout, RetryPolicy, TimeoutClock};

impl<W> Start<W> {
    /// Limits the total time of the run and all runs that follow it in its chain, from the time the first is due.
    /// [`Start::on_timeout`] sets what happens then. The deadline is stored with the run: it also applies while no
    /// worker runs, and a worker enforces it within a poll interval. Default: no limit.
    pub fn execution_timeout(mut self, timeout: Duration) -> Self {
        self.options.terms.execution_timeout = Some(timeout);
        self
    }

    /// Limits the time of each run of the chain, from the time it is due. See [`Start::execution_timeout`].
    /// Default: no limit.
    pub fn run_timeout(mut self, timeout: Duration) -> Self {
        self.options.terms.run_timeout = Some(timeout);
        self
    }

    /// Sets which time the timeouts count. Default: [`TimeoutClock::Calendar`], all time. With
    /// [`TimeoutClock::Attended`], timeouts are suspended while no worker with the code of the workflow is running, so
    /// that they do not expire during an outage. The absence of a worker is detected after five of its
    /// [poll intervals](crate::worker::Worker::poll_interval), and that time counts. Has no effect without a timeout.
    pub fn timeout_clock(mut self, clock: TimeoutClock) -> Self {
        self.options.terms.clock = clock;
        self
    }

    /// Sets what happens when a timeout has passed. Default: [`OnTimeout::Terminate`].
    pub fn on_timeout(mut self, on_timeout: OnTimeout) -> Self {
        self.options.terms.on_timeout = Some(on_timeout);
        self
    }

    /// Sets how long a run may clean up after a timeout with [`OnTimeout::Cancel`] has requested it to cancel.
    /// After that it is closed without running any more of its code. Default: 10 minutes.
    pub fn cleanup_timeout(mut self, timeout: Duration) -> Self {
        self.options.terms.cleanup_timeout = Some(timeout);
        self
    }

    /// Retries the workflow if its run fails or times out: another run of the chain is started with the same
    /// arguments, after the delays of this policy. [`RunHandle::result`](super::RunHandle::result) waits for the
    /// last of these runs, and a parent sees them as one child. Default: no retries.
    ///
    /// Activities have a retry policy of their own, which is enough for most errors.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.options.terms.retry = Some(policy);
        self
    }

    /// Names an error that is not retried: a variant of the workflow's error type or, if the error is a text, the
    /// whole text. Further calls add errors. Has no effect without [`Start::retry`].
    pub fn non_retryable(mut self, error: impl Into<String>) -> Self {
        self.options.terms.non_retryable.push(error.into());
        self
    }

    /// Repeats the workflow at the times of a cron expression. The run exists at once, and is due at the first time
    /// of the expression that comes after the start, or that is not before the time of [`Start::start_at`] or
    /// [`Start::start_delay`]; with [`Start::cron_at_once`], it is due without waiting for a time of the expression.
    /// Until then it can be found, gets signals, and can be cancelled. When it has closed, the next run is due at the
    /// first later time. Runs never overlap, and all have the same arguments. A run that fails is first
    /// [retried](Start::retry), if a policy is set. The chain ends when a run is terminated, when it is cancelled
    /// (unless [`Start::cron_after_cancel`] is set), and at the [timeout of the chain](Start::execution_timeout),
    /// which counts from the time the first run is due.
    ///
    /// The expression has five fields, or is `@hourly`, `@daily` and so on, or `@every 90s`. A prefix such as
    /// `CRON_TZ=Europe/Berlin` sets the time zone. Default: UTC. A start with an expression that is not valid, or has
    /// no later time, fails with [`StartError::Cron`](crate::error::StartError::Cron).
    #[cfg(feature = "schedules")]
    pub fn cron(mut self, expression: impl Into<String>) -> Self {
        self.options.terms.cron = Some(expression.into());
        self
    }

    /// Makes the first run of [`Start::cron`] due when it is started, or at the time of [`Start::start_at`] or
    /// [`Start::start_delay`], instead of at the first time of the expression. Has no effect without an expression.
    #[cfg(feature = "schedules")]
    pub fn cron_at_once(mut self) -> Self {
        self.options.terms.cron_at_once = true;
        self
    }

    /// Continues [`Start::cron`] after a run that was cancelled. Has no effect without an expression.
    #[cfg(feature = "schedules")]
    pub fn cron_after_cancel(mut self) -> Self {
        self.options.terms.cron_after_cancel = true;
        self
    }
}

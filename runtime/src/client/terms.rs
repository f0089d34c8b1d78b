//! What is agreed on a run when it is started: its timeouts, whether it is tried again, and its cron expression.

use std::time::Duration;

use super::Start;
use crate::error::StartError;
use crate::model::{NewTerms, OnTimeout, RetryPolicy, Terms, TimeoutClock};

impl<W> Start<W> {
    /// Limits how long the run and all runs that follow it in its chain may take together, from when the first is due.
    /// What happens then is said by [`Start::on_timeout`]. The limit is a point in time that is stored with the run: it
    /// holds while no worker runs, and is acted upon within a poll interval of a worker. Default: no limit.
    pub fn execution_timeout(mut self, timeout: Duration) -> Self {
        self.terms.execution_timeout = Some(timeout);
        self
    }

    /// Limits how long each run of the chain may take, from when it is due. See [`Start::execution_timeout`]. Default: no
    /// limit.
    pub fn run_timeout(mut self, timeout: Duration) -> Self {
        self.terms.run_timeout = Some(timeout);
        self
    }

    /// Sets which time the timeouts count. Default: [`TimeoutClock::Calendar`], all of it. With
    /// [`TimeoutClock::Attended`], a timeout stands still while no worker with the code of the workflow is there, so that
    /// an outage uses up none of it. That a worker has gone is noticed after five of its
    /// [poll intervals](crate::worker::Worker::poll_interval), which count. Without a timeout it does nothing.
    pub fn timeout_clock(mut self, clock: TimeoutClock) -> Self {
        self.terms.clock = clock;
        self
    }

    /// Sets what happens when a timeout is over. Default: [`OnTimeout::Terminate`].
    pub fn on_timeout(mut self, on_timeout: OnTimeout) -> Self {
        self.terms.on_timeout = Some(on_timeout);
        self
    }

    /// Sets how long a run may take to clean up that was asked to cancel because its timeout was over. After that it is
    /// closed without running any more of its code. Default: 10 minutes.
    pub fn cleanup_timeout(mut self, timeout: Duration) -> Self {
        self.terms.cleanup_timeout = Some(timeout);
        self
    }

    /// Has the workflow tried again if its run fails or times out: by another run of the chain, with the same arguments,
    /// after the waits of this policy. [`RunHandle::result`](super::RunHandle::result) waits for the last of them, and
    /// to a parent they are one child. Default: it is not tried again.
    ///
    /// Activities have a policy of their own, which is what most errors need.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.terms.retry = Some(policy);
        self
    }

    /// Names an error after which the workflow is not tried again: a variant of its error type, or the whole text where
    /// that is a text. May be called several times. Without [`Start::retry`] it does nothing.
    pub fn non_retryable(mut self, error: impl Into<String>) -> Self {
        self.terms.non_retryable.push(error.into());
        self
    }

    /// Starts the workflow again and again: whenever a run is over, the next one is due at the first time after that
    /// which the expression names. The first run is due when it would be without this. Runs never overlap, each has the
    /// same arguments, and a run that fails is first [tried again](Start::retry) if it should be. The chain ends when a
    /// run is terminated or, unless [`Start::cron_after_cancel`] is set, cancelled, and with the
    /// [timeout of the chain](Start::execution_timeout).
    ///
    /// The expression has five fields, or is one of `@hourly`, `@daily` and so on, or `@every 90s`; `CRON_TZ=Europe/Berlin`
    /// before it names a time zone, without which it is UTC.
    #[cfg(feature = "schedules")]
    pub fn cron(mut self, expression: impl Into<String>) -> Self {
        self.terms.cron = Some(expression.into());
        self
    }

    /// Has [`Start::cron`] go on after a run that was cancelled. Without an expression it does nothing.
    #[cfg(feature = "schedules")]
    pub fn cron_after_cancel(mut self) -> Self {
        self.terms.cron_after_cancel = true;
        self
    }
}

/// The terms, if they say something.
pub(super) fn checked(terms: NewTerms) -> Result<Option<Terms>, StartError> {
    terms.check_cron().map_err(|(expression, reason)| StartError::Cron {
        expression: expression.to_owned(),
        reason,
    })?;
    Ok(terms.into_terms())
}

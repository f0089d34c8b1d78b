//! The options of a child: terms, attributes and memo.

use std::time::Duration;

use super::{ChildHandle, StepError, Workflow};
use crate::error::Error;
use crate::model::{
    AttributeChanges, AttributeMap, Attributes, ChildOptions, Memo, NewTerms, OnTimeout,
    RetryPolicy, TimeoutClock, Timestamp,
};

/// The options of a child that the current step starts.
#[derive(Debug, Default)]
pub(super) struct NewOptions {
    terms: NewTerms,
    attributes: AttributeChanges,
    memo: Memo,
    ends_with_run: bool,
}

impl NewOptions {
    /// The options in stored form; `None` if there are none. The child is started at about `now`.
    ///
    /// # Errors
    /// The first option that is not valid.
    pub(super) fn checked(self, now: Timestamp) -> Result<Option<Box<ChildOptions>>, StepError> {
        let refused = |error: Error| {
            StepError::Failed(error.context("a child cannot be started with these options"))
        };
        let Self { terms, attributes: changes, memo, ends_with_run } = self;
        let terms = terms.into_terms();
        if let Some(cron) = terms.as_ref().and_then(|terms| terms.cron.as_ref()) {
            cron.first_due(now, None).map_err(|reason| {
                let expression = &cron.expression;
                refused(Error::msg(format!(
                    "the cron expression `{expression}` cannot be used: {reason}"
                )))
            })?;
        }
        changes.check().map_err(|error| refused(error.into()))?;
        if let Err(bytes) = memo.check() {
            let most = Memo::MAX_BYTES;
            let message = format!("the memo has {bytes} bytes as JSON; the limit is {most}");
            return Err(refused(Error::msg(message)));
        }
        let mut attributes = AttributeMap::new();
        changes.apply_to(&mut attributes);
        let options = ChildOptions { terms, attributes, memo, ends_with_run };
        Ok((options != ChildOptions::default()).then(|| Box::new(options)))
    }
}

/// Options of the child. Each of these methods panics like [`ChildHandle::id`].
impl<W: Workflow> ChildHandle<W> {
    /// Applies the policy of [`on_parent_close`](Self::on_parent_close) when the run that starts the child closes,
    /// even if another run follows it because it continues as new, is retried, or has a cron expression. Default: the
    /// child stays with the run that follows, and the policy is applied when the last run of the chain closes.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn ends_with_run(self) -> Self {
        self.with(|options| options.ends_with_run = true)
    }

    /// Limits the total time of the child and all runs that follow it in its chain, from its start. After that,
    /// awaiting the child returns [`ChildError::TimedOut`](super::ChildError::TimedOut). Default: no limit.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn execution_timeout(self, timeout: Duration) -> Self {
        self.with(|options| options.terms.execution_timeout = Some(timeout))
    }

    /// Limits the time of each run of the child's chain, from the time it is due. Default: no limit.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn run_timeout(self, timeout: Duration) -> Self {
        self.with(|options| options.terms.run_timeout = Some(timeout))
    }

    /// Sets which time the timeouts count: see [`Start::timeout_clock`](crate::client::Start::timeout_clock). Default:
    /// [`TimeoutClock::Calendar`].
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn timeout_clock(self, clock: TimeoutClock) -> Self {
        self.with(|options| options.terms.clock = clock)
    }

    /// Sets what happens when a timeout has passed. Default: [`OnTimeout::Terminate`].
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn on_timeout(self, on_timeout: OnTimeout) -> Self {
        self.with(|options| options.terms.on_timeout = Some(on_timeout))
    }

    /// Sets how long a run may clean up after a timeout with [`OnTimeout::Cancel`] has requested it to cancel.
    /// Default: 10 minutes.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn cleanup_timeout(self, timeout: Duration) -> Self {
        self.with(|options| options.terms.cleanup_timeout = Some(timeout))
    }

    /// Retries the child if it fails or times out: another run of its chain is started with the same arguments,
    /// after the delays of this policy. Awaiting the child returns the result of the last attempt. Default: no
    /// retries.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn retry(self, policy: RetryPolicy) -> Self {
        self.with(|options| options.terms.retry = Some(policy))
    }

    /// Names an error that is not retried: a variant of the child's error type or, if the error is a text, the
    /// whole text. Further calls add errors. Has no effect without [`retry`](Self::retry).
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn non_retryable(self, error: impl Into<String>) -> Self {
        self.with(|options| options.terms.non_retryable.push(error.into()))
    }

    /// Repeats the child's workflow at the times of a cron expression, the first run included, as
    /// [`Start::cron`](../client/struct.Start.html#method.cron) does. The child has ended when its chain has: when
    /// a run is terminated or cancelled, or by its [timeout](Self::execution_timeout). An expression that is not
    /// valid, or has no later time, fails the parent.
    #[cfg(feature = "schedules")]
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn cron(self, expression: impl Into<String>) -> Self {
        self.with(|options| options.terms.cron = Some(expression.into()))
    }

    /// Makes the first run of [`cron`](Self::cron) due when it is started, instead of at the first time of the
    /// expression. Has no effect without an expression.
    #[cfg(feature = "schedules")]
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn cron_at_once(self) -> Self {
        self.with(|options| options.terms.cron_at_once = true)
    }

    /// Continues [`cron`](Self::cron) after a run that was cancelled. Has no effect without an expression.
    #[cfg(feature = "schedules")]
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn cron_after_cancel(self) -> Self {
        self.with(|options| options.terms.cron_after_cancel = true)
    }

    /// Starts the child with these attributes, by which filters find it. Further calls add attributes. Attributes
    /// that cannot be stored fail the parent. Default: none; the parent's attributes are not inherited.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn attributes(self, attributes: impl Attributes) -> Self {
        self.with(|options| options.attributes.extend(attributes.into_changes()))
    }

    /// Starts the child with a memo, which lists show. A memo of more than [`Memo::MAX_BYTES`] as JSON fails the
    /// parent. Default: none.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn memo(self, memo: impl Into<Memo>) -> Self {
        self.with(|options| options.memo = memo.into())
    }

    fn with(self, change: impl FnOnce(&mut NewOptions)) -> Self {
        self.configure(|start| change(&mut start.options))
    }
}

//! What a child is started with, beside its arguments.

use std::time::Duration;

use super::{ChildHandle, StepError, Workflow};
use crate::error::Error;
use crate::model::{
    AttributeChanges, AttributeMap, Attributes, ChildOptions, Memo, NewTerms, OnTimeout,
    RetryPolicy, TimeoutClock,
};

/// The options of a child whose step is being made.
#[derive(Debug, Default)]
pub(super) struct NewOptions {
    terms: NewTerms,
    attributes: AttributeChanges,
    memo: Memo,
}

impl NewOptions {
    /// As they are stored; nothing if there are none.
    ///
    /// # Errors
    /// Why there can be no child with them.
    pub(super) fn checked(self) -> Result<Option<Box<ChildOptions>>, StepError> {
        let refused = |error: Error| {
            StepError::Failed(error.context("a child cannot be started with these options"))
        };
        let Self { terms, attributes: changes, memo } = self;
        terms.check_cron().map_err(|(expression, reason)| {
            refused(Error::msg(format!(
                "the cron expression `{expression}` cannot be used: {reason}"
            )))
        })?;
        changes.check().map_err(|error| refused(error.into()))?;
        let bytes = memo.bytes();
        if bytes > Memo::MAX_BYTES {
            let most = Memo::MAX_BYTES;
            let message = format!("the memo has {bytes} bytes as JSON; the limit is {most}");
            return Err(refused(Error::msg(message)));
        }
        let mut attributes = AttributeMap::new();
        changes.apply_to(&mut attributes);
        let options = ChildOptions { terms: terms.into_terms(), attributes, memo };
        Ok((options != ChildOptions::default()).then(|| Box::new(options)))
    }
}

/// What the child is started with. Each of these panics as [`ChildHandle::id`] does.
impl<W: Workflow> ChildHandle<W> {
    /// Limits how long the child may take, with all runs that follow it in its chain, from when it is started. Then it
    /// has [timed out](super::ChildError::TimedOut). Default: no limit.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn execution_timeout(self, timeout: Duration) -> Self {
        self.with(|options| options.terms.execution_timeout = Some(timeout))
    }

    /// Limits how long each run of the child's chain may take, from when it is due. Default: no limit.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn run_timeout(self, timeout: Duration) -> Self {
        self.with(|options| options.terms.run_timeout = Some(timeout))
    }

    /// Sets which time the timeouts count: see [`Start::timeout_clock`](crate::client::Start::timeout_clock). Default: all of
    /// it.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn timeout_clock(self, clock: TimeoutClock) -> Self {
        self.with(|options| options.terms.clock = clock)
    }

    /// Sets what happens when a timeout is over. Default: [`OnTimeout::Terminate`].
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn on_timeout(self, on_timeout: OnTimeout) -> Self {
        self.with(|options| options.terms.on_timeout = Some(on_timeout))
    }

    /// Sets how long a run may take to clean up that was asked to cancel because its timeout was over. Default: 10
    /// minutes.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn cleanup_timeout(self, timeout: Duration) -> Self {
        self.with(|options| options.terms.cleanup_timeout = Some(timeout))
    }

    /// Has the child tried again if it fails or times out: by another run of its chain, with the same arguments, after
    /// the waits of this policy. Whoever awaits the child is told of the last attempt alone. Default: it is not tried
    /// again.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn retry(self, policy: RetryPolicy) -> Self {
        self.with(|options| options.terms.retry = Some(policy))
    }

    /// Names an error after which the child is not tried again: a variant of its error type, or the whole text where
    /// that is a text. May be called several times. Without [`retry`](Self::retry) it does nothing.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn non_retryable(self, error: impl Into<String>) -> Self {
        self.with(|options| options.terms.non_retryable.push(error.into()))
    }

    /// Starts the child's workflow again and again, as
    /// [`Start::cron`](../client/struct.Start.html#method.cron) does. The child is over when its chain is: when a run
    /// is terminated or cancelled, or by its [timeout](Self::execution_timeout). With an expression that cannot be read
    /// the step fails, and the parent with it.
    #[cfg(feature = "schedules")]
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn cron(self, expression: impl Into<String>) -> Self {
        self.with(|options| options.terms.cron = Some(expression.into()))
    }

    /// Has [`cron`](Self::cron) go on after a run that was cancelled. Without an expression it does nothing.
    #[cfg(feature = "schedules")]
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn cron_after_cancel(self) -> Self {
        self.with(|options| options.terms.cron_after_cancel = true)
    }

    /// Starts the child with these attributes, by which filters find it. Called again, it adds to them. With some that
    /// cannot be stored the step fails, and the parent with it. Default: none; those of the parent are its own.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn attributes(self, attributes: impl Attributes) -> Self {
        self.with(|options| options.attributes.extend(attributes.into_changes()))
    }

    /// Starts the child with a memo, which lists show. With more than [`Memo::MAX_BYTES`] as JSON the step fails, and the
    /// parent with it. Default: none.
    #[must_use = "the child is started without it, but this is its handle"]
    pub fn memo(self, memo: impl Into<Memo>) -> Self {
        self.with(|options| options.memo = memo.into())
    }

    fn with(self, change: impl FnOnce(&mut NewOptions)) -> Self {
        self.configure(|start| change(&mut start.options))
    }
}

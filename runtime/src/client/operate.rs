//! Changes of single runs by people, each with an audit entry.

use std::future::IntoFuture;
use std::pin::Pin;

use super::{Client, RunHandle, UntypedRun};
use crate::engine::backoff::patiently;
use crate::error::LookupError;
use crate::machine::Workflow;
use crate::store::{ChangeOutcome, ChangeRun, NewAuditEntry, RunChange, RunKey};

/// A change of one run that is yet to be made: say who makes it and why, and await it.
///
/// `true` is returned if this call has made the change, with an audit entry. `false` says that there was nothing to
/// change: the run is over, or was changed so before.
#[must_use = "nothing is changed until this is awaited"]
#[derive(Debug)]
pub struct ChangeOne {
    client: Client,
    key: RunKey,
    change: RunChange,
    audit: NewAuditEntry,
}

impl ChangeOne {
    pub(super) fn new(
        client: Client,
        key: RunKey,
        change: RunChange,
        action: &str,
        reason: String,
    ) -> Self {
        let (who, action) = ("program".to_owned(), action.to_owned());
        Self { client, key, change, audit: NewAuditEntry { who, action, reason, details: None } }
    }

    /// Says who makes the change, for the audit entry. Default: `program`.
    pub fn by(mut self, who: impl Into<String>) -> Self {
        self.audit.who = who.into();
        self
    }

    /// Says why it is made, for the audit entry.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.audit.reason = reason.into();
        self
    }

    async fn make(self) -> Result<bool, LookupError> {
        let Self { client, key, change, audit } = self;
        let run_id = client.run_id_of(key).await?;
        let change = ChangeRun { run_id, change, audit };
        match patiently(|| client.store().change_run(change.clone())).await? {
            ChangeOutcome::Changed => Ok(true),
            ChangeOutcome::Unknown => Err(LookupError::Unknown(run_id.into())),
            ChangeOutcome::Unchanged | ChangeOutcome::Closed | ChangeOutcome::Open => Ok(false),
        }
    }
}

impl IntoFuture for ChangeOne {
    type Output = Result<bool, LookupError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Makes the change. Dropping the future may make it or not.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.make())
    }
}

impl UntypedRun {
    /// Pauses the run, for this reason, until it is [resumed](UntypedRun::resume). A paused run takes no step and begins
    /// no attempt of an activity. It loses nothing: signals, updates and the outcomes of activities are kept in its inbox,
    /// and timers that fire meanwhile are seen when it goes on. Await what this returns, after saying by whom.
    ///
    /// - Where a worker has the run, attempts that are under way are made to their end first. Until then its status is
    ///   `running`, and [`inspect`](UntypedRun::inspect) shows the pause.
    /// - Activities that are on queues already are made.
    /// - A request to cancel is kept like a signal: the run sees it when it goes on. Terminating it takes effect at once.
    /// - Timeouts of the run do not stand still. One that cancels the run is kept like any request to cancel, and after the
    ///   [time to clean up](super::Start::cleanup_timeout) the run is closed, paused or not.
    /// - A blocked run can be paused. It is no longer blocked then, and is tried again when it goes on.
    ///
    /// A pause is one of this run. A run that follows it, should it come to its end before its worker has heard of the
    /// pause, is not paused.
    ///
    /// Errors: [`LookupError::Unknown`] if there is no such run, [`LookupError::Store`] if the database
    /// [is away](Client#when-the-database-is-away) for too long; calling again is safe.
    pub fn pause(&self, reason: impl Into<String>) -> ChangeOne {
        self.change(RunChange::Pause, "pause", reason.into())
    }

    /// Lets a [paused](UntypedRun::pause) run go on, from where it is, with what has arrived meanwhile. One that was paused
    /// before it had begun begins when it was to. Await what this returns, after saying by whom and why.
    ///
    /// Errors: as those of [`UntypedRun::pause`].
    pub fn resume(&self) -> ChangeOne {
        self.change(RunChange::Resume, "resume", String::new())
    }

    fn change(&self, change: RunChange, action: &str, reason: String) -> ChangeOne {
        ChangeOne::new(self.client().clone(), self.key().clone(), change, action, reason)
    }
}

impl<W: Workflow> RunHandle<W> {
    /// Pauses the run until it is resumed: see [`UntypedRun::pause`].
    pub fn pause(&self, reason: impl Into<String>) -> ChangeOne {
        self.client().by_id(self.run_id()).pause(reason)
    }

    /// Lets a paused run go on: see [`UntypedRun::resume`].
    pub fn resume(&self) -> ChangeOne {
        self.client().by_id(self.run_id()).resume()
    }
}

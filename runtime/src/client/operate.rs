//! Changes of single runs by people, each with an audit entry.

use std::future::IntoFuture;
use std::pin::Pin;

use super::{Client, RunHandle, UntypedRun};
use crate::engine::backoff::patiently;
use crate::error::{EditError, LookupError};
use crate::machine::Workflow;
use crate::model::{RunId, RunStatus};
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
    change: Change,
    audit: NewAuditEntry,
}

#[derive(Debug)]
enum Change {
    /// By the store alone.
    Plain(RunChange),
    Retry {
        repeats: bool,
    },
    SetAside(i64),
}

impl ChangeOne {
    fn new(client: Client, key: RunKey, change: Change, action: &str, reason: String) -> Self {
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

    /// Lets [`retry`](UntypedRun::retry) attempt activities again that are `at_most_once`. The run may have carried them
    /// out before it failed: say so only once you have seen in the world that they were not, or may be twice. Of another
    /// change it says nothing.
    pub fn repeat_at_most_once(mut self) -> Self {
        if let Change::Retry { repeats } = &mut self.change {
            *repeats = true;
        }
        self
    }

    async fn make(self) -> Result<bool, EditError> {
        let Self { client, key, change, audit } = self;
        let run_id = client.run_id_of(key).await?;
        match change {
            Change::Plain(change) => client.change_one(run_id, change, audit).await,
            Change::Retry { repeats } => client.retry(run_id, repeats, audit).await,
            Change::SetAside(seq) => {
                client.set_signal_aside(run_id, seq, audit).await.map(|()| true)
            }
        }
    }
}

impl Client {
    async fn change_one(
        &self,
        run_id: RunId,
        change: RunChange,
        audit: NewAuditEntry,
    ) -> Result<bool, EditError> {
        let change = ChangeRun { run_id, change, audit };
        match patiently(|| self.store().change_run(change.clone())).await? {
            ChangeOutcome::Changed => Ok(true),
            ChangeOutcome::Unknown => Err(LookupError::Unknown(run_id.into()).into()),
            ChangeOutcome::Unchanged | ChangeOutcome::Closed | ChangeOutcome::Open => Ok(false),
        }
    }

    /// Lets a run try again that is blocked or has failed.
    pub(super) async fn retry(
        &self,
        run_id: RunId,
        repeats: bool,
        audit: NewAuditEntry,
    ) -> Result<bool, EditError> {
        let found = self.find(run_id).await?;
        let run = found.ok_or_else(|| LookupError::Unknown(run_id.into()))?;
        match run.status {
            RunStatus::Blocked => self.change_one(run_id, RunChange::Unblock, audit).await,
            RunStatus::Failed => self.retry_failed(run_id, repeats, audit).await.map(|()| true),
            status if status.is_open() => Ok(false),
            status => Err(EditError::Closed { run_id, status }),
        }
    }
}

impl IntoFuture for ChangeOne {
    type Output = Result<bool, EditError>;
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
    /// Errors: [`EditError::Lookup`] if there is no such run, or the database
    /// [is away](Client#when-the-database-is-away) for too long; calling again is safe.
    pub fn pause(&self, reason: impl Into<String>) -> ChangeOne {
        self.change(Change::Plain(RunChange::Pause), "pause", reason.into())
    }

    /// Lets a [paused](UntypedRun::pause) run go on, from where it is, with what has arrived meanwhile. One that was paused
    /// before it had begun begins when it was to. Await what this returns, after saying by whom and why.
    ///
    /// Errors: as those of [`UntypedRun::pause`].
    pub fn resume(&self) -> ChangeOne {
        self.change(Change::Plain(RunChange::Resume), "resume", String::new())
    }

    /// Lets the run try again, with the code of today: one that is blocked as it is, and one that has failed from the last
    /// state that was saved before it failed. Await what this returns, after saying by whom and why.
    ///
    /// A failed run is open again then, and waits for what it waited for: an activity has all its attempts and time limits
    /// anew, and the end of a child is asked for again. A promise is awaited again, and so is the outcome of an activity on
    /// a queue with a key; one that is completed keeps its outcome, which the code gets once more. What has happened in
    /// the world is not taken back, and a signal that the last step took does not come again. State and variables are
    /// carried over to code that has changed as those of any parked run are.
    ///
    /// `false` is returned of a run that goes on anyway.
    ///
    /// Errors: [`EditError::Closed`] of a run that is over without having failed; [`EditError::Followed`] if another run
    /// follows it in its chain, and [`EditError::IdTaken`] if another one has its workflow id; [`EditError::Compensated`]
    /// if its compensations have begun; [`EditError::AtMostOnce`] if it would attempt an activity again that is
    /// `at_most_once`, unless [`ChangeOne::repeat_at_most_once`] allows that; [`EditError::OnQueue`] if it would wait for
    /// an activity on a queue, whose arguments have gone with the queue's row.
    pub fn retry(&self) -> ChangeOne {
        self.change(Change::Retry { repeats: false }, "retry", String::new())
    }

    /// Moves a signal that the run cannot take from its inbox to the [dead letters](Client::dead_letters), by the number
    /// that [`inspect`](UntypedRun::inspect) shows. A run that was blocked is no longer so, and is due. Await what this
    /// returns, after saying by whom and why.
    ///
    /// Errors: [`EditError::NoSignal`] if there is no signal with this number; [`EditError::Busy`] while a worker has the
    /// run; [`EditError::Closed`] of one that is over.
    pub fn set_aside(&self, seq: i64) -> ChangeOne {
        self.change(Change::SetAside(seq), "set_aside", String::new())
    }

    fn change(&self, change: Change, action: &str, reason: String) -> ChangeOne {
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

    /// Lets a blocked or failed run try again: see [`UntypedRun::retry`].
    pub fn retry(&self) -> ChangeOne {
        self.client().by_id(self.run_id()).retry()
    }

    /// Moves a signal from the inbox to the dead letters: see [`UntypedRun::set_aside`].
    pub fn set_aside(&self, seq: i64) -> ChangeOne {
        self.client().by_id(self.run_id()).set_aside(seq)
    }
}

//! Changes of single runs by operators, each with an audit entry.

use std::future::IntoFuture;
use std::pin::Pin;

use super::{Client, RunHandle, UntypedRun};
use crate::engine::backoff::patiently;
use crate::error::{EditError, LookupError};
use crate::machine::Workflow;
use crate::model::{RunId, RunStatus};
use crate::store::{ChangeOutcome, ChangeRun, NewAuditEntry, RunChange, RunKey};

/// A change of one run: set who makes it and why, and await it.
///
/// Returns `true` if this call has made the change, with an audit entry, and `false` if there was nothing to
/// change: the run is closed, or the same change was made before.
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
    /// A change that the store makes by itself.
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

    /// Sets who makes the change, for the audit entry. Default: `program`.
    pub fn by(mut self, who: impl Into<String>) -> Self {
        self.audit.who = who.into();
        self
    }

    /// Sets the reason, for the audit entry.
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

    /// Retries a blocked or failed run.
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

    /// Makes the change. If the future is dropped, the change may or may not have been made.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.make())
    }
}

impl UntypedRun {
    /// Pauses the run for this reason, until it is [resumed](UntypedRun::resume). A paused run makes no step and
    /// begins no attempt of an activity. Nothing is lost: its inbox still accepts signals, updates and outcomes of
    /// activities, and timers that fire meanwhile take effect when the run is resumed. Await the returned value,
    /// after setting who pauses it.
    ///
    /// - If a worker owns the run, running attempts end first. Until then the status is `running`, and
    ///   [`inspect`](UntypedRun::inspect) shows the pause.
    /// - Activities that are already on queues are executed.
    /// - A request to cancel waits in the inbox like a signal. A termination takes effect at once.
    /// - Timeouts of the run are not paused. A timeout that cancels the run sends a request to cancel, and after
    ///   the [time to clean up](super::Start::cleanup_timeout) the run is closed, paused or not.
    /// - A blocked run can be paused. It is then no longer blocked, and is tried again when it is resumed.
    ///
    /// If the run continues as a new run, is retried, or is followed by a run of its cron expression before its worker has
    /// seen the pause, the next run is paused instead.
    ///
    /// Errors: [`EditError::Lookup`] if there is no such run, or the database
    /// [is away](Client#when-the-database-is-away) for too long; calling again is safe.
    pub fn pause(&self, reason: impl Into<String>) -> ChangeOne {
        self.change(Change::Plain(RunChange::Pause), "pause", reason.into())
    }

    /// Resumes a [paused](UntypedRun::pause) run at its present state, with the arrivals received meanwhile. A run
    /// that was paused before its first step begins at its start time. Await the returned value, after setting who
    /// resumes it and why.
    ///
    /// Errors: those of [`UntypedRun::pause`].
    pub fn resume(&self) -> ChangeOne {
        self.change(Change::Plain(RunChange::Resume), "resume", String::new())
    }

    /// Retries the run with the present code: a blocked run in its present state, and a failed run from the last
    /// state saved before it failed. Await the returned value, after setting who retries it and why.
    ///
    /// A failed run is opened again and waits for what it waited for: activities get new attempts and time limits,
    /// and waits for children and promises are registered again. A completed promise keeps its outcome, which the code
    /// gets once more; the same applies to a queued activity with a key. Effects on other systems are not undone, and a
    /// signal consumed by the last step is not delivered again. The state and the variables are fitted into changed code like those
    /// of any parked run.
    ///
    /// Returns `false` if the run is neither blocked nor failed, but open.
    ///
    /// Errors: [`EditError::Closed`] of a run that is over without having failed; [`EditError::Followed`] if another run
    /// follows it in its chain, and [`EditError::IdTaken`] if another one has its workflow id; [`EditError::Compensated`]
    /// if its compensations have begun; [`EditError::AtMostOnce`] if it would attempt an activity again that is
    /// `at_most_once`, unless [`ChangeOne::repeat_at_most_once`] allows that; [`EditError::OnQueue`] if it would wait for
    /// an activity on a queue whose failed call is not [kept](super::QueueHandle::failed) any more.
    pub fn retry(&self) -> ChangeOne {
        self.change(Change::Retry { repeats: false }, "retry", String::new())
    }

    /// Moves a signal that the run cannot take from its inbox to the [dead letters](Client::dead_letters), by the
    /// number that [`inspect`](UntypedRun::inspect) shows, or an arrival that cannot be read, by the number in the reason
    /// for which the run is blocked. A blocked run is unblocked and due at once. Await the
    /// returned value, after setting who moves it and why.
    ///
    /// Errors: [`EditError::NoSignal`] if there is no signal with this number; [`EditError::Busy`] while a worker
    /// owns the run; [`EditError::Closed`] if the run is closed.
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

    /// Resumes a paused run: see [`UntypedRun::resume`].
    pub fn resume(&self) -> ChangeOne {
        self.client().by_id(self.run_id()).resume()
    }

    /// Retries a blocked or failed run: see [`UntypedRun::retry`].
    pub fn retry(&self) -> ChangeOne {
        self.client().by_id(self.run_id()).retry()
    }

    /// Moves a signal from the inbox to the dead letters: see [`UntypedRun::set_aside`].
    pub fn set_aside(&self, seq: i64) -> ChangeOne {
        self.client().by_id(self.run_id()).set_aside(seq)
    }
}

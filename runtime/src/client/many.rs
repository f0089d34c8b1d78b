//! Changing all runs that match a filter.
//!
//! Each run is a transaction of its own with an audit entry of its own. So a change of many can be stopped at any moment
//! and gone on with from where it was.

use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep_until};

use super::{Client, send};
use crate::engine::backoff::patiently;
use crate::error::{BulkError, EditError, KeyError, LookupError, SignalError, StoreError};
use crate::filter::Filter;
use crate::machine::Signal;
use crate::model::{Payload, RunId, recorded};
use crate::store::{ArrivalKind, ChangeOutcome, ChangeRun, NewAuditEntry, RunChange, RunCursor};

/// How many runs are changed in a second unless somebody says otherwise.
const RATE: u32 = 100;

/// A change of all runs that a filter means, that is yet to be made: say who makes it and why, and await it.
#[must_use = "nothing is changed until this is awaited"]
pub struct ChangeMany {
    client: Client,
    filter: Filter,
    action: Action,
    change: Result<RunChange, SignalError>,
    who: String,
    reason: Option<String>,
    key: String,
    rate: u32,
    limit: Option<u64>,
    after: Option<RunCursor>,
    dry_run: bool,
    progress: Option<Progress>,
}

/// The progress of a change of many runs.
type Progress = Arc<dyn Fn(&ManyChanged) + Send + Sync>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Signal,
    Cancel,
    Terminate,
    Retry,
    Pause,
    Resume,
    Delete,
}

/// The result of a change of many runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ManyChanged {
    /// How many runs the filter has meant so far.
    pub matched: u64,
    /// Those that were changed; of a dry run, those that would be.
    pub changed: u64,
    /// Those that were not, because they had gone or closed meanwhile, or were changed before, or are not such as can be
    /// changed so: an open run is not deleted, and one that goes on is not tried again.
    pub left: u64,
    /// The last run that was checked. A call with [after](ChangeMany::after) this run skips the runs before it.
    pub last: Option<RunCursor>,
    /// Whether the end was reached, and not the [limit](ChangeMany::limit).
    pub is_over: bool,
}

impl Client {
    /// Sends a signal to every open run that a filter means. Runs that are over get none.
    ///
    /// ```no_run
    /// # use piton::prelude::*;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Signal, Serialize, Deserialize)]
    /// # struct Approve { by: String }
    /// # async fn demo(client: Client) -> piton::Result<()> {
    /// let waiting = "state = 'signal<Approve>' and since < now() - interval '3 days'".parse::<piton::filter::Filter>()?;
    /// let approve = Approve { by: "ann".to_owned() };
    /// let done = client
    ///     .signal_all(waiting, approve)
    ///     .by("ann")
    ///     .because("nobody has looked at them, see ticket 311")
    ///     .await?;
    /// println!("{} runs have got it", done.changed);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Errors: [`BulkError`].
    pub fn signal_all<S: Signal>(&self, filter: impl Into<Filter>, signal: S) -> ChangeMany {
        self.deliver_to_all(filter, Action::Signal, send::signal(&signal))
    }

    /// Sends a signal as JSON to every open run that a filter means, for programs that do not have its type; see
    /// [`Client::signal_json`].
    ///
    /// Errors: [`BulkError`].
    pub fn signal_all_json(
        &self,
        filter: impl Into<Filter>,
        name: impl Into<String>,
        value: &serde_json::Value,
    ) -> ChangeMany {
        let kind = ArrivalKind::Signal { name: name.into(), payload: Payload::from_json(value) };
        self.deliver_to_all(filter, Action::Signal, Ok(kind))
    }

    /// Asks every open run that a filter means to cancel, for the reason that [`ChangeMany::because`] gives.
    ///
    /// Errors: [`BulkError`].
    pub fn cancel_all(&self, filter: impl Into<Filter>) -> ChangeMany {
        let kind = ArrivalKind::Cancel { reason: String::new() };
        self.deliver_to_all(filter, Action::Cancel, Ok(kind))
    }

    /// Terminates every open run that a filter means, for the reason that [`ChangeMany::because`] gives.
    ///
    /// Errors: [`BulkError`].
    pub fn terminate_all(&self, filter: impl Into<Filter>) -> ChangeMany {
        let change = RunChange::Terminate { reason: String::new() };
        ChangeMany::new(self.clone(), filter.into(), Action::Terminate, Ok(change))
    }

    /// Lets every blocked or failed run that a filter means try again, as [`UntypedRun::retry`](super::UntypedRun::retry)
    /// does; add `status = 'blocked'` to the filter for those alone. Failed runs that cannot go back, because another run
    /// follows them for example, are [left](ManyChanged::left).
    ///
    /// Errors: [`BulkError`].
    pub fn retry_all(&self, filter: impl Into<Filter>) -> ChangeMany {
        ChangeMany::new(self.clone(), filter.into(), Action::Retry, Ok(RunChange::Unblock))
    }

    /// Pauses every open run that a filter means, as [`UntypedRun::pause`](super::UntypedRun::pause) does, for the reason
    /// that [`ChangeMany::because`] gives.
    ///
    /// Errors: [`BulkError`].
    pub fn pause_all(&self, filter: impl Into<Filter>) -> ChangeMany {
        ChangeMany::new(self.clone(), filter.into(), Action::Pause, Ok(RunChange::Pause))
    }

    /// Lets every paused run that a filter means go on, as [`UntypedRun::resume`](super::UntypedRun::resume) does. A run
    /// whose worker has not yet let go of it is `running` and not among them.
    ///
    /// Errors: [`BulkError`].
    pub fn resume_all(&self, filter: impl Into<Filter>) -> ChangeMany {
        ChangeMany::new(self.clone(), filter.into(), Action::Resume, Ok(RunChange::Resume))
    }

    /// Deletes every run that a filter means and that is over, with its rows: its result, its attributes and memo, its
    /// kept states, its answers to updates, its promises, the keys of what has arrived for it. What it has sent and is still on its way is delivered; dead
    /// letters and audit entries stay.
    ///
    /// Errors: [`BulkError`].
    pub fn delete_all(&self, filter: impl Into<Filter>) -> ChangeMany {
        ChangeMany::new(self.clone(), filter.into(), Action::Delete, Ok(RunChange::Delete))
    }

    /// Deletes a run that is over, as [`Client::delete_all`] does. Await what this returns, after saying by whom and why;
    /// nothing is [changed](ManyChanged::changed) if there is no such run or it is open.
    ///
    /// Errors: [`BulkError`].
    pub fn delete(&self, run_id: RunId) -> ChangeMany {
        self.delete_all(crate::filter::run_id().equals(run_id))
    }

    async fn retry_one_of_many(
        &self,
        run_id: RunId,
        audit: NewAuditEntry,
    ) -> Result<ChangeOutcome, StoreError> {
        match self.retry(run_id, false, audit).await {
            Ok(true) => Ok(ChangeOutcome::Changed),
            Err(EditError::Lookup(LookupError::Store(error))) => Err(error),
            Ok(false) | Err(_) => Ok(ChangeOutcome::Unchanged),
        }
    }

    fn deliver_to_all(
        &self,
        filter: impl Into<Filter>,
        action: Action,
        kind: Result<ArrivalKind, SignalError>,
    ) -> ChangeMany {
        let change = kind.map(|kind| RunChange::Deliver { kind, dedup_key: None });
        ChangeMany::new(self.clone(), filter.into(), action, change)
    }
}

impl ChangeMany {
    fn new(
        client: Client,
        filter: Filter,
        action: Action,
        change: Result<RunChange, SignalError>,
    ) -> Self {
        let key = client.store().new_run_id().to_string();
        Self {
            client,
            filter,
            action,
            change,
            who: String::new(),
            reason: None,
            key,
            rate: RATE,
            limit: None,
            after: None,
            dry_run: false,
            progress: None,
        }
    }

    /// Says who makes the change, for the audit entries.
    pub fn by(mut self, who: impl Into<String>) -> Self {
        self.who = who.into();
        self
    }

    /// Says why it is made, for the audit entries and, if runs are cancelled or terminated, for those who want their
    /// results.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Sets how many runs are changed in a second at most. Default: 100. Zero counts as one.
    pub fn rate(mut self, runs_per_second: u32) -> Self {
        self.rate = runs_per_second.max(1);
        self
    }

    /// Stops after so many runs have been checked; the answer has the run to continue after. Default: no limit.
    pub fn limit(mut self, runs: u64) -> Self {
        self.limit = Some(runs);
        self
    }

    /// Goes on behind the [last](ManyChanged::last) run that another call has looked at.
    pub fn after(mut self, last: impl Into<RunCursor>) -> Self {
        self.after = Some(last.into());
        self
    }

    /// Changes nothing and tells how many runs would be changed.
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }

    /// Sets a key by which a signal or a request to cancel is known: a run that has got one with the key gets no other.
    /// A call that is made again with the same key, after an error for example, then sends to each run once, even
    /// where the error has hidden that one was sent. At least one byte, at most 1,000, without the character NUL, and
    /// not beginning with `piton:`. Default: one that no other call has.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }

    /// Has `tell` called with what has been done so far, once or so a second.
    pub fn on_progress(mut self, tell: impl Fn(&ManyChanged) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(tell));
        self
    }

    async fn make(self) -> Result<ManyChanged, BulkError> {
        let Self { client, filter, action, rate, limit, progress, dry_run, .. } = &self;
        let template = self.template().await?;
        let filter = action.applies_to() & filter.clone();
        let filter = client.fixed(filter).await?;
        // No more than are changed in a second, so that what was read is not old when it is changed.
        let at_a_time = (*rate).min(RATE);
        let pause = Duration::from_secs(1) / *rate;
        let mut next_at = Instant::now();
        let mut done = ManyChanged { last: self.after, ..ManyChanged::default() };
        loop {
            let left = limit.map_or(u64::from(at_a_time), |limit| limit - done.matched);
            let page_size = u32::try_from(left).unwrap_or(u32::MAX).min(at_a_time);
            if page_size == 0 {
                return Ok(done);
            }
            let list = client.list_runs(&filter).limit(page_size);
            let page = match done.last {
                Some(last) => list.page(last).await?,
                None => list.await?,
            };
            for run in &page.runs {
                let outcome = match (dry_run, &template) {
                    (false, Some((change, audit))) => {
                        sleep_until(next_at).await;
                        next_at = next_at.max(Instant::now()) + pause;
                        let (run_id, audit) = (run.run_id, audit.clone());
                        match action {
                            Action::Retry => client.retry_one_of_many(run_id, audit).await?,
                            _ => {
                                let change = ChangeRun { run_id, change: change.clone(), audit };
                                patiently(|| client.store().change_run(change.clone())).await?
                            }
                        }
                    }
                    _ => ChangeOutcome::Changed,
                };
                done.matched += 1;
                match outcome {
                    ChangeOutcome::Changed => done.changed += 1,
                    _ => done.left += 1,
                }
                done.last = Some(run.run_id.into());
            }
            if let Some(tell) = progress {
                tell(&done);
            }
            match page.next {
                // Candidates behind the last run that is meant need not be looked at again.
                Some(next) => done.last = Some(next),
                None => {
                    done.is_over = true;
                    return Ok(done);
                }
            }
        }
    }

    /// What is done to each run, with its audit entry; `None` of a dry run that nobody has signed.
    async fn template(&self) -> Result<Option<(RunChange, NewAuditEntry)>, BulkError> {
        let reason = self.reason.clone().unwrap_or_default();
        if self.dry_run {
            return Ok(None);
        }
        if self.who.trim().is_empty() || reason.trim().is_empty() {
            return Err(BulkError::Unsigned);
        }
        let mut change =
            self.change.as_ref().map_err(|error| BulkError::Signal(error.clone()))?.clone();
        match &mut change {
            RunChange::Deliver { kind, dedup_key } => {
                KeyError::check_dedup(&self.key).map_err(BulkError::Key)?;
                *dedup_key = Some(self.key.clone());
                match kind {
                    ArrivalKind::Cancel { reason: why } => *why = recorded(reason.clone()),
                    kind => self.client.record_schema_of(kind).await.map_err(BulkError::Signal)?,
                }
            }
            RunChange::Terminate { reason: why } => *why = recorded(reason.clone()),
            RunChange::Unblock | RunChange::Pause | RunChange::Resume | RunChange::Delete => {}
        }
        let details = json!({ "filter": self.filter.to_string(), "key": self.key });
        let audit = NewAuditEntry {
            who: self.who.clone(),
            action: self.action.as_str().to_owned(),
            reason,
            details: Some(details.to_string()),
        };
        Ok(Some((change, audit)))
    }
}

impl Action {
    fn as_str(self) -> &'static str {
        match self {
            Self::Signal => "signal",
            Self::Cancel => "cancel",
            Self::Terminate => "terminate",
            Self::Retry => "retry",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Delete => "delete",
        }
    }

    /// Runs that can be changed so.
    fn applies_to(self) -> Filter {
        use crate::filter::status;
        use crate::model::RunStatus;
        match self {
            Self::Resume => status().equals(RunStatus::Paused),
            Self::Signal | Self::Cancel | Self::Terminate | Self::Pause => {
                status().one_of(RunStatus::ALL.into_iter().filter(|status| status.is_open()))
            }
            Self::Retry => status().one_of([RunStatus::Blocked, RunStatus::Failed]),
            Self::Delete => {
                status().one_of(RunStatus::ALL.into_iter().filter(|status| !status.is_open()))
            }
        }
    }
}

impl std::fmt::Debug for ChangeMany {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChangeMany")
            .field("action", &self.action)
            .field("filter", &self.filter.to_string())
            .field("after", &self.after)
            .field("dry_run", &self.dry_run)
            .finish_non_exhaustive()
    }
}

impl IntoFuture for ChangeMany {
    type Output = Result<ManyChanged, BulkError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + std::marker::Send>>;

    /// Makes the change. Dropping the future leaves the runs that were not reached as they are.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.make())
    }
}

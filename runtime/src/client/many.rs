//! Changing all runs that match a filter.
//!
//! Each run is changed in a transaction of its own, with its own audit entry. A change of many runs can therefore
//! be stopped at any time and continued later.

use std::collections::HashMap;
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

/// The default maximum number of runs changed per second.
const RATE: u32 = 100;

/// A change of all runs that match a filter: set who makes it and why, and await it.
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
    /// Number of runs that matched so far.
    pub matched: u64,
    /// Number of runs that were changed; in a dry run, that would be.
    pub changed: u64,
    /// Number of runs that were not changed, because they were deleted or closed meanwhile, were changed before, or
    /// are in the wrong state: an open run is not deleted, and a run that is neither blocked nor failed is not
    /// retried. A signal is not sent to a run whose workflow never awaits it or cannot read it.
    pub left: u64,
    /// Why runs were left that do not await the signal or cannot read its value, for each workflow.
    pub refusals: Vec<String>,
    /// The last run that was checked. A call with [after](ChangeMany::after) this run skips the runs before it.
    pub last: Option<RunCursor>,
    /// Whether all matching runs were processed, as opposed to the call reaching its [limit](ChangeMany::limit).
    pub is_over: bool,
}

impl Client {
    /// Sends a signal to every open run that matches a filter. Closed runs are skipped.
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

    /// Sends a signal as JSON to every open run that matches a filter, for programs without its type. The name and
    /// the value are checked for each workflow as by [`UntypedRun::signal`](super::UntypedRun::signal).
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

    /// Requests every open run that matches a filter to cancel, for the reason given to [`ChangeMany::because`].
    ///
    /// Errors: [`BulkError`].
    pub fn cancel_all(&self, filter: impl Into<Filter>) -> ChangeMany {
        let kind = ArrivalKind::Cancel { reason: String::new() };
        self.deliver_to_all(filter, Action::Cancel, Ok(kind))
    }

    /// Terminates every open run that matches a filter, for the reason given to [`ChangeMany::because`].
    ///
    /// Errors: [`BulkError`].
    pub fn terminate_all(&self, filter: impl Into<Filter>) -> ChangeMany {
        let change = RunChange::Terminate { reason: String::new() };
        ChangeMany::new(self.clone(), filter.into(), Action::Terminate, Ok(change))
    }

    /// Retries every blocked or failed run that matches a filter, as
    /// [`UntypedRun::retry`](super::UntypedRun::retry) does; add `status = 'blocked'` to the filter to leave failed
    /// runs out. Failed runs that cannot be retried, for example because another run follows them, are counted as
    /// [left](ManyChanged::left).
    ///
    /// Errors: [`BulkError`].
    pub fn retry_all(&self, filter: impl Into<Filter>) -> ChangeMany {
        ChangeMany::new(self.clone(), filter.into(), Action::Retry, Ok(RunChange::Unblock))
    }

    /// Pauses every open run that matches a filter, as [`UntypedRun::pause`](super::UntypedRun::pause) does, for
    /// the reason given to [`ChangeMany::because`].
    ///
    /// Errors: [`BulkError`].
    pub fn pause_all(&self, filter: impl Into<Filter>) -> ChangeMany {
        ChangeMany::new(self.clone(), filter.into(), Action::Pause, Ok(RunChange::Pause))
    }

    /// Resumes every paused run that matches a filter, as [`UntypedRun::resume`](super::UntypedRun::resume) does. A
    /// run whose worker has not let go of it yet is `running` and is skipped.
    ///
    /// Errors: [`BulkError`].
    pub fn resume_all(&self, filter: impl Into<Filter>) -> ChangeMany {
        ChangeMany::new(self.clone(), filter.into(), Action::Resume, Ok(RunChange::Resume))
    }

    /// Deletes every closed run that matches a filter, with its result, attributes, memo, past states, answers to
    /// updates, promises and dedup keys. Messages that it has sent and that are still in the outbox are delivered.
    /// Dead letters and audit entries stay.
    ///
    /// Errors: [`BulkError`].
    pub fn delete_all(&self, filter: impl Into<Filter>) -> ChangeMany {
        ChangeMany::new(self.clone(), filter.into(), Action::Delete, Ok(RunChange::Delete))
    }

    /// Deletes a closed run, as [`Client::delete_all`] does. Await the returned value, after setting who deletes it
    /// and why. If there is no such run or it is open, nothing is [changed](ManyChanged::changed).
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

    /// Sets who makes the change, for the audit entries.
    pub fn by(mut self, who: impl Into<String>) -> Self {
        self.who = who.into();
        self
    }

    /// Sets the reason, for the audit entries and, if runs are cancelled or terminated, for the errors of their
    /// results.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Sets the maximum number of runs changed per second. Default: 100. Zero counts as one.
    pub fn rate(mut self, runs_per_second: u32) -> Self {
        self.rate = runs_per_second.max(1);
        self
    }

    /// Stops after this number of runs; the result contains the run to continue after. Default: no limit.
    pub fn limit(mut self, runs: u64) -> Self {
        self.limit = Some(runs);
        self
    }

    /// Continues after the [last](ManyChanged::last) run of another call.
    pub fn after(mut self, last: impl Into<RunCursor>) -> Self {
        self.after = Some(last.into());
        self
    }

    /// Changes nothing, and counts the runs that would be changed.
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }

    /// Sets a dedup key for a signal or a request to cancel: each run accepts one message with this key. A call
    /// repeated with the same key, for example after an error, therefore sends to each run once, even if the error
    /// has hidden that the first message arrived. 1 to 1,000 bytes, without the character NUL, and not starting
    /// with `piton:`. Default: a new key for each call.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }

    /// Calls `tell` about once a second with the progress so far.
    pub fn on_progress(mut self, tell: impl Fn(&ManyChanged) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(tell));
        self
    }

    async fn make(self) -> Result<ManyChanged, BulkError> {
        let Self { client, filter, action, rate, limit, progress, dry_run, .. } = &self;
        let template = self.template().await?;
        let filter = action.applies_to() & filter.clone();
        let filter = client.fixed(filter).await?;
        // At most one second's worth, so that the list is not outdated when the runs are changed.
        let at_a_time = (*rate).min(RATE);
        let pause = Duration::from_secs(1) / *rate;
        let mut next_at = Instant::now();
        let mut done = ManyChanged { last: self.after, ..ManyChanged::default() };
        let mut takes = HashMap::new();
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
                if !takes.contains_key(&run.workflow) {
                    let refusal = self.refusal(&run.workflow).await?;
                    takes.insert(run.workflow.clone(), refusal.is_none());
                    done.refusals.extend(refusal);
                }
                let outcome = match (dry_run, &template) {
                    _ if !takes[&run.workflow] => ChangeOutcome::Unchanged,
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
                // Runs after the last match were checked and need not be read again.
                Some(next) => done.last = Some(next),
                None => {
                    done.is_over = true;
                    return Ok(done);
                }
            }
        }
    }

    /// Why runs of this workflow cannot take the signal, if there is one.
    async fn refusal(&self, workflow: &str) -> Result<Option<String>, BulkError> {
        let Ok(RunChange::Deliver { kind: ArrivalKind::Signal { name, payload }, .. }) =
            &self.change
        else {
            return Ok(None);
        };
        match self.client.check_sent(workflow, name, payload).await {
            Ok(()) => Ok(None),
            Err(error @ SignalError::Store(_)) => Err(BulkError::Signal(error)),
            Err(error) => Ok(Some(error.to_string())),
        }
    }

    /// The change and the audit entry for each run; `None` for a dry run without a signature.
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

    /// The runs to which the action applies.
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

    /// Makes the change. If the future is dropped, the remaining runs are not changed.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.make())
    }
}

//! Handles of runs.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::kin::goes_on_as;
use super::{Client, Send, removed, send};
use crate::engine::backoff::patiently;
use crate::engine::evolution;
use crate::engine::paused::poll_interval;
use crate::error::{LookupError, RunError, StoreError};
use crate::machine::Outcome as _;
use crate::machine::{Signal, Workflow};
use crate::model::{RunId, RunStatus, recorded};
use crate::store::{ArrivalKind, EndWatch, Ending, FoundEnding, RunKey, RunRecord};

/// How often a wait for a result polls the database without a notification. A run may close in another process, and
/// the notification may be lost.
const RESULT_POLL: Duration = Duration::from_secs(2);

/// A run of the workflow `W`. Dropping the handle has no effect on the run.
pub struct RunHandle<W> {
    client: Client,
    run_id: RunId,
    workflow_id: String,
    workflow: PhantomData<fn() -> W>,
    /// Subscribed before the run started, so that the first wait can skip a query.
    watch: Mutex<Option<(EndWatch, Instant)>>,
}

impl<W: Workflow> RunHandle<W> {
    pub(super) fn new(client: Client, run_id: RunId, workflow_id: String) -> Self {
        Self { client, run_id, workflow_id, workflow: PhantomData, watch: Mutex::new(None) }
    }

    /// The handle of a run whose end was subscribed to before it was started.
    pub(super) fn started(
        client: Client,
        run_id: RunId,
        workflow_id: String,
        watch: EndWatch,
    ) -> Self {
        let watch = Mutex::new(Some((watch, Instant::now())));
        Self { client, run_id, workflow_id, workflow: PhantomData, watch }
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// The id of this execution.
    pub fn run_id(&self) -> RunId {
        self.run_id
    }

    /// The workflow id of the run.
    pub fn workflow_id(&self) -> &str {
        &self.workflow_id
    }

    /// Waits until the run has closed, in any process, and returns its result. If the run continues as a new run or
    /// is [retried](super::Start::retry), waits for those runs as well. A *blocked* run is not closed: the wait
    /// lasts until code that can continue it is deployed, or an operator terminates it. See [`RunHandle::status`]
    /// for the reason. Cancellation safe.
    ///
    /// # Errors
    /// [`RunError::Failed`] with the workflow's own error; [`RunError::Cancelled`], [`RunError::Terminated`] and so
    /// on for a run that closed without a value; [`RunError::Store`] for an error of the database that is not
    /// retryable. While the database cannot be reached, the wait continues.
    pub async fn result(&self) -> Result<W::Output, RunError<W::Error>> {
        let mut ending = self.ending().await?;
        let mut run_id = self.run_id;
        while let Some(next) = goes_on_as(&self.client, run_id, ending.status).await? {
            run_id = next;
            let next = Self::new(self.client.clone(), run_id, self.workflow_id.clone());
            ending = next.ending().await?;
        }
        removed::check(&self.client, run_id, ending.status, ending.result.is_some()).await?;
        self.ended(&ending).await
    }

    /// Like [`RunHandle::result`], but for this run alone, even if others follow it in its chain.
    ///
    /// # Errors
    /// Those of [`RunHandle::result`], and [`RunError::ContinuedAsNew`].
    pub async fn result_of_this_run(&self) -> Result<W::Output, RunError<W::Error>> {
        let ending = self.ending().await?;
        if ending.status == RunStatus::ContinuedAsNew
            && let Some(run_id) = goes_on_as(&self.client, self.run_id, ending.status).await?
        {
            return Err(RunError::ContinuedAsNew { run_id });
        }
        removed::check(&self.client, self.run_id, ending.status, ending.result.is_some()).await?;
        self.ended(&ending).await
    }

    /// Waits until this run has closed.
    async fn ending(&self) -> Result<Ending, RunError<W::Error>> {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner).take();
        let poll = poll_interval(&**self.client.store(), RESULT_POLL);
        loop {
            // Poll after a notification and after a timeout alike.
            if let Some((watch, since)) = watch.take()
                && let Ok(Some(ending)) = timeout_at(since + poll, watch.settled()).await
            {
                return Ok(Arc::unwrap_or_clone(ending));
            }
            watch = Some((self.client.store().hub().watch_end(self.run_id), Instant::now()));
            let found = self.client.endings().submit(self.run_id).await;
            match found.map_err(RunError::Store)? {
                FoundEnding::Unknown => return Err(RunError::Unknown { run_id: self.run_id }),
                FoundEnding::Open => {}
                FoundEnding::Closed(ending) => return Ok(ending),
            }
        }
    }

    /// The result of the run, which another build may have written.
    async fn ended(&self, ending: &Ending) -> Result<W::Output, RunError<W::Error>> {
        let store = &**self.client.store();
        let learn = || evolution::learn_schemas_of(store, ending.result.iter());
        patiently(learn).await.map_err(|error| RunError::Store(Arc::new(error)))?;
        ended::<W>(ending)
    }

    /// Sends a signal. Await the returned value, after setting a dedup key if needed.
    ///
    /// Errors: [`Closed`] if the run is closed; [`Unknown`] if there is no such run; [`Encode`] if the signal cannot be
    /// encoded; [`NotAwaited`] if no build of the workflow awaits this signal (if the workflow may continue as another one:
    /// if no workflow does). [`Client::signal_json`] does not check this.
    ///
    /// [`NotAwaited`]: crate::error::SignalError::NotAwaited
    /// [`Closed`]: crate::error::SignalError::Closed
    /// [`Unknown`]: crate::error::SignalError::Unknown
    /// [`Encode`]: crate::error::SignalError::Encode
    pub fn signal<S: Signal>(&self, signal: S) -> Send {
        let workflow = W::registered_name().unwrap_or(W::NAME);
        Send::new(self.client.clone(), self.run_id, send::signal(&signal)).for_workflow(workflow)
    }

    /// Requests the run to cancel. Its current await ends, unless the workflow awaits the request itself with
    /// [`Context::cancelled`](crate::machine::Context::cancelled). The workflow may clean up before it closes.
    /// Await the returned value.
    pub fn cancel(&self, reason: impl Into<String>) -> Send {
        let kind = Ok(ArrivalKind::Cancel { reason: reason.into() });
        Send::new(self.client.clone(), self.run_id, kind)
    }

    /// Closes the run without running any more of its code, wherever it is. Returns whether the run was terminated
    /// for this reason, by this call or an earlier one, and `false` if it closed in another way or for another
    /// reason. The call is therefore safe to repeat, and repeats itself if the database's response is lost. If the
    /// future is dropped, the run may or may not have been terminated.
    ///
    /// # Errors
    /// [`StoreError`] if the database [is away](Client#when-the-database-is-away) for too long; calling again is
    /// safe.
    pub async fn terminate(&self, reason: &str) -> Result<bool, StoreError> {
        let reason = recorded(reason.to_owned());
        patiently(|| self.client.store().terminate_run(self.run_id, &reason)).await
    }

    /// The run, as stored now.
    ///
    /// # Errors
    /// [`LookupError::Unknown`] if there is no such run, [`LookupError::Store`] if the database
    /// [is away](Client#when-the-database-is-away) for too long.
    pub async fn status(&self) -> Result<RunRecord, LookupError> {
        let record = self.client.find(self.run_id).await?;
        record.ok_or(LookupError::Unknown(RunKey::RunId(self.run_id)))
    }
}

fn ended<W: Workflow>(ending: &Ending) -> Result<W::Output, RunError<W::Error>> {
    let reason = ending.failure.clone().unwrap_or_default();
    match (ending.status, &ending.result) {
        (RunStatus::Cancelled, _) => Err(RunError::Cancelled { reason }),
        (RunStatus::Terminated, _) => Err(RunError::Terminated { reason }),
        (RunStatus::TimedOut, _) => Err(RunError::TimedOut { reason }),
        (_, Some(result)) => {
            let returned = W::RETURNED.decode(result).map_err(RunError::Unreadable)?;
            W::Shape::into_result(returned).map_err(RunError::Failed)
        }
        (_, None) => Err(RunError::Uncaught { reason }),
    }
}

impl<W> Clone for RunHandle<W> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            run_id: self.run_id,
            workflow_id: self.workflow_id.clone(),
            workflow: PhantomData,
            watch: Mutex::new(None),
        }
    }
}

impl<W> std::fmt::Debug for RunHandle<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunHandle")
            .field("run_id", &self.run_id)
            .field("workflow_id", &self.workflow_id)
            .finish_non_exhaustive()
    }
}

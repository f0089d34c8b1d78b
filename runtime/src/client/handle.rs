//! Handles of runs.

use std::marker::PhantomData;

use super::one_run::OneRun;
use super::{Client, Send, send};
use crate::error::{LookupError, RunError, StoreError};
use crate::machine::Outcome as _;
use crate::machine::{Signal, Workflow};
use crate::model::{RunId, RunStatus};
use crate::store::{ArrivalKind, Ending, RunKey, RunRecord};

/// A run of the workflow `W`. Dropping the handle has no effect on the run.
pub struct RunHandle<W> {
    run: OneRun,
    workflow: PhantomData<fn() -> W>,
}

impl<W: Workflow> RunHandle<W> {
    pub(super) fn of(run: OneRun) -> Self {
        Self { run, workflow: PhantomData }
    }

    pub(super) fn client(&self) -> &Client {
        &self.run.client
    }

    /// The id of this execution.
    pub fn run_id(&self) -> RunId {
        self.run.run_id
    }

    /// The workflow id of the run.
    pub fn workflow_id(&self) -> &str {
        &self.run.workflow_id
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
        ended::<W>(&self.run.last_ending().await.map_err(RunError::widen)?)
    }

    /// Like [`RunHandle::result`], but for this run alone, even if others follow it in its chain.
    ///
    /// # Errors
    /// Those of [`RunHandle::result`], and [`RunError::ContinuedAsNew`].
    pub async fn result_of_this_run(&self) -> Result<W::Output, RunError<W::Error>> {
        ended::<W>(&self.run.own_ending().await.map_err(RunError::widen)?)
    }

    /// Sends a signal. Await the returned value, after setting a dedup key if needed.
    ///
    /// Errors: [`Closed`] if the run is closed; [`Unknown`] if there is no such run; [`Encode`] if the signal cannot be
    /// encoded; [`NotAwaited`] if no build of the workflow awaits this signal (if the workflow may continue as another one:
    /// if no workflow does); [`Send::unchecked`] allows this.
    ///
    /// [`NotAwaited`]: crate::error::SignalError::NotAwaited
    /// [`Closed`]: crate::error::SignalError::Closed
    /// [`Unknown`]: crate::error::SignalError::Unknown
    /// [`Encode`]: crate::error::SignalError::Encode
    pub fn signal<S: Signal>(&self, signal: S) -> Send {
        let workflow = W::registered_name().unwrap_or(W::NAME);
        Send::new(self.run.client.clone(), self.run.run_id, send::signal(&signal))
            .for_workflow(workflow)
    }

    /// Requests the run to cancel. Its current await ends, unless the workflow awaits the request itself with
    /// [`Context::cancelled`](crate::machine::Context::cancelled). The workflow may clean up before it closes.
    /// Await the returned value.
    pub fn cancel(&self, reason: impl Into<String>) -> Send {
        let kind = Ok(ArrivalKind::Cancel { reason: reason.into() });
        Send::new(self.run.client.clone(), self.run.run_id, kind)
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
        self.run.terminate(reason).await
    }

    /// The run, as stored now.
    ///
    /// # Errors
    /// [`LookupError::Unknown`] if there is no such run, [`LookupError::Store`] if the database
    /// [is away](Client#when-the-database-is-away) for too long.
    pub async fn status(&self) -> Result<RunRecord, LookupError> {
        let record = self.run.client.find(self.run.run_id).await?;
        record.ok_or(LookupError::Unknown(RunKey::RunId(self.run.run_id)))
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
        Self { run: self.run.clone(), workflow: PhantomData }
    }
}

impl<W> std::fmt::Debug for RunHandle<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunHandle")
            .field("run_id", &self.run.run_id)
            .field("workflow_id", &self.run.workflow_id)
            .finish_non_exhaustive()
    }
}

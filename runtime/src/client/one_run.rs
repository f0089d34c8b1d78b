//! A run without the type of its workflow: the part of a handle that is compiled once, not for each workflow.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::kin::goes_on_as;
use super::{Client, removed};
use crate::engine::backoff::patiently;
use crate::engine::evolution;
use crate::engine::paused::poll_interval;
use crate::error::{RunError, StoreError};
use crate::machine::Never;
use crate::model::{RunId, RunStatus, recorded};
use crate::store::{EndWatch, Ending, FoundEnding};

/// How often a wait for a result polls the database without a notification. A run may close in another process, and
/// the notification may be lost.
const RESULT_POLL: Duration = Duration::from_secs(2);

/// See the [module documentation](self).
pub(super) struct OneRun {
    pub(super) client: Client,
    pub(super) run_id: RunId,
    pub(super) workflow_id: String,
    /// Subscribed before the run started, so that the first wait can skip a query.
    watch: Mutex<Option<(EndWatch, Instant)>>,
}

impl OneRun {
    pub(super) fn new(client: Client, run_id: RunId, workflow_id: String) -> Self {
        Self { client, run_id, workflow_id, watch: Mutex::new(None) }
    }

    /// A run whose end was subscribed to before it was started.
    pub(super) fn started(
        client: Client,
        run_id: RunId,
        workflow_id: String,
        watch: EndWatch,
    ) -> Self {
        let watch = Mutex::new(Some((watch, Instant::now())));
        Self { client, run_id, workflow_id, watch }
    }

    /// Waits until the run has closed, and the runs that it continues as. The ending of the last one can be read.
    pub(super) async fn last_ending(&self) -> Result<Ending, RunError<Never>> {
        let mut ending = self.ending().await?;
        let mut run_id = self.run_id;
        while let Some(next) = goes_on_as(&self.client, run_id, ending.status).await? {
            run_id = next;
            let next = Self::new(self.client.clone(), run_id, self.workflow_id.clone());
            ending = next.ending().await?;
        }
        self.readable(run_id, ending).await
    }

    /// Like [`OneRun::last_ending`], but for this run alone.
    pub(super) async fn own_ending(&self) -> Result<Ending, RunError<Never>> {
        let ending = self.ending().await?;
        if ending.status == RunStatus::ContinuedAsNew
            && let Some(run_id) = goes_on_as(&self.client, self.run_id, ending.status).await?
        {
            return Err(RunError::ContinuedAsNew { run_id });
        }
        self.readable(self.run_id, ending).await
    }

    /// Waits until this run has closed.
    async fn ending(&self) -> Result<Ending, RunError<Never>> {
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

    /// The ending of a run, with the schemas that its result needs: another build may have written it.
    async fn readable(&self, run_id: RunId, ending: Ending) -> Result<Ending, RunError<Never>> {
        removed::check(&self.client, run_id, ending.status, ending.result.is_some()).await?;
        let store = &**self.client.store();
        let learn = || evolution::learn_schemas_of(store, ending.result.iter());
        patiently(learn).await.map_err(|error| RunError::Store(Arc::new(error)))?;
        Ok(ending)
    }

    pub(super) async fn terminate(&self, reason: &str) -> Result<bool, StoreError> {
        let reason = recorded(reason.to_owned());
        patiently(|| self.client.store().terminate_run(self.run_id, &reason)).await
    }
}

impl Clone for OneRun {
    fn clone(&self) -> Self {
        Self::new(self.client.clone(), self.run_id, self.workflow_id.clone())
    }
}

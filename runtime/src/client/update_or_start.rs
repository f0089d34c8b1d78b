//! Sending an update to a run, or starting the run with it.

use std::future::IntoFuture;
use std::pin::Pin;
use std::time::Duration;

use super::untyped_start::{Call, StartOptions, holder};
use super::updates::{RawUpdate, encode, id_or_new, read_refusal};
use super::{Client, Start, UpdateHandle};
use crate::error::{StartError, UpdateError};
use crate::machine::{Never, Update, Workflow, WorkflowCall};
use crate::model::{Payload, RunId};
use crate::store::{FirstArrival, StartOutcome, UpdateKey};

/// An update for the open run with a workflow id, or for a new run: await it for the answer.
#[must_use = "nothing is sent or started until this is awaited"]
pub struct UpdateOrStart<W, U> {
    start: Start<W>,
    request: U,
    update_id: Option<String>,
    limit: Option<Duration>,
}

impl<W: Workflow, U: Update> UpdateOrStart<W, U> {
    pub(super) fn new(client: Client, call: WorkflowCall<W>, request: U) -> Self {
        Self { start: Start::new(client, call), request, update_id: None, limit: None }
    }

    /// Sets the workflow id: the open run that has it gets the update, or a new run gets both. Default: the new
    /// run's id, so that a run is always started.
    pub fn id(mut self, workflow_id: impl Into<String>) -> Self {
        self.start = self.start.id(workflow_id);
        self
    }

    /// Sets the id of the update, see [`SendUpdate::id`](super::SendUpdate::id). The run stores the id, so after
    /// the run has closed, a repetition starts another run.
    pub fn update_id(mut self, id: impl Into<String>) -> Self {
        self.update_id = Some(id.into());
        self
    }

    /// Sets how long to wait for the answer, see [`SendUpdate::timeout`](super::SendUpdate::timeout).
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Sends the update, to the open run or with a new one. When this returns, the update is on disk. Validators
    /// run only if there is an open run. If the future is dropped, the update may or may not have been sent.
    ///
    /// # Errors
    /// Those of [`SendUpdate::accepted`](super::SendUpdate::accepted), and [`UpdateError::Start`].
    pub async fn accepted(self) -> Result<UpdateHandle<U>, UpdateError<U::Error>> {
        let Self { start, request, update_id, limit: _ } = self;
        let payload = encode(&request)?;
        let id = id_or_new(update_id)?;
        let update = RawUpdate { name: U::NAME.to_owned(), id: id.clone(), payload, json: None };
        let call = Call::new(start.call).map_err(failed).map_err(UpdateError::widen)?;
        let client = start.options.client.clone();
        let sent = send(start.options, call, update).await;
        match sent.map_err(UpdateError::widen)? {
            Ok(run_id) => Ok(UpdateHandle::new(client, run_id, id)),
            Err(refusal) => Err(read_refusal::<U>(&refusal)),
        }
    }
}

impl<W: Workflow, U: Update> std::fmt::Debug for UpdateOrStart<W, U> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UpdateOrStart")
            .field("update", &U::NAME)
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

impl<W: Workflow, U: Update<Error: Send> + Send> IntoFuture for UpdateOrStart<W, U> {
    type Output = Result<U::Reply, UpdateError<U::Error>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Sends the update, or starts the run with it, and waits for the answer. If the future is dropped, the update
    /// may or may not have been sent.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let limit = self.limit;
            self.accepted().await?.reply_within(limit).await
        })
    }
}

/// Returns the run that has the update, or the refusal of a validator.
async fn send(
    start: StartOptions,
    call: Call,
    update: RawUpdate,
) -> Result<Result<RunId, Payload>, UpdateError<Never>> {
    let client = &start.client;
    let recorded = client.record_schema_of(&update.clone().arrival()).await;
    recorded.map_err(|error| failed(error.into()))?;
    loop {
        // The key does not depend on the run.
        let (run_id, name) = (client.store().new_run_id(), update.name.clone());
        let dedup_key = Some(UpdateKey { run_id, name, update: update.id.clone() }.dedup_key());
        let first = FirstArrival { kind: update.clone().arrival(), dedup_key };
        let started = start.clone().try_start(call.clone(), Some(first)).await;
        let (outcome, run) = started.map_err(failed)?;
        let StartOutcome::IdTaken { run_id } = outcome else { return Ok(Ok(run.run_id)) };
        holder(run, call.entry).await.map_err(failed)?;
        match client.send_update(run_id.into(), update.clone()).await {
            Ok(sent) => return Ok(sent.map(|key| key.run_id)),
            // It has closed meanwhile, so its workflow id is free.
            Err(UpdateError::Closed { .. }) => {}
            Err(error) => return Err(error),
        }
    }
}

fn failed(error: StartError) -> UpdateError<Never> {
    UpdateError::Start(Box::new(error))
}

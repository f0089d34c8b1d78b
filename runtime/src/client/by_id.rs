//! A run without its type: the methods of a typed handle, with JSON.

use std::future::IntoFuture;
use std::pin::Pin;
use std::time::Duration;

use serde_json::{Map, Value as Json};

use super::one_run::OneRun;
use super::updates::{RawUpdate, id_or_new};
use super::{Client, Send, Watch};
use crate::client::inspect::Inspection;
use crate::engine::backoff::patiently;
use crate::error::{LookupError, QueryError, RunError, StoreError, UpdateError};
use crate::model::{Payload, RunStatus, recorded};
use crate::store::{ArrivalKind, Ending, RunKey, RunRecord};

/// A run known only by its workflow id or run id, created by [`Client::by_id`]. For each method call, a workflow id
/// names the open run that has it, or else the one started last.
#[derive(Clone, Debug)]
pub struct UntypedRun {
    client: Client,
    key: RunKey,
}

impl Client {
    /// A run by its workflow id or run id, for programs without the type of its workflow. Looks nothing up: the
    /// methods of the returned value fail if there is no such run.
    ///
    /// ```no_run
    /// # async fn demo(client: piton::client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let run = client.by_id("order-42");
    /// run.signal("Approve", &serde_json::json!({ "by": "ada" })).await?;
    /// println!("{}", run.variable("cart").await?);
    /// println!("{}", run.result().await?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn by_id(&self, run: impl Into<RunKey>) -> UntypedRun {
        UntypedRun { client: self.clone(), key: run.into() }
    }
}

impl UntypedRun {
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn key(&self) -> &RunKey {
        &self.key
    }

    /// The run, as stored.
    ///
    /// # Errors
    /// [`LookupError::Unknown`] if there is no such run, [`LookupError::Store`] if the database
    /// [is away](Client#when-the-database-is-away) for too long.
    pub async fn status(&self) -> Result<RunRecord, LookupError> {
        let found = self.client.find(self.key.clone()).await?;
        found.ok_or_else(|| LookupError::Unknown(self.key.clone()))
    }

    /// Shows the run as a debugger would: see [`Client::inspect`].
    ///
    /// # Errors
    /// Those of [`Client::inspect`].
    pub async fn inspect(&self) -> Result<Inspection, LookupError> {
        self.client.inspect(self.key.clone()).await
    }

    /// Sends a signal as JSON, by its stored name: see [`Client::signal_json`]. Await the returned value.
    ///
    /// Errors: those of [`Client::signal_json`].
    pub fn signal(&self, name: impl Into<String>, value: &Json) -> Send {
        self.client.signal_json(self.key.clone(), name, value)
    }

    /// Requests the run to cancel: see [`RunHandle::cancel`](super::RunHandle::cancel). Await the returned value.
    pub fn cancel(&self, reason: impl Into<String>) -> Send {
        let kind = ArrivalKind::Cancel { reason: reason.into() };
        Send::new(self.client.clone(), self.key.clone(), Ok(kind))
    }

    /// Closes the run without running any more of its code: see
    /// [`RunHandle::terminate`](super::RunHandle::terminate).
    ///
    /// # Errors
    /// Those of [`UntypedRun::status`].
    pub async fn terminate(&self, reason: &str) -> Result<bool, LookupError> {
        let run_id = self.client.run_id_of(self.key.clone()).await?;
        let reason = recorded(reason.to_owned());
        let store = self.client.store();
        Ok(patiently(|| store.terminate_run(run_id, &reason)).await?)
    }

    /// Sends an update as JSON, by its stored name. Await the returned value for the answer, after setting an id if
    /// needed.
    ///
    /// Errors: see [`UpdateError`].
    pub fn update(&self, name: impl Into<String>, request: &Json) -> SendJsonUpdate {
        let (run, name, request) = (self.clone(), name.into(), request.clone());
        SendJsonUpdate { run, name, request, id: None, limit: None }
    }

    /// An exposed variable: see [`Exposed::json`](super::Exposed::json).
    ///
    /// # Errors
    /// Those of [`Client::exposed`], and [`QueryError::NotExposed`].
    pub async fn variable(&self, name: &str) -> Result<Json, QueryError> {
        self.client.exposed(self.key.clone()).await?.json(name)
    }

    /// All variables that the run exposes in its present state.
    ///
    /// # Errors
    /// Those of [`Client::exposed`].
    pub async fn variables(&self) -> Result<Map<String, Json>, QueryError> {
        Ok(self.client.exposed(self.key.clone()).await?.to_json())
    }

    /// Waits until the run has closed: see [`RunHandle::result`](super::RunHandle::result). The run is the one that
    /// the key names at the time of the call. Cancellation safe.
    ///
    /// # Errors
    /// Those of [`RunHandle::result`](super::RunHandle::result); the workflow's error is JSON as well.
    pub async fn result(&self) -> Result<Json, RunError<Json>> {
        let failed = |error: LookupError| match error {
            LookupError::Store(error) => RunError::Store(std::sync::Arc::new(error)),
            error => RunError::Lookup(Box::new(error)),
        };
        let RunRecord { run_id, workflow_id, .. } = self.status().await.map_err(failed)?;
        let run = OneRun::new(self.client.clone(), run_id, workflow_id);
        let Ending { status, result, failure } =
            run.last_ending().await.map_err(RunError::widen)?;
        let reason = failure.unwrap_or_default();
        match (status, result) {
            (RunStatus::Cancelled, _) => Err(RunError::Cancelled { reason }),
            (RunStatus::Terminated, _) => Err(RunError::Terminated { reason }),
            (RunStatus::TimedOut, _) => Err(RunError::TimedOut { reason }),
            (status, Some(result)) => {
                let json = self.client.payload_json(&result).await;
                let json = json.map_err(|error| RunError::Store(std::sync::Arc::new(error)))?;
                // The JSON form of a `Result`.
                match (status, json) {
                    (RunStatus::Failed, Json::Object(mut both)) if both.contains_key("Err") => {
                        Err(RunError::Failed(both.remove("Err").unwrap_or_default()))
                    }
                    (RunStatus::Failed, json) => Err(RunError::Failed(json)),
                    (_, Json::Object(mut both)) if both.len() == 1 && both.contains_key("Ok") => {
                        Ok(both.remove("Ok").unwrap_or_default())
                    }
                    (_, json) => Ok(json),
                }
            }
            (_, None) => Err(RunError::Uncaught { reason }),
        }
    }

    /// Watches the run from now on: see [`Client::watch`].
    ///
    /// # Errors
    /// Those of [`Client::watch`].
    pub async fn watch(&self) -> Result<Watch, LookupError> {
        self.client.watch(self.key.clone()).await
    }
}

/// An update as JSON, ready to be sent: await it for the answer.
#[derive(Debug)]
#[must_use = "nothing is sent until this is awaited"]
pub struct SendJsonUpdate {
    run: UntypedRun,
    name: String,
    request: Json,
    id: Option<String>,
    limit: Option<Duration>,
}

impl SendJsonUpdate {
    /// Sets the id of the update, see [`SendUpdate::id`](super::SendUpdate::id).
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets how long to wait for the answer, see [`SendUpdate::timeout`](super::SendUpdate::timeout).
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    async fn send(self) -> Result<Json, UpdateError<Json>> {
        let Self { run: UntypedRun { client, key }, name, request, id, limit } = self;
        let payload = Payload::from_json(&request);
        let update = RawUpdate { name, id: id_or_new(id)?, payload, json: Some(request) };
        let sent = client.send_update(key, update).await.map_err(UpdateError::widen)?;
        let answer = match sent {
            Ok(key) => {
                let reply = client.update_reply_within(&key, limit).await;
                reply.map_err(UpdateError::widen)?
            }
            Err(refusal) => Err(refusal),
        };
        let unreadable = |error: StoreError| UpdateError::Store(std::sync::Arc::new(error));
        match answer {
            Ok(reply) => client.payload_json(&reply).await.map_err(unreadable),
            Err(refusal) => {
                let json = client.payload_json(&refusal).await.map_err(unreadable)?;
                Err(UpdateError::Refused(json))
            }
        }
    }
}

impl IntoFuture for SendJsonUpdate {
    type Output = Result<Json, UpdateError<Json>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + std::marker::Send>>;

    /// Sends the update and waits for the answer. If the future is dropped, the update may or may not have been
    /// sent; with an id, sending it again is safe.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

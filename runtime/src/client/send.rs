//! Sending messages to a run.

use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value as Json;

use super::Client;
use super::awaited::Sent;
use crate::codec;
use crate::engine::backoff::patiently;
use crate::error::{KeyError, SignalError};
use crate::machine::Signal;
use crate::model::Payload;
use crate::store::{ArrivalKind, ArrivalOutcome, NewArrival, RunKey};

/// A signal or a request to cancel, ready to be sent: await it. When the await returns, it is on disk.
#[derive(Debug)]
#[must_use = "nothing is sent until this is awaited"]
pub struct Send {
    client: Client,
    to: RunKey,
    kind: Result<ArrivalKind, SignalError>,
    dedup_key: Option<String>,
    /// The workflow of which a build must await the signal.
    workflow: Option<&'static str>,
    /// Whether the signal is checked against the run's workflow.
    is_checked: bool,
}

impl Send {
    pub(super) fn new(
        client: Client,
        to: impl Into<RunKey>,
        kind: Result<ArrivalKind, SignalError>,
    ) -> Self {
        Self { client, to: to.into(), kind, dedup_key: None, workflow: None, is_checked: false }
    }

    /// Refuses the signal if no build of the run's workflow awaits it or can read its value.
    pub(super) fn checked(self) -> Self {
        Self { is_checked: true, ..self }
    }

    /// Refuses the signal if no build of this workflow awaits it.
    pub(super) fn for_workflow(mut self, workflow: &'static str) -> Self {
        self.workflow = Some(workflow);
        self
    }

    /// Sets a key that detects repetitions: the run accepts one message with this key, as long as it exists, and
    /// refuses another signal with it ([`SignalError::KeyTaken`]). Sending again after an error is then safe, and
    /// happens automatically while the database [is away](Client#when-the-database-is-away). A message without a key is
    /// not sent again once it may have arrived. 1 to 1,000 bytes, without the character NUL, and not starting with `piton:`. Default: none.
    pub fn dedup_key(mut self, key: impl Into<String>) -> Self {
        self.dedup_key = Some(key.into());
        self
    }

    /// Sends the signal although no recorded build awaits it or can read its value: for a build that is still to come,
    /// and in programs without the signal's type for values that only its code can judge, such as one without a field
    /// that has a `#[serde(default)]`. A signal that no code awaits stays in the inbox; one that the run cannot read becomes a
    /// [dead letter](Client::dead_letters). Default: such signals are refused.
    pub fn unchecked(self) -> Self {
        Self { workflow: None, is_checked: false, ..self }
    }

    async fn send(self) -> Result<(), SignalError> {
        let Self { client, to, kind, dedup_key, workflow, is_checked } = self;
        dedup_key
            .iter()
            .try_for_each(|key| KeyError::check_dedup(key))
            .map_err(SignalError::DedupKey)?;
        if let (Some(workflow), Ok(ArrivalKind::Signal { name, .. })) = (workflow, &kind) {
            client.check_signal(workflow, name).await?;
        }
        let run_id = match to {
            RunKey::RunId(run_id) if !is_checked => run_id,
            key => {
                let found = client.find(key.clone()).await;
                let found = found.map_err(|error| SignalError::Store(Arc::new(error)))?;
                let found = found.ok_or_else(|| match key {
                    RunKey::RunId(run_id) => SignalError::Unknown { run_id },
                    key @ RunKey::WorkflowId(_) => SignalError::NoRun(key),
                })?;
                if let (true, Ok(ArrivalKind::Signal { name, payload })) = (is_checked, &kind) {
                    client.check_sent(&found.workflow, name, payload).await?;
                }
                found.run_id
            }
        };
        let kind = kind?;
        client.record_schema_of(&kind).await?;
        let keyed = dedup_key.clone().map(|key| (key, kind.name().map(str::to_owned)));
        let arrival = NewArrival { run_id, kind, dedup_key, owner: None };
        let outcome = client.deliveries().submit(arrival).await.map_err(SignalError::Store)?;
        match outcome {
            ArrivalOutcome::Accepted { .. } | ArrivalOutcome::Duplicate => Ok(()),
            ArrivalOutcome::KeyTaken { by } => {
                let (key, sent) = keyed.unwrap_or_default();
                Err(SignalError::KeyTaken { run_id, key, sent, by })
            }
            ArrivalOutcome::Unknown => Err(SignalError::Unknown { run_id }),
            // Arrivals of clients name no owner.
            ArrivalOutcome::Closed | ArrivalOutcome::NotOwner => {
                Err(SignalError::Closed { run_id })
            }
        }
    }
}

impl Client {
    pub(super) async fn check_signal(
        &self,
        workflow: &str,
        signal: &str,
    ) -> Result<(), SignalError> {
        let awaited = self.check_awaited(workflow, Sent::Signal, signal).await;
        let awaited = awaited.map_err(|error| SignalError::Store(Arc::new(error)))?;
        awaited.map_err(|awaited| SignalError::NotAwaited {
            workflow: workflow.to_owned(),
            signal: signal.to_owned(),
            awaited,
        })
    }

    /// Checks that runs of a workflow await this signal and, if its value is JSON, that they can read that.
    pub(super) async fn check_sent(
        &self,
        workflow: &str,
        signal: &str,
        payload: &Payload,
    ) -> Result<(), SignalError> {
        self.check_signal(workflow, signal).await?;
        match codec::payload_to_json(payload) {
            Ok(json) if codec::schema_of(payload).is_none() => {
                self.check_value(workflow, signal, &json).await
            }
            _ => Ok(()),
        }
    }

    async fn check_value(
        &self,
        workflow: &str,
        signal: &str,
        json: &Json,
    ) -> Result<(), SignalError> {
        let checked = self.check_json(Some(workflow), Sent::Signal, signal, json).await;
        let checked = checked.map_err(|error| SignalError::Store(Arc::new(error)))?;
        checked.map_err(|reason| SignalError::Unfit { signal: signal.to_owned(), reason })
    }

    /// Records the schema of a value before it is delivered.
    pub(super) async fn record_schema_of(&self, kind: &ArrivalKind) -> Result<(), SignalError> {
        let Some(payload) = kind.payload() else { return Ok(()) };
        let record = || self.recorded().schema_of(&**self.store(), payload);
        patiently(record).await.map_err(|error| SignalError::Store(Arc::new(error)))
    }
}

/// The signal as an arrival.
pub(super) fn signal<S: Signal>(signal: &S) -> Result<ArrivalKind, SignalError> {
    signal
        .to_payload()
        .map(|payload| ArrivalKind::Signal { name: S::NAME.to_owned(), payload })
        .map_err(|source| SignalError::Encode { signal: S::NAME, source })
}

impl IntoFuture for Send {
    type Output = Result<(), SignalError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + std::marker::Send>>;

    /// Sends it. If the future is dropped, it may or may not have been sent; with a dedup key, sending it again is
    /// safe.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

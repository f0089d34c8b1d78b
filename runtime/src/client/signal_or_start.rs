//! Sending a signal to a run, or starting the run with it.

use std::future::IntoFuture;
use std::pin::Pin;

use super::one_run::OneRun;
use super::untyped_start::{Call, StartOptions, holder};
use super::{Client, RunHandle, Send, Start};
use crate::error::{KeyError, SignalError, StartError};
use crate::machine::{Workflow, WorkflowCall};
use crate::store::{ArrivalKind, FirstArrival, StartOutcome};

/// A signal for the open run with a workflow id, or for a new run: await it.
#[must_use = "nothing is sent or started until this is awaited"]
pub struct SignalOrStart<W> {
    start: Start<W>,
    kind: Result<ArrivalKind, SignalError>,
    dedup_key: Option<String>,
}

impl<W: Workflow> SignalOrStart<W> {
    pub(super) fn new(
        client: Client,
        call: WorkflowCall<W>,
        kind: Result<ArrivalKind, SignalError>,
    ) -> Self {
        Self { start: Start::new(client, call), kind, dedup_key: None }
    }

    /// Sets the workflow id: the open run that has it gets the signal, or a new run gets both. Default: the new
    /// run's id, so that a run is always started.
    pub fn id(mut self, workflow_id: impl Into<String>) -> Self {
        self.start = self.start.id(workflow_id);
        self
    }

    /// Sets a key that detects repetitions, see [`Send::dedup_key`]. The run stores the key, so after the run has
    /// closed, a repetition starts another run.
    pub fn dedup_key(mut self, key: impl Into<String>) -> Self {
        self.dedup_key = Some(key.into());
        self
    }
}

impl<W: Workflow> std::fmt::Debug for SignalOrStart<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignalOrStart").field("start", &self.start).finish_non_exhaustive()
    }
}

impl<W: Workflow> IntoFuture for SignalOrStart<W> {
    type Output = Result<RunHandle<W>, StartError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + std::marker::Send>>;

    /// If the future is dropped, the signal may or may not have been sent.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async {
            let Self { start, kind, dedup_key } = self;
            let call = Call::new(start.call)?;
            Ok(RunHandle::of(send(start.options, call, kind?, dedup_key).await?))
        })
    }
}

async fn send(
    start: StartOptions,
    call: Call,
    kind: ArrivalKind,
    dedup_key: Option<String>,
) -> Result<OneRun, StartError> {
    let client = &start.client;
    dedup_key
        .iter()
        .try_for_each(|key| KeyError::check_dedup(key))
        .map_err(SignalError::DedupKey)?;
    if let ArrivalKind::Signal { name, .. } = &kind {
        client.check_signal(call.workflow, name).await?;
    }
    client.record_schema_of(&kind).await?;
    loop {
        let first = FirstArrival { kind: kind.clone(), dedup_key: dedup_key.clone() };
        let (outcome, run) = start.clone().try_start(call.clone(), Some(first)).await?;
        let StartOutcome::IdTaken { run_id } = outcome else { return Ok(run) };
        let run = holder(run, call.entry).await?;
        let send = Send::new(client.clone(), run_id, Ok(kind.clone()));
        let send = dedup_key.iter().fold(send, |send, key| send.dedup_key(key.clone()));
        match send.await {
            Ok(()) => return Ok(run),
            // It has closed meanwhile, so its workflow id is free.
            Err(SignalError::Closed { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

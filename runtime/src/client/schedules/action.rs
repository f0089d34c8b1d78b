//! What a schedule starts, as it is given.

use serde_json::Value as Json;

use crate::client::Client;
use crate::engine::backoff::patiently;
use crate::error::{ScheduleError, StartError, StoreError};
use crate::machine::{Workflow, WorkflowCall, WorkflowEntry};
use crate::model::Payload;
use crate::schedules::{NO_WORKFLOW, SignalAction};

/// What a schedule starts.
#[derive(Debug)]
pub(super) enum Starts {
    /// Nothing: it only sends a signal.
    Nothing,
    Call {
        entry: &'static WorkflowEntry,
        workflow: &'static str,
        arguments: Payload,
    },
    /// A run of a workflow that this program does not have.
    Json {
        workflow: String,
        arguments: Json,
    },
}

impl Starts {
    /// The call of a workflow.
    pub(super) fn call<W: Workflow>(call: WorkflowCall<W>) -> Result<Self, ScheduleError> {
        let Some(workflow) = W::registered_name() else {
            return Err(ScheduleError::NotRegistered { workflow: std::any::type_name::<W>() });
        };
        let arguments = call
            .into_arguments()
            .map_err(|source| ScheduleError::Arguments { workflow, source })?;
        Ok(Self::Call { entry: W::entry(), workflow, arguments })
    }

    /// The workflow's name and the arguments, whose schemas are then recorded.
    pub(super) async fn recorded(
        self,
        client: &Client,
    ) -> Result<(String, Payload), ScheduleError> {
        let store = &**client.store();
        let (workflow, arguments) = match self {
            Self::Nothing => {
                return Ok((NO_WORKFLOW.to_owned(), Payload::from_json(&Json::Array(Vec::new()))));
            }
            Self::Call { entry, workflow, arguments } => {
                patiently(|| client.recorded().definition_of(store, entry)).await?;
                (workflow.to_owned(), arguments)
            }
            Self::Json { workflow, arguments } => {
                let fitting = client.arguments_by_name(&workflow, &arguments).await;
                let (_, arguments) = fitting.map_err(not_startable)?;
                (workflow, arguments)
            }
        };
        patiently(|| client.recorded().schema_of(store, &arguments)).await?;
        Ok((workflow, arguments))
    }
}

fn not_startable(error: StartError) -> ScheduleError {
    ScheduleError::Start(Box::new(error))
}

impl Client {
    /// Checks that runs of the workflow that a schedule starts await the signal that it sends, and records its schema.
    pub(super) async fn record_scheduled(
        &self,
        signal: &SignalAction,
        workflow: &str,
    ) -> Result<(), ScheduleError> {
        let SignalAction { name, payload } = signal;
        if workflow != NO_WORKFLOW {
            self.check_sent(workflow, name, payload).await?;
        }
        let recorded: Result<(), StoreError> =
            patiently(|| self.recorded().schema_of(&**self.store(), payload)).await;
        Ok(recorded?)
    }
}

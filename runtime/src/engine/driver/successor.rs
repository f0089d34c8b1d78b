//! The run that follows one which continues as new, and what must be recorded before others see a run.

use tracing::warn;

use super::steps::Effects;
use crate::codec;
use crate::engine::backoff::Backoff;
use crate::engine::session::Session;
use crate::error::{StoreError, with_causes};
use crate::machine::{Machine, NextRun, RunInfo, StepError, WorkflowEntry};
use crate::model::{BlockedReason, Link, Message, Payload, PromiseMessage, SchemaHash};
use crate::store::{NewRun, Successor};

/// The run that follows `run`, with what it is written by recorded.
///
/// # Errors
/// Why its first state cannot be made.
pub(super) async fn successor(
    session: &Session,
    run: &RunInfo,
    next: NextRun,
) -> Result<Box<Successor>, BlockedReason> {
    record(session, next.entry, &next.arguments).await;
    let run_id = session.store.new_run_id();
    let new = first_state(RunInfo { run_id, workflow_id: run.workflow_id.clone() }, next);
    let run = new.map_err(|error| BlockedReason::Invalid(error.to_string()))?;
    Ok(Box::new(Successor { run, link: Link::Continued }))
}

fn first_state(run: RunInfo, next: NextRun) -> Result<NewRun, StepError> {
    let NextRun { workflow, entry, arguments } = next;
    let machine = Machine::start(entry, run.clone(), &arguments)?;
    Ok(NewRun {
        run_id: run.run_id,
        workflow_id: run.workflow_id.to_string(),
        workflow: workflow.to_owned(),
        arguments,
        snapshot: machine.encode_snapshot().map_err(StepError::Encode)?,
        state: machine.state().to_owned(),
        definition: entry.definition().hash(),
        owner: None,
        start_at: None,
        first: None,
        attributes: Default::default(),
        memo: Default::default(),
    })
}

/// Records the schemas of what a step has kept in its state, and what the messages that it sends and its answers are
/// written by: whoever reads it must find them.
pub(super) async fn record_written(session: &Session, effects: &Effects) {
    let mut backoff = Backoff::default();
    while let Err(error) = session.host.recorded.kept_schemas(&*session.store).await {
        report(&error);
        backoff.wait().await;
    }
    for payload in effects.replies.iter().filter_map(|new| new.reply.payload()) {
        record_payload(session, payload).await;
    }
    for message in &effects.messages {
        let body = match &message.body {
            Message::ToChild { body, .. } => &**body,
            body => body,
        };
        match body {
            Message::Signal { payload, .. } => record_payload(session, payload).await,
            Message::Start(start) => {
                let is_it = |entry: &&WorkflowEntry| {
                    entry.name == start.workflow && entry.definition().hash() == start.definition
                };
                // The step that starts it was made by this process.
                if let Some(entry) = WorkflowEntry::all().find(is_it) {
                    record(session, entry, &start.arguments).await;
                }
            }
            Message::Promise(message) => match &**message {
                PromiseMessage::Complete { outcome, .. } => {
                    if let Some(payload) = outcome.payload() {
                        record_payload(session, payload).await;
                    }
                }
                PromiseMessage::Await { types, .. } => {
                    record_schema(session, types.resolved).await;
                    record_schema(session, types.rejected).await;
                }
                PromiseMessage::Forget { .. } => {}
            },
            Message::Cancel { .. }
            | Message::ToChild { .. }
            | Message::AwaitChild { .. }
            | Message::Closed => {}
        }
    }
}

async fn record(session: &Session, entry: &'static WorkflowEntry, arguments: &Payload) {
    let mut backoff = Backoff::default();
    while let Err(error) = session.host.recorded.definition_of(&*session.store, entry).await {
        report(&error);
        backoff.wait().await;
    }
    record_payload(session, arguments).await;
}

async fn record_payload(session: &Session, payload: &Payload) {
    if let Some(hash) = codec::schema_of(payload) {
        record_schema(session, hash).await;
    }
}

async fn record_schema(session: &Session, hash: SchemaHash) {
    let mut backoff = Backoff::default();
    while let Err(error) = session.host.recorded.schema(&*session.store, hash).await {
        report(&error);
        backoff.wait().await;
    }
}

fn report(error: &StoreError) {
    warn!(error = %with_causes(error), "what a run or a message is written by could not be recorded yet");
}

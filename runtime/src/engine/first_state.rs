//! Runs that the engine starts: successors in a chain, and runs of schedules.

use crate::machine::{Machine, RunInfo, StepError, WorkflowEntry};
use crate::model::{Operation, Payload};
use crate::store::NewRun;

/// A run in its first state, to be claimed by any worker. `workflow` is its stored name.
///
/// # Errors
/// As [`Machine::start`], and if the state cannot be encoded.
pub(crate) fn first_state(
    entry: &'static WorkflowEntry,
    workflow: &str,
    run: RunInfo,
    arguments: Payload,
) -> Result<NewRun, StepError> {
    first_state_owing(entry, workflow, run, arguments, Vec::new())
}

/// Like [`first_state`], for a run that takes over the unanswered updates, `answers`, of its predecessor.
///
/// # Errors
/// As [`first_state`].
pub(crate) fn first_state_owing(
    entry: &'static WorkflowEntry,
    workflow: &str,
    run: RunInfo,
    arguments: Payload,
    answers: Vec<Operation>,
) -> Result<NewRun, StepError> {
    let machine = Machine::start(entry, run.clone(), &arguments)?;
    machine.take_answers_over(answers);
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
        terms: None,
    })
}

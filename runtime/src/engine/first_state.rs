//! Runs that the engine starts: successors in a chain, and runs of schedules.

use super::panics::catch;
use crate::machine::{Machine, RunInfo, StepError, WorkflowEntry};
use crate::model::{Operation, Payload, UnfitStart};
use crate::store::NewRun;

/// Checks that a run of this workflow can begin with stored arguments, whose schemas are loaded.
///
/// # Errors
/// Why it cannot.
pub(crate) fn check_start(
    entry: &'static WorkflowEntry,
    arguments: &Payload,
) -> Result<(), UnfitStart> {
    match catch(|| entry.definition().check(arguments)) {
        Ok(checked) => checked.map_err(|error| UnfitStart::Arguments(error.to_string())),
        Err(message) => Err(UnfitStart::Panicked(message)),
    }
}

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

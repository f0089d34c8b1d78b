//! Retrying a failed run from where it failed.

use super::frame::Frame;
use super::past::{check_promises, check_queues, passed_over};
use super::{Client, NewState, unreadable};
use crate::codec;
use crate::engine::backoff::patiently;
use crate::error::EditError;
use crate::model::{
    ActivityOperation, Handle, Message, Operation, OutgoingMessage, RunId, RunStatus, Snapshot,
    StepNo, Timestamp,
};
use crate::store::{Effect, NewAuditEntry};

impl Client {
    /// Returns a failed run to the last state in which it was parked.
    pub(in crate::client) async fn retry_failed(
        &self,
        run_id: RunId,
        repeats: bool,
        audit: NewAuditEntry,
    ) -> Result<(), EditError> {
        let details = self.details(run_id.into()).await?;
        if details.run.status != RunStatus::Failed {
            return Err(EditError::Closed { run_id, status: details.run.status });
        }
        let snapshot = codec::decode_snapshot(&details.snapshot);
        let mut snapshot = snapshot.map_err(|error| unreadable(run_id, &error))?;
        if snapshot.ending.is_some() {
            return Err(EditError::Compensated { run_id });
        }
        if !repeats {
            check_at_most_once(run_id, &snapshot)?;
        }
        // The arguments of a queued call are in its row, which was deleted.
        check_queues(&snapshot, &details)?;
        check_promises(&snapshot, None)?;
        let definition = Frame::definition_of(&snapshot.frame);
        let definition = definition.map_err(|error| unreadable(run_id, &error))?;
        let now = patiently(|| self.store().now()).await?;
        let attempts = schedule_anew(&mut snapshot, details.run.step_no, now);
        let asked_again = ask_again(&snapshot);
        let new = NewState::of(snapshot, definition, audit);
        let new = NewState { reopen: true, asked_again, attempts, ..new };
        self.write_change(&details, new).await
    }
}

/// Checks that no `at_most_once` activity would be attempted again: the saved state is from before the attempt that the
/// run may have made.
fn check_at_most_once(run_id: RunId, snapshot: &Snapshot) -> Result<(), EditError> {
    let once = snapshot.operations.iter().find_map(|(_, operation)| match operation {
        Operation::Activity(activity) if activity.at_most_once => Some(activity),
        _ => None,
    });
    match once {
        None => Ok(()),
        Some(activity) => {
            let activity = activity.name.clone().into_owned();
            Err(EditError::AtMostOnce { run_id, activity })
        }
    }
}

/// Restarts the time limits of activities at `now`, and their retry policies. Returns the number of attempts to skip for
/// each, since no two may have the same number.
fn schedule_anew(snapshot: &mut Snapshot, step_no: StepNo, now: Timestamp) -> u32 {
    let made = snapshot.operations.iter().filter_map(|(_, operation)| match operation {
        Operation::Activity(activity) => Some(activity.attempts),
        _ => None,
    });
    let attempts = made.max().unwrap_or(0).saturating_add(passed_over(step_no));
    // From such a number on, also one that is made once is made again.
    let attempts = attempts.checked_next_multiple_of(ActivityOperation::NUMBERS_PER_STEP);
    let attempts = attempts.unwrap_or(u32::MAX);
    for (_, operation) in &mut snapshot.operations {
        if let Operation::Activity(activity) = operation {
            (activity.attempts, activity.passed_over) = (attempts, attempts);
            activity.interruptions = 0;
            (activity.awaited, activity.retry_at) = (None, None);
            activity.scheduled_at = now;
        }
    }
    attempts
}

/// The messages of waits that were removed when the run closed.
fn ask_again(snapshot: &Snapshot) -> Vec<Effect> {
    let ask = |(handle, operation): &(Handle, Operation)| match operation {
        Operation::Child { child, workflow_id, .. } => {
            let body = Message::AwaitChild { child: *child, handle: *handle };
            Some(Effect::Send(OutgoingMessage { to: workflow_id.clone(), body }))
        }
        _ => None,
    };
    snapshot.operations.iter().filter_map(ask).collect()
}

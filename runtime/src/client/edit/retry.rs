//! Retrying a failed run from where it failed.

use super::frame::Frame;
use super::past::passed_over;
use super::{Client, NewState, unreadable};
use crate::client::inspect::frame::FrameView;
use crate::codec;
use crate::engine::backoff::patiently;
use crate::engine::queues::QueuedCall;
use crate::error::EditError;
use crate::evolution::StoredAwaited;
use crate::model::{
    ActivityOperation, Handle, Message, Operation, OutgoingMessage, PromiseMessage, PromiseTypes,
    PromiseWait, RunId, RunStatus, Snapshot, StepNo, Timestamp,
};
use crate::store::{
    ActivityKey, Effect, FailedCall, NewActivity, NewAuditEntry, RunDetails, RunRecord,
};

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
        let definition = Frame::definition_of(&snapshot.frame);
        let definition = definition.map_err(|error| unreadable(run_id, &error))?;
        let now = patiently(|| self.store().now()).await?;
        let attempts = schedule_anew(&mut snapshot, details.run.step_no, now);
        let mut asked_again = ask_again(&snapshot);
        let (calls, called_again) = self.call_again(&details, &snapshot, attempts, now).await?;
        asked_again.extend(calls);
        asked_again.extend(self.await_again(&details.run, &snapshot).await?);
        let new = NewState::of(snapshot, definition, audit);
        let new = NewState { reopen: true, asked_again, called_again, attempts, ..new };
        self.write_change(&details, new).await
    }

    /// Puts the calls on their queues again that have failed for good, from the rows that are kept of them. The edit
    /// deletes these rows, so that nobody makes the calls a second time.
    async fn call_again(
        &self,
        details: &RunDetails,
        snapshot: &Snapshot,
        attempts: u32,
        now: Timestamp,
    ) -> Result<(Vec<Effect>, Vec<FailedCall>), EditError> {
        let run_id = details.run.run_id;
        let (mut calls, mut failed) = (Vec::new(), Vec::new());
        for (handle, operation) in &snapshot.operations {
            let Operation::Activity(activity) = operation else { continue };
            let Some(queue) = &activity.queue else { continue };
            if details.activities.iter().any(|row| row.handle == *handle) {
                continue;
            }
            let key = ActivityKey { run_id, handle: *handle };
            let call = patiently(|| self.store().find_failed_call(key)).await?;
            let call = call.ok_or_else(|| EditError::OnQueue {
                activity: activity.name.clone().into_owned(),
                queue: queue.clone(),
            })?;
            let read = QueuedCall::read(call.call.clone(), 0, 0);
            let again = read.map_err(|error| unreadable(run_id, &error))?.again(attempts, now);
            let (priority, partition) = (call.priority, call.partition.clone());
            let again = NewActivity { priority, partition, ..again.on_queue(*handle) };
            calls.push(Effect::Enqueue(again));
            failed.push(call);
        }
        Ok((calls, failed))
    }

    /// Waits again for promises. One that has an outcome has it for good, and the run gets it once more.
    async fn await_again(
        &self,
        run: &RunRecord,
        snapshot: &Snapshot,
    ) -> Result<Vec<Effect>, EditError> {
        let waits = snapshot.operations.iter().filter_map(|(handle, operation)| match operation {
            Operation::Promise(wait) => Some((*handle, &**wait)),
            _ => None,
        });
        let waits: Vec<(Handle, &PromiseWait)> = waits.collect();
        if waits.is_empty() {
            return Ok(Vec::new());
        }
        // This learns the definitions, which have the types.
        let run_id = run.run_id;
        self.inspect(run_id).await?;
        let mut view = FrameView::new(&snapshot.operations, &[], &[], None);
        view.position(&snapshot.frame).map_err(|error| unreadable(run_id, &error))?;
        let mut effects = Vec::new();
        for (handle, wait) in waits {
            let types = view.awaits.iter().find_map(|found| match found.awaited {
                StoredAwaited::Promise { resolved, rejected, .. } if found.handle == handle => {
                    Some(PromiseTypes { resolved, rejected })
                }
                StoredAwaited::Activity { returned, .. } if found.handle == handle => {
                    Some(PromiseTypes { resolved: returned, rejected: returned })
                }
                _ => None,
            });
            self.check_item(wait).await?;
            let types = types
                .ok_or_else(|| EditError::OnPromise { promise: wait.token.name().to_owned() })?;
            let PromiseWait { token, expires_at } = wait.clone();
            let body = PromiseMessage::Await { token, handle, expires_at, types };
            let body = Message::Promise(Box::new(body));
            effects.push(Effect::Send(OutgoingMessage { to: run.workflow_id.clone(), body }));
        }
        Ok(effects)
    }

    /// Checks that an item of a queue is there, or its outcome kept: only the code can offer it again.
    async fn check_item(&self, wait: &PromiseWait) -> Result<(), EditError> {
        let Some(queue) = wait.token.queue() else { return Ok(()) };
        match patiently(|| self.store().find_promise(wait.token.key())).await? {
            Some(_) => Ok(()),
            None => Err(EditError::OnQueue {
                activity: wait.token.workflow().to_owned(),
                queue: queue.to_owned(),
            }),
        }
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

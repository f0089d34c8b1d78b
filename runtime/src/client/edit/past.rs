//! Rewinding a run to a past state, and starting a run in one.

use std::future::IntoFuture;
use std::pin::Pin;

use serde_json::json;

use super::frame::Frame;
use super::{Client, NewState, Signature, unreadable};
use crate::codec;
use crate::engine::backoff::patiently;
use crate::error::{EditError, KeyError, LookupError, StoreError};
use crate::model::{ActivityOperation, DefinitionHash, Operation, RunId, Snapshot, StepNo};
use crate::store::{NewRun, PastStep, RunDetails, RunKey, StartOutcome};

/// A rewind of a run: await it. See [`Client::rewind`].
#[derive(Clone, Debug)]
#[must_use = "nothing is changed until this is awaited"]
pub struct Rewind {
    client: Client,
    run: RunKey,
    step_no: StepNo,
    signature: Signature,
    reopen: bool,
}

impl Client {
    /// The past states of a run, the newest first, without their values. They are kept for workflows with
    /// `#[workflow(history = 10)]`.
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn history(&self, run_id: RunId) -> Result<Vec<PastStep>, StoreError> {
        patiently(|| self.store().list_history(run_id)).await
    }

    /// Returns a run to its state after commit number `step_no`, if that state is [kept](Client::history). Its
    /// operations are started again: activities are executed once more. Await the returned value, after setting who
    /// does it and why; the conditions of [`Client::edit`] apply.
    ///
    /// Effects on other systems are not undone, and consumed signals are not delivered again. A state that waits
    /// for an activity on a queue whose row was deleted is refused with [`EditError::OnQueue`].
    pub fn rewind(&self, run: impl Into<RunKey>, step_no: StepNo) -> Rewind {
        let signature = Signature::default();
        Rewind { client: self.clone(), run: run.into(), step_no, signature, reopen: false }
    }

    /// Starts a run with this workflow id in the state of another run after commit number `step_no`, if that state
    /// is [kept](Client::history). The other run does not change. The operations of the state are started for the
    /// new run; otherwise the notes at [`Client::rewind`] apply. If the future is dropped, the run may or may not
    /// have been started.
    ///
    /// # Errors
    /// [`EditError::NoHistory`], [`EditError::IdTaken`] and so on: see [`EditError`].
    pub async fn fork(
        &self,
        run: impl Into<RunKey>,
        step_no: StepNo,
        workflow_id: impl Into<String>,
    ) -> Result<RunId, EditError> {
        let workflow_id = workflow_id.into();
        KeyError::check(&workflow_id).map_err(EditError::WorkflowId)?;
        let details = self.details(run.into()).await?;
        let (snapshot, definition) = self.past(&details, step_no).await?;
        check_queues_of_none(&snapshot)?;
        check_promises(&snapshot, None)?;
        let run_id = self.store().new_run_id();
        let source = details.run.run_id;
        let new = NewRun {
            run_id,
            workflow_id,
            workflow: details.run.workflow.clone(),
            arguments: details.arguments.clone().unwrap_or_default(),
            snapshot: codec::encode_snapshot(&snapshot)
                .map_err(|error| unreadable(source, &error))?,
            state: snapshot.state,
            definition,
            owner: None,
            start_at: None,
            first: None,
            attributes: details.run.attributes.clone(),
            memo: details.run.memo.clone(),
            terms: None,
        };
        let started = patiently(|| self.store().start_runs(vec![new.clone()])).await?;
        self.store().hub().announce_due();
        match started.first() {
            Some(StartOutcome::IdTaken { run_id }) => Err(EditError::IdTaken { run_id: *run_id }),
            _ => Ok(run_id),
        }
    }

    pub(super) async fn details(&self, key: RunKey) -> Result<RunDetails, EditError> {
        let found = self.find(key.clone()).await?;
        let run_id = found.ok_or_else(|| LookupError::Unknown(key.clone()))?.run_id;
        let details = patiently(|| self.store().find_details(run_id)).await?;
        Ok(details.ok_or(LookupError::Unknown(key))?)
    }

    /// A kept state.
    async fn past(
        &self,
        details: &RunDetails,
        step_no: StepNo,
    ) -> Result<(Snapshot, DefinitionHash), EditError> {
        let run_id = details.run.run_id;
        let Some(past) = patiently(|| self.store().find_history(run_id, step_no)).await? else {
            let kept =
                self.history(run_id).await?.into_iter().map(|past| past.step_no.0.to_string());
            return Err(EditError::NoHistory { run_id, step_no: step_no.0, kept: kept.collect() });
        };
        let snapshot = codec::decode_snapshot(&past.snapshot);
        let snapshot = snapshot.map_err(|error| unreadable(run_id, &error))?;
        if snapshot.ending.is_some() {
            return Err(EditError::Compensated { run_id });
        }
        let definition = Frame::definition_of(&snapshot.frame);
        let definition = definition.map_err(|error| unreadable(run_id, &error))?;
        Ok((snapshot, definition))
    }
}

impl Rewind {
    /// Allows the rewind to reopen a run that is closed and has not completed.
    pub fn reopen(mut self) -> Self {
        self.reopen = true;
        self
    }

    /// Sets who rewinds the run, for the audit entry.
    pub fn by(mut self, who: impl Into<String>) -> Self {
        self.signature.who = who.into();
        self
    }

    /// Sets the reason, for the audit entry.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.signature.reason = reason.into();
        self
    }

    async fn go(self) -> Result<(), EditError> {
        let Self { client, run, step_no, signature, reopen } = self;
        let audit = signature.entry("rewind", &json!({ "step_no": step_no.0 }))?;
        let details = client.details(run).await?;
        let (mut snapshot, definition) = client.past(&details, step_no).await?;
        check_queues(&snapshot, &details)?;
        let run_id = details.run.run_id;
        let present = codec::decode_snapshot(&details.snapshot);
        let still_waits = present.as_ref().ok().filter(|_| details.run.status.is_open());
        check_promises(&snapshot, still_waits)?;
        let next_handle = match (present, details.snapshot.is_empty()) {
            (Ok(present), _) if present.ending.is_some() => {
                return Err(EditError::Compensated { run_id });
            }
            (Ok(present), _) => present.next_handle,
            (Err(_), true) => {
                return Err(EditError::Closed { run_id, status: details.run.status });
            }
            (Err(error), false) => return Err(unreadable(run_id, &error)),
        };
        // Each operation needs a handle that was never used.
        snapshot.next_handle = snapshot.next_handle.max(next_handle);
        pass_over_attempts(&mut snapshot, details.run.step_no);
        let new = NewState { reopen, ..NewState::of(snapshot, definition, audit) };
        client.write_change(&details, new).await
    }
}

/// The maximum number of attempts of an activity in a run with this number of commits.
pub(super) fn passed_over(step_no: StepNo) -> u32 {
    let steps = u32::try_from(step_no.0).unwrap_or(u32::MAX).saturating_add(1);
    steps.saturating_mul(ActivityOperation::NUMBERS_PER_STEP)
}

/// Gives repeated attempts numbers that no attempt had: an attempt that continues by its token is identified by its
/// number.
fn pass_over_attempts(snapshot: &mut Snapshot, step_no: StepNo) {
    let count = passed_over(step_no);
    for (_, operation) in &mut snapshot.operations {
        if let Operation::Activity(activity) = operation {
            // One that is made once counts as made.
            let made =
                activity.attempts + u32::from(activity.at_most_once && activity.attempts == 0);
            let attempts = made.saturating_add(count);
            let passed_over = attempts - activity.attempts;
            activity.passed_over = activity.passed_over.saturating_add(passed_over);
            activity.attempts = attempts;
            activity.awaited = None;
            activity.retry_at = None;
        }
    }
}

/// Checks that the queued calls that a state waits for still exist.
pub(super) fn check_queues(snapshot: &Snapshot, details: &RunDetails) -> Result<(), EditError> {
    check(snapshot, |handle| details.activities.iter().any(|row| row.handle == handle))
}

/// Checks that a state waits for no queued calls.
fn check_queues_of_none(snapshot: &Snapshot) -> Result<(), EditError> {
    check(snapshot, |_| false)
}

fn check(
    snapshot: &Snapshot,
    is_there: impl Fn(crate::model::Handle) -> bool,
) -> Result<(), EditError> {
    for (handle, operation) in &snapshot.operations {
        if let Operation::Activity(activity) = operation
            && let Some(queue) = &activity.queue
            && !is_there(*handle)
        {
            let (activity, queue) = (activity.name.clone().into_owned(), queue.clone());
            return Err(EditError::OnQueue { activity, queue });
        }
    }
    Ok(())
}

/// Checks that a run in the state `present` waits for the promises that a state waits for.
pub(super) fn check_promises(
    snapshot: &Snapshot,
    present: Option<&Snapshot>,
) -> Result<(), EditError> {
    let waits = |handle| {
        let operations = present.into_iter().flat_map(|present| &present.operations);
        let mut promises = operations.filter(|(_, other)| matches!(other, Operation::Promise(_)));
        promises.any(|(other, _)| *other == handle)
    };
    for (handle, operation) in &snapshot.operations {
        if let Operation::Promise(wait) = operation
            && !waits(*handle)
        {
            return Err(EditError::OnPromise { promise: wait.token.name().to_owned() });
        }
    }
    Ok(())
}

impl IntoFuture for Rewind {
    type Output = Result<(), EditError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Rewinds the run. If the future is dropped, the run may or may not have been rewound.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.go())
    }
}

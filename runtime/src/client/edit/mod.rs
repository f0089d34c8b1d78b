//! Editing runs by hand.
//!
//! Values are given as JSON and checked against the schemas in the run's recorded definition: a value that could
//! not be read back is refused, with the path of the mismatch. Each edit is one transaction, which also writes an
//! audit entry.

mod change;
mod frame;
mod past;
mod retry;
mod set_aside;

use std::future::IntoFuture;
use std::pin::Pin;

use serde_json::{Map, Value as Json, json};

use self::change::{Change, Edited};
pub use self::past::Rewind;
use super::Client;
use crate::codec;
use crate::engine::backoff::patiently;
use crate::error::{EditError, LookupError, StoreError};
use crate::model::{
    DefinitionHash, Handle, Message, Operation, OutgoingMessage, PromiseMessage, PromiseToken,
    RunId, RunStatus, Snapshot,
};
use crate::store::{
    ArrivalKind, AuditEntry, AuditEntryId, EditOutcome, EditRun, Effect, FailedCall, NewAuditEntry,
    RunDetails, RunKey,
};

/// An edit of a run: set the changes, and await it. See [`Client::edit`].
#[derive(Clone, Debug)]
#[must_use = "nothing is changed until this is awaited"]
pub struct Edit {
    client: Client,
    run: RunKey,
    changes: Vec<Change>,
    signature: Signature,
    reopen: bool,
}

/// Who makes an edit, and why.
#[derive(Clone, Debug, Default)]
struct Signature {
    who: String,
    reason: String,
}

impl Client {
    /// Edits a run by hand: sets variables, completes its waits, moves it to another state. Await the returned
    /// value, after setting the changes, who makes them and why.
    ///
    /// The run must be parked or blocked; while a worker owns it, the edit fails with [`EditError::Busy`].
    /// Afterwards the run is no longer blocked, and continues at once if it has something to do. All changes of one
    /// call are made in one transaction, or none is. [`Client::audit`] lists edits.
    ///
    /// ```no_run
    /// # use serde_json::json;
    /// # async fn demo(client: piton::client::Client) -> Result<(), piton::error::EditError> {
    /// client
    ///     .edit("order-42")
    ///     .set("order.cents", json!(1_250))
    ///     .complete("charge", json!("receipt-7"))
    ///     .by("ann")
    ///     .because("charged by hand, see ticket 311")
    ///     .await
    /// # }
    /// ```
    ///
    /// Errors: see [`EditError`].
    pub fn edit(&self, run: impl Into<RunKey>) -> Edit {
        Edit {
            client: self.clone(),
            run: run.into(),
            changes: Vec::new(),
            signature: Signature::default(),
            reopen: false,
        }
    }

    /// The audit entries of a run, the newest first, at most `limit`.
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn audit(&self, run_id: RunId, limit: u32) -> Result<Vec<AuditEntry>, StoreError> {
        let mut entries: Vec<AuditEntry> = Vec::new();
        loop {
            let before: Option<AuditEntryId> = entries.last().map(|entry| entry.id);
            let left = limit - entries.len() as u32;
            let page = patiently(|| self.store().list_audit(Some(run_id), before, left)).await?;
            let is_over = page.is_empty();
            entries.extend(page.into_iter().take(left as usize));
            if is_over || entries.len() as u32 >= limit {
                return Ok(entries);
            }
        }
    }

    /// A run with all its rows, and its decoded state.
    async fn read_for_change(&self, key: RunKey) -> Result<(RunDetails, Snapshot), EditError> {
        // This loads the definitions and schemas.
        let run_id = self.inspect(key).await?.run_id;
        let details = patiently(|| self.store().find_details(run_id)).await?;
        let details = details.ok_or(LookupError::Unknown(RunKey::RunId(run_id)))?;
        if details.snapshot.is_empty() {
            return Err(EditError::Closed { run_id, status: details.run.status });
        }
        let snapshot = codec::decode_snapshot(&details.snapshot);
        let snapshot = snapshot.map_err(|error| unreadable(run_id, &error))?;
        if snapshot.ending.is_some() {
            return Err(EditError::Compensated { run_id });
        }
        Ok((details, snapshot))
    }

    /// Writes a new state of a run.
    async fn write_change(&self, details: &RunDetails, new: NewState) -> Result<(), EditError> {
        let run_id = details.run.run_id;
        let NewState {
            snapshot,
            definition,
            arrivals,
            keeps_due,
            reopen,
            asked_again,
            called_again,
            attempts,
            audit,
        } = new;
        if reopen && !details.run.status.is_open() {
            // A closed run gets no successor.
            let kin = patiently(|| self.store().find_kin(run_id)).await?;
            if let Some(next_run_id) = kin.and_then(|kin| kin.next_run_id) {
                return Err(EditError::Followed { run_id, next_run_id });
            }
        }
        for payload in arrivals.iter().filter_map(ArrivalKind::payload) {
            // Readers must find its schemas and definition.
            patiently(|| self.recorded().schema_of(&**self.store(), payload)).await?;
        }
        let is_ended = |handle: Handle| {
            arrivals.iter().any(|arrival| {
                matches!(arrival, ArrivalKind::Outcome { handle: ended, .. } if *ended == handle)
            })
        };
        let is_wanted = |handle: Handle| {
            snapshot.operations.iter().any(|(of, _)| *of == handle) && !is_ended(handle)
        };
        let given_up = details.activities.iter().map(|row| row.handle);
        let given_up = given_up.filter(|handle| !is_wanted(*handle)).collect();
        let wake_at = match keeps_due && details.run.status == RunStatus::Running {
            true => details.run.due_at,
            // A worker that claims it parks it again until the time that its state waits for.
            false => Some(patiently(|| self.store().now()).await?),
        };
        let mut effects = asked_again;
        effects.extend(withdrawn(details, &snapshot));
        let bytes = codec::encode_snapshot(&snapshot);
        let edit = EditRun {
            run_id,
            step_no: details.run.step_no,
            snapshot: bytes.map_err(|error| unreadable(run_id, &error))?,
            state: snapshot.state,
            definition,
            wake_at,
            given_up,
            attempts,
            effects,
            called_again: called_again.iter().map(|call| call.id).collect(),
            arrivals,
            reopen,
            audit,
        };
        let outcome = patiently(|| self.store().edit_run(edit.clone())).await?;
        if let (EditOutcome::CallGone, Some(call)) = (outcome, called_again.into_iter().next()) {
            return Err(EditError::OnQueue { activity: call.activity, queue: call.queue });
        }
        EditError::of(run_id, outcome)
    }
}

/// Withdraws the waits for promises that the new state does not have.
fn withdrawn(details: &RunDetails, new: &Snapshot) -> Vec<Effect> {
    // The waits of a run end when it closes.
    if !details.run.status.is_open() {
        return Vec::new();
    }
    let Ok(present) = codec::decode_snapshot(&details.snapshot) else { return Vec::new() };
    let dropped = present.operations.into_iter().filter_map(|(handle, operation)| {
        let is_kept = new.operations.iter().any(|(kept, _)| *kept == handle);
        match operation {
            Operation::Promise(wait) if !is_kept => Some((handle, wait.token)),
            _ => None,
        }
    });
    let withdraw = |(handle, token): (Handle, PromiseToken)| {
        let body = Message::Promise(Box::new(PromiseMessage::Forget { token, handle }));
        Effect::Send(OutgoingMessage { to: details.run.workflow_id.clone(), body })
    };
    dropped.map(withdraw).collect()
}

impl EditError {
    /// The reason why the run was not changed, if it was not.
    fn of(run_id: RunId, outcome: EditOutcome) -> Result<(), Self> {
        match outcome {
            EditOutcome::Edited => Ok(()),
            EditOutcome::Unknown => Err(LookupError::Unknown(RunKey::RunId(run_id)).into()),
            EditOutcome::Busy { worker } => Err(Self::Busy { run_id, worker }),
            EditOutcome::Moved { .. } => Err(Self::Moved { run_id }),
            EditOutcome::Closed { status } => Err(Self::Closed { run_id, status }),
            EditOutcome::IdTaken { run_id } => Err(Self::IdTaken { run_id }),
            // Only an edit that makes calls again is refused for them.
            EditOutcome::CallGone => Err(Self::Moved { run_id }),
        }
    }
}

/// The new state of a run, and its consequences.
struct NewState {
    snapshot: Snapshot,
    definition: DefinitionHash,
    /// Arrivals for it.
    arrivals: Vec<ArrivalKind>,
    /// Whether to keep the run's due time.
    keeps_due: bool,
    reopen: bool,
    /// Operations to request again.
    asked_again: Vec<Effect>,
    /// The failed calls that are among them.
    called_again: Vec<FailedCall>,
    /// The number of attempts of activities to count as made.
    attempts: u32,
    audit: NewAuditEntry,
}

impl NewState {
    /// This state without arrivals and requests, due at once.
    fn of(snapshot: Snapshot, definition: DefinitionHash, audit: NewAuditEntry) -> Self {
        Self {
            snapshot,
            definition,
            arrivals: Vec::new(),
            keeps_due: false,
            reopen: false,
            asked_again: Vec::new(),
            called_again: Vec::new(),
            attempts: 0,
            audit,
        }
    }
}

impl Edit {
    /// Sets a variable, or a part of one: `order`, `order.items.0.cents`. The names are those that
    /// [`Client::inspect`] shows for the run's own state.
    pub fn set(mut self, variable: impl Into<String>, value: Json) -> Self {
        self.changes.push(Change::Set { variable: variable.into(), value });
        self
    }

    /// Completes the wait for an activity with a return value, or the wait for a signal with its value. The name is
    /// that of the wait in [`Client::inspect`], after the names of the workflows and blocks that contain it:
    /// `charge`, `deliver/ship`. For an activity that returns a `Result`, the value is wrapped in `Ok`. If a signal for
    /// the wait has arrived, it would be taken first, so the edit is refused.
    pub fn complete(mut self, wait: impl Into<String>, value: Json) -> Self {
        self.changes.push(Change::Complete { wait: wait.into(), value });
        self
    }

    /// Completes the wait for an activity with an error. If the activity returns an error that is a text or piton's
    /// [`Error`](crate::error::Error), the workflow gets it with this reason as its text, and if the error is an enum
    /// with a variant of this name, that variant, as
    /// [`ActivityError::Failed`](crate::machine::ActivityError::Failed). Otherwise it gets
    /// [`ActivityError::Panicked`](crate::machine::ActivityError::Panicked) with this reason. The activity is not
    /// retried.
    pub fn fail(mut self, wait: impl Into<String>, reason: impl Into<String>) -> Self {
        self.changes.push(Change::Fail { wait: wait.into(), reason: reason.into() });
        self
    }

    /// Moves the run to a state of its definition, with these variables; variables that the present state has as
    /// well may be left out. The current waits are dropped, unless the new state has the same.
    ///
    /// Possible targets are states that wait for a signal without a time limit, or for a request to cancel, whose
    /// waits start anew; for a timer, which fires at once; or for an operation that the run already waits for.
    pub fn move_to(mut self, state: impl Into<String>, locals: Map<String, Json>) -> Self {
        self.changes.push(Change::MoveTo { state: state.into(), locals });
        self
    }

    /// Allows the edit to reopen a run that is closed and has not completed.
    pub fn reopen(mut self) -> Self {
        self.reopen = true;
        self
    }

    /// Sets who makes the edit, for the audit entry.
    pub fn by(mut self, who: impl Into<String>) -> Self {
        self.signature.who = who.into();
        self
    }

    /// Sets the reason, for the audit entry.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.signature.reason = reason.into();
        self
    }

    async fn make(self) -> Result<(), EditError> {
        let Self { client, run, changes, signature, reopen } = self;
        if changes.is_empty() && !reopen {
            return Err(EditError::Nothing);
        }
        let told: Vec<_> = changes.iter().map(Change::told).collect();
        let audit = signature.entry("edit", &json!(told))?;
        let (details, snapshot) = client.read_for_change(run).await?;
        let mut edited = Edited::of(&details, snapshot)?;
        let now = patiently(|| client.store().now()).await?;
        let keeps_due = !changes.iter().any(|change| matches!(change, Change::MoveTo { .. }));
        for change in changes {
            edited.make(change, now)?;
        }
        if !details.run.status.is_open() {
            past::check_queues(&edited.snapshot, &details)?;
        }
        let (snapshot, definition, arrivals) = edited.finish();
        let new = NewState::of(snapshot, definition, audit);
        let new = NewState { arrivals, keeps_due, reopen, ..new };
        client.write_change(&details, new).await
    }
}

impl Signature {
    fn entry(self, action: &str, details: &Json) -> Result<NewAuditEntry, EditError> {
        let Self { who, reason } = self;
        if who.trim().is_empty() || reason.trim().is_empty() {
            return Err(EditError::Unsigned);
        }
        Ok(NewAuditEntry {
            who,
            action: action.to_owned(),
            reason,
            details: Some(details.to_string()),
        })
    }
}

impl IntoFuture for Edit {
    type Output = Result<(), EditError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Makes the edit. If the future is dropped, the edit may or may not have been made.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.make())
    }
}

fn unreadable(run_id: RunId, error: &dyn std::fmt::Display) -> EditError {
    EditError::Unreadable { run_id, reason: error.to_string() }
}

//! The changes of an edit, applied in order to a run's state.

use serde_json::{Map, Value as Json, json};

use super::frame::{Frame, only_awaited, with_schema};
use super::unreadable;
use crate::client::inspect::frame::{FoundAwait, FrameView};
use crate::codec::{self, Schema};
use crate::error::EditError;
use crate::evolution::{StoredAwaited, StoredState};
use crate::machine::OperationOutcome;
use crate::model::{
    ChildEnd, DefinitionHash, Handle, Operation, Payload, RunId, RunStatus, SchemaHash, Snapshot,
    Timestamp, Wait,
};
use crate::store::{ArrivalKind, RunDetails, UnreadArrival};

/// A requested change.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Set { variable: String, value: Json },
    Complete { wait: String, value: Json },
    Fail { wait: String, reason: String },
    MoveTo { state: String, locals: Map<String, Json> },
}

impl Change {
    /// The change as recorded in the audit entry. Values may be secret, so they are left out.
    pub(super) fn told(&self) -> Json {
        match self {
            Self::Set { variable, .. } => json!({ "set": variable }),
            Self::Complete { wait, .. } => json!({ "complete": wait }),
            Self::Fail { wait, reason } => json!({ "fail": wait, "reason": reason }),
            Self::MoveTo { state, locals } => {
                json!({ "move_to": state, "set": locals.keys().collect::<Vec<_>>() })
            }
        }
    }
}

/// A run's state during an edit.
pub(super) struct Edited {
    run_id: RunId,
    frame: Frame,
    pub(super) snapshot: Snapshot,
    /// What the run takes first.
    unread: Vec<UnreadArrival>,
    arrivals: Vec<ArrivalKind>,
}

impl Edited {
    pub(super) fn of(details: &RunDetails, snapshot: Snapshot) -> Result<Self, EditError> {
        let run_id = details.run.run_id;
        let frame = Frame::read(&snapshot.frame).map_err(|error| unreadable(run_id, &error))?;
        Ok(Self { run_id, frame, snapshot, unread: details.unread.clone(), arrivals: Vec::new() })
    }

    /// Applies a change.
    pub(super) fn make(&mut self, change: Change, now: Timestamp) -> Result<(), EditError> {
        match change {
            Change::Set { variable, value } => self.frame.set(&variable, &value),
            Change::Complete { wait, value } => self.complete(&wait, &value),
            Change::Fail { wait, reason } => self.fail(&wait, reason),
            Change::MoveTo { state, locals } => self.move_to(&state, &locals, now),
        }
    }

    /// The new state, its definition, and the arrivals for it.
    pub(super) fn finish(mut self) -> (Snapshot, DefinitionHash, Vec<ArrivalKind>) {
        self.snapshot.frame = self.frame.write();
        self.snapshot.state.clone_from(&self.frame.state().name);
        (self.snapshot, self.frame.definition.hash, self.arrivals)
    }

    /// The waits of the run's state.
    fn awaits(&self) -> Result<Vec<FoundAwait>, EditError> {
        let mut view = FrameView::new(&self.snapshot.operations, &[], &[], None);
        let position = view.position(&self.frame.write());
        position.map_err(|error| unreadable(self.run_id, &error))?;
        Ok(view.awaits)
    }

    /// Checks that the run would take another signal with this name: those that have arrived come first.
    fn check_not_arrived(&self, wait: &str, signal: &str) -> Result<(), EditError> {
        let arrived = self.unread.iter().filter(|unread| {
            unread.kind == Some("signal") && unread.name.as_deref() == Some(signal)
        });
        let arrived: Vec<i64> = arrived.map(|unread| unread.seq).collect();
        let given = self.arrivals.iter().filter(
            |arrival| matches!(arrival, ArrivalKind::Signal { name, .. } if name == signal),
        );
        let waits = self.awaits()?.into_iter().filter(
            |found| matches!(&found.awaited, StoredAwaited::Signal { name, .. } if name == signal),
        );
        match arrived.first() {
            Some(first) if arrived.len() + given.count() >= waits.count() => {
                Err(EditError::Arrived { name: wait.to_owned(), seq: *first })
            }
            _ => Ok(()),
        }
    }

    /// The wait with this name.
    fn find(&self, name: &str) -> Result<FoundAwait, EditError> {
        let mut awaits = self.awaits()?;
        let known = |awaits: &[FoundAwait]| {
            awaits.iter().map(|found| found.path.clone()).collect::<Vec<_>>()
        };
        let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let mut fitting: Vec<_> = awaits.iter().map(|found| found.path == name).collect();
        if !fitting.contains(&true) {
            // By its own name, wherever it is awaited.
            fitting = awaits.iter().map(|found| last(&found.path) == name).collect();
        }
        let mut places = (0..fitting.len()).filter(|place| fitting[*place]);
        match (places.next(), places.count()) {
            (Some(place), 0) => Ok(awaits.swap_remove(place)),
            (None, _) => Err(EditError::NoAwait { name: name.to_owned(), known: known(&awaits) }),
            (Some(_), _) => {
                let known = known(&awaits);
                let known = known.into_iter().zip(fitting).filter(|(_, is_it)| *is_it);
                let known = known.map(|(path, _)| path).collect();
                Err(EditError::SeveralAwaits { name: name.to_owned(), known })
            }
        }
    }

    fn complete(&mut self, name: &str, value: &Json) -> Result<(), EditError> {
        let FoundAwait { handle, awaited, definition, .. } = self.find(name)?;
        let payload = |hash: SchemaHash| {
            with_schema(definition, hash, name, |schema| {
                // The JSON form of a `Result`.
                let is_result = schema.type_name.starts_with("core::result::Result<");
                match is_result {
                    true => codec::json_to_payload(&json!({ "Ok": value }), schema),
                    false => codec::json_to_payload(value, schema),
                }
            })
        };
        let arrival = match &awaited {
            StoredAwaited::Activity { returned, .. } => {
                let outcome = OperationOutcome::Returned(payload(*returned)?);
                ArrivalKind::Outcome { handle, outcome }
            }
            StoredAwaited::Child { returned, .. } => {
                let (status, result) = (RunStatus::Completed, Some(payload(*returned)?));
                let end = ChildEnd::Closed { status, result, failure: None };
                let outcome = OperationOutcome::Child(Box::new(end));
                ArrivalKind::Outcome { handle, outcome }
            }
            StoredAwaited::Signal { name: signal, value: hash, .. } => {
                self.check_not_arrived(name, signal)?;
                ArrivalKind::Signal { name: signal.clone(), payload: payload(*hash)? }
            }
            other => {
                let what = format!("{other}, which no value ends");
                return Err(EditError::NoOutcome { name: name.to_owned(), what });
            }
        };
        self.arrivals.push(arrival);
        Ok(())
    }

    fn fail(&mut self, name: &str, reason: String) -> Result<(), EditError> {
        let FoundAwait { handle, awaited, definition, .. } = self.find(name)?;
        let by_hand = || format!("ended by hand: {reason}");
        let outcome = match awaited {
            StoredAwaited::Activity { returned, .. } => {
                match definition.schema(returned).and_then(|schema| error_of(schema, &reason)) {
                    Some(error) => OperationOutcome::Returned(error),
                    // The outcome without a value of the activity's types that carries a reason.
                    None => OperationOutcome::Panicked(by_hand()),
                }
            }
            StoredAwaited::Child { .. } => {
                let (status, failure) = (RunStatus::Failed, Some(by_hand()));
                OperationOutcome::Child(Box::new(ChildEnd::Closed {
                    status,
                    result: None,
                    failure,
                }))
            }
            awaited => {
                let what = format!("{awaited}, and only an activity or a child can fail");
                return Err(EditError::NoOutcome { name: name.to_owned(), what });
            }
        };
        self.arrivals.push(ArrivalKind::Outcome { handle, outcome });
        Ok(())
    }

    fn move_to(
        &mut self,
        name: &str,
        locals: &Map<String, Json>,
        now: Timestamp,
    ) -> Result<(), EditError> {
        let before: &StoredState = self.frame.state();
        let waited_for = only_awaited(self.frame.definition, before);
        self.frame.move_to(name, locals)?;
        let state = self.frame.state();
        let cannot = |reason: &str| EditError::CannotMove {
            state: name.to_owned(),
            reason: reason.to_owned(),
        };
        let Some(awaited) = only_awaited(self.frame.definition, state) else {
            return Err(cannot("it waits for several things, or within an `async` block"));
        };
        if waited_for.is_some_and(|waited_for| waited_for.is_same_as(awaited)) {
            return Ok(());
        }
        let handle = Handle(self.snapshot.next_handle);
        let mut saved = Vec::new();
        let written = match awaited {
            StoredAwaited::Timer => codec::encode_into(&(handle, now), &mut saved),
            StoredAwaited::Signal { is_limited: false, .. }
            | StoredAwaited::Update { is_limited: false, .. }
            | StoredAwaited::Cancellation => codec::encode_into(&handle, &mut saved),
            _ => {
                let reason = format!(
                    "it waits for {awaited}, which only the code can ask for; move it to a state before that"
                );
                return Err(cannot(&reason));
            }
        };
        written.map_err(|error| unreadable(self.run_id, &error))?;
        let operation = match awaited {
            StoredAwaited::Signal { name, .. } => {
                Operation::Signal { name: name.clone(), until: None }
            }
            StoredAwaited::Update { name, .. } => {
                Operation::Update { name: name.clone(), until: None }
            }
            StoredAwaited::Timer => Operation::Timer { fire_at: now },
            _ => Operation::Cancellation,
        };
        self.frame.operations = vec![saved];
        self.snapshot.next_handle += 1;
        self.snapshot.operations = vec![(handle, operation)];
        self.snapshot.wait = Wait::One(handle);
        Ok(())
    }
}

/// The error that an activity returns for this reason, if its error is a text, the variant of that name, or piton's
/// [`Error`](crate::error::Error), which is a list of messages.
fn error_of(schema: &Schema, reason: &str) -> Option<Payload> {
    if !schema.type_name.starts_with("core::result::Result<") {
        return None;
    }
    let forms = [json!({ "Err": reason }), json!({ "Err": [reason] })];
    forms.iter().find_map(|form| codec::json_to_payload(form, schema).ok())
}

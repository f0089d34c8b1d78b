//! The contents of a saved state, read by its recorded definition.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::types::{AwaitedActivity, NotedCompensation, Position, Shown, Variable, Wait, WaitFor};
use crate::client::outstanding::apply;
use crate::codec::{self, CodecError, Schema};
use crate::evolution::{self, StoredAwaited, StoredBranch, StoredDefinition, StoredState};
use crate::machine::branches::{DONE, RUNS};
use crate::machine::frame::{FrameHead, damaged, take_apart};
use crate::machine::{
    MapProgress, PendingFill, PendingInline, PendingMap, PendingPoll, PollRound, StepError,
};
use crate::model::{
    ActivityOperation, ActivityToken, AwaitKind, DefinitionHash, Handle, Operation, Payload, RunId,
    SchemaHash, Timestamp,
};
use crate::store::{Arrival, ArrivalKind, QueuedActivity, RunRecord};

/// The number of items of a map to show.
const SHOWN_ITEMS: usize = 100;

/// Decodes the state of one run, and collects the definitions and schemas that this process has to load for that.
pub(in crate::client) struct FrameView<'a> {
    /// The run, if its activities are to be shown with their tokens.
    pub(super) run_id: Option<RunId>,
    /// The run's operations.
    pub(super) operations: HashMap<Handle, &'a Operation>,
    /// The rows of its activities on queues.
    pub(super) queued: &'a [QueuedActivity],
    /// Its unread arrivals.
    pub(super) inbox: &'a [Arrival],
    /// When its last step began.
    pub(super) since: Option<Timestamp>,
    /// Definitions that are not loaded.
    pub(super) definitions: Vec<DefinitionHash>,
    /// Schemas that are not loaded.
    pub(super) schemas: BTreeSet<SchemaHash>,
    /// The awaited operations that have handles.
    pub(in crate::client) awaits: Vec<FoundAwait>,
    /// The names that contain the current code, from the run's own.
    within: Vec<String>,
    /// The definition of that code.
    definition: Option<&'static StoredDefinition>,
}

/// An awaited operation of a run.
pub(in crate::client) struct FoundAwait {
    /// Its name, after those of the workflows and blocks that contain it: `deliver/ship`.
    pub(in crate::client) path: String,
    pub(in crate::client) handle: Handle,
    pub(in crate::client) awaited: StoredAwaited,
    pub(in crate::client) definition: &'static StoredDefinition,
}

impl<'a> FrameView<'a> {
    /// A view of a run with this snapshot.
    pub(in crate::client) fn new(
        operations: &'a [(Handle, Operation)],
        queued: &'a [QueuedActivity],
        inbox: &'a [Arrival],
        since: Option<Timestamp>,
    ) -> Self {
        Self {
            run_id: None,
            operations: operations.iter().map(|(handle, operation)| (*handle, operation)).collect(),
            queued,
            inbox,
            since,
            definitions: Vec::new(),
            schemas: BTreeSet::new(),
            awaits: Vec::new(),
            within: Vec::new(),
            definition: None,
        }
    }
}

impl FrameView<'_> {
    /// The position of a frame's code.
    pub(in crate::client) fn position(&mut self, frame: &[u8]) -> Result<Position, StepError> {
        let hash = FrameHead::read(&mut &frame[..])?.hash;
        let Some(definition) = evolution::find(hash) else {
            self.definitions.push(hash);
            return Ok(unknown(hash));
        };
        let (head, locals, operations) = take_apart(frame, |head| definition.locals_of(head))?;
        let state = &definition.states[head.state as usize];
        let variables = state.locals.iter().zip(locals).map(|(local, saved)| Variable {
            name: local.name.clone(),
            ty: local
                .ty
                .clone()
                .or_else(|| definition.schema(local.schema).map(Schema::short_name)),
            exposed: local.exposed,
            value: match local.redacted {
                true => Shown::redacted(),
                false => value_of_local(definition, local.schema, saved),
            },
        });
        let variables = variables.collect();
        let outer = self.definition.replace(definition);
        let waits = self.waits(state, &operations);
        self.definition = outer;
        Ok(Position {
            workflow: definition.workflow.clone(),
            definition: definition.hash,
            state: state.name.clone(),
            kind: state.kind,
            file: state.file.clone(),
            line: state.line,
            variables,
            waits,
            note: None,
        })
    }

    fn waits(&mut self, state: &StoredState, operations: &[&[u8]]) -> Vec<Wait> {
        // The saved values of the start are the arguments.
        if state.kind == AwaitKind::Start {
            return Vec::new();
        }
        let is_join = state.kind == AwaitKind::Join;
        if state.branches.is_empty() {
            let name = state.awaited.as_ref().map_or_else(|| state.name.clone(), name_of);
            let saved = operations.first().copied().unwrap_or_default();
            return vec![self.operation(name, state.awaited.as_ref(), saved, false)];
        }
        let mut operations = operations.iter().copied();
        let branch = |branch: &StoredBranch| {
            let saved = operations.next().unwrap_or_default();
            let name = branch.name.clone();
            match &branch.awaited {
                None => self.block(name, saved),
                awaited => self.operation(name, awaited.as_ref(), saved, is_join),
            }
        };
        state.branches.iter().map(branch).collect()
    }

    /// The saved value of an `async` block.
    fn block(&mut self, name: String, saved: &[u8]) -> Wait {
        let on = match saved.split_first() {
            Some((&RUNS, frame)) => self
                .inside(&name, frame)
                .map(|position| WaitFor::Block { position: Box::new(position) }),
            Some((&DONE, value)) => Ok(WaitFor::Done(self.payload(&Payload(value.to_vec())))),
            _ => Ok(WaitFor::NotBegun),
        };
        self.wait(name, on)
    }

    /// The saved value of an operation. In a `join!`, it may be the outcome.
    fn operation(
        &mut self,
        name: String,
        awaited: Option<&StoredAwaited>,
        mut saved: &[u8],
        is_join: bool,
    ) -> Wait {
        if saved.is_empty() {
            return self.wait(name, Ok(WaitFor::NotBegun));
        }
        let Some(awaited) = awaited else {
            return self.wait(name, Err(damaged("its definition has no awaited operation")));
        };
        match is_join {
            true => self.item(name, awaited, &mut saved),
            false => self.pending(name, awaited, &mut saved),
        }
    }

    /// A [`PendingItem`](crate::machine::PendingItem).
    fn item(&mut self, name: String, awaited: &StoredAwaited, rest: &mut &[u8]) -> Wait {
        match take::<u32>(rest) {
            Ok(0) => self.pending(name, awaited, rest),
            Ok(1) => {
                let outcome = take(rest).map(|outcome| WaitFor::Done(self.payload(&outcome)));
                self.wait(name, outcome)
            }
            Ok(_) => self.wait(name, Err(damaged("an operation is neither awaited nor done"))),
            Err(error) => self.wait(name, Err(error)),
        }
    }

    /// The saved form of operations, which starts with the handle if they have one.
    fn pending(&mut self, name: String, awaited: &StoredAwaited, rest: &mut &[u8]) -> Wait {
        let handle = match awaited {
            StoredAwaited::Activity { .. }
            | StoredAwaited::Cancellation
            | StoredAwaited::Child { .. } => take::<Handle>(rest),
            StoredAwaited::Signal { is_limited: false, .. }
            | StoredAwaited::Update { is_limited: false, .. } => take::<Handle>(rest),
            StoredAwaited::Timer => take::<(Handle, Timestamp)>(rest).map(|(handle, _)| handle),
            StoredAwaited::Promise { is_limited: false, .. } => take::<Handle>(rest),
            StoredAwaited::Signal { .. }
            | StoredAwaited::Update { .. }
            | StoredAwaited::Promise { .. } => {
                take::<(Handle, Handle, Timestamp)>(rest).map(|(handle, ..)| handle)
            }
            StoredAwaited::Fill(inner) => {
                let pending = take::<PendingFill>(rest);
                return match pending {
                    Ok(pending) => self.pending(name, inner, &mut &pending.operation.0[..]),
                    Err(error) => self.wait(name, Err(error)),
                };
            }
            StoredAwaited::Workflow { .. } => {
                let on = take(rest).and_then(|pending| match pending {
                    PendingInline::Suspended(frame) => {
                        let position = Box::new(self.inside(&name, &frame)?);
                        Ok(WaitFor::Workflow { position })
                    }
                    PendingInline::Returned(value) => Ok(WaitFor::Done(self.payload(&value))),
                });
                return self.wait(name, on);
            }
            StoredAwaited::List(item) => {
                let on = self.list(item, rest).map(|items| WaitFor::All { items });
                return self.wait(name, on);
            }
            StoredAwaited::Within(item) => {
                let limit = take::<(Handle, Timestamp)>(rest);
                let on = limit.map(|(_, until)| {
                    let wait = self.pending(name_of(item), item, rest);
                    WaitFor::Within { until, wait: Box::new(wait) }
                });
                return self.wait(name, on);
            }
            StoredAwaited::Each(item) => {
                let on = take::<PendingMap>(rest).map(|map| self.each(item, &map.progress));
                return self.wait(name, on);
            }
            StoredAwaited::Repeated(item) => {
                return match take::<PendingPoll>(rest).map(|poll| poll.round) {
                    Ok(PollRound::Call(handle)) => self.with_handle(name, item, handle),
                    Ok(PollRound::Pause(handle, _)) => self.awaited(name, handle),
                    Err(error) => self.wait(name, Err(error)),
                };
            }
        };
        match handle {
            Ok(handle) => {
                if let Some(definition) = self.definition {
                    let path = self.within.iter().chain([&name]);
                    let path = path.map(String::as_str).collect::<Vec<_>>().join("/");
                    let awaited = awaited.clone();
                    self.awaits.push(FoundAwait { path, handle, awaited, definition });
                }
                self.awaited(name, handle)
            }
            Err(error) => self.wait(name, Err(error)),
        }
    }

    /// The position of the code inside an await.
    fn inside(&mut self, name: &str, frame: &[u8]) -> Result<Position, StepError> {
        self.within.push(name.to_owned());
        let position = self.position(frame);
        self.within.pop();
        position
    }

    fn list(&mut self, awaited: &StoredAwaited, rest: &mut &[u8]) -> Result<Vec<Wait>, StepError> {
        let mut items = Vec::new();
        for index in 0..take::<usize>(rest)? {
            let item = self.item(format!("{}[{index}]", name_of(awaited)), awaited, rest);
            // What follows an unreadable item cannot be located.
            let is_last = matches!(item.on, WaitFor::Unreadable { .. });
            items.push(item);
            if is_last {
                break;
            }
        }
        Ok(items)
    }

    /// An operation that saves only its handle.
    fn with_handle(&mut self, name: String, awaited: &StoredAwaited, handle: Handle) -> Wait {
        let mut saved = Vec::new();
        match codec::encode_into(&handle, &mut saved) {
            Ok(()) => self.pending(name, awaited, &mut &saved[..]),
            Err(error) => self.wait(name, Err(StepError::Encode(error))),
        }
    }

    /// The items of a map that have begun.
    fn each(&mut self, awaited: &StoredAwaited, progress: &MapProgress) -> WaitFor {
        let MapProgress { total, succeeded, failed, asked } = progress;
        let asked = asked.iter().take(SHOWN_ITEMS);
        let asked = asked.map(|(number, handle)| {
            self.with_handle(format!("{}[{number}]", name_of(awaited)), awaited, *handle)
        });
        WaitFor::Each {
            total: *total,
            succeeded: *succeeded,
            failed: *failed,
            asked: asked.collect(),
        }
    }

    /// The wait for this operation.
    pub(super) fn awaited(&mut self, name: String, handle: Handle) -> Wait {
        let Some(operation) = self.operations.get(&handle).copied() else {
            return self.wait(name, Err(damaged("an operation is not there")));
        };
        let mut since = self.since;
        let mut has_arrived = false;
        let on = match operation {
            Operation::Activity(activity) => {
                since = Some(activity.scheduled_at);
                let mut activity = activity.clone();
                has_arrived = !apply(self.inbox, handle, &mut activity);
                WaitFor::Activity(Box::new(self.activity(handle, &activity)))
            }
            Operation::Timer { fire_at } => WaitFor::Timer { fires_at: *fire_at },
            Operation::Signal { name, until } => {
                has_arrived = self.inbox.iter().any(|arrival| match &arrival.kind {
                    ArrivalKind::Signal { name: signal, .. } => signal == name,
                    _ => false,
                });
                WaitFor::Signal { signal: name.clone(), until: *until }
            }
            Operation::Update { name, until } => {
                has_arrived = self.inbox.iter().any(|arrival| match &arrival.kind {
                    ArrivalKind::Update { name: update, .. } => update == name,
                    _ => false,
                });
                WaitFor::Update { update: name.clone(), until: *until }
            }
            // It is not a wait, and no frame has its handle.
            Operation::Answer { update, .. } => {
                WaitFor::Unreadable { note: format!("it owes the update `{update}` an answer") }
            }
            Operation::Cancellation => {
                let is_it = |arrival: &Arrival| matches!(arrival.kind, ArrivalKind::Cancel { .. });
                has_arrived = self.inbox.iter().any(is_it);
                WaitFor::Cancellation
            }
            Operation::Child { child, workflow_id, workflow } => {
                let is_it = |arrival: &Arrival| match &arrival.kind {
                    ArrivalKind::Outcome { handle: of, .. } => *of == handle,
                    _ => false,
                };
                has_arrived = self.inbox.iter().any(is_it);
                WaitFor::Child {
                    child: *child,
                    workflow_id: workflow_id.clone(),
                    workflow: workflow.clone().into_owned(),
                }
            }
            Operation::Promise(wait) => {
                has_arrived = self.inbox.iter().any(|arrival| {
                    matches!(arrival.kind, ArrivalKind::Outcome { handle: of, .. } if of == handle)
                });
                let token = wait.token.clone();
                match token.queue() {
                    Some(queue) => WaitFor::Item {
                        activity: token.workflow().to_owned(),
                        queue: queue.to_owned(),
                        key: token.name().to_owned(),
                    },
                    None => WaitFor::Promise { token, expires_at: wait.expires_at },
                }
            }
            Operation::Shield(_) | Operation::Compensation(_) => {
                return self.wait(name, Err(damaged("nothing waits for an operation")));
            }
        };
        Wait { name, since, has_arrived, on }
    }

    /// The running compensation.
    pub(super) fn compensation(&mut self, handle: Handle) -> Wait {
        let name = match self.operations.get(&handle) {
            Some(Operation::Activity(activity)) => activity.name.clone().into_owned(),
            _ => String::new(),
        };
        self.awaited(name, handle)
    }

    /// The registered compensations, in the order in which they would run.
    pub(super) fn compensations(&mut self) -> Vec<NotedCompensation> {
        let mut noted: Vec<_> = self
            .operations
            .iter()
            .filter_map(|(handle, operation)| match operation {
                Operation::Compensation(compensation) => Some((*handle, compensation)),
                _ => None,
            })
            .collect();
        noted.sort_unstable_by_key(|(handle, _)| std::cmp::Reverse(*handle));
        let shown = noted.into_iter().map(|(handle, compensation)| NotedCompensation {
            handle,
            activity: compensation.activity.name.clone().into_owned(),
            queue: compensation.activity.queue.clone(),
            arguments: self.payload(&compensation.activity.arguments),
        });
        shown.collect()
    }

    fn activity(&mut self, handle: Handle, activity: &ActivityOperation) -> AwaitedActivity {
        let row = self.queued.iter().find(|row| row.handle == handle);
        let awaits_token = match row {
            Some(row) => row.worker.is_none() && row.due_at.is_none(),
            None => activity.awaited.is_some(),
        };
        let is_made = awaits_token || row.is_some_and(|row| row.worker.is_some());
        let attempt = match row {
            Some(row) => row.attempt + u32::from(!is_made),
            None => activity.attempts.saturating_add(1),
        };
        let run_id = self.run_id.filter(|_| awaits_token);
        let arguments = &activity.arguments;
        let arguments = (!arguments.as_bytes().is_empty()).then(|| self.payload(arguments));
        AwaitedActivity {
            handle,
            activity: activity.name.clone().into_owned(),
            queue: activity.queue.clone(),
            worker: row.and_then(|row| row.worker),
            attempt,
            token: run_id.map(|run_id| ActivityToken { run_id, handle, attempt }),
            next_attempt_at: match row {
                Some(row) => row.due_at.filter(|_| !is_made),
                None => activity.retry_at,
            },
            expires_at: match row {
                Some(row) => row.expires_at,
                None => activity.awaited.and_then(|awaited| awaited.end_by),
            },
            last_failure: match row {
                Some(row) => row.last_failure.clone(),
                None => activity.last_failure.clone(),
            },
            arguments,
        }
    }

    fn wait(&self, name: String, on: Result<WaitFor, StepError>) -> Wait {
        let on = on.unwrap_or_else(|error| WaitFor::Unreadable { note: error.to_string() });
        let is_awaited = !matches!(on, WaitFor::Done(_) | WaitFor::NotBegun);
        Wait { name, since: self.since.filter(|_| is_awaited), has_arrived: false, on }
    }

    /// The arguments of the run.
    pub(super) fn arguments(&mut self, run: &RunRecord, arguments: &Payload) -> Shown {
        let mut shown = self.payload(arguments);
        let Some(definition) = run.definition.and_then(evolution::find) else {
            self.definitions.extend(run.definition);
            return Shown::missing(
                "what may be shown is in its definition, which is not known".to_owned(),
            );
        };
        let redacted = &definition.redacted_parameters;
        match &mut shown.value {
            serde_json::Value::Array(values) if values.len() == definition.parameters.len() => {
                for number in redacted {
                    if let Some(value) = values.get_mut(*number as usize) {
                        *value = Shown::SECRET.into();
                    }
                }
            }
            value if !redacted.is_empty() => *value = Shown::SECRET.into(),
            _ => {}
        }
        shown
    }

    /// The value of a payload.
    pub(super) fn payload(&mut self, payload: &Payload) -> Shown {
        match codec::payload_to_json(payload) {
            Ok(value) => value.into(),
            Err(error) => {
                if let CodecError::UnknownSchema(hash) = error {
                    self.schemas.insert(hash);
                }
                Shown::missing(error.to_string())
            }
        }
    }
}

/// A frame with an unknown definition.
fn unknown(hash: DefinitionHash) -> Position {
    Position {
        workflow: String::new(),
        definition: hash,
        state: String::new(),
        kind: AwaitKind::Other,
        file: String::new(),
        line: 0,
        variables: Vec::new(),
        waits: Vec::new(),
        note: Some(format!(
            "the database has no definition {hash}, which says what is saved; a worker or client of the build \
             that wrote it records it when it starts"
        )),
    }
}

fn value_of_local(definition: &StoredDefinition, schema: SchemaHash, saved: &[u8]) -> Shown {
    let value = match definition.schema(schema) {
        Some(schema) => codec::saved_to_json(saved, schema),
        None => Err(CodecError::UnknownSchema(schema)),
    };
    value.map_or_else(|error| Shown::missing(error.to_string()), Shown::from)
}

/// The name of a wait outside of branches, by the rule for the names of branches.
fn name_of(awaited: &StoredAwaited) -> String {
    match awaited {
        StoredAwaited::Activity { name, .. }
        | StoredAwaited::Workflow { name, .. }
        | StoredAwaited::Child { name, .. } => name.clone(),
        StoredAwaited::Signal { name, .. } => format!("signal<{name}>"),
        StoredAwaited::Update { name, .. } => format!("update<{name}>"),
        StoredAwaited::Timer => "sleep".to_owned(),
        StoredAwaited::Cancellation => "cancelled".to_owned(),
        StoredAwaited::Promise { .. } => "promise".to_owned(),
        StoredAwaited::List(item)
        | StoredAwaited::Fill(item)
        | StoredAwaited::Within(item)
        | StoredAwaited::Each(item)
        | StoredAwaited::Repeated(item) => name_of(item),
    }
}

/// Decodes the next value in `rest`.
fn take<T: Serialize + DeserializeOwned>(rest: &mut &[u8]) -> Result<T, StepError> {
    let (value, taken) = codec::decode_first(rest).map_err(StepError::Decode)?;
    *rest = &rest[taken..];
    Ok(value)
}

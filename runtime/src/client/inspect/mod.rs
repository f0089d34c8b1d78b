//! Inspecting runs without their code.
//!
//! The definition of a workflow and the schemas of its values are recorded in the database by the programs that
//! have its code. Any process can therefore decode the saved state of any run, without the workflow's code or
//! types.

pub(super) mod frame;
mod queues;
mod types;

use std::collections::{BTreeSet, HashSet};

use tracing::warn;

use self::frame::FrameView;
pub use self::types::{
    AwaitedActivity, AwaitedQueue, EndingRun, InspectedKin, InspectedPause, InspectedTerms,
    Inspection, NotedCompensation, Position, Shown, UnreadSignal, UnreadUpdate, Variable, Wait,
    WaitFor,
};
use super::Client;
use crate::codec::{self, CodecError};
use crate::engine::backoff::patiently;
use crate::engine::evolution::{learn_definition, learn_schemas};
use crate::error::{LookupError, StoreError};
use crate::model::{Handle, Operation, Payload, RunStatus, Snapshot, Timestamp};
use crate::store::{
    Arrival, ArrivalKind, DeadLetter, MAX_DETAILS, RunDetails, RunKey, UnreadArrival,
};

impl Client {
    /// Shows a run as a debugger would: its position in the code, its waits and since when, its variables, the
    /// attempts of its activities, and its unread signals. Works for runs of any status, and needs neither a worker
    /// nor the run's code. It shows what is in the database; for a run with relaxed durability, that may be a few
    /// steps old.
    ///
    /// Values are shown as JSON. Locals with `#[redact]` and the content of a [`Secret`](crate::Secret) are shown
    /// as `"(secret)"`. Values that cannot be shown, for example because the database does not have their schema,
    /// are `null` with a note.
    ///
    /// ```no_run
    /// # async fn demo(client: piton::client::Client) -> piton::Result<()> {
    /// let run = client.inspect("order-42").await?;
    /// if let Some(position) = run.position {
    ///     println!("{} at {}:{}", position.state, position.file, position.line);
    ///     for variable in position.variables {
    ///         println!("{} = {}", variable.name, variable.value.value);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`LookupError::Unknown`] if there is no such run, [`LookupError::Store`] if the database
    /// [is away](Client#when-the-database-is-away) for too long.
    pub async fn inspect(&self, run: impl Into<RunKey>) -> Result<Inspection, LookupError> {
        let key = run.into();
        let unknown = |key| LookupError::Unknown(key);
        let run_id = match &key {
            RunKey::RunId(run_id) => *run_id,
            RunKey::WorkflowId(_) => {
                self.find(key.clone()).await?.ok_or_else(|| unknown(key.clone()))?.run_id
            }
        };
        // In this order: arrivals that leave the inbox in between are part of the snapshot.
        let inbox = patiently(|| self.store().read_inbox(run_id, 0, MAX_DETAILS)).await?;
        let details = patiently(|| self.store().find_details(run_id)).await?;
        let details = details.ok_or_else(|| unknown(key))?;
        let is_unread = |arrival: &Arrival| {
            details.unread.iter().any(|UnreadArrival { seq, .. }| *seq == arrival.seq)
        };
        let mut inbox = inbox.arrivals;
        inbox.retain(is_unread);
        let mut seen = Learned::default();
        loop {
            let (mut inspection, missing) = inspect(&details, &inbox);
            if !self.learn(missing, &mut seen).await? {
                let kin = patiently(|| self.store().find_kin(run_id)).await?;
                inspection.kin = kin.and_then(|kin| InspectedKin::of(run_id, kin));
                let terms = match patiently(|| self.store().find_terms(run_id)).await {
                    Err(error @ StoreError::Corrupt { .. }) => {
                        warn!(%run_id, %error, "the run is shown without its terms");
                        None
                    }
                    terms => terms?,
                };
                inspection.terms = terms.map(InspectedTerms::of);
                self.add_queues(&mut inspection).await?;
                return Ok(inspection);
            }
        }
    }

    /// A payload as JSON: a run's result, arguments, a signal. Arguments are a list. The content of a
    /// [`Secret`](crate::Secret) is `"(secret)"`.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the schema is not recorded or the bytes do not fit it; otherwise see
    /// [`Client::find`].
    pub async fn payload_json(&self, payload: &Payload) -> Result<serde_json::Value, StoreError> {
        let mut read = codec::payload_to_json(payload);
        if let Err(CodecError::UnknownSchema(hash)) = read {
            patiently(|| learn_schemas(&**self.store(), vec![hash])).await?;
            read = codec::payload_to_json(payload);
        }
        read.map_err(|error| StoreError::Corrupt { what: "value", reason: error.to_string() })
    }

    /// The value of a dead letter as JSON; `null` if it has none.
    ///
    /// # Errors
    /// See [`Client::payload_json`].
    pub async fn dead_letter_json(
        &self,
        letter: &DeadLetter,
    ) -> Result<serde_json::Value, StoreError> {
        match letter.arrival.payload() {
            Some(payload) => self.payload_json(payload).await,
            None => Ok(serde_json::Value::Null),
        }
    }

    /// Loads missing definitions and schemas that were not tried before. Returns whether it has loaded any.
    async fn learn(&self, missing: Missing, tried: &mut Learned) -> Result<bool, StoreError> {
        let store = &**self.store();
        let mut has_learned = false;
        for hash in missing.definitions {
            if tried.definitions.insert(hash) {
                has_learned |= patiently(|| learn_definition(store, hash)).await?;
            }
        }
        let schemas: Vec<_> =
            missing.schemas.into_iter().filter(|hash| tried.schemas.insert(*hash)).collect();
        if !schemas.is_empty() {
            patiently(|| learn_schemas(store, schemas.clone())).await?;
            has_learned |= schemas.iter().any(|hash| !codec::is_unknown(*hash));
        }
        Ok(has_learned)
    }
}

/// The definitions and schemas that this process has tried to load.
#[derive(Default)]
struct Learned {
    definitions: HashSet<crate::model::DefinitionHash>,
    schemas: BTreeSet<crate::model::SchemaHash>,
}

/// The definitions and schemas that this process has to load.
struct Missing {
    definitions: Vec<crate::model::DefinitionHash>,
    schemas: BTreeSet<crate::model::SchemaHash>,
}

fn inspect(details: &RunDetails, inbox: &[Arrival]) -> (Inspection, Missing) {
    let run = &details.run;
    let snapshot =
        (!details.snapshot.is_empty()).then(|| codec::decode_snapshot(&details.snapshot));
    let (snapshot, unreadable) = match snapshot {
        Some(Ok(snapshot)) => (Some(snapshot), None),
        Some(Err(error)) => (None, Some(error.to_string())),
        None => (None, None),
    };
    let operations = snapshot.as_ref().map(|snapshot| &snapshot.operations[..]);
    let stepped_at = snapshot.as_ref().map(|snapshot| snapshot.clock);
    let stepped_at = stepped_at.filter(|at| *at >= run.started_at);
    let since = stepped_at.or(Some(run.started_at));
    let operations = operations.unwrap_or_default();
    let mut view = FrameView::new(operations, &details.activities, inbox, since);
    view.run_id = Some(run.run_id);
    let position = snapshot.as_ref().map(|snapshot| view.position(&snapshot.frame));
    let (mut position, note) = match position {
        Some(Ok(position)) => (Some(position), unreadable),
        Some(Err(error)) => (None, Some(error.to_string())),
        None => (None, unreadable),
    };
    if let (Some(position), Some(snapshot)) = (&mut position, &snapshot)
        && position.note.is_some()
    {
        // The run's row and its operations can be shown nevertheless.
        position.workflow.clone_from(&run.workflow);
        position.state.clone_from(&run.state);
        let is_awaited = |(_, operation): &&(Handle, Operation)| {
            !matches!(
                operation,
                Operation::Shield(_) | Operation::Compensation(_) | Operation::Answer { .. }
            )
        };
        let operations = snapshot.operations.iter().filter(is_awaited);
        let waits = operations.map(|(handle, operation)| view.awaited(name_of(operation), *handle));
        position.waits = waits.collect();
    }
    if let Some(position) = &mut position
        && run.status == RunStatus::Completed
    {
        // It is kept for its exposed variables.
        position.waits.clear();
    }
    let ending = snapshot.as_ref().and_then(|snapshot| snapshot.ending.as_deref());
    if let (Some(position), Some(ending)) = (&mut position, ending) {
        // The waits of the code were dropped.
        let current = ending.current.filter(|_| run.status.is_open());
        let wait = current.map(|current| view.compensation(current.handle));
        position.waits = wait.into_iter().collect();
    }
    let mut compensations = view.compensations();
    if run.status == RunStatus::Completed {
        // It has completed, so there is nothing to compensate.
        compensations.clear();
    }
    let unread = inbox.iter().filter_map(|arrival| match &arrival.kind {
        ArrivalKind::Signal { name, payload } => Some((arrival.seq, name, payload)),
        _ => None,
    });
    let unread = unread.map(|(seq, name, payload)| UnreadSignal {
        seq,
        signal: name.clone(),
        value: view.payload(payload),
    });
    let unread = unread.collect();
    let updates = inbox.iter().filter_map(|arrival| match &arrival.kind {
        ArrivalKind::Update { name, id, payload } => Some((arrival.seq, name, id, payload)),
        _ => None,
    });
    let updates = updates.map(|(seq, name, id, payload)| UnreadUpdate {
        seq,
        update: name.clone(),
        id: id.clone(),
        value: view.payload(payload),
    });
    let unread_updates = updates.collect();
    let cancel_requested = inbox.iter().find_map(|arrival| match &arrival.kind {
        ArrivalKind::Cancel { reason } => Some(reason.clone()),
        _ => None,
    });
    let unanswered = operations.iter().filter_map(|(_, operation)| match operation {
        Operation::Answer { update, .. } => Some(update.clone()),
        _ => None,
    });
    let unanswered = unanswered.collect();
    let inspection = Inspection {
        run_id: run.run_id,
        workflow_id: run.workflow_id.clone(),
        workflow: run.workflow.clone(),
        status: run.status,
        state: run.state.clone(),
        definition: run.definition,
        step_no: run.step_no,
        started_at: run.started_at,
        stepped_at,
        closed_at: run.closed_at,
        owner: run.owner,
        takeovers: details.takeovers,
        kin: None,
        terms: None,
        blocked: run.blocked.as_ref().map(ToString::to_string),
        blocked_at: run.blocked_at,
        paused: details.paused.clone().map(|pause| InspectedPause {
            at: pause.at,
            by: pause.by,
            reason: pause.reason,
        }),
        wakes_at: wakes_at(details, snapshot.as_ref()),
        cancel_requested: cancel_requested.filter(|_| run.status.is_open()),
        cancelled: snapshot.as_ref().and_then(|snapshot| snapshot.cancelled.clone()),
        arguments: details.arguments.as_ref().map(|arguments| view.arguments(run, arguments)),
        result: run.result.as_ref().map(|result| view.payload(result)),
        failure: run.failure.clone(),
        attributes: run.attributes.clone(),
        memo: run.memo.clone(),
        position,
        queues: Vec::new(),
        compensations,
        ending: ending.filter(|_| run.status.is_open()).map(|ending| EndingRun {
            status: ending.status,
            failure: ending.failure.clone(),
            failed: ending.failed.clone(),
        }),
        unread,
        unread_updates,
        unanswered,
        unread_count: details.unread_count,
        note,
    };
    (inspection, Missing { definitions: view.definitions, schemas: view.schemas })
}

/// When the run is due without an arrival.
fn wakes_at(details: &RunDetails, snapshot: Option<&Snapshot>) -> Option<Timestamp> {
    let run = &details.run;
    if run.status != RunStatus::Running {
        return None;
    }
    run.due_at.or_else(|| {
        let snapshot = snapshot?;
        snapshot.wait.met_at(&|handle| {
            let (_, operation) = snapshot.operations.iter().find(|(of, _)| *of == handle)?;
            match operation {
                Operation::Timer { fire_at } => Some(*fire_at),
                Operation::Signal { until, .. } | Operation::Update { until, .. } => *until,
                _ => None,
            }
        })
    })
}

fn name_of(operation: &Operation) -> String {
    match operation {
        Operation::Activity(activity) => activity.name.clone().into_owned(),
        Operation::Timer { .. } => "sleep".to_owned(),
        Operation::Signal { name, .. } => format!("signal<{name}>"),
        Operation::Update { name, .. } => format!("update<{name}>"),
        Operation::Answer { update, .. } => format!("answer {update}"),
        Operation::Cancellation => "cancelled".to_owned(),
        Operation::Child { workflow, .. } => workflow.clone().into_owned(),
        Operation::Promise(wait) if wait.token.queue().is_some() => {
            wait.token.workflow().to_owned()
        }
        Operation::Promise(wait) => format!("promise<{}>", wait.token.name()),
        Operation::Compensation(compensation) => compensation.activity.name.clone().into_owned(),
        Operation::Shield(_) => "shield".to_owned(),
    }
}

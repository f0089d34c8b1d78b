//! Promises and waits for them.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::FromRow;
use uuid::Uuid;

use crate::codec;
use crate::error::StoreError;
use crate::model::{
    Handle, PromiseKey, PromiseOutcome, PromiseScope, PromiseTypes, SchemaHash, Timestamp,
};
use crate::store::promises::sql::{Places, Work};
use crate::store::promises::{Place, PromiseRow, PromiseRows, read_scope, scope_text};
use crate::store::{MAX_AT_ONCE, PromiseRecord};

/// The columns of a promise, selected under these names.
macro_rules! promise_columns {
    () => {
        "scope, name, workflow, resolved_type, rejected_type, outcome, completion, made_at, \
         completed_at, expires_at, due_at, item_id, kept_until"
    };
}
pub(crate) use promise_columns;

/// See [`promise_columns`].
#[derive(FromRow)]
pub(crate) struct StoredPromiseRow {
    scope: String,
    name: String,
    workflow: String,
    resolved_type: Option<i64>,
    rejected_type: Option<i64>,
    outcome: Option<Vec<u8>>,
    completion: Option<Uuid>,
    made_at: i64,
    completed_at: Option<i64>,
    expires_at: Option<i64>,
    due_at: Option<i64>,
    item_id: Option<Uuid>,
    kept_until: Option<i64>,
}

/// A wait; the first of each promise.
#[derive(FromRow)]
pub(crate) struct WaitRow {
    scope: String,
    name: String,
    run_id: Uuid,
    handle: i64,
}

impl WaitRow {
    #[cfg(feature = "postgres")]
    pub(crate) fn run_id(&self) -> crate::model::RunId {
        self.run_id.into()
    }
}

/// A promise in a list.
#[derive(FromRow)]
pub(crate) struct ListedPromiseRow {
    #[sqlx(flatten)]
    promise: StoredPromiseRow,
    waits: i64,
}

impl TryFrom<ListedPromiseRow> for PromiseRecord {
    type Error = StoreError;

    fn try_from(row: ListedPromiseRow) -> Result<Self, StoreError> {
        let (key, promise) = row.promise.read()?;
        Ok(Self { waits: row.waits.try_into().unwrap_or_default(), ..promise.record(&key) })
    }
}

impl StoredPromiseRow {
    fn read(self) -> Result<(PromiseKey, PromiseRow), StoreError> {
        let outcome = self.outcome.map(read_outcome);
        let types = self.resolved_type.zip(self.rejected_type);
        let hash = |hash: i64| SchemaHash(hash as u64);
        let key = read_key(&self.scope, self.name)?;
        // If it expires before that, it is processed then.
        let is_ahead = matches!(key.scope, PromiseScope::WorkflowId(_)) && outcome.is_none();
        let row = PromiseRow {
            workflow: self.workflow,
            types: types.map(|(resolved, rejected)| PromiseTypes {
                resolved: hash(resolved),
                rejected: hash(rejected),
            }),
            outcome,
            completion: self.completion,
            made_at: Timestamp(self.made_at),
            completed_at: self.completed_at.map(Timestamp),
            expires_at: self.expires_at.map(Timestamp),
            look_at: self.due_at.filter(|_| is_ahead).map(Timestamp),
            item: self.item_id.map(Into::into),
            kept_until: self.kept_until.map(Timestamp),
            waits: BTreeSet::new(),
            has_more: false,
        };
        Ok((key, row))
    }
}

/// Promises with their waits; at most one more than [`MAX_AT_ONCE`] was read of each.
pub(crate) fn read_promises(
    promises: Vec<StoredPromiseRow>,
    waits: Vec<WaitRow>,
) -> Result<PromiseRows, StoreError> {
    let mut rows = BTreeMap::new();
    for promise in promises {
        let (key, row) = promise.read()?;
        rows.insert(key, row);
    }
    for wait in waits {
        let key = read_key(&wait.scope, wait.name)?;
        let Some(row) = rows.get_mut(&key) else { continue };
        match row.waits.len() == MAX_AT_ONCE as usize {
            true => row.has_more = true,
            false => _ = row.waits.insert((wait.run_id.into(), Handle(wait.handle as u64))),
        }
    }
    Ok(PromiseRows(rows))
}

/// The work for promises with these scopes and names: delivering to the waiting runs.
pub(crate) fn read_settles(keys: Vec<(String, String)>) -> Result<Vec<Work>, StoreError> {
    keys.into_iter().map(|(scope, name)| read_key(&scope, name).map(Work::Settle)).collect()
}

/// The key of a promise's row.
fn read_key(scope: &str, name: String) -> Result<PromiseKey, StoreError> {
    let corrupt = || StoreError::Corrupt { what: "scope of a promise", reason: scope.to_owned() };
    Ok(PromiseKey { scope: read_scope(scope).ok_or_else(corrupt)?, name })
}

/// A stored outcome. One that cannot be read concerns those who await it alone, so it is no error of the rows around it.
fn read_outcome(stored: Vec<u8>) -> PromiseOutcome {
    codec::from_record(&stored).unwrap_or_else(|error| {
        let reason = error.to_string();
        PromiseOutcome::Unreadable { stored, reason }
    })
}

/// The stored form of a promise's outcome.
pub(crate) fn write_outcome(outcome: &PromiseOutcome) -> Result<Vec<u8>, StoreError> {
    if let PromiseOutcome::Unreadable { stored, .. } = outcome {
        return Ok(stored.clone());
    }
    codec::to_record(outcome).map_err(|error| StoreError::Corrupt {
        what: "outcome of a promise",
        reason: error.to_string(),
    })
}

/// The run with a workflow id, or with a run id.
#[derive(FromRow)]
pub(crate) struct PlaceRow {
    run_id: Uuid,
    workflow_id: String,
    workflow: String,
    is_open: bool,
}

impl From<PlaceRow> for Place {
    fn from(row: PlaceRow) -> Self {
        let PlaceRow { run_id, workflow_id, workflow, is_open } = row;
        Self::Run { run_id: run_id.into(), workflow_id, workflow, is_open }
    }
}

/// Adds runs that were looked up by their ids.
pub(crate) fn add_runs(places: &mut Places, runs: Vec<PlaceRow>) {
    for row in runs {
        let scope = PromiseScope::Run(row.run_id.into());
        places.insert(scope, row.into());
    }
}

/// Adds the run that was looked up by a workflow id.
pub(crate) fn add_holder(places: &mut Places, workflow_id: &str, holder: Option<PlaceRow>) {
    let scope = PromiseScope::WorkflowId(workflow_id.to_owned());
    let place = holder.map_or_else(|| Place::Ahead(workflow_id.to_owned()), Place::from);
    places.insert(scope, place);
}

/// The stored texts of a key.
pub(crate) fn key_texts(key: &PromiseKey) -> (String, String) {
    (scope_text(&key.scope), key.name.clone())
}

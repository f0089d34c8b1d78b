//! Queries of runs by people and clients.

use sqlx::FromRow;
use uuid::Uuid;

use super::{read_attributes, read_blocked, read_memo, read_status};
use crate::error::StoreError;
use crate::filter::literal::day;
use crate::model::{DefinitionHash, Payload, StepNo, Timestamp, WorkerId};
use crate::store::{DefinitionCount, Ending, FoundEnding, OrderBy, RunCount, RunOrder, RunRecord};

/// The columns of [`RunRecord`], selected under these names.
#[derive(FromRow)]
pub(crate) struct RunRow {
    run_id: Uuid,
    workflow_id: String,
    workflow: String,
    status: String,
    state: String,
    definition: Option<i64>,
    step_no: i64,
    worker_id: Option<i64>,
    due_at: Option<i64>,
    blocked: Option<String>,
    blocked_at: Option<i64>,
    started_at: i64,
    stepped_at: Option<i64>,
    closed_at: Option<i64>,
    result: Option<Vec<u8>>,
    failure: Option<String>,
    // Null in statements that do not select them.
    #[sqlx(default)]
    attributes: Option<String>,
    #[sqlx(default)]
    memo: Option<String>,
}

impl TryFrom<RunRow> for RunRecord {
    type Error = StoreError;

    fn try_from(row: RunRow) -> Result<Self, StoreError> {
        Ok(Self {
            run_id: row.run_id.into(),
            workflow_id: row.workflow_id,
            workflow: row.workflow,
            status: read_status(&row.status)?,
            state: row.state,
            definition: row.definition.map(definition),
            step_no: StepNo(row.step_no),
            owner: row.worker_id.map(WorkerId),
            due_at: row.due_at.map(Timestamp),
            blocked: row.blocked.as_deref().map(read_blocked),
            blocked_at: row.blocked_at.map(Timestamp),
            started_at: Timestamp(row.started_at),
            stepped_at: row.stepped_at.map(Timestamp),
            closed_at: row.closed_at.map(Timestamp),
            result: row.result.map(Payload),
            failure: row.failure,
            attributes: read_attributes(row.attributes.as_deref())?,
            memo: read_memo(row.memo.as_deref())?,
        })
    }
}

/// The columns of an ending; all null if there is no such run.
#[derive(FromRow)]
pub(crate) struct EndingRow {
    status: Option<String>,
    result: Option<Vec<u8>>,
    failure: Option<String>,
}

/// The ending of a run, if it has one.
pub(crate) fn read_ending(row: EndingRow) -> Result<FoundEnding, StoreError> {
    let EndingRow { status: Some(status), result, failure } = row else {
        return Ok(FoundEnding::Unknown);
    };
    let status = read_status(&status)?;
    if status.is_open() {
        return Ok(FoundEnding::Open);
    }
    Ok(FoundEnding::Closed(Ending { status, result: result.map(Payload), failure }))
}

/// The `ORDER BY` terms of a list, given the prefix of a run's columns and its id.
pub(crate) fn in_order(order: RunOrder, named: &str, run_id: &str) -> String {
    let direction = if order.is_ascending() { "ASC" } else { "DESC" };
    match order.by() {
        OrderBy::RunId => format!("{run_id} {direction}"),
        OrderBy::Since => format!(
            "coalesce({named}closed_at, {named}blocked_at, {named}stepped_at, {named}started_at) {direction}, \
             {run_id} {direction}"
        ),
        by => format!("{named}{} {direction} NULLS LAST, {run_id} {direction}", by.column()),
    }
}

/// The number of runs with one value of a column, which is a text or the number of a day.
#[derive(FromRow)]
pub(crate) struct CountRow {
    key: Option<String>,
    day: Option<i64>,
    runs: i64,
}

/// Sorts as the contract requires.
pub(crate) fn read_run_counts(rows: Vec<CountRow>) -> Vec<RunCount> {
    let count = |row: CountRow| RunCount {
        key: row.key.or_else(|| row.day.map(day)),
        runs: row.runs.unsigned_abs(),
    };
    RunCount::sorted(rows.into_iter().map(count).collect())
}

/// The number of open runs in a state.
#[derive(FromRow)]
pub(crate) struct DefinitionCountRow {
    definition: Option<i64>,
    state: String,
    status: String,
    runs: i64,
}

impl TryFrom<DefinitionCountRow> for DefinitionCount {
    type Error = StoreError;

    fn try_from(row: DefinitionCountRow) -> Result<Self, StoreError> {
        Ok(Self {
            definition: row.definition.map(definition),
            state: row.state,
            status: read_status(&row.status)?,
            runs: row.runs.unsigned_abs(),
        })
    }
}

/// Sorts as the contract requires. Databases cannot, because hashes are unsigned.
pub(crate) fn read_counts(
    rows: Vec<DefinitionCountRow>,
) -> Result<Vec<DefinitionCount>, StoreError> {
    let counts: Result<Vec<DefinitionCount>, _> = rows.into_iter().map(TryInto::try_into).collect();
    let mut counts = counts?;
    counts.sort_by(DefinitionCount::compare);
    Ok(counts)
}

fn definition(hash: i64) -> DefinitionHash {
    DefinitionHash(hash.cast_unsigned())
}

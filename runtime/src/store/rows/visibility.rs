//! What people and clients are told about runs.

use sqlx::FromRow;
use uuid::Uuid;

use super::{read_blocked, read_status};
use crate::error::StoreError;
use crate::model::{DefinitionHash, Payload, RunStatus, StepNo, Timestamp, WorkerId};
use crate::store::{DefinitionCount, Ending, FoundEnding, RunRecord};

/// The columns of [`RunRecord`], to be selected by these names.
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
    closed_at: Option<i64>,
    result: Option<Vec<u8>>,
    failure: Option<String>,
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
            blocked: row.blocked.as_deref().map(read_blocked).transpose()?,
            blocked_at: row.blocked_at.map(Timestamp),
            started_at: Timestamp(row.started_at),
            closed_at: row.closed_at.map(Timestamp),
            result: row.result.map(Payload),
            failure: row.failure,
        })
    }
}

/// The columns of an ending; all of them null where there is no such run.
#[derive(FromRow)]
pub(crate) struct EndingRow {
    status: Option<String>,
    result: Option<Vec<u8>>,
    failure: Option<String>,
}

/// What a run has come to.
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

/// How many runs have a status.
#[derive(FromRow)]
pub(crate) struct CountRow {
    status: String,
    runs: i64,
}

impl TryFrom<CountRow> for (RunStatus, u64) {
    type Error = StoreError;

    fn try_from(row: CountRow) -> Result<Self, StoreError> {
        Ok((read_status(&row.status)?, row.runs.unsigned_abs()))
    }
}

/// How many open runs are in a state.
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

/// In the order of the contract, which no database has: hashes are not signed.
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

//! Definitions of workflows, and schemas of values.

use sqlx::FromRow;

use crate::model::{DefinitionHash, SchemaHash};
use crate::store::{DefinitionRecord, DefinitionSummary, SchemaRecord};

/// The columns of a [`DefinitionRecord`], selected under these names.
#[derive(FromRow)]
pub(crate) struct DefinitionRow {
    workflow: String,
    hash: i64,
    description: String,
}

impl From<DefinitionRow> for DefinitionRecord {
    fn from(row: DefinitionRow) -> Self {
        let DefinitionRow { workflow, hash, description } = row;
        Self { workflow, hash: DefinitionHash(hash.cast_unsigned()), description }
    }
}

/// The columns of a [`SchemaRecord`], selected under these names.
#[derive(FromRow)]
pub(crate) struct SchemaRow {
    hash: i64,
    schema: String,
}

impl From<SchemaRow> for SchemaRecord {
    fn from(row: SchemaRow) -> Self {
        Self { hash: SchemaHash(row.hash.cast_unsigned()), schema: row.schema }
    }
}

/// The columns of a [`DefinitionSummary`], selected under these names.
#[derive(FromRow)]
pub(crate) struct SummaryRow {
    workflow: String,
    hash: i64,
    open_runs: i64,
}

impl From<SummaryRow> for DefinitionSummary {
    fn from(row: SummaryRow) -> Self {
        let SummaryRow { workflow, hash, open_runs } = row;
        let hash = DefinitionHash(hash.cast_unsigned());
        Self { workflow, hash, open_runs: open_runs.unsigned_abs() }
    }
}

/// Sorts as the contract requires. Databases cannot, because hashes are unsigned.
pub(crate) fn read_summaries(rows: Vec<SummaryRow>) -> Vec<DefinitionSummary> {
    let mut summaries: Vec<DefinitionSummary> = rows.into_iter().map(Into::into).collect();
    summaries.sort_by(|one, other| {
        one.workflow.cmp(&other.workflow).then(one.hash.0.cmp(&other.hash.0))
    });
    summaries
}

//! Workflows as builds of the code defined them, and schemas of stored values.

use sqlx::FromRow;

use crate::model::{DefinitionHash, SchemaHash};
use crate::store::{DefinitionRecord, SchemaRecord};

/// The columns of a [`DefinitionRecord`], to be selected by these names.
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

/// The columns of a [`SchemaRecord`], to be selected by these names.
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

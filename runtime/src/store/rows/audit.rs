//! Audit entries.

use sqlx::FromRow;
use uuid::Uuid;

use crate::model::{RunId, Timestamp};
use crate::store::{AuditEntry, AuditEntryId, NewAuditEntry};

/// The columns of an [`AuditEntry`], selected under these names.
macro_rules! audit_columns {
    () => {
        "entry_id, run_id, at, who, action, reason, details"
    };
}
pub(crate) use audit_columns;

/// See [`audit_columns`].
#[derive(FromRow)]
pub(crate) struct AuditRow {
    entry_id: i64,
    run_id: Option<Uuid>,
    at: i64,
    who: String,
    action: String,
    reason: String,
    details: Option<String>,
}

impl From<AuditRow> for AuditEntry {
    fn from(row: AuditRow) -> Self {
        let AuditRow { entry_id, run_id, at, who, action, reason, details } = row;
        Self {
            id: AuditEntryId(entry_id),
            run_id: run_id.map(RunId::from),
            at: Timestamp(at),
            entry: NewAuditEntry { who, action, reason, details },
        }
    }
}

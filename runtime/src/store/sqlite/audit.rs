//! The audit table.

use super::script::Script;
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::model::{RunId, Timestamp};
use crate::store::rows::{AuditRow, audit_columns};
use crate::store::weight::fits;
use crate::store::{AuditEntry, AuditEntryId, NewAuditEntry};

const INSERT: &str = "INSERT INTO piton_audit (run_id, at, who, action, reason, details) \
    VALUES (?, ?, ?, ?, ?, ?); ";

/// Rows that do not fit in the response are not read.
const NEWEST: &str = concat!(
    "SELECT ",
    audit_columns!(),
    " FROM (SELECT *, sum(bytes) OVER (ORDER BY entry_id DESC) AS upto FROM \
     (SELECT *, length(CAST(who || action || reason AS BLOB)) \
     + coalesce(length(CAST(details AS BLOB)), 0) AS bytes FROM piton_audit WHERE "
);

const BEHIND: &str = concat!(
    " AND entry_id < coalesce(?, 9223372036854775807) ORDER BY entry_id DESC LIMIT ?)) AS sized WHERE ",
    fits!("sized"),
    " ORDER BY entry_id DESC"
);

/// Adds an entry to the transaction of a change.
pub(super) fn add(
    script: &mut Script,
    now: Timestamp,
    run_id: Option<RunId>,
    entry: &NewAuditEntry,
) {
    script
        .sql(INSERT)
        .bind(run_id.map(|run_id| run_id.as_uuid()))
        .bind(now.as_micros())
        .bind(entry.who.clone())
        .bind(entry.action.clone())
        .bind(entry.reason.clone())
        .bind(entry.details.clone());
}

pub(super) async fn list(
    store: &SqliteStore,
    run_id: Option<RunId>,
    before: Option<AuditEntryId>,
    limit: u32,
) -> Result<Vec<AuditEntry>, StoreError> {
    let mut script = Script::new();
    script.sql(NEWEST);
    match run_id {
        Some(run_id) => script.sql("run_id = ?").bind(run_id.as_uuid()),
        None => script.sql("true"),
    };
    script.sql(BEHIND).bind(before.map(|before| before.0)).bind(limit);
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<AuditRow>(0));
    Ok(rows.map_err(failed("list_audit"))?.into_iter().map(Into::into).collect())
}

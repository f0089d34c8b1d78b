//! The audit table.

use sqlx::PgConnection;

use super::server::takes_writes;
use super::{PostgresStore, failed, kept, now};
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::rows::{AuditRow, audit_columns};
use crate::store::weight::fits;
use crate::store::{AuditEntry, AuditEntryId, NewAuditEntry};

const INSERT: &str = concat!(
    "INSERT INTO piton_audit (run_id, at, who, action, reason, details) \
     SELECT $2, clock.now, $3, $4, $5, $6 FROM ",
    now!(),
    " AS clock"
);

/// The common part of all pages; a macro, because only literals can be concatenated in constants. Rows that do not
/// fit in the response are not read.
macro_rules! page {
    ($condition:literal) => {
        concat!(
            "SELECT ",
            audit_columns!(),
            " FROM (SELECT *, sum(bytes) OVER (ORDER BY entry_id DESC ROWS UNBOUNDED PRECEDING) AS upto \
             FROM (SELECT *, octet_length(who) + octet_length(action) + octet_length(reason) \
             + coalesce(octet_length(details), 0) AS bytes FROM piton_audit WHERE ",
            $condition,
            " AND entry_id < coalesce($1::bigint, 9223372036854775807) \
             ORDER BY entry_id DESC LIMIT $2) AS matching) AS sized WHERE ",
            takes_writes!(),
            " AND ",
            fits!("sized"),
            " ORDER BY entry_id DESC"
        )
    };
}

const OF_RUN: &str = page!("run_id = $3");

const OF_ALL: &str = page!("true");

/// Adds an entry to the transaction of a change.
pub(super) async fn write(
    connection: &mut PgConnection,
    now: Option<i64>,
    run_id: Option<RunId>,
    entry: &NewAuditEntry,
) -> Result<(), sqlx::Error> {
    sqlx::query(INSERT)
        .bind(now)
        .bind(run_id.map(|run_id| run_id.as_uuid()))
        .bind(kept(&entry.who))
        .bind(kept(&entry.action))
        .bind(kept(&entry.reason))
        .bind(entry.details.as_deref().map(kept))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn list(
    store: &PostgresStore,
    run_id: Option<RunId>,
    before: Option<AuditEntryId>,
    limit: u32,
) -> Result<Vec<AuditEntry>, StoreError> {
    let failed = failed("list_audit");
    let before = before.map(|before| before.0);
    let query = sqlx::query_as(if run_id.is_some() { OF_RUN } else { OF_ALL });
    let mut query = query.bind(before).bind(i64::from(limit));
    if let Some(run_id) = run_id {
        query = query.bind(run_id.as_uuid());
    }
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<AuditRow> = query.fetch_all(lane.get()).await.map_err(failed)?;
    lane.done();
    Ok(rows.into_iter().map(Into::into).collect())
}

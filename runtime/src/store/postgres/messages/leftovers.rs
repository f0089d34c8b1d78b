//! The inboxes of runs that have closed.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::ArrivalKind;

const EMPTY: &str = "DELETE FROM piton_inbox WHERE run_id = ANY ($1)";

const EMPTY_BUT_FOR_SIGNALS: &str =
    "DELETE FROM piton_inbox WHERE run_id = ANY ($1) AND substring(arrival FROM 2 FOR 1) <> $2";

/// Empties the inboxes of closed runs that have successors, once what goes over is in the successors' inboxes.
pub(in crate::store::postgres) async fn empty_inboxes(
    connection: &mut PgConnection,
    run_ids: &[Uuid],
) -> Result<(), sqlx::Error> {
    if !run_ids.is_empty() {
        sqlx::query(EMPTY).bind(run_ids).execute(connection).await?;
    }
    Ok(())
}

/// Empties the inboxes of closed runs without successors, except for signals: those that nobody has taken stay until
/// retention deletes the run or its payloads.
pub(in crate::store::postgres) async fn keep_leftovers(
    connection: &mut PgConnection,
    run_ids: &[Uuid],
) -> Result<(), sqlx::Error> {
    if !run_ids.is_empty() {
        let query = sqlx::query(EMPTY_BUT_FOR_SIGNALS).bind(run_ids);
        query.bind(vec![ArrivalKind::SIGNAL]).execute(connection).await?;
    }
    Ok(())
}

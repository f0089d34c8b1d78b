//! Activities are removed from their queues.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::model::RunId;
use crate::store::ActivityKey;
use crate::store::ends::handle;
use crate::store::postgres::named_by;
use crate::store::rows::being_made;

const REMOVE: &str = concat!(
    "DELETE FROM piton_activities AS activity \
     USING unnest($1::uuid[], $2::bigint[]) AS gone (run_id, handle) WHERE ",
    named_by!("activity", "gone", "handle"),
    " RETURNING activity.run_id, activity.handle, worker_id IS NOT NULL AS is_made"
);

const REMOVE_ALL: &str = "DELETE FROM piton_activities WHERE run_id = $1 \
    RETURNING run_id, handle, worker_id IS NOT NULL AS is_made";

/// Returns those with running attempts.
pub(crate) async fn write(
    connection: &mut PgConnection,
    gone: &[ActivityKey],
) -> Result<Vec<ActivityKey>, sqlx::Error> {
    let mut gone: Vec<_> =
        gone.iter().map(|key| (key.run_id.as_uuid(), handle(key.handle))).collect();
    gone.sort_unstable();
    let (run_ids, handles): (Vec<Uuid>, Vec<i64>) = gone.into_iter().unzip();
    let removed = sqlx::query_as(REMOVE).bind(run_ids).bind(handles).fetch_all(connection).await?;
    Ok(being_made(removed).collect())
}

/// Removes the activities of a terminated run. Returns those with running attempts.
pub(crate) async fn all_of(
    connection: &mut PgConnection,
    run_id: RunId,
) -> Result<Vec<ActivityKey>, sqlx::Error> {
    let removed = sqlx::query_as(REMOVE_ALL).bind(run_id.as_uuid()).fetch_all(connection).await?;
    Ok(being_made(removed).collect())
}

//! The progress of updates.

use crate::error::StoreError;
use crate::store::postgres::server::takes_writes;
use crate::store::postgres::{PostgresStore, failed};
use crate::store::rows::UpdateRow;
use crate::store::{FoundUpdate, UpdateKey};

const FIND: &str = concat!(
    "SELECT known.dedup_key IS NOT NULL AS is_accepted, known.name AS accepted, \
     run.closed_at IS NOT NULL AS is_closed, \
     (SELECT reply FROM piton_update_replies AS given \
     WHERE given.run_id = $1 AND given.update_id = $3) AS reply \
     FROM piton_runs AS run LEFT JOIN piton_arrival_keys AS known \
     ON known.run_id = run.run_id AND known.dedup_key = $2 WHERE ",
    takes_writes!(),
    " AND run.run_id = $1"
);

pub(super) async fn find(
    store: &PostgresStore,
    key: &UpdateKey,
) -> Result<FoundUpdate, StoreError> {
    let failed = failed("find_update");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let row: Option<UpdateRow> = sqlx::query_as(FIND)
        .bind(key.run_id.as_uuid())
        .bind(key.dedup_key())
        .bind(key.update.as_str())
        .fetch_optional(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    FoundUpdate::read(row, key)
}

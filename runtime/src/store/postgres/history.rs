//! Past states of runs.

use super::server::takes_writes;
use super::{PostgresStore, failed};
use crate::error::StoreError;
use crate::model::{RunId, StepNo};
use crate::store::rows::{PastStateRow, PastStepRow};
use crate::store::{PastState, PastStep};

const LIST: &str = concat!(
    "SELECT step_no, at, state, octet_length(snapshot)::bigint AS bytes FROM piton_history WHERE ",
    takes_writes!(),
    " AND run_id = $1 ORDER BY step_no DESC"
);

const FIND: &str = concat!(
    "SELECT step_no, at, state, snapshot FROM piton_history WHERE ",
    takes_writes!(),
    " AND run_id = $1 AND step_no = $2"
);

pub(super) async fn list(
    store: &PostgresStore,
    run_id: RunId,
) -> Result<Vec<PastStep>, StoreError> {
    let failed = failed("list_history");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<PastStepRow> =
        sqlx::query_as(LIST).bind(run_id.as_uuid()).fetch_all(lane.get()).await.map_err(failed)?;
    lane.done();
    Ok(rows.into_iter().map(Into::into).collect())
}

pub(super) async fn find(
    store: &PostgresStore,
    run_id: RunId,
    step_no: StepNo,
) -> Result<Option<PastState>, StoreError> {
    let failed = failed("find_history");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let row: Option<PastStateRow> = sqlx::query_as(FIND)
        .bind(run_id.as_uuid())
        .bind(step_no.0)
        .fetch_optional(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(row.map(Into::into))
}

//! Comparison of a worker's runs with those that it knows of.

use uuid::Uuid;

use crate::error::StoreError;
use crate::model::RunId;
use crate::store::postgres::{PostgresStore, failed, named_by};
use crate::store::rows::ReviewedRow;
use crate::store::{ReviewedRuns, WorkerLease};

/// `IS NOT DISTINCT FROM` for the reason given at the commit of steps.
const REVIEW: &str = concat!(
    "SELECT held.run_id, owned.run_id IS NOT NULL AS is_owned \
     FROM unnest($1::uuid[], $2::bigint[]) AS held (run_id, upto) LEFT JOIN piton_runs AS owned ON ",
    named_by!("owned", "held"),
    " AND owned.worker_id IS NOT DISTINCT FROM $3 AND owned.epoch = $4 \
     WHERE owned.run_id IS NULL OR owned.inbox_count > held.upto"
);

pub(super) async fn review(
    store: &PostgresStore,
    worker: WorkerLease,
    held: &[(RunId, i64)],
) -> Result<ReviewedRuns, StoreError> {
    let (run_ids, counts): (Vec<Uuid>, Vec<i64>) =
        held.iter().map(|(run_id, count)| (run_id.as_uuid(), *count)).unzip();
    let failed = failed("review_runs");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let reviewed: Vec<ReviewedRow> = sqlx::query_as(REVIEW)
        .bind(run_ids)
        .bind(counts)
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(ReviewedRuns::of(reviewed))
}

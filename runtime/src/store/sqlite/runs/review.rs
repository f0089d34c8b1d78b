//! Comparison of a worker's runs with those that it knows of.

use crate::error::StoreError;
use crate::model::RunId;
use crate::store::rows::ReviewedRow;
use crate::store::sqlite::script::{MAX_ROWS, Script};
use crate::store::sqlite::{SqliteStore, failed};
use crate::store::{ReviewedRuns, WorkerLease};

const REVIEW: &str = "SELECT held.column1 AS run_id, owned.run_id IS NOT NULL AS is_owned FROM (";

const OF_OWNED: &str = ") AS held LEFT JOIN piton_runs AS owned ON owned.run_id = held.column1 \
    AND owned.worker_id = ? AND owned.epoch = ? WHERE held.column1 IS NOT NULL \
    AND (owned.run_id IS NULL OR owned.inbox_count > held.column2)";

pub(super) async fn review(
    store: &SqliteStore,
    worker: WorkerLease,
    held: &[(RunId, i64)],
) -> Result<ReviewedRuns, StoreError> {
    let mut reviewed = Vec::new();
    for held in held.chunks(MAX_ROWS) {
        let mut script = Script::new();
        script.sql(REVIEW).values(2, held.iter(), |script, (run_id, count)| {
            script.bind(run_id.as_uuid()).bind(*count);
        });
        script.sql(OF_OWNED).bind(worker.worker_id.0).bind(worker.epoch.0);
        let rows = store.read(script).await.and_then(|mut rows| rows.read::<ReviewedRow>(0));
        reviewed.extend(rows.map_err(failed("review_runs"))?);
    }
    Ok(ReviewedRuns::of(reviewed))
}

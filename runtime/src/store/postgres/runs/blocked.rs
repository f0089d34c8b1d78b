//! Blocked runs: finding and adopting them.

use uuid::Uuid;

use super::claim::with_inboxes;
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::postgres::{
    PostgresStore, failed, lock_worker, named_by, now, workers, workflow_id,
};
use crate::store::rows::{BlockedRow, ClaimRow, is_adoptable, workers_died};
use crate::store::{BlockedRun, ClaimedRun, WorkerLease};

const FIND: &str = concat!(
    "SELECT run_id, step_no, workflow, blocked FROM piton_runs WHERE ",
    is_adoptable!(),
    " AND workflow = ANY ($1) AND run_id > $2 ORDER BY run_id LIMIT $3"
);

const ADOPT: &str = concat!(
    "WITH clock AS MATERIALIZED ",
    now!(),
    ", worker AS MATERIALIZED (SELECT worker_id FROM piton_workers AS worker, clock WHERE ",
    lock_worker!(),
    "), \
     blocked AS MATERIALIZED (SELECT run_id FROM piton_runs AS run, worker \
     WHERE run_id = ANY ($4) AND status = 'blocked' ORDER BY run_id FOR UPDATE OF run), \
     adopted AS (UPDATE piton_runs AS run SET status = 'running', blocked = NULL, blocked_at = NULL, worker_id = $2, \
     epoch = $3 FROM blocked WHERE ",
    named_by!("run", "blocked"),
    " RETURNING run.run_id, ",
    workflow_id!("run"),
    ", workflow, step_no, snapshot, coalesce(takeovers, 0) AS takeovers, inbox_count, \
     has_terms IS NOT NULL AS has_terms) \
     SELECT * FROM adopted ORDER BY run_id"
);

pub(super) const UNBLOCK: &str = concat!(
    "UPDATE piton_runs AS run SET status = 'running', blocked = NULL, blocked_at = NULL, due_at = clock.now, \
     takeovers = CASE WHEN ",
    workers_died!("run.blocked"),
    " THEN least(run.takeovers, 1) ELSE run.takeovers END FROM ",
    now!(),
    " AS clock, (SELECT run_id FROM piton_runs WHERE status = 'blocked' \
     AND CASE WHEN $2::uuid IS NULL THEN workflow = ANY ($3) AND NOT ",
    workers_died!("blocked"),
    " ELSE run_id = $2 END \
     ORDER BY run_id FOR UPDATE) AS blocked WHERE ",
    named_by!("run", "blocked")
);

pub(super) async fn find(
    store: &PostgresStore,
    workflows: &[&str],
    after: Option<RunId>,
    limit: u32,
) -> Result<Vec<BlockedRun>, StoreError> {
    let mut lane = store.pool.lane().await.map_err(failed("find_blocked"))?;
    let rows: Vec<BlockedRow> = sqlx::query_as(FIND)
        .bind(workflows)
        .bind(after.map_or(Uuid::nil(), |after| after.as_uuid()))
        .bind(i64::from(limit))
        .fetch_all(lane.get())
        .await
        .map_err(failed("find_blocked"))?;
    lane.done();
    Ok(rows.into_iter().map(Into::into).collect())
}

pub(super) async fn adopt(
    store: &PostgresStore,
    worker: WorkerLease,
    run_ids: &[RunId],
    inbox_limit: u32,
) -> Result<Vec<ClaimedRun>, StoreError> {
    let failed = failed("adopt_blocked");
    if !workers::is_valid(store, worker).await.map_err(failed)? {
        return Err(StoreError::Fenced);
    }
    let mut lane = store.lanes.lane().await.map_err(failed)?;
    let adopted: Vec<ClaimRow> = sqlx::query_as(ADOPT)
        .bind(store.given_time())
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .bind(run_ids.iter().map(RunId::as_uuid).collect::<Vec<Uuid>>())
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    let adopted = with_inboxes(lane.get(), adopted, inbox_limit, failed).await?;
    lane.done();
    Ok(adopted)
}

pub(super) async fn unblock(
    store: &PostgresStore,
    workflows: &[&str],
    run_id: Option<RunId>,
) -> Result<u64, StoreError> {
    let failed = failed("unblock_runs");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let unblocked = sqlx::query(UNBLOCK)
        .bind(store.given_time())
        .bind(run_id.map(|run_id| run_id.as_uuid()))
        .bind(workflows)
        .execute(lane.get())
        .await
        .map_err(failed)?
        .rows_affected();
    lane.done();
    if unblocked > 0 {
        store.news.due();
    }
    Ok(unblocked)
}

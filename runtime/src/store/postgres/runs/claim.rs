//! Claims of due runs.
//!
//! A claim that finds nothing must not write, so it reads first. Runs that another worker is claiming are skipped,
//! not waited for.

use sqlx::{PgConnection, Row as _};
use uuid::Uuid;

use crate::error::StoreError;
use crate::model::{RunId, Timestamp};
use crate::store::postgres::{
    PostgresStore, failed, lock_worker, named_by, now, workers, workflow_id,
};
use crate::store::rows::{ArrivalRow, ClaimRow, read_inboxes};
use crate::store::weight::fits;
use crate::store::{ClaimRequest, Claimed, ClaimedRun, WorkerLease};

/// The time, whether the worker's lease is valid, and when the next run is due.
const LOOK: &str = concat!(
    "SELECT clock.now, EXISTS (SELECT 1 FROM piton_workers WHERE worker_id = $2 AND epoch = $3 \
     AND lease_expires_at > clock.now) AS is_valid, \
     (SELECT min(next.due_at) FROM unnest($4::text[]) AS served (workflow) CROSS JOIN LATERAL \
     (SELECT due_at FROM piton_runs WHERE piton_runs.workflow = served.workflow \
     AND due_at IS NOT NULL ORDER BY due_at LIMIT 1) AS next) AS next_due_at FROM ",
    now!(),
    " AS clock"
);

/// One list per workflow, so that a backlog of one does not slow the others. The size of a snapshot is known
/// without reading it.
const TAKE: &str = concat!(
    "WITH clock AS MATERIALIZED ",
    now!(),
    ", worker AS MATERIALIZED (SELECT worker_id, epoch FROM piton_workers AS worker, clock WHERE ",
    lock_worker!(),
    "), \
     due AS MATERIALIZED (SELECT run_id, due_at FROM (SELECT *, \
     sum(bytes) OVER (ORDER BY due_at, run_id ROWS UNBOUNDED PRECEDING) AS upto FROM \
     (SELECT next.* FROM clock, worker, \
     unnest($4::text[]) AS served (workflow) CROSS JOIN LATERAL \
     (SELECT run_id, due_at, octet_length(snapshot) AS bytes FROM piton_runs \
     WHERE piton_runs.workflow = served.workflow \
     AND due_at <= clock.now ORDER BY due_at LIMIT $5 FOR UPDATE SKIP LOCKED) AS next \
     ORDER BY due_at, run_id LIMIT $5) AS next) AS sized WHERE ",
    fits!("sized"),
    "), taken AS (UPDATE piton_runs AS run SET worker_id = $2, epoch = $3, due_at = NULL FROM due WHERE ",
    named_by!("run", "due"),
    " RETURNING run.run_id, ",
    workflow_id!("run"),
    ", workflow, step_no, snapshot, coalesce(takeovers, 0) AS takeovers, inbox_count, \
     has_terms IS NOT NULL AS has_terms, due.due_at) \
     SELECT * FROM taken ORDER BY due_at, run_id"
);

/// A subquery is hashed in all versions of the server, `<> ALL` from version 15 on.
const LOST: &str = concat!(
    "SELECT * FROM (SELECT run_id, ",
    workflow_id!("piton_runs"),
    ", workflow, step_no, snapshot, coalesce(takeovers, 0) AS takeovers, inbox_count, \
     has_terms IS NOT NULL AS has_terms, octet_length(snapshot) AS bytes, \
     sum(octet_length(snapshot)) OVER (ROWS UNBOUNDED PRECEDING) AS upto \
     FROM piton_runs WHERE worker_id = $1 AND epoch = $2 \
     AND run_id NOT IN (SELECT unnest($3::uuid[]))) AS sized WHERE ",
    fits!("sized")
);

/// No more than the number that came with the run. Rows that do not fit in the response are not read.
const INBOXES: &str = concat!(
    "SELECT run_id, seq, CASE WHEN ",
    fits!("sized"),
    " THEN arrival END AS arrival FROM (SELECT inbox.*, octet_length(arrival) AS bytes, \
     sum(octet_length(arrival)) OVER (ROWS UNBOUNDED PRECEDING) AS upto \
     FROM unnest($1::uuid[], $2::bigint[]) AS run (run_id, inbox_count) \
     CROSS JOIN LATERAL (SELECT run_id, seq, arrival FROM piton_inbox \
     WHERE piton_inbox.run_id = run.run_id AND seq <= run.inbox_count ORDER BY seq LIMIT $3) AS inbox) AS sized"
);

struct Look {
    now: Timestamp,
    valid: bool,
    next_due_at: Option<Timestamp>,
}

pub(super) async fn claim(
    store: &PostgresStore,
    request: ClaimRequest<'_>,
) -> Result<Claimed, StoreError> {
    let mut lane = store.lanes.lane().await.map_err(failed("claim_runs"))?;
    let claimed = claim_on(lane.get(), store, request).await?;
    lane.done();
    Ok(claimed)
}

async fn claim_on(
    connection: &mut PgConnection,
    store: &PostgresStore,
    request: ClaimRequest<'_>,
) -> Result<Claimed, StoreError> {
    let failed = failed("claim_runs");
    let before = look(connection, store, &request).await.map_err(failed)?;
    if !before.valid {
        return Err(StoreError::Fenced);
    }
    let mut claimed =
        Claimed { runs: Vec::new(), next_due_at: before.next_due_at, now: before.now };
    if before.next_due_at.is_some_and(|due_at| due_at <= before.now) && request.limit > 0 {
        let taken = sqlx::query_as(TAKE)
            .bind(store.given_time())
            .bind(request.worker.worker_id.0)
            .bind(request.worker.epoch.0)
            .bind(request.workflows)
            .bind(i64::from(request.limit))
            .fetch_all(&mut *connection)
            .await
            .map_err(failed)?;
        claimed.runs = with_inboxes(connection, taken, request.inbox_limit, failed).await?;
        claimed.next_due_at = look(connection, store, &request).await.map_err(failed)?.next_due_at;
    }
    Ok(claimed)
}

async fn look(
    connection: &mut PgConnection,
    store: &PostgresStore,
    request: &ClaimRequest<'_>,
) -> Result<Look, sqlx::Error> {
    let row = sqlx::query(LOOK)
        .bind(store.given_time())
        .bind(request.worker.worker_id.0)
        .bind(request.worker.epoch.0)
        .bind(request.workflows)
        .fetch_one(connection)
        .await?;
    Ok(Look {
        now: Timestamp(row.try_get("now")?),
        valid: row.try_get("is_valid")?,
        next_due_at: row.try_get::<Option<i64>, _>("next_due_at")?.map(Timestamp),
    })
}

pub(super) async fn recover(
    store: &PostgresStore,
    worker: WorkerLease,
    held: &[RunId],
    inbox_limit: u32,
) -> Result<Vec<ClaimedRun>, StoreError> {
    let failed = failed("recover_claims");
    if !workers::is_valid(store, worker).await.map_err(failed)? {
        return Err(StoreError::Fenced);
    }
    let mut lane = store.lanes.lane().await.map_err(failed)?;
    let held: Vec<Uuid> = held.iter().map(RunId::as_uuid).collect();
    let lost = sqlx::query_as(LOST)
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .bind(held)
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    let recovered = with_inboxes(lane.get(), lost, inbox_limit, failed).await?;
    lane.done();
    Ok(recovered)
}

/// Runs in the form of a claim, with their arrivals.
pub(super) async fn with_inboxes(
    connection: &mut PgConnection,
    runs: Vec<ClaimRow>,
    limit: u32,
    failed: impl Fn(sqlx::Error) -> StoreError,
) -> Result<Vec<ClaimedRun>, StoreError> {
    let (run_ids, counts): (Vec<Uuid>, Vec<i64>) =
        runs.iter().map(ClaimRow::inbox).filter(|(_, count)| *count > 0).unzip();
    let mut arrivals: Vec<ArrivalRow> = Vec::new();
    if !run_ids.is_empty() {
        arrivals = sqlx::query_as(INBOXES)
            .bind(run_ids)
            .bind(counts)
            .bind(i64::from(limit))
            .fetch_all(connection)
            .await
            .map_err(failed)?;
    }
    let mut inboxes = read_inboxes(arrivals, limit);
    Ok(runs.into_iter().map(|row| row.with_inbox(&mut inboxes)).collect())
}

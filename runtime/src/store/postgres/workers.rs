//! Workers: leases, fencing, and releasing their runs.

use std::collections::BTreeSet;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::PgConnection;

use super::server::takes_writes;
use super::transaction::Transaction;
use super::{PostgresStore, failed, named_by, now};
use crate::error::StoreError;
use crate::model::{Epoch, Timestamp, WorkerId};
use crate::store::rows::{WorkerRow, interruption_pause, lease_micros, lease_ms};
use crate::store::{NewWorker, Renewal, WorkerLease, Workers};

#[async_trait]
impl Workers for PostgresStore {
    async fn register_worker(&self, worker: NewWorker) -> Result<WorkerLease, StoreError> {
        self.answered("register_worker", register(self, worker)).await
    }

    async fn renew_lease(
        &self,
        worker: WorkerLease,
        lease: Duration,
    ) -> Result<Renewal, StoreError> {
        self.answered("renew_lease", renew(self, worker, lease)).await
    }

    /// On a connection with no other use.
    fn renews_apart(&self) -> bool {
        true
    }

    async fn release_worker(&self, worker: WorkerLease) -> Result<(), StoreError> {
        self.answered("release_worker", release(self, worker)).await
    }

    async fn fence_expired_workers(&self) -> Result<(Vec<WorkerId>, u64), StoreError> {
        self.answered("fence_expired_workers", fence_expired(self)).await
    }

    async fn find_dead_workers(&self) -> Result<Vec<WorkerId>, StoreError> {
        self.answered("find_dead_workers", find_dead(self)).await
    }

    async fn fence_workers(&self, workers: &[WorkerId]) -> Result<u64, StoreError> {
        self.answered("fence_workers", fence(self, workers)).await
    }

    async fn list_workers(&self) -> Result<Vec<(WorkerLease, NewWorker)>, StoreError> {
        self.answered("list_workers", list(self)).await
    }
}

/// How long the row of a fenced worker is kept for inspection.
const KEEP_FENCED: Duration = Duration::from_secs(7 * 86_400);

const FIRST_EPOCH: Epoch = Epoch(1);

const NEXT_ID: &str =
    "SELECT nextval(pg_get_serial_sequence('piton_workers', 'worker_id')::regclass)";

const INSERT: &str = concat!(
    "WITH clock AS MATERIALIZED ",
    now!(),
    ", forgotten AS (DELETE FROM piton_workers USING clock WHERE fenced_at < clock.now - $8) \
     INSERT INTO piton_workers \
     (worker_id, epoch, host, pid, lease_ms, lease_expires_at, is_locked) \
     SELECT $2, $9, $3, $4, $5, clock.now + $6, $7 FROM clock"
);

const RENEW: &str = concat!(
    "UPDATE piton_workers SET lease_ms = $4, lease_expires_at = clock.now + $5 FROM ",
    now!(),
    " AS clock WHERE worker_id = $2 AND epoch = $3 AND lease_expires_at > clock.now \
     RETURNING lease_expires_at"
);

const REMOVE: &str = "DELETE FROM piton_workers WHERE worker_id = $1 AND epoch = $2";

/// The rows of a table that belong to workers, locked in order. They are selected by worker in a subquery that the
/// planner does not flatten: if its statistics show few rows, it would otherwise read the whole table in the
/// requested order.
macro_rules! locked_of {
    ($table:literal, $theirs:literal $(, $column:literal)?) => {
        concat!(
            "(SELECT owned.run_id",
            $(", owned.", $column,)?
            " FROM (SELECT run_id",
            $(", ", $column,)?
            " FROM ",
            $table,
            " AS owned WHERE owned.",
            $theirs,
            " OFFSET 0) AS found JOIN ",
            $table,
            " AS owned ON ",
            named_by!("owned", "found" $(, $column)?),
            " WHERE owned.",
            $theirs,
            " ORDER BY found.run_id",
            $(", found.", $column,)?
            " FOR UPDATE OF owned) AS owned"
        )
    };
}

const LET_GO: &str = concat!(
    "UPDATE piton_runs AS run SET worker_id = NULL, epoch = NULL, due_at = clock.now FROM ",
    now!(),
    " AS clock, ",
    locked_of!("piton_runs", "worker_id = $2 AND owned.epoch = $3"),
    " WHERE ",
    named_by!("run", "owned")
);

const UNFENCED: &str = "SELECT worker_id, epoch, host, pid, lease_ms FROM piton_workers \
    WHERE fenced_at IS NULL ORDER BY worker_id";

/// Locks workers whose lease has expired, or those of `$2` that are not fenced, and no others: a process that is
/// stopped here then blocks no live worker. `FOR UPDATE` is stronger than the lock of the update itself, which
/// would let commits pass. A lease that is renewed before the row is locked is checked again.
const FENCE: &str = concat!(
    "UPDATE piton_workers AS worker SET epoch = epoch + 1, fenced_at = clock.now, \
     lease_expires_at = least(lease_expires_at, clock.now) FROM ",
    now!(),
    " AS clock, (SELECT worker_id FROM piton_workers AS unfenced, ",
    now!(),
    " AS clock WHERE fenced_at IS NULL AND CASE WHEN $2::bigint[] IS NULL \
     THEN lease_expires_at <= clock.now ELSE worker_id = ANY ($2) END \
     ORDER BY worker_id FOR UPDATE OF unfenced) AS unfenced \
     WHERE worker.worker_id = unfenced.worker_id RETURNING worker.worker_id"
);

const ANY_EXPIRED: &str = concat!(
    "SELECT EXISTS (SELECT 1 FROM piton_workers, ",
    now!(),
    " AS clock WHERE fenced_at IS NULL AND lease_expires_at <= clock.now) WHERE ",
    takes_writes!()
);

const TAKE_AWAY: &str = concat!(
    "UPDATE piton_runs AS run SET worker_id = NULL, epoch = NULL, due_at = clock.now, \
     takeovers = coalesce(takeovers, 0) + 1 FROM ",
    now!(),
    " AS clock, ",
    locked_of!("piton_runs", "worker_id = ANY ($2)"),
    " WHERE ",
    named_by!("run", "owned")
);

/// Attempts that the workers `$2` were making, of whatever epoch, count as interrupted.
const INTERRUPT: &str = concat!(
    "UPDATE piton_activities AS activity SET worker_id = NULL, epoch = NULL, due_at = clock.now + ",
    interruption_pause!("least"),
    ", interruptions = interruptions + 1, end_by = NULL, \
     expires_at = least(clock.now + schedule_to_start_ms * 1000 + ",
    interruption_pause!("least"),
    ", close_by) FROM ",
    now!(),
    " AS clock, ",
    locked_of!("piton_activities", "worker_id = ANY ($2)", "handle"),
    " WHERE ",
    named_by!("activity", "owned", "handle"),
    " RETURNING queue"
);

const IS_VALID: &str = concat!(
    "SELECT EXISTS (SELECT 1 FROM piton_workers, ",
    now!(),
    " AS clock WHERE worker_id = $2 AND epoch = $3 AND lease_expires_at > clock.now)"
);

pub(super) async fn is_valid(
    store: &PostgresStore,
    worker: WorkerLease,
) -> Result<bool, sqlx::Error> {
    let mut lane = store.lanes.lane().await?;
    let is_valid = sqlx::query_scalar(IS_VALID)
        .bind(store.given_time())
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .fetch_one(lane.get())
        .await?;
    lane.done();
    Ok(is_valid)
}

pub(super) async fn register(
    store: &PostgresStore,
    worker: NewWorker,
) -> Result<WorkerLease, StoreError> {
    let failed = failed("register_worker");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let id: i64 = sqlx::query_scalar(NEXT_ID).fetch_one(lane.get()).await.map_err(failed)?;
    lane.done();
    let worker_id = WorkerId(id);
    // Before the row becomes visible; otherwise other processes would take the worker for dead.
    let is_locked = store.liveness.hold(worker_id).await;
    if let Err(error) = insert(store, worker_id, worker, is_locked).await {
        store.liveness.let_go(worker_id);
        return Err(failed(error));
    }
    store.news.register(worker_id);
    Ok(WorkerLease { worker_id, epoch: FIRST_EPOCH })
}

async fn insert(
    store: &PostgresStore,
    id: WorkerId,
    worker: NewWorker,
    is_locked: bool,
) -> Result<(), sqlx::Error> {
    let mut lane = store.pool.lane().await?;
    sqlx::query(INSERT)
        .bind(store.given_time())
        .bind(id.0)
        .bind(worker.host)
        .bind(i64::from(worker.pid))
        .bind(lease_ms(worker.lease))
        .bind(lease_micros(worker.lease))
        .bind(is_locked)
        .bind(lease_micros(KEEP_FENCED))
        .bind(FIRST_EPOCH.0)
        .execute(lane.get())
        .await?;
    lane.done();
    Ok(())
}

/// A removed worker that may have been registered in this process.
fn forget(store: &PostgresStore, worker: WorkerId) {
    store.liveness.let_go(worker);
    store.news.release(worker);
}

pub(super) async fn renew(
    store: &PostgresStore,
    worker: WorkerLease,
    lease: Duration,
) -> Result<Renewal, StoreError> {
    let failed = failed("renew_lease");
    let mut lane = store.leases.lane().await.map_err(failed)?;
    let expires_at: Option<i64> = sqlx::query_scalar(RENEW)
        .bind(store.given_time())
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .bind(lease_ms(lease))
        .bind(lease_micros(lease))
        .fetch_optional(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    if let Some(expires_at) = expires_at {
        return Ok(Renewal::Renewed(Timestamp(expires_at)));
    }
    forget(store, worker.worker_id);
    Ok(Renewal::Fenced)
}

pub(super) async fn release(store: &PostgresStore, worker: WorkerLease) -> Result<(), StoreError> {
    let (let_go, queues) = try_release(store, worker).await.map_err(failed("release_worker"))?;
    forget(store, worker.worker_id);
    if let_go > 0 {
        store.news.due();
    }
    queues.iter().for_each(|queue| store.news.queued(queue));
    Ok(())
}

async fn try_release(
    store: &PostgresStore,
    worker: WorkerLease,
) -> Result<(u64, BTreeSet<String>), sqlx::Error> {
    let mut transaction = Transaction::begin(store).await?;
    let removed = sqlx::query(REMOVE)
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .execute(transaction.get())
        .await?;
    let let_go = sqlx::query(LET_GO)
        .bind(store.given_time())
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .execute(transaction.get())
        .await?;
    let mut queues = BTreeSet::new();
    if removed.rows_affected() > 0 {
        queues = interrupt(store, transaction.get(), &[worker.worker_id.0]).await?;
    }
    transaction.commit().await?;
    Ok((let_go.rows_affected(), queues))
}

/// Interrupts the attempts of queued activities of workers whose rows are locked or gone. Returns the queues with
/// activities that are due again.
async fn interrupt(
    store: &PostgresStore,
    connection: &mut PgConnection,
    workers: &[i64],
) -> Result<BTreeSet<String>, sqlx::Error> {
    let queues: Vec<String> = sqlx::query_scalar(INTERRUPT)
        .bind(store.given_time())
        .bind(workers)
        .fetch_all(connection)
        .await?;
    Ok(queues.into_iter().collect())
}

pub(super) async fn list(
    store: &PostgresStore,
) -> Result<Vec<(WorkerLease, NewWorker)>, StoreError> {
    let mut lane = store.pool.lane().await.map_err(failed("list_workers"))?;
    let rows: Vec<WorkerRow> =
        sqlx::query_as(UNFENCED).fetch_all(lane.get()).await.map_err(failed("list_workers"))?;
    lane.done();
    rows.into_iter().map(TryInto::try_into).collect()
}

pub(super) async fn fence_expired(
    store: &PostgresStore,
) -> Result<(Vec<WorkerId>, u64), StoreError> {
    let failed = failed("fence_expired_workers");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    // Every worker checks regularly, and usually there is nothing to lock.
    let any: bool = sqlx::query_scalar(ANY_EXPIRED)
        .bind(store.given_time())
        .fetch_one(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    if !any {
        return Ok((Vec::new(), 0));
    }
    try_fence(store, None).await.map_err(failed)
}

pub(super) async fn fence(store: &PostgresStore, workers: &[WorkerId]) -> Result<u64, StoreError> {
    let workers = workers.iter().map(|worker| worker.0).collect();
    Ok(try_fence(store, Some(workers)).await.map_err(failed("fence_workers"))?.1)
}

pub(super) async fn find_dead(store: &PostgresStore) -> Result<Vec<WorkerId>, StoreError> {
    store.liveness.find_dead(&store.pool).await.map_err(failed("find_dead_workers"))
}

/// Runs are released by a separate statement, which sees what the workers committed before they were locked.
async fn try_fence(
    store: &PostgresStore,
    workers: Option<Vec<i64>>,
) -> Result<(Vec<WorkerId>, u64), sqlx::Error> {
    let mut transaction = Transaction::begin(store).await?;
    let fenced: Vec<i64> = sqlx::query_scalar(FENCE)
        .bind(store.given_time())
        .bind(workers)
        .fetch_all(transaction.get())
        .await?;
    let let_go = sqlx::query(TAKE_AWAY)
        .bind(store.given_time())
        .bind(&fenced)
        .execute(transaction.get())
        .await?;
    let queues = interrupt(store, transaction.get(), &fenced).await?;
    transaction.commit().await?;
    queues.iter().for_each(|queue| store.news.queued(queue));
    let fenced: Vec<WorkerId> = fenced.into_iter().map(WorkerId).collect();
    for worker in &fenced {
        forget(store, *worker);
    }
    if let_go.rows_affected() > 0 {
        store.news.due();
    }
    Ok((fenced, let_go.rows_affected()))
}

//! Workers: leases, fencing, and releasing their runs.

use std::collections::BTreeSet;
use std::time::Duration;

use async_trait::async_trait;

use super::activities::first;
use super::clock::Moment;
use super::script::{MAX_ROWS, Rows, Script};
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::model::{Epoch, Timestamp, WorkerId};
use crate::store::rows::{WorkerRow, interruption_pause, lease_ms};
use crate::store::{NewWorker, Renewal, WorkerLease, Workers};

#[async_trait]
impl Workers for SqliteStore {
    async fn register_worker(&self, worker: NewWorker) -> Result<WorkerLease, StoreError> {
        register(self, worker).await
    }

    async fn renew_lease(
        &self,
        worker: WorkerLease,
        lease: Duration,
    ) -> Result<Renewal, StoreError> {
        renew(self, worker, lease).await
    }

    /// A database in memory ends with its process, so no other worker can take anything over.
    fn renews_apart(&self) -> bool {
        self.readers.is_some()
    }

    async fn release_worker(&self, worker: WorkerLease) -> Result<(), StoreError> {
        release(self, worker).await
    }

    async fn fence_expired_workers(&self) -> Result<(Vec<WorkerId>, u64), StoreError> {
        fence_expired(self).await
    }

    async fn find_dead_workers(&self) -> Result<Vec<WorkerId>, StoreError> {
        find_dead(self).await
    }

    async fn fence_workers(&self, workers: &[WorkerId]) -> Result<u64, StoreError> {
        fence(self, workers).await
    }

    async fn list_workers(&self) -> Result<Vec<(WorkerLease, NewWorker)>, StoreError> {
        list(self).await
    }
}

/// How long the row of a fenced worker is kept for inspection.
const KEEP_FENCED: Duration = Duration::from_secs(7 * 86_400);

const FIRST_EPOCH: Epoch = Epoch(1);

/// The fraction of a lease for which another caller in this process may keep its turn idle while a renewal waits. A
/// renewal that is requested at a third of the lease has more than six such periods left.
const PATIENCE: u32 = 12;

const INSERT: &str = "BEGIN IMMEDIATE; \
    DELETE FROM piton_workers WHERE fenced_at < ?; \
    INSERT INTO piton_workers (epoch, host, pid, lease_ms, lease_expires_at) \
    VALUES (?, ?, ?, ?, ?) RETURNING worker_id";

const RENEW: &str = "UPDATE piton_workers SET lease_ms = ?, lease_expires_at = ? \
    WHERE worker_id = ? AND epoch = ? AND lease_expires_at > ? RETURNING 1";

const RELEASE: &str = "BEGIN IMMEDIATE; \
    DELETE FROM piton_workers WHERE worker_id = ? AND epoch = ? AND fenced_at IS NULL; \
    UPDATE piton_runs SET worker_id = NULL, epoch = NULL, due_at = ? \
    WHERE worker_id = ? AND epoch = ? RETURNING 1; ";

/// The attempts of a worker count as interrupted; binds the time twice.
const INTERRUPT: &str = concat!(
    "UPDATE piton_activities SET worker_id = NULL, epoch = NULL, due_at = ? + ",
    interruption_pause!("min"),
    ", interruptions = interruptions + 1, end_by = NULL, expires_at = ",
    first!(concat!("? + schedule_to_start_ms * 1000 + ", interruption_pause!("min")), "close_by"),
    " WHERE worker_id "
);

const UNFENCED: &str = "SELECT worker_id, epoch, host, pid, lease_ms FROM piton_workers \
    WHERE fenced_at IS NULL ORDER BY worker_id";

const EXPIRED: &str = "SELECT worker_id FROM piton_workers \
    WHERE fenced_at IS NULL AND lease_expires_at <= ? ORDER BY worker_id";

const ALIVE_OR_DEAD: &str = "SELECT worker_id FROM piton_workers WHERE fenced_at IS NULL";

/// The runs are released in the same transaction, so none names an outdated epoch.
const LET_GO: &str = "UPDATE piton_runs \
    SET worker_id = NULL, epoch = NULL, due_at = ?, takeovers = takeovers + 1 \
    WHERE worker_id IN ";

/// Whether a worker may own runs now; binds the id, the epoch and the time.
pub(super) const IS_VALID: &str = "SELECT 1 FROM piton_workers \
    WHERE worker_id = ? AND epoch = ? AND lease_expires_at > ?";

impl Script {
    /// Binds the parameters of [`IS_VALID`].
    pub(super) fn bind_validity(&mut self, worker: WorkerLease, now: Moment) -> &mut Self {
        self.bind(worker.worker_id.0).bind(worker.epoch.0).bind(now.lease_time.as_micros())
    }
}

pub(super) async fn register(
    store: &SqliteStore,
    worker: NewWorker,
) -> Result<WorkerLease, StoreError> {
    let failed = failed("register_worker");
    let now = store.moment();
    let mut script = Script::new();
    script
        .sql(INSERT)
        .bind((now.time - KEEP_FENCED).as_micros())
        .bind(FIRST_EPOCH.0)
        .bind(worker.host)
        .bind(i64::from(worker.pid))
        .bind(lease_ms(worker.lease))
        .bind((now.lease_time + worker.lease).as_micros());
    let mut turn = store.turn().await;
    let worker_id =
        WorkerId(turn.begin(script).await.and_then(|mut rows| rows.scalar(2)).map_err(failed)?);
    // Before the row becomes visible; otherwise other processes would take the worker for dead.
    store.liveness.hold(worker_id);
    let mut commit = Script::new();
    commit.sql("COMMIT");
    if let Err(error) = turn.commit(commit).await {
        store.liveness.let_go(worker_id);
        return Err(failed(error));
    }
    Ok(WorkerLease { worker_id, epoch: FIRST_EPOCH })
}

pub(super) async fn renew(
    store: &SqliteStore,
    worker: WorkerLease,
    lease: Duration,
) -> Result<Renewal, StoreError> {
    let now = store.moment();
    let expires_at = now.lease_time + lease;
    let mut script = Script::new();
    script.sql(RENEW).bind(lease_ms(lease)).bind(expires_at.as_micros()).bind_validity(worker, now);
    // In memory, no other process waits for the lease to expire, and time may be virtual.
    let renewed = match store.readers {
        Some(_) => store.writer.run_in_time(script, lease / PATIENCE).await,
        None => store.turn().await.run(script).await,
    };
    let rows = renewed.map_err(failed("renew_lease"))?;
    if rows.any(0) {
        return Ok(Renewal::Renewed(now.time + lease));
    }
    store.liveness.let_go(worker.worker_id);
    Ok(Renewal::Fenced)
}

pub(super) async fn release(store: &SqliteStore, worker: WorkerLease) -> Result<(), StoreError> {
    let now = store.time().as_micros();
    let mut script = Script::new();
    script
        .sql(RELEASE)
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .bind(now)
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .sql(INTERRUPT)
        .bind(now)
        .bind(now)
        .sql("= ? AND epoch = ? RETURNING queue; COMMIT")
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0);
    let mut rows = store.turn().await.transact(script).await.map_err(failed("release_worker"))?;
    store.liveness.let_go(worker.worker_id);
    if rows.any(2) {
        store.hub.announce_due();
    }
    announce_queues(store, &mut rows, 3).map_err(failed("release_worker"))
}

/// Notifies of the queues on which statement number `index` has made activities due.
fn announce_queues(store: &SqliteStore, rows: &mut Rows, index: usize) -> Result<(), sqlx::Error> {
    let queues: BTreeSet<(String,)> = rows.read(index)?.into_iter().collect();
    queues.iter().for_each(|(queue,)| store.hub.announce_queued(queue));
    Ok(())
}

pub(super) async fn list(store: &SqliteStore) -> Result<Vec<(WorkerLease, NewWorker)>, StoreError> {
    let mut script = Script::new();
    script.sql(UNFENCED);
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<WorkerRow>(0));
    rows.map_err(failed("list_workers"))?.into_iter().map(TryInto::try_into).collect()
}

/// A lease may be renewed between this check and the fencing, which checks again.
pub(super) async fn fence_expired(store: &SqliteStore) -> Result<(Vec<WorkerId>, u64), StoreError> {
    const OPERATION: &str = "fence_expired_workers";
    let now = store.moment();
    let mut script = Script::new();
    script.sql(EXPIRED).bind(now.lease_time.as_micros());
    let expired = read_ids(store, script).await.map_err(failed(OPERATION))?;
    let (mut fenced, mut let_go) = (Vec::new(), 0);
    for workers in expired.chunks(MAX_ROWS) {
        let (these, runs) = fence_some(store, workers, now.lease_time, OPERATION).await?;
        fenced.extend(these);
        let_go += runs;
    }
    Ok((fenced, let_go))
}

pub(super) async fn find_dead(store: &SqliteStore) -> Result<Vec<WorkerId>, StoreError> {
    let mut script = Script::new();
    script.sql(ALIVE_OR_DEAD);
    let workers = read_ids(store, script).await.map_err(failed("find_dead_workers"))?;
    Ok(workers.into_iter().filter(|worker| store.liveness.is_dead(*worker)).collect())
}

async fn read_ids(store: &SqliteStore, script: Script) -> Result<Vec<WorkerId>, sqlx::Error> {
    let ids: Vec<(i64,)> = store.read(script).await?.read(0)?;
    Ok(ids.into_iter().map(|(id,)| WorkerId(id)).collect())
}

pub(super) async fn fence(store: &SqliteStore, workers: &[WorkerId]) -> Result<u64, StoreError> {
    let mut let_go = 0;
    for workers in workers.chunks(MAX_ROWS) {
        let_go += fence_some(store, workers, Timestamp::MAX, "fence_workers").await?.1;
    }
    Ok(let_go)
}

/// Fences those of `workers` whose lease expires by `expired_by`.
async fn fence_some(
    store: &SqliteStore,
    workers: &[WorkerId],
    expired_by: Timestamp,
    operation: &'static str,
) -> Result<(Vec<WorkerId>, u64), StoreError> {
    let failed = failed(operation);
    let Moment { time, lease_time } = store.moment();
    let now = time.as_micros();
    let mut script = Script::new();
    script
        .sql("BEGIN IMMEDIATE; UPDATE piton_workers SET epoch = epoch + 1, fenced_at = ?, ")
        .sql("lease_expires_at = min(lease_expires_at, ?) WHERE worker_id IN (")
        .bind(now)
        .bind(lease_time.as_micros())
        .values(1, workers.iter(), |script, worker| {
            script.bind(worker.0);
        })
        .sql(") AND fenced_at IS NULL AND lease_expires_at <= ? RETURNING worker_id")
        .bind(expired_by.as_micros());
    let mut turn = store.turn().await;
    let fenced: Vec<(i64,)> =
        turn.begin(script).await.and_then(|mut rows| rows.read(1)).map_err(failed)?;
    let mut script = Script::new();
    if !fenced.is_empty() {
        script.sql(LET_GO).bind(now).sql("(").values(1, fenced.iter(), |script, worker| {
            script.bind(worker.0);
        });
        script.sql(") RETURNING 1; ");
        script.sql(INTERRUPT).bind(now).bind(now);
        script.sql("IN (").values(1, fenced.iter(), |script, (worker,)| {
            script.bind(*worker);
        });
        script.sql(") RETURNING queue; ");
    }
    script.sql("COMMIT");
    let mut rows = turn.commit(script).await.map_err(failed)?;
    let let_go = if fenced.is_empty() { 0 } else { rows.of(0).len() };
    if !fenced.is_empty() {
        announce_queues(store, &mut rows, 1).map_err(failed)?;
    }
    let fenced: Vec<WorkerId> = fenced.into_iter().map(|(worker,)| WorkerId(worker)).collect();
    for worker in &fenced {
        store.liveness.let_go(*worker);
    }
    if let_go > 0 {
        store.hub.announce_due();
    }
    Ok((fenced, let_go as u64))
}

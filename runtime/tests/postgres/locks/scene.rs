//! A database with a store and a separate connection that holds locks.

use std::sync::Arc;
use std::time::Instant;

use piton::error::StoreError;
use piton::model::{BlockedReason, Handle, Payload, RunId, RunStatus, StepNo, Timestamp};
use piton::store::{
    ActivityEnd, ActivityHeartbeat, ActivityKey, ActivityLimits, ArrivalKind, ClaimActivities,
    ClaimRequest, ClaimedActivity, CommitStep, DeadLetterId, Disposition, Effect, FinishActivity,
    MessageKey, NewActivity, NewArrival, Reporter, Store, WorkerLease,
};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::task::JoinHandle;

use crate::fixture::{PATIENCE, keep, new_worker, open, start};

/// A statement that ends a run.
pub(super) const ENDED: &str =
    "status = 'terminated', closed_at = 1, due_at = NULL, worker_id = NULL, epoch = NULL";

const WORKFLOW: &str = "order";
const QUEUE: &str = "gpu";
const ACTIVITY: &str = "train";

/// A lock number that piton does not use.
const BARRIER: i64 = 7;

/// A statement that waits for a row holds its place in the row's queue, which is also a lock.
const WAITING_AT: &str = "SELECT count(DISTINCT waiting.pid) FROM pg_locks AS waiting \
    JOIN pg_locks AS place USING (pid) WHERE NOT waiting.granted AND place.locktype = 'tuple' \
    AND place.database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
    AND place.relation = $1::regclass";

const WAITING_AT_BARRIER: &str = "SELECT count(*) FROM pg_locks WHERE NOT granted \
    AND locktype = 'advisory' AND objid = $1 \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/// A row that can be locked.
#[derive(Clone, Copy, Debug)]
pub(super) enum Row {
    Worker(WorkerLease),
    Run(RunId),
    Activity(ActivityKey),
    Message(MessageKey),
    Letter(DeadLetterId),
}

impl Row {
    pub(super) fn table(self) -> &'static str {
        match self {
            Self::Worker(_) => "piton_workers",
            Self::Run(_) => "piton_runs",
            Self::Activity(_) => "piton_activities",
            Self::Message(_) => "piton_outbox",
            Self::Letter(_) => "piton_dead_letters",
        }
    }

    /// The row's condition.
    fn is(self) -> String {
        match self {
            Self::Worker(worker) => format!("worker_id = {}", worker.worker_id.0),
            Self::Run(run_id) => format!("run_id = '{run_id}'"),
            Self::Activity(key) => {
                format!("run_id = '{}' AND handle = {}", key.run_id, key.handle.0)
            }
            Self::Message(key) => format!("run_id = '{}' AND seq = {}", key.run_id, key.seq),
            Self::Letter(id) => format!("letter_id = {id}"),
        }
    }

    fn lock(self, strength: &str) -> String {
        format!("SELECT FROM {} WHERE {} FOR {strength}", self.table(), self.is())
    }
}

/// See the [module documentation](self).
pub(super) struct Scene {
    url: String,
    pub(super) store: Arc<dyn Store>,
    /// The same database as another process opens it.
    pub(super) other: Arc<dyn Store>,
    holder: PgConnection,
    observer: PgConnection,
}

impl Scene {
    pub(super) async fn new(url: String) -> Self {
        let (store, other) = (open(&url).await, open(&url).await);
        let holder = PgConnection::connect(&url).await.expect("the server is there");
        let observer = PgConnection::connect(&url).await.expect("the server is there");
        Self { url, store, other, holder, observer }
    }

    pub(super) async fn worker(&self) -> WorkerLease {
        self.store.register_worker(new_worker()).await.expect("a worker can register")
    }

    /// Two workers, in order.
    pub(super) async fn workers(&self) -> (WorkerLease, WorkerLease) {
        (self.worker().await, self.worker().await)
    }

    pub(super) async fn run(&self, owner: Option<WorkerLease>) -> RunId {
        start(&*self.store, owner).await
    }

    /// Two runs, in order. The second was started first.
    pub(super) async fn runs(&self, owner: Option<WorkerLease>) -> (RunId, RunId) {
        let mut runs = [(); 2].map(|()| crate::fixture::new_run(owner));
        runs.sort_by_key(|run| run.run_id);
        let [first, second] = runs;
        let run_ids = (first.run_id, second.run_id);
        for run in [second, first] {
            self.store.start_runs(vec![run]).await.expect("runs can be started");
        }
        run_ids
    }

    /// Adds activities to these runs, which `owner` owns and which have made this many steps; the last run comes first.
    /// `maker` makes an attempt of each.
    pub(super) async fn attempts(
        &self,
        owner: WorkerLease,
        calls: &[(RunId, u64)],
        steps: i64,
        maker: WorkerLease,
    ) -> Vec<ClaimedActivity> {
        for (expected, (run_id, handle)) in (steps..).zip(calls.iter().rev()) {
            let step = CommitStep {
                effects: vec![Effect::Enqueue(activity(*handle))],
                ..keep(*run_id, expected)
            };
            self.store.commit_steps(owner, &[&step]).await.expect("a valid worker can commit");
        }
        let claimed = claim_activities(&*self.store, maker, 10).await;
        let mut claimed = claimed.expect("a valid worker can claim");
        claimed.sort_by_key(|activity| activity.key);
        assert_eq!(claimed.len(), calls.len());
        claimed
    }

    /// Blocks a run for a reason by which another build may adopt it.
    pub(super) async fn block(&self, owner: WorkerLease, run_id: RunId, expected: i64) {
        let reason = BlockedReason::Undecodable("it is of another build".into());
        let step = CommitStep::new(run_id, StepNo(expected), Disposition::Block { reason });
        self.store.commit_steps(owner, &[&step]).await.expect("a valid worker can commit");
    }

    /// Runs a statement on the separate connection, in a transaction that stays open.
    pub(super) async fn begin(&mut self, sql: impl Into<String>) {
        let sql = format!("BEGIN; {}", sql.into());
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut self.holder).await.expect("it is right");
    }

    pub(super) async fn begin_with(&mut self, row: Row, set: &str) {
        self.begin(format!("UPDATE {} SET {set} WHERE {}", row.table(), row.is())).await;
    }

    pub(super) async fn lock(&mut self, row: Row) {
        self.begin(row.lock("UPDATE")).await;
    }

    /// Runs a statement in the open transaction, which must not have to wait.
    pub(super) async fn go_on(&mut self, sql: impl Into<String>) {
        let sql = format!("SET LOCAL lock_timeout = '1ms'; {}", sql.into());
        let done = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut self.holder).await;
        done.expect("nobody has what it needs");
    }

    pub(super) async fn commit(&mut self) {
        sqlx::raw_sql("COMMIT").execute(&mut self.holder).await.expect("it has begun");
    }

    /// From now on, every statement that does this to a row of the table waits afterwards, until the barrier is
    /// [opened](Self::open_barrier).
    pub(super) async fn bar(&mut self, done: &str, table: &str) {
        let sql = format!(
            "CREATE FUNCTION wait() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN \
             PERFORM pg_advisory_xact_lock_shared({BARRIER}); RETURN NULL; END $$; \
             CREATE TRIGGER wait AFTER {done} ON {table} FOR EACH ROW EXECUTE FUNCTION wait(); \
             SELECT pg_advisory_lock({BARRIER})"
        );
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut self.holder).await.expect("it is right");
    }

    pub(super) async fn open_barrier(&mut self) {
        let sql = format!("SELECT pg_advisory_unlock({BARRIER})");
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut self.holder).await.expect("it is held");
    }

    /// Removes the barrier.
    pub(super) async fn remove_barrier(&mut self, table: &str) {
        let sql = format!("DROP TRIGGER wait ON {table}; DROP FUNCTION wait()");
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut self.holder).await.expect("it is there");
    }

    /// Cancels the statements that wait for a row, by their locks: while a statement looks for deadlocks, its
    /// wait event is another one.
    pub(super) async fn cancel_waiting(&mut self) {
        const CANCEL: &str = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity \
            WHERE datname = current_database() \
            AND EXISTS (SELECT FROM pg_locks AS waiting \
            WHERE waiting.pid = pg_stat_activity.pid AND NOT waiting.granted)";
        sqlx::raw_sql(CANCEL).execute(&mut self.observer).await.expect("it is right");
    }

    /// Waits until this many statements wait at the barrier.
    pub(super) async fn until_barred(&mut self, count: i64) {
        self.until(count, WAITING_AT_BARRIER, BARRIER.to_string()).await;
    }

    /// Waits until this many statements wait for rows of the table.
    pub(super) async fn until_waiting_at(&mut self, table: &str, count: i64) {
        self.until(count, WAITING_AT, format!("'{table}'")).await;
    }

    /// Changes the run as soon as the current transactions on its table have ended, before any other transaction.
    pub(super) async fn change_next(&mut self, row: Row, set: &str) -> JoinHandle<()> {
        const WAITING: &str = "SELECT count(*) FROM pg_locks WHERE NOT granted \
            AND locktype = 'relation' AND relation = $1::regclass";
        let (table, is) = (row.table(), row.is());
        let sql = format!("BEGIN; LOCK TABLE {table}; UPDATE {table} SET {set} WHERE {is}; COMMIT");
        let mut connection = PgConnection::connect(&self.url).await.expect("the server is there");
        let changed = tokio::spawn(async move {
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.expect("it is right");
        });
        self.until(1, WAITING, format!("'{table}'")).await;
        changed
    }

    /// Waits until this many statements wait for another transaction.
    pub(super) async fn until_waiting(&mut self, count: i64) {
        const WAITING: &str = "SELECT count(*) FROM pg_stat_activity \
            WHERE wait_event = 'transactionid' AND datname = current_database()";
        self.until(count, WAITING, "another transaction".into()).await;
    }

    async fn until(&mut self, count: i64, sql: &str, what: String) {
        let started = Instant::now();
        let sql = sql.replace("$1", &what);
        loop {
            let sql = AssertSqlSafe(sql.clone());
            let waiting: i64 =
                sqlx::query_scalar(sql).fetch_one(&mut self.observer).await.expect("it is right");
            if waiting == count {
                return;
            }
            assert!(started.elapsed() < PATIENCE, "{waiting} wait at {what}, not {count}");
            tokio::task::yield_now().await;
        }
    }

    /// Whether the row is not locked.
    pub(super) async fn is_free(&self, row: Row) -> bool {
        self.could_lock(row, "UPDATE").await
    }

    /// Whether the row is locked in the mode of its table: shared for workers, exclusive for the others. Two
    /// transactions that only share the lock of a run would give two arrivals the same number, or deadlock.
    pub(super) async fn is_locked(&self, row: Row) -> bool {
        let shared = match row {
            Row::Worker(_) => "UPDATE",
            _ => "SHARE",
        };
        !self.could_lock(row, shared).await
    }

    async fn could_lock(&self, row: Row, strength: &str) -> bool {
        const LOCK_NOT_AVAILABLE: &str = "55P03";
        let mut connection = PgConnection::connect(&self.url).await.expect("the server is there");
        let sql = AssertSqlSafe(format!("{} NOWAIT", row.lock(strength)));
        let Err(error) = sqlx::raw_sql(sql).execute(&mut connection).await else { return true };
        let code = error.as_database_error().and_then(|error| error.code());
        assert_eq!(code.as_deref(), Some(LOCK_NOT_AVAILABLE), "{error}");
        false
    }

    /// A number from the database.
    pub(super) async fn count(&mut self, sql: impl Into<String>) -> i64 {
        let sql = AssertSqlSafe(sql.into());
        sqlx::query_scalar(sql).fetch_one(&mut self.observer).await.expect("it is right")
    }

    /// The numbers of the arrivals in a run's inbox.
    pub(super) async fn inbox(&self, run_id: RunId) -> Vec<i64> {
        let inbox = self.store.read_inbox(run_id, 0, 100).await.expect("inboxes can be read");
        inbox.arrivals.iter().map(|arrival| arrival.seq).collect()
    }
}

/// The result of a call that had to wait.
pub(super) async fn ended<T>(call: JoinHandle<T>) -> T {
    let ended = tokio::time::timeout(PATIENCE, call).await;
    ended.expect("it waits for nobody any more").expect("no panic")
}

pub(super) fn activity(handle: u64) -> NewActivity {
    NewActivity {
        due_at: None,
        priority: 0,
        partition: String::new(),
        handle: Handle(handle),
        queue: QUEUE.into(),
        activity: ACTIVITY.into(),
        call: Vec::new(),
        limits: ActivityLimits::default(),
    }
}

pub(super) fn signal(run_id: RunId) -> NewArrival {
    let kind = ArrivalKind::Signal { name: "go".into(), payload: Payload::default() };
    NewArrival { run_id, kind, dedup_key: None, owner: None }
}

pub(super) fn cancel(run_id: RunId) -> NewArrival {
    let kind = ArrivalKind::Cancel { reason: "enough".into() };
    NewArrival { kind, ..signal(run_id) }
}

pub(super) fn end(worker: WorkerLease, made: &ClaimedActivity, end: ActivityEnd) -> FinishActivity {
    let reporter = Reporter::Worker(worker);
    FinishActivity { key: made.key, attempt: made.attempt, reporter, end }
}

pub(super) fn beat(worker: WorkerLease, made: &ClaimedActivity) -> ActivityHeartbeat {
    let (key, attempt, reporter) = (made.key, made.attempt, Reporter::Worker(worker));
    ActivityHeartbeat { key, attempt, reporter, details: None }
}

pub(super) fn outcome() -> ActivityEnd {
    ActivityEnd::Outcome(piton::machine::OperationOutcome::Returned(Payload::default()))
}

pub(super) fn retry() -> ActivityEnd {
    ActivityEnd::Retry { retry_at: Timestamp(0), failure: "declined".into(), details: None }
}

pub(super) fn park(run_id: RunId, expected: i64) -> CommitStep {
    let (snapshot, state) = (vec![8; 300], "one".into());
    let disposition = Disposition::Park { snapshot, state, due_at: None, inbox_read: 0 };
    CommitStep::new(run_id, StepNo(expected), disposition)
}

pub(super) fn close(run_id: RunId, expected: i64) -> CommitStep {
    let status = RunStatus::Completed;
    let disposition = Disposition::close(status, None, None);
    CommitStep::new(run_id, StepNo(expected), disposition)
}

pub(super) async fn claim(
    store: &dyn Store,
    worker: WorkerLease,
    limit: u32,
) -> Result<Vec<RunId>, StoreError> {
    let request = ClaimRequest { worker, workflows: &[WORKFLOW], limit, inbox_limit: 10 };
    let claimed = store.claim_runs(request).await?;
    Ok(claimed.runs.iter().map(|run| run.run_id).collect())
}

pub(super) async fn claim_activities(
    store: &dyn Store,
    worker: WorkerLease,
    limit: u32,
) -> Result<Vec<ClaimedActivity>, StoreError> {
    let (queues, activities) = (&[(QUEUE, limit)], &[(ACTIVITY, limit)]);
    let claim = ClaimActivities { worker, queues, activities, limit };
    Ok(store.claim_activities(claim).await?.activities)
}

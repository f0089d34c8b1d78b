//! The common end of an attempt: its worker reports an outcome. One statement for any number.

use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StoreError;
use crate::model::WorkerId;
use crate::store::ends::handle;
use crate::store::postgres::{PostgresStore, failed, named_by, now};
use crate::store::rows::write_arrival;
use crate::store::{
    ActivityEnd, ActivityKey, ArrivalKind, FinishActivity, FinishOutcome, Reporter, WorkerLease,
};

/// Locks workers, runs and activities, in this order and each ascending, and then writes what the locked rows
/// allow. A row that was changed while the statement waited for its lock is seen in its new version.
const FINISH: &str = concat!(
    "WITH clock AS MATERIALIZED ",
    now!(),
    ", ended AS MATERIALIZED (SELECT * FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], \
     $5::bigint[], $6::bigint[], $7::bytea[]) WITH ORDINALITY \
     AS ended (run_id, handle, attempt, worker_id, epoch, arrival, place)), \
     worker AS MATERIALIZED (SELECT worker.worker_id, worker.epoch FROM clock, \
     (SELECT DISTINCT worker_id, epoch FROM ended) AS named \
     JOIN piton_workers AS worker USING (worker_id, epoch) \
     WHERE lease_expires_at > clock.now ORDER BY worker_id FOR KEY SHARE OF worker), \
     run AS MATERIALIZED (SELECT run.run_id, status, run.worker_id, inbox_count FROM \
     (SELECT DISTINCT run_id FROM ended JOIN worker USING (worker_id, epoch)) AS named \
     JOIN piton_runs AS run ON ",
    named_by!("run", "named"),
    " ORDER BY named.run_id FOR UPDATE OF run), \
     activity AS MATERIALIZED (SELECT activity.run_id, activity.handle, arrival, place FROM \
     (SELECT ended.* FROM ended JOIN worker USING (worker_id, epoch) JOIN run USING (run_id)) \
     AS ended JOIN piton_activities AS activity ON ",
    named_by!("activity", "ended", "handle"),
    " WHERE activity.attempt = ended.attempt \
     AND activity.worker_id IS NOT DISTINCT FROM ended.worker_id AND activity.epoch = ended.epoch \
     ORDER BY ended.run_id, ended.handle FOR UPDATE OF activity), \
     removed AS (DELETE FROM piton_activities AS activity USING activity AS over WHERE ",
    named_by!("activity", "over", "handle"),
    "), \
     news AS MATERIALIZED (SELECT run_id, place, arrival, inbox_count + row_number() \
     OVER (PARTITION BY run_id ORDER BY place) AS seq, run.worker_id AS owner, \
     run.worker_id IS NULL AND status = 'running' AS wakes \
     FROM activity JOIN run USING (run_id) WHERE status IN ('running', 'blocked', 'paused')), \
     arrived AS (INSERT INTO piton_inbox (run_id, seq, arrival, arrived_at) \
     SELECT run_id, seq, arrival, (SELECT now FROM clock) FROM news), \
     grown AS (UPDATE piton_runs AS run SET inbox_count = grown.inbox_count, \
     due_at = CASE WHEN grown.wakes THEN least(run.due_at, clock.now) ELSE run.due_at END \
     FROM clock, (SELECT run_id, max(seq) AS inbox_count, bool_or(wakes) AS wakes FROM news \
     GROUP BY run_id) AS grown WHERE ",
    named_by!("run", "grown"),
    ") \
     SELECT place, run_id, owner, wakes FROM news ORDER BY place"
);

/// An outcome that was put into the inbox of its run.
#[derive(FromRow)]
struct NewsRow {
    /// The index of the reported end, from 1.
    place: i64,
    run_id: Uuid,
    owner: Option<i64>,
    wakes: bool,
}

/// Whether an end is of this kind.
pub(super) fn is_plain(end: &FinishActivity) -> bool {
    let is_outcome =
        matches!((end.reporter, &end.end), (Reporter::Worker(_), ActivityEnd::Outcome(_)));
    is_outcome && !end.key.is_item()
}

/// Ends attempts, each of another activity.
pub(super) async fn finish(
    store: &PostgresStore,
    ends: Vec<FinishActivity>,
) -> Result<Vec<FinishOutcome>, StoreError> {
    let failed = failed("finish_activities");
    let mut columns = Columns::default();
    let mut outcomes = vec![FinishOutcome::Stale; ends.len()];
    for FinishActivity { key, attempt, reporter, end } in ends {
        if let (Reporter::Worker(worker), ActivityEnd::Outcome(outcome)) = (reporter, end) {
            columns.push(
                key,
                attempt,
                worker,
                ArrivalKind::Outcome { handle: key.handle, outcome },
            )?;
        }
    }
    let mut lane = store.lanes.lane().await.map_err(failed)?;
    let rows: Vec<NewsRow> = sqlx::query_as(FINISH)
        .bind(store.given_time())
        .bind(columns.run_ids)
        .bind(columns.handles)
        .bind(columns.attempts)
        .bind(columns.workers)
        .bind(columns.epochs)
        .bind(columns.arrivals)
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    let mut wakes_any = false;
    for row in rows {
        wakes_any |= row.wakes;
        store.news.arrival(row.run_id.into(), row.owner.map(WorkerId));
        let outcome = usize::try_from(row.place - 1).ok().and_then(|at| outcomes.get_mut(at));
        outcome.into_iter().for_each(|outcome| *outcome = FinishOutcome::Finished);
    }
    if wakes_any {
        store.news.due();
    }
    Ok(outcomes)
}

/// Ends as one array per column.
#[derive(Default)]
struct Columns {
    run_ids: Vec<Uuid>,
    handles: Vec<i64>,
    attempts: Vec<i64>,
    workers: Vec<i64>,
    epochs: Vec<i64>,
    arrivals: Vec<Vec<u8>>,
}

impl Columns {
    fn push(
        &mut self,
        key: ActivityKey,
        attempt: u32,
        worker: WorkerLease,
        arrival: ArrivalKind,
    ) -> Result<(), StoreError> {
        self.run_ids.push(key.run_id.as_uuid());
        self.handles.push(handle(key.handle));
        self.attempts.push(i64::from(attempt));
        self.workers.push(worker.worker_id.0);
        self.epochs.push(worker.epoch.0);
        self.arrivals.push(write_arrival(&arrival)?);
        Ok(())
    }
}

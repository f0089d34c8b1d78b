//! Claims of due runs.
//!
//! A claim that finds nothing must not take the write lock, so candidates are found by a read; the claim itself
//! checks each of them again.

use std::collections::{HashMap, HashSet};

use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StoreError;
use crate::model::{RunId, Timestamp};
use crate::store::rows::{ArrivalRow, ClaimRow, claim_columns, read_inboxes};
use crate::store::sqlite::clock::Moment;
use crate::store::sqlite::script::{MAX_ROWS, Rows, Script};
use crate::store::sqlite::workers::IS_VALID;
use crate::store::sqlite::{SqliteStore, failed};
use crate::store::weight::{Answer, fits};
use crate::store::{ClaimRequest, Claimed, ClaimedRun, WorkerLease};

/// The maximum number of workflows in one compound query; SQLite allows 500 parts.
const MAX_PARTS: usize = 400;

/// The next runs of one workflow. Each workflow has its own part, so that a backlog of one does not slow the
/// others. For runs that are not due, the index has all columns.
const NEXT_OF_WORKFLOW: &str = "SELECT * FROM (SELECT run_id, due_at, \
    CASE WHEN due_at <= ? THEN length(snapshot) ELSE 0 END AS bytes FROM piton_runs \
    WHERE workflow = ? AND due_at IS NOT NULL ORDER BY due_at, run_id LIMIT ?)";

/// Assigns those that are still available, if the worker's lease is valid.
const TAKE: &str = "BEGIN IMMEDIATE; \
    UPDATE piton_runs SET worker_id = ?, epoch = ?, due_at = NULL \
    WHERE due_at <= ? AND EXISTS (SELECT 1 FROM piton_workers \
    WHERE worker_id = ? AND epoch = ? AND lease_expires_at > ?) AND run_id IN (";

const TAKEN: &str = concat!(") RETURNING ", claim_columns!(), "; ");

const SNAPSHOTS: &str =
    "SELECT run_id, length(snapshot) AS bytes FROM piton_runs WHERE run_id IN (";

const OWNED: &str = "SELECT run_id FROM piton_runs WHERE worker_id = ? AND epoch = ?";

const LOOK: &str = concat!(
    "SELECT ",
    claim_columns!(),
    " FROM piton_runs WHERE worker_id = ? AND epoch = ? AND run_id IN ("
);

/// Rows that do not fit in the response are not read. The sum puts the rows in order.
const INBOXES: &str = concat!(
    "SELECT run_id, seq, CASE WHEN ",
    fits!("sized"),
    " THEN (SELECT arrival FROM piton_inbox AS inbox \
     WHERE inbox.run_id = sized.run_id AND inbox.seq = sized.seq) END AS arrival \
     FROM (SELECT *, sum(bytes) OVER (ORDER BY run_id, seq) AS upto FROM \
     (SELECT inbox.run_id, inbox.seq, length(inbox.arrival) AS bytes FROM ("
);

/// `CROSS JOIN` fixes the order of the tables, whatever the planner's statistics are.
const INBOXES_OF_OWNED: &str = ") AS wanted CROSS JOIN piton_runs AS run \
    ON run.run_id = wanted.column1 AND run.worker_id = ? AND run.inbox_count > 0 \
    CROSS JOIN piton_inbox AS inbox ON inbox.run_id = run.run_id AND inbox.seq IN (\
    SELECT seq FROM piton_inbox AS part WHERE part.run_id = run.run_id ORDER BY seq LIMIT ?))) AS sized";

/// A candidate of a claim.
#[derive(FromRow)]
struct NextRow {
    run_id: Uuid,
    due_at: i64,
    /// The size of its snapshot, if it is due.
    bytes: i64,
}

impl NextRow {
    fn due_at(&self) -> Timestamp {
        Timestamp(self.due_at)
    }
}

/// A run and the size of its snapshot.
#[derive(FromRow)]
struct SizedRow {
    run_id: Uuid,
    bytes: i64,
}

fn length(bytes: i64) -> usize {
    usize::try_from(bytes).unwrap_or_default()
}

pub(super) async fn claim(
    store: &SqliteStore,
    request: ClaimRequest<'_>,
) -> Result<Claimed, StoreError> {
    let now = store.moment();
    let mut waiting = find_next(store, &request, now).await?;
    let mut answer = Answer::default();
    let due = waiting
        .iter()
        .take_while(|next| next.due_at() <= now.time && answer.takes(length(next.bytes)))
        .count();
    let limit = usize::try_from(request.limit).unwrap_or(usize::MAX);
    let next = waiting.split_off(due.min(limit));
    let mut claimed =
        Claimed { runs: Vec::with_capacity(waiting.len()), next_due_at: None, now: now.time };
    for candidates in waiting.chunks(MAX_ROWS) {
        claimed.runs.extend(take(store, &request, candidates, now).await?);
    }
    claimed.next_due_at = match waiting.get(claimed.runs.len()) {
        // Another worker has claimed some, so there may be more.
        Some(next) => Some(next.due_at()),
        None => next.first().map(NextRow::due_at),
    };
    Ok(claimed)
}

/// The next due runs, one more than requested.
async fn find_next(
    store: &SqliteStore,
    request: &ClaimRequest<'_>,
    now: Moment,
) -> Result<Vec<NextRow>, StoreError> {
    let failed = failed("claim_runs");
    let limit = i64::from(request.limit) + 1;
    let mut script = Script::new();
    script.sql(IS_VALID).bind_validity(request.worker, now);
    for workflows in request.workflows.chunks(MAX_PARTS) {
        for (part, workflow) in workflows.iter().enumerate() {
            script.sql(if part == 0 { "; " } else { " UNION ALL " });
            script
                .sql(NEXT_OF_WORKFLOW)
                .bind(now.as_micros())
                .bind((*workflow).to_owned())
                .bind(limit);
        }
        script.sql(" ORDER BY due_at, run_id LIMIT ?").bind(limit);
    }
    let mut rows = store.read(script).await.map_err(failed)?;
    if !rows.any(0) {
        return Err(StoreError::Fenced);
    }
    let mut next = Vec::new();
    for query in 0..request.workflows.len().div_ceil(MAX_PARTS) {
        next.extend(rows.read::<NextRow>(query + 1).map_err(failed)?);
    }
    next.sort_by_key(|next| (next.due_at, next.run_id));
    Ok(next)
}

async fn take(
    store: &SqliteStore,
    request: &ClaimRequest<'_>,
    candidates: &[NextRow],
    now: Moment,
) -> Result<Vec<ClaimedRun>, StoreError> {
    let failed = failed("claim_runs");
    let mut script = Script::new();
    script
        .sql(TAKE)
        .bind(request.worker.worker_id.0)
        .bind(request.worker.epoch.0)
        .bind(now.as_micros())
        .bind_validity(request.worker, now)
        .values(1, candidates.iter(), |script, next| {
            script.bind(next.run_id);
        })
        .sql(TAKEN);
    let run_ids: Vec<RunId> = candidates.iter().map(|next| next.run_id.into()).collect();
    add_inboxes(&mut script, &run_ids, request.worker, request.inbox_limit);
    script.sql("; COMMIT");
    let mut rows = store.turn().await.transact(script).await.map_err(failed)?;
    let taken = read_runs(&mut rows, 1, request.inbox_limit, failed)?.into_iter();
    let mut taken: HashMap<RunId, ClaimedRun> = taken.map(|run| (run.run_id, run)).collect();
    // The rows come in no particular order.
    Ok(run_ids.iter().filter_map(|run_id| taken.remove(run_id)).collect())
}

/// Each read uses one transaction, so that inboxes match their counts.
pub(super) async fn recover(
    store: &SqliteStore,
    worker: WorkerLease,
    held: &[RunId],
    inbox_limit: u32,
) -> Result<Vec<ClaimedRun>, StoreError> {
    let failed = failed("recover_claims");
    let mut script = Script::new();
    script.sql(IS_VALID).bind_validity(worker, store.moment());
    script.sql("; ").sql(OWNED).bind(worker.worker_id.0).bind(worker.epoch.0);
    let mut rows = store.read(script).await.map_err(failed)?;
    if !rows.any(0) {
        return Err(StoreError::Fenced);
    }
    let owned: Vec<(Uuid,)> = rows.read(1).map_err(failed)?;
    let held: HashSet<RunId> = held.iter().copied().collect();
    let mut lost: Vec<RunId> = owned.into_iter().map(|(run_id,)| run_id.into()).collect();
    lost.retain(|run_id| !held.contains(run_id));
    lost.truncate(MAX_ROWS);
    if lost.is_empty() {
        return Ok(Vec::new());
    }
    let mut script = Script::new();
    add_ids(script.sql(SNAPSHOTS), &lost);
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<SizedRow>(0));
    let mut answer = Answer::default();
    let fits = |row: &SizedRow| answer.takes(length(row.bytes));
    let lost = rows.map_err(failed)?.into_iter().take_while(fits);
    let lost: Vec<RunId> = lost.map(|row| row.run_id.into()).collect();
    let mut script = Script::new();
    script.sql("BEGIN; ").sql(LOOK).bind(worker.worker_id.0).bind(worker.epoch.0);
    add_ids(&mut script, &lost);
    script.sql("; ");
    add_inboxes(&mut script, &lost, worker, inbox_limit);
    script.sql("; COMMIT");
    let mut rows = store.turn().await.transact(script).await.map_err(failed)?;
    read_runs(&mut rows, 1, inbox_limit, failed)
}

/// Ends the list that was begun.
fn add_ids(script: &mut Script, run_ids: &[RunId]) {
    script.values(1, run_ids.iter(), |script, run_id| {
        script.bind(run_id.as_uuid());
    });
    script.sql(")");
}

/// Reads the arrivals of those of `run_ids` that the worker owns.
pub(super) fn add_inboxes(script: &mut Script, run_ids: &[RunId], worker: WorkerLease, limit: u32) {
    script
        .sql(INBOXES)
        .values(1, run_ids.iter(), |script, run_id| {
            script.bind(run_id.as_uuid());
        })
        .sql(INBOXES_OF_OWNED)
        .bind(worker.worker_id.0)
        .bind(limit);
}

/// The runs returned by statement number `first`, with the arrivals returned by the next one.
pub(super) fn read_runs(
    rows: &mut Rows,
    first: usize,
    inbox_limit: u32,
    failed: impl Fn(sqlx::Error) -> StoreError,
) -> Result<Vec<ClaimedRun>, StoreError> {
    let runs: Vec<ClaimRow> = rows.read(first).map_err(&failed)?;
    let arrivals: Vec<ArrivalRow> = rows.read(first + 1).map_err(&failed)?;
    let mut inboxes = read_inboxes(arrivals, inbox_limit);
    Ok(runs.into_iter().map(|row| row.with_inbox(&mut inboxes)).collect())
}

#[cfg(test)]
mod tests {
    use sqlx::{AssertSqlSafe, Connection as _, Row as _, SqliteConnection};

    use super::*;

    /// The number of arrivals of the others is not known.
    #[tokio::test]
    async fn only_the_inboxes_of_claimed_runs_are_read() -> Result<(), sqlx::Error> {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await?;
        sqlx::migrate!("./migrations/sqlite").run(&mut connection).await?;
        for count in [1, MAX_ROWS] {
            let rows = vec!["(?)"; count].join(",");
            let sql = format!("EXPLAIN QUERY PLAN {INBOXES}VALUES {rows}{INBOXES_OF_OWNED}");
            let plan = sqlx::query(AssertSqlSafe(sql)).fetch_all(&mut connection).await?;
            let plan: Vec<String> = plan.iter().map(|row| row.get("detail")).collect();
            let scans = |line: &&String| line.contains("SCAN run") || line.contains("SCAN inbox");
            assert_eq!(plan.iter().find(scans), None, "{count} rows: {plan:#?}");
        }
        Ok(())
    }
}

//! The workflows that each worker serves.

use std::time::Duration;

use async_trait::async_trait;
use sqlx::PgConnection;
use uuid::Uuid;

use super::transaction::Transaction;
use super::{PostgresStore, failed, now, time};
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::Attendance;
use crate::store::rows::{AttendanceRow, AttendedRow, MovedDeadline};

const ADD: &str = concat!(
    "INSERT INTO piton_attendance (workflow, attended_until) SELECT $2, clock.now FROM ",
    now!(),
    " AS clock ON CONFLICT DO NOTHING"
);

const ANY_ENDING: &str = concat!(
    "SELECT EXISTS (SELECT 1 FROM ",
    now!(),
    " AS clock, piton_attendance WHERE workflow = ANY ($2) AND attended_until <= clock.now + $3)"
);

/// A separate statement: the clock of a statement that waits for a lock is that of its start.
const LOCK: &str = "SELECT workflow, attended_until FROM piton_attendance WHERE workflow = ANY ($1) \
    ORDER BY workflow FOR UPDATE";

/// The open runs of a workflow whose deadlines had not passed then.
const ATTENDED: &str = "SELECT agreed.run_id, agreed.deadline_at, agreed.terms, agreed.last_result \
    FROM piton_terms AS agreed JOIN piton_runs AS run ON run.run_id = agreed.run_id \
    WHERE agreed.attended IS NOT NULL AND agreed.deadline_at IS NOT NULL AND agreed.deadline_at > $1 \
    AND run.workflow = $2 AND run.closed_at IS NULL ORDER BY agreed.run_id FOR UPDATE OF agreed";

const MOVE: &str = "UPDATE piton_terms AS agreed SET terms = moved.terms, deadline_at = moved.deadline_at \
    FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS moved (run_id, terms, deadline_at) \
    WHERE agreed.run_id = moved.run_id";

/// Another worker may have extended the account further.
const EXTEND: &str = "UPDATE piton_attendance SET attended_until = $2 \
    WHERE workflow = ANY ($1) AND attended_until < $2";

/// Inserts the row of a workflow, unless it exists.
pub(super) async fn open_account(
    connection: &mut PgConnection,
    given_time: Option<i64>,
    workflow: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(ADD).bind(given_time).bind(workflow).execute(connection).await.map(drop)
}

#[async_trait]
impl Attendance for PostgresStore {
    async fn attend(&self, workflows: &[&str], hold: Duration) -> Result<u64, StoreError> {
        self.answered("attend", attend(self, workflows, hold)).await
    }
}

async fn attend(
    store: &PostgresStore,
    workflows: &[&str],
    hold: Duration,
) -> Result<u64, StoreError> {
    let failed = failed("attend");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let half = i64::try_from((hold / 2).as_micros()).unwrap_or(i64::MAX / 4);
    let any: bool = sqlx::query_scalar(ANY_ENDING)
        .bind(store.given_time())
        .bind(workflows)
        .bind(half)
        .fetch_one(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    if !any {
        return Ok(0);
    }
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    let accounts: Vec<AttendanceRow> =
        sqlx::query_as(LOCK).bind(workflows).fetch_all(transaction.get()).await.map_err(failed)?;
    let now = time(transaction.get(), store.given_time()).await.map_err(failed)?;
    let mut moved = 0;
    for AttendanceRow { workflow, attended_until } in &accounts {
        let from = Timestamp(*attended_until);
        if from >= now {
            continue;
        }
        let rows: Vec<AttendedRow> = sqlx::query_as(ATTENDED)
            .bind(attended_until)
            .bind(workflow)
            .fetch_all(transaction.get())
            .await
            .map_err(failed)?;
        let runs = rows.into_iter().filter_map(|row| row.moved(from, now).transpose());
        let runs = runs.collect::<Result<Vec<_>, _>>()?;
        moved += runs.len() as u64;
        move_deadlines(transaction.get(), runs).await.map_err(failed)?;
    }
    let workflows: Vec<&str> = accounts.iter().map(|account| &*account.workflow).collect();
    sqlx::query(EXTEND)
        .bind(workflows)
        .bind((now + hold).as_micros())
        .execute(transaction.get())
        .await
        .map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    Ok(moved)
}

async fn move_deadlines(
    connection: &mut PgConnection,
    runs: Vec<MovedDeadline>,
) -> Result<(), sqlx::Error> {
    let ids: Vec<Uuid> = runs.iter().map(|run| run.run_id).collect();
    let deadlines: Vec<i64> = runs.iter().map(|run| run.deadline_at).collect();
    let terms: Vec<String> = runs.into_iter().map(|run| run.terms).collect();
    let moving = sqlx::query(MOVE).bind(ids).bind(terms).bind(deadlines);
    moving.execute(connection).await.map(drop)
}

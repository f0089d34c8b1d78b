//! Starts of successors.

use sqlx::PgConnection;

use crate::model::{RunId, Timestamp};
use crate::store::postgres::{lifecycle, now};
use crate::store::{ArrivalKind, Successor};

const INSERT: &str = concat!(
    "INSERT INTO piton_runs (run_id, workflow_id, workflow, status, due_at, started_at, state, snapshot, \
     arguments, definition, has_kin) SELECT $2, $3, $4, 'running', coalesce($5, clock.now), clock.now, $6, $7, $8, \
     int8send($9), closed.has_kin FROM ",
    now!(),
    " AS clock, piton_runs AS closed WHERE closed.run_id = $10"
);

const LINK: &str = "INSERT INTO piton_chains (run_id, first_run_id, place, previous_run_id, link) \
    SELECT $1, coalesce(chain.first_run_id, $2), coalesce(chain.place, 0) + 1, $2, $3 \
    FROM (SELECT) AS closed LEFT JOIN piton_chains AS chain ON chain.run_id = $2";

const GO_OVER: &str = "WITH gone AS (INSERT INTO piton_inbox (run_id, seq, arrival, arrived_at) \
    SELECT $1, row_number() OVER (ORDER BY seq), arrival, arrived_at FROM piton_inbox \
    WHERE run_id = $2 AND substring(arrival FROM 2 FOR 1) = ANY ($3) RETURNING seq), \
    keyed AS (INSERT INTO piton_arrival_keys (run_id, dedup_key, name) \
    SELECT $1, dedup_key, name FROM piton_arrival_keys WHERE run_id = $2), \
    labelled AS (INSERT INTO piton_attributes (run_id, name, place, kind, text, integer, float, truth, time) \
    SELECT $1, name, place, kind, text, integer, float, truth, time FROM piton_attributes WHERE run_id = $2), \
    noted AS (INSERT INTO piton_memos (run_id, memo) SELECT $1, memo FROM piton_memos WHERE run_id = $2), \
    held AS (UPDATE piton_pauses SET run_id = $1, due_at = (SELECT due_at FROM piton_runs WHERE run_id = $1) \
    WHERE run_id = $2 RETURNING run_id) \
    UPDATE piton_runs SET inbox_count = (SELECT count(*) FROM gone), \
    status = CASE WHEN EXISTS (SELECT FROM held) THEN 'paused' ELSE status END, \
    due_at = CASE WHEN EXISTS (SELECT FROM held) THEN NULL ELSE due_at END WHERE run_id = $1";

/// Starts the run that follows one which this transaction has closed, with what goes over. If nobody has resumed the
/// closed run since it was to pause, the next one is paused.
pub(in crate::store::postgres) async fn follow(
    connection: &mut PgConnection,
    now: Option<i64>,
    closed: RunId,
    successor: &Successor,
) -> Result<(), sqlx::Error> {
    let Successor { run, link } = successor;
    let (next, closed) = (run.run_id.as_uuid(), closed.as_uuid());
    sqlx::query(INSERT)
        .bind(now)
        .bind(next)
        .bind(&run.workflow_id)
        .bind(&run.workflow)
        .bind(run.start_at.map(Timestamp::as_micros))
        .bind(&run.state)
        .bind(&run.snapshot)
        .bind(run.arguments.as_bytes())
        .bind(run.definition.0.cast_signed())
        .bind(closed)
        .execute(&mut *connection)
        .await?;
    sqlx::query(LINK).bind(next).bind(closed).bind(link.as_str()).execute(&mut *connection).await?;
    let goes_over: Vec<Vec<u8>> = ArrivalKind::GO_OVER.map(|kind| vec![kind]).to_vec();
    sqlx::query(GO_OVER).bind(next).bind(closed).bind(goes_over).execute(&mut *connection).await?;
    lifecycle::write(connection, now, run).await
}

//! Arrivals are moved from inboxes to the dead letters.

use sqlx::PgConnection;

use crate::model::RunId;
use crate::store::postgres::{named_by, now};
use crate::store::rows::write_reason;
use crate::store::{DeadLetterReason, NewDeadLetter};

const MOVE: &str = concat!(
    "WITH gone AS (DELETE FROM piton_inbox AS inbox \
     USING unnest($2::uuid[], $3::bigint[], $4::text[]) AS gone (run_id, seq, reason) WHERE ",
    named_by!("inbox", "gone", "seq"),
    " RETURNING inbox.run_id, inbox.arrival, gone.reason) \
     INSERT INTO piton_dead_letters (run_id, workflow_id, arrival, reason, set_aside_at) \
     SELECT run.run_id, coalesce(run.workflow_id, run.run_id::text), arrival, reason, clock.now FROM ",
    now!(),
    " AS clock, gone JOIN piton_runs AS run ON ",
    named_by!("run", "gone")
);

pub(super) async fn write(
    connection: &mut PgConnection,
    now: Option<i64>,
    gone: &[(RunId, &NewDeadLetter)],
) -> Result<(), sqlx::Error> {
    let reason =
        |letter: &NewDeadLetter| write_reason(&DeadLetterReason::Unreadable(letter.reason.clone()));
    sqlx::query(MOVE)
        .bind(now)
        .bind(gone.iter().map(|(run_id, _)| run_id.as_uuid()).collect::<Vec<_>>())
        .bind(gone.iter().map(|(_, letter)| letter.seq).collect::<Vec<_>>())
        .bind(gone.iter().map(|(_, letter)| reason(letter)).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}

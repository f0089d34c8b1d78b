//! Chains, parents and children.

mod awaits;
mod closes;
mod find;
mod follow;
mod starts;

use sqlx::PgConnection;
use uuid::Uuid;

pub(super) use self::awaits::await_children;
pub(super) use self::closes::close_runs;
pub(super) use self::find::{chain, children, find, last_runs};
pub(super) use self::follow::follow;
pub(super) use self::starts::start_children;
use super::now;
use crate::model::{Message, RunId};
use crate::store::rows::write_message;

/// The messages about the ends of runs on which others depend; their keys are those of [`MessageKey::of_close`].
const CLOSE: &str = concat!(
    "INSERT INTO piton_outbox (run_id, seq, workflow_id, message, sent_at) \
     SELECT run_id, (step_no << 20) | 1048575, '', $3, clock.now FROM piton_runs, ",
    now!(),
    " AS clock WHERE run_id = ANY ($2) AND has_kin ON CONFLICT DO NOTHING RETURNING run_id"
);

/// Those of the runs `$1` that have awaited promises, children that end with them, or messages in the outbox, which
/// may start such a child.
const DEPENDED_ON: &str = "SELECT run_id FROM unnest($1::uuid[]) AS closed (run_id) \
    WHERE EXISTS (SELECT FROM piton_promises AS promise \
    WHERE promise.run_id = closed.run_id AND promise.outcome IS NULL) \
    OR EXISTS (SELECT FROM piton_children AS child \
    WHERE child.parent_run_id = closed.run_id AND child.is_attached AND child.ends_with_run) \
    OR EXISTS (SELECT FROM piton_outbox AS sent WHERE sent.run_id = closed.run_id)";

/// When a run that starts children, or whose promises are awaited, closes, these have to be processed. The rows are
/// already locked.
const MARK: &str =
    "UPDATE piton_runs SET has_kin = true WHERE run_id = ANY ($1) AND has_kin IS NULL";

/// Marks runs as having others that depend on their end.
pub(super) async fn mark(
    connection: &mut PgConnection,
    run_ids: Vec<Uuid>,
) -> Result<(), sqlx::Error> {
    if !run_ids.is_empty() {
        sqlx::query(MARK).bind(run_ids).execute(connection).await?;
    }
    Ok(())
}

/// Writes messages about the ends of runs that have just closed, if others depend on them. Returns these runs.
pub(super) async fn write_closes(
    connection: &mut PgConnection,
    now: Option<i64>,
    closed: Vec<Uuid>,
) -> Result<Vec<RunId>, sqlx::Error> {
    let over: Vec<Uuid> = sqlx::query_scalar(CLOSE)
        .bind(now)
        .bind(closed)
        .bind(close_message()?)
        .fetch_all(connection)
        .await?;
    Ok(over.into_iter().map(RunId::from).collect())
}

/// The same for runs with successors: only waits for their promises, and children that end with them, depend on their
/// end.
pub(super) async fn write_closes_of_followed(
    connection: &mut PgConnection,
    now: Option<i64>,
    followed: Vec<Uuid>,
) -> Result<Vec<RunId>, sqlx::Error> {
    let followed: Vec<Uuid> =
        sqlx::query_scalar(DEPENDED_ON).bind(followed).fetch_all(&mut *connection).await?;
    match followed.is_empty() {
        true => Ok(Vec::new()),
        false => write_closes(connection, now, followed).await,
    }
}

fn close_message() -> Result<Vec<u8>, sqlx::Error> {
    write_message(&Message::Closed).map_err(|error| sqlx::Error::Encode(error.into()))
}

//! The runs of a chain, and parents and children.

mod awaits;
mod closes;
mod find;
mod follow;
mod starts;

use sqlx::PgConnection;
use uuid::Uuid;

pub(super) use self::awaits::await_children;
pub(super) use self::closes::close_runs;
pub(super) use self::find::{chain, children, find};
pub(super) use self::follow::follow;
pub(super) use self::starts::start_children;
use super::{named_by, now};
use crate::model::{Message, RunId};
use crate::store::MessageKey;
use crate::store::rows::write_message;

/// The message that a run is over, of those runs whose end concerns others; the key as [`MessageKey::of_close`] has it.
const CLOSE: &str = concat!(
    "INSERT INTO piton_outbox (run_id, seq, workflow_id, message, sent_at) \
     SELECT run_id, (step_no << 20) | 1048575, '', $3, clock.now FROM piton_runs, ",
    now!(),
    " AS clock WHERE run_id = ANY ($2) AND has_kin ON CONFLICT DO NOTHING RETURNING run_id"
);

const REMOVE: &str = concat!(
    "DELETE FROM piton_outbox AS outbox USING (SELECT outbox.run_id, outbox.seq \
     FROM unnest($1::uuid[], $2::bigint[]) AS named (run_id, seq) JOIN piton_outbox AS outbox ON ",
    named_by!("outbox", "named", "seq"),
    " ORDER BY named.run_id, named.seq FOR UPDATE OF outbox) AS locked WHERE ",
    named_by!("outbox", "locked", "seq"),
    " RETURNING outbox.run_id, outbox.seq"
);

/// Writes that runs are over which have just closed, if their end concerns others. Returns which.
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

fn close_message() -> Result<Vec<u8>, sqlx::Error> {
    write_message(&Message::Closed).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Takes messages out of the outbox. Returns those that were there.
async fn remove(
    connection: &mut PgConnection,
    mut keys: Vec<MessageKey>,
) -> Result<Vec<MessageKey>, sqlx::Error> {
    keys.sort_unstable();
    let (run_ids, seqs): (Vec<Uuid>, Vec<i64>) =
        keys.into_iter().map(|key| (key.run_id.as_uuid(), key.seq)).unzip();
    let removed: Vec<(Uuid, i64)> =
        sqlx::query_as(REMOVE).bind(run_ids).bind(seqs).fetch_all(connection).await?;
    let key = |(run_id, seq): (Uuid, i64)| MessageKey { run_id: run_id.into(), seq };
    Ok(removed.into_iter().map(key).collect())
}

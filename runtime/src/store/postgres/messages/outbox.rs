//! Listing the outbox, and taking messages from it.

use std::collections::HashSet;

use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::StoreError;
use crate::store::postgres::server::takes_writes;
use crate::store::postgres::{PostgresStore, failed, named_by};
use crate::store::rows::OutboxRow;
use crate::store::weight::fits;
use crate::store::{MessageKey, WaitingMessage};

/// Rows that do not fit in the response are not read. The first possible key is that of no message.
const LIST: &str = concat!(
    "SELECT run_id, seq, workflow_id, message FROM \
     (SELECT *, sum(bytes) OVER (ORDER BY run_id, seq ROWS UNBOUNDED PRECEDING) AS upto FROM \
     (SELECT *, octet_length(message) AS bytes FROM piton_outbox \
     WHERE (run_id, seq) > ($1, $2) ORDER BY run_id, seq LIMIT $3) AS waiting) AS sized WHERE ",
    takes_writes!(),
    " AND ",
    fits!("sized"),
    " ORDER BY run_id, seq"
);

/// In the order of their keys, in which all transactions lock them.
const REMOVE: &str = concat!(
    "DELETE FROM piton_outbox AS outbox USING (SELECT outbox.run_id, outbox.seq \
     FROM unnest($1::uuid[], $2::bigint[]) AS named (run_id, seq) JOIN piton_outbox AS outbox ON ",
    named_by!("outbox", "named", "seq"),
    " ORDER BY named.run_id, named.seq FOR UPDATE OF outbox) AS locked WHERE ",
    named_by!("outbox", "locked", "seq"),
    " RETURNING outbox.run_id, outbox.seq"
);

pub(super) async fn list(
    store: &PostgresStore,
    after: Option<MessageKey>,
    limit: u32,
) -> Result<Vec<WaitingMessage>, StoreError> {
    let failed = failed("list_outbox");
    let (run_id, seq) =
        after.map_or((Uuid::nil(), i64::MIN), |after| (after.run_id.as_uuid(), after.seq));
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<OutboxRow> = sqlx::query_as(LIST)
        .bind(run_id)
        .bind(seq)
        .bind(i64::from(limit))
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Deletes messages from the outbox. Returns those that were still there. The writes for a message belong to the
/// transaction that has deleted it.
pub(in crate::store::postgres) async fn remove(
    connection: &mut PgConnection,
    keys: impl IntoIterator<Item = MessageKey>,
) -> Result<HashSet<MessageKey>, sqlx::Error> {
    let mut keys: Vec<MessageKey> = keys.into_iter().collect();
    keys.sort_unstable();
    let (run_ids, seqs): (Vec<Uuid>, Vec<i64>) =
        keys.into_iter().map(|key| (key.run_id.as_uuid(), key.seq)).unzip();
    let removed: Vec<(Uuid, i64)> =
        sqlx::query_as(REMOVE).bind(run_ids).bind(seqs).fetch_all(connection).await?;
    let key = |(run_id, seq): (Uuid, i64)| MessageKey { run_id: run_id.into(), seq };
    Ok(removed.into_iter().map(key).collect())
}

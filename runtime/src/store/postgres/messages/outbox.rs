//! Taking messages from the outbox.

use std::collections::HashSet;

use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::MessageKey;
use crate::store::postgres::named_by;

/// In the order of their keys, in which all transactions lock them.
const REMOVE: &str = concat!(
    "DELETE FROM piton_outbox AS outbox USING (SELECT outbox.run_id, outbox.seq \
     FROM unnest($1::uuid[], $2::bigint[]) AS named (run_id, seq) JOIN piton_outbox AS outbox ON ",
    named_by!("outbox", "named", "seq"),
    " ORDER BY named.run_id, named.seq FOR UPDATE OF outbox) AS locked WHERE ",
    named_by!("outbox", "locked", "seq"),
    " RETURNING outbox.run_id, outbox.seq"
);

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

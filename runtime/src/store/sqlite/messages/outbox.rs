//! Listing the outbox, and taking messages from it.

use crate::error::StoreError;
use crate::store::rows::OutboxRow;
use crate::store::sqlite::script::Script;
use crate::store::sqlite::{SqliteStore, failed};
use crate::store::weight::fits;
use crate::store::{MessageKey, WaitingMessage};

/// Rows that do not fit in the response are not read.
const LIST: &str = concat!(
    "SELECT run_id, seq, workflow_id, message FROM \
     (SELECT *, sum(bytes) OVER (ORDER BY run_id, seq) AS upto FROM \
     (SELECT *, length(message) AS bytes FROM piton_outbox \
     WHERE ?1 IS NULL OR (run_id, seq) > (?1, ?2) ORDER BY run_id, seq LIMIT ?3)) AS sized WHERE ",
    fits!("sized"),
    " ORDER BY run_id, seq"
);

pub(super) async fn list(
    store: &SqliteStore,
    after: Option<MessageKey>,
    limit: u32,
) -> Result<Vec<WaitingMessage>, StoreError> {
    let mut script = Script::new();
    script.sql(LIST).bind(after.map(|after| after.run_id.as_uuid()));
    script.bind(after.map(|after| after.seq)).bind(limit);
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<OutboxRow>(0));
    let rows = rows.map_err(failed("list_outbox"))?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Adds the statement that removes messages from the outbox.
pub(in crate::store::sqlite) fn add_removal(script: &mut Script, keys: &[MessageKey]) {
    script.sql("DELETE FROM piton_outbox WHERE (run_id, seq) IN (");
    script.values(2, keys.iter(), bind_key).sql("); ");
}

pub(in crate::store::sqlite) fn bind_key(script: &mut Script, key: &MessageKey) {
    script.bind(key.run_id.as_uuid()).bind(key.seq);
}

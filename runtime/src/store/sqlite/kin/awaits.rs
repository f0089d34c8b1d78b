//! Waits for the end of children.

use std::collections::HashSet;

use uuid::Uuid;

use super::announce;
use crate::error::StoreError;
use crate::model::Message;
use crate::store::ends::handle;
use crate::store::rows::{last_of, write_message};
use crate::store::sqlite::messages::add_removal;
use crate::store::sqlite::script::Script;
use crate::store::sqlite::{SqliteStore, failed};
use crate::store::{AwaitedChild, MessageKey, Relayed};

const STILL_THERE: &str =
    "BEGIN IMMEDIATE; SELECT run_id, seq FROM piton_outbox WHERE (run_id, seq) IN (";

const AWAIT: &str = "INSERT OR IGNORE INTO piton_child_waits (child_id, run_id, handle) \
    SELECT column1, column2, column3 FROM (";

/// The message about a child that has closed, or does not exist, is sent once more.
const CLOSED: &str = concat!(
    "INSERT OR IGNORE INTO piton_outbox (run_id, seq, workflow_id, message, sent_at) \
     SELECT child.last, (coalesce(run.step_no, 0) << 20) | 1048575, '', ?, ? FROM (SELECT DISTINCT ",
    last_of!("column1"),
    " AS last FROM ("
);

const IF_OVER: &str = ") WHERE column1 IS NOT NULL) AS child \
    LEFT JOIN piton_runs AS run ON run.run_id = child.last \
    WHERE run.run_id IS NULL OR run.closed_at IS NOT NULL RETURNING run_id; ";

/// Registers waits. The transaction that takes the message from the outbox adds the wait.
pub(in crate::store::sqlite) async fn await_children(
    store: &SqliteStore,
    awaits: Vec<(MessageKey, AwaitedChild)>,
    relayed: &mut Relayed,
) -> Result<(), StoreError> {
    if awaits.is_empty() {
        return Ok(());
    }
    let failed = failed("relay_messages");
    let mut turn = store.turn().await;
    let now = store.moment().time;
    let mut script = Script::new();
    script.sql(STILL_THERE).values(2, awaits.iter(), |script, (key, _)| {
        script.bind(key.run_id.as_uuid()).bind(key.seq);
    });
    script.sql(")");
    let mut rows = turn.begin(script).await.map_err(failed)?;
    let there: Vec<(Uuid, i64)> = rows.read(1).map_err(failed)?;
    let there: HashSet<_> =
        there.into_iter().map(|(run_id, seq)| MessageKey { run_id: run_id.into(), seq }).collect();
    let awaits: Vec<_> = awaits.into_iter().filter(|(key, _)| there.contains(key)).collect();
    if awaits.is_empty() {
        turn.roll_back().await;
        return Ok(());
    }
    let keys: Vec<MessageKey> = awaits.iter().map(|(key, _)| *key).collect();
    let mut script = Script::new();
    script.sql(AWAIT).values(3, awaits.iter(), |script, (key, awaited)| {
        script.bind(awaited.child.as_uuid()).bind(key.run_id.as_uuid());
        script.bind(handle(awaited.handle));
    });
    script.sql(") WHERE column1 IS NOT NULL; ");
    script.sql(CLOSED).bind(write_message(&Message::Closed)?).bind(now.as_micros());
    script.values(1, awaits.iter(), |script, (_, awaited)| {
        script.bind(awaited.child.as_uuid());
    });
    script.sql(IF_OVER);
    add_removal(&mut script, &keys);
    script.sql("COMMIT");
    let mut rows = turn.commit(script).await.map_err(failed)?;
    announce(store, &mut rows, 1).map_err(failed)?;
    relayed.carried_out.extend(keys);
    Ok(())
}

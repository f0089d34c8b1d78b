//! Waits for the end of children.

use uuid::Uuid;

use super::close_message;
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::ends::handle;
use crate::store::postgres::messages::remove;
use crate::store::postgres::transaction::Transaction;
use crate::store::postgres::{PostgresStore, failed, now};
use crate::store::rows::last_of;
use crate::store::{AwaitedChild, MessageKey, Relayed};

/// So that it does not close meanwhile.
const LOCK: &str = concat!(
    "SELECT 1 FROM piton_runs WHERE run_id IN (SELECT ",
    last_of!("child.run_id"),
    " FROM unnest($1::uuid[]) AS child (run_id)) ORDER BY run_id FOR UPDATE"
);

const AWAIT: &str = "INSERT INTO piton_child_waits (child_id, run_id, handle) \
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING";

/// The message about a child that has closed, or does not exist, is sent once more.
const CLOSED: &str = concat!(
    "INSERT INTO piton_outbox (run_id, seq, workflow_id, message, sent_at) \
     SELECT child.last, (coalesce(run.step_no, 0) << 20) | 1048575, '', $3, clock.now FROM ",
    now!(),
    " AS clock, (SELECT DISTINCT ",
    last_of!("child.run_id"),
    " AS last FROM unnest($2::uuid[]) AS child (run_id)) AS child \
     LEFT JOIN piton_runs AS run ON run.run_id = child.last \
     WHERE run.run_id IS NULL OR run.closed_at IS NOT NULL ORDER BY child.last \
     ON CONFLICT DO NOTHING RETURNING run_id"
);

/// Registers waits. The transaction that takes the message from the outbox adds the wait.
pub(in crate::store::postgres) async fn await_children(
    store: &PostgresStore,
    awaits: Vec<(MessageKey, AwaitedChild)>,
    relayed: &mut Relayed,
) -> Result<(), StoreError> {
    if awaits.is_empty() {
        return Ok(());
    }
    let (keys, over) = add(store, awaits).await.map_err(failed("relay_messages"))?;
    over.into_iter().for_each(|run_id| store.hub.announce_sent(RunId::from(run_id)));
    relayed.carried_out.extend(keys);
    Ok(())
}

async fn add(
    store: &PostgresStore,
    mut awaits: Vec<(MessageKey, AwaitedChild)>,
) -> Result<(Vec<MessageKey>, Vec<Uuid>), sqlx::Error> {
    let children = |awaits: &[(MessageKey, AwaitedChild)]| -> Vec<Uuid> {
        awaits.iter().map(|(_, awaited)| awaited.child.as_uuid()).collect()
    };
    let mut transaction = Transaction::begin(store).await?;
    sqlx::query(LOCK).bind(children(&awaits)).execute(transaction.get()).await?;
    let taken = remove(transaction.get(), awaits.iter().map(|(key, _)| *key)).await?;
    awaits.retain(|(key, _)| taken.contains(key));
    sqlx::query(AWAIT)
        .bind(children(&awaits))
        .bind(awaits.iter().map(|(key, _)| key.run_id.as_uuid()).collect::<Vec<_>>())
        .bind(awaits.iter().map(|(_, awaited)| handle(awaited.handle)).collect::<Vec<_>>())
        .execute(transaction.get())
        .await?;
    let over = sqlx::query_scalar(CLOSED)
        .bind(store.given_time())
        .bind(children(&awaits))
        .bind(close_message()?)
        .fetch_all(transaction.get())
        .await?;
    transaction.commit().await?;
    Ok((taken.into_iter().collect(), over))
}

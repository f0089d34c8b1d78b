//! Messages are put into the outbox.

use crate::model::{Message, OutgoingMessage};
use sqlx::PgConnection;

use crate::store::MessageKey;
use crate::store::postgres::now;
use crate::store::rows::write_message;

const INSERT: &str = concat!(
    "INSERT INTO piton_outbox (run_id, seq, workflow_id, message, sent_at) \
     SELECT sent.*, clock.now FROM ",
    now!(),
    " AS clock, unnest($2::uuid[], $3::bigint[], $4::text[], $5::bytea[]) AS sent"
);

/// Whoever starts children has to deal with them in the end. The rows are locked already.
const MARK: &str =
    "UPDATE piton_runs SET has_kin = true WHERE run_id = ANY ($1) AND has_kin IS NULL";

pub(super) async fn write(
    connection: &mut PgConnection,
    now: Option<i64>,
    sent: &[(MessageKey, &OutgoingMessage)],
) -> Result<(), sqlx::Error> {
    let bodies: Result<Vec<_>, _> =
        sent.iter().map(|(_, message)| write_message(&message.body)).collect();
    sqlx::query(INSERT)
        .bind(now)
        .bind(sent.iter().map(|(key, _)| key.run_id.as_uuid()).collect::<Vec<_>>())
        .bind(sent.iter().map(|(key, _)| key.seq).collect::<Vec<_>>())
        .bind(sent.iter().map(|(_, message)| message.to.as_str()).collect::<Vec<_>>())
        .bind(bodies.map_err(|error| sqlx::Error::Encode(error.into()))?)
        .execute(&mut *connection)
        .await?;
    let starts = sent.iter().filter(|(_, message)| matches!(message.body, Message::Start(_)));
    let mut parents: Vec<_> = starts.map(|(key, _)| key.run_id.as_uuid()).collect();
    parents.dedup();
    if !parents.is_empty() {
        sqlx::query(MARK).bind(parents).execute(connection).await?;
    }
    Ok(())
}

//! Messages are put into the outbox.

use sqlx::PgConnection;

use crate::model::{Message, OutgoingMessage};
use crate::store::MessageKey;
use crate::store::postgres::kin::mark;
use crate::store::postgres::now;
use crate::store::rows::write_message;

const INSERT: &str = concat!(
    "INSERT INTO piton_outbox (run_id, seq, workflow_id, message, sent_at) \
     SELECT sent.*, clock.now FROM ",
    now!(),
    " AS clock, unnest($2::uuid[], $3::bigint[], $4::text[], $5::bytea[]) AS sent"
);

pub(crate) async fn write(
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
    mark(connection, parents).await
}

//! Updates are answered.

use sqlx::PgConnection;

use crate::error::StoreError;
use crate::model::{NewReply, RunId};
use crate::store::postgres::now;
use crate::store::rows::write_reply;

const INSERT: &str = concat!(
    "INSERT INTO piton_update_replies (run_id, update_id, reply, replied_at) \
     SELECT given.*, clock.now FROM ",
    now!(),
    " AS clock, unnest($2::uuid[], $3::text[], $4::bytea[]) AS given ON CONFLICT DO NOTHING"
);

pub(super) async fn write(
    connection: &mut PgConnection,
    now: Option<i64>,
    replied: &[(RunId, &NewReply)],
) -> Result<(), sqlx::Error> {
    let replies: Result<Vec<_>, StoreError> =
        replied.iter().map(|(_, new)| write_reply(&new.reply)).collect();
    sqlx::query(INSERT)
        .bind(now)
        .bind(replied.iter().map(|(run_id, _)| run_id.as_uuid()).collect::<Vec<_>>())
        .bind(replied.iter().map(|(_, new)| new.update.as_str()).collect::<Vec<_>>())
        .bind(replies.map_err(|error| sqlx::Error::Encode(error.into()))?)
        .execute(connection)
        .await?;
    Ok(())
}

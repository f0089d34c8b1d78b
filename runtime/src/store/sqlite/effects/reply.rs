//! Updates are answered.

use crate::error::StoreError;
use crate::model::{NewReply, RunId, Timestamp};
use crate::store::rows::write_reply;
use crate::store::sqlite::script::{MAX_ROWS, Script};

const INSERT: &str = "INSERT OR IGNORE INTO piton_update_replies \
    (run_id, update_id, reply, replied_at) SELECT column1, column2, column3, ? FROM (";

pub(super) fn add(
    script: &mut Script,
    replied: &[(RunId, &NewReply)],
    now: Timestamp,
) -> Result<(), StoreError> {
    for replied in replied.chunks(MAX_ROWS) {
        let replies: Result<Vec<_>, _> =
            replied.iter().map(|(_, new)| write_reply(&new.reply)).collect();
        script.sql(INSERT).bind(now.as_micros());
        script.values(3, replied.iter().zip(replies?), |script, ((run_id, new), reply)| {
            script.bind(run_id.as_uuid()).bind(new.update.clone()).bind(reply);
        });
        script.sql(") WHERE column1 IS NOT NULL; ");
    }
    Ok(())
}

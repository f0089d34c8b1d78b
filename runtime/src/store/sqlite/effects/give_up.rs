//! Activities are removed from their queues.

use crate::store::ActivityKey;
use crate::store::ends::handle;
use crate::store::rows::being_made;
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::script::{MAX_ROWS, Rows, Script};

const REMOVE: &str = "DELETE FROM piton_activities WHERE (run_id, handle) IN (";

const RETURNING_REMOVED: &str = ") RETURNING run_id, handle, worker_id IS NOT NULL AS is_made; ";

/// Returns the number of statements that return removed activities.
pub(crate) fn add(script: &mut Script, gone: &[ActivityKey]) -> usize {
    for gone in gone.chunks(MAX_ROWS) {
        script.sql(REMOVE).values(2, gone.iter(), |script, key| {
            script.bind(key.run_id.as_uuid()).bind(handle(key.handle));
        });
        script.sql(RETURNING_REMOVED);
    }
    gone.len().div_ceil(MAX_ROWS)
}

/// Notifies of the removed activities with running attempts, in the rows of statement number `index`.
pub(crate) fn announce(
    store: &SqliteStore,
    rows: &mut Rows,
    index: usize,
) -> Result<(), sqlx::Error> {
    being_made(rows.read(index)?).for_each(|key| store.hub.announce_given_up(key));
    Ok(())
}

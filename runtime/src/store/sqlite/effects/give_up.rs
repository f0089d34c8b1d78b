//! Activities on queues are given up.

use uuid::Uuid;

use crate::store::ActivityKey;
use crate::store::ends::{handle, key};
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::script::{MAX_ROWS, Rows, Script};

const REMOVE: &str = "DELETE FROM piton_activities WHERE (run_id, handle) IN (";

const RETURNING_REMOVED: &str = ") RETURNING run_id, handle, worker_id IS NOT NULL; ";

/// Returns how many statements tell of what was given up.
pub(super) fn add(script: &mut Script, gone: &[ActivityKey]) -> usize {
    for gone in gone.chunks(MAX_ROWS) {
        script.sql(REMOVE).values(2, gone.iter(), |script, key| {
            script.bind(key.run_id.as_uuid()).bind(handle(key.handle));
        });
        script.sql(RETURNING_REMOVED);
    }
    gone.len().div_ceil(MAX_ROWS)
}

/// Tells of the removed activities, in the answer of statement number `index`, that somebody works
/// at.
pub(crate) fn announce(
    store: &SqliteStore,
    rows: &mut Rows,
    index: usize,
) -> Result<(), sqlx::Error> {
    for (run_id, handle, busy) in rows.read::<(Uuid, i64, bool)>(index)? {
        if busy {
            store.hub.announce_given_up(key(run_id, handle));
        }
    }
    Ok(())
}

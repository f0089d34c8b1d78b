//! The runs of a chain, and parents and children.

mod awaits;
mod closes;
mod find;
mod follow;
mod starts;

use uuid::Uuid;

pub(super) use self::awaits::await_children;
pub(super) use self::closes::{add_terminations, close_runs};
pub(super) use self::find::{chain, children, find, last_runs};
pub(super) use self::follow::add_successor;
pub(super) use self::starts::start_children;
use super::SqliteStore;
use super::script::{MAX_ROWS, Rows, Script};
use crate::error::StoreError;
use crate::model::{Message, RunId, Timestamp};
use crate::store::rows::write_message;

/// The message that a run is over; the key as [`MessageKey::of_close`] has it.
const CLOSE: &str = "INSERT OR IGNORE INTO piton_outbox (run_id, seq, workflow_id, message, sent_at) \
    SELECT run_id, (step_no << 20) | 1048575, '', ?, ? FROM piton_runs WHERE run_id IN (";

/// Whoever closes a run that starts children, or whose promises others await, has to deal with them.
const MARK: &str = "UPDATE piton_runs INDEXED BY piton_runs_run_id SET has_kin = 1 \
    WHERE has_kin IS NULL AND run_id IN (";

/// Marks runs as such whose end concerns others.
pub(super) fn add_marks(script: &mut Script, run_ids: &[RunId]) {
    for run_ids in run_ids.chunks(MAX_ROWS) {
        script.sql(MARK).values(1, run_ids.iter(), bind_run).sql("); ");
    }
}

/// Writes that runs are over which have just closed and whose end concerns others.
pub(super) fn add_closes(
    script: &mut Script,
    over: &[RunId],
    now: Timestamp,
) -> Result<(), StoreError> {
    for over in over.chunks(MAX_ROWS) {
        add_close(script, over, now)?.sql("; ");
    }
    Ok(())
}

/// As [`add_closes`], of those among at most [`MAX_ROWS`] runs whose end concerns others. [`announce`] reads which.
pub(super) fn add_closes_of_kin(
    script: &mut Script,
    closed: &[RunId],
    now: Timestamp,
) -> Result<(), StoreError> {
    add_close(script, closed, now)?.sql(" AND has_kin IS NOT NULL RETURNING run_id");
    Ok(())
}

/// As [`add_closes`], of those among runs that others follow whose promises are awaited: their end concerns nobody else.
pub(super) fn add_closes_of_awaited(
    script: &mut Script,
    followed: &[RunId],
    now: Timestamp,
) -> Result<(), StoreError> {
    for followed in followed.chunks(MAX_ROWS) {
        add_close(script, followed, now)?.sql(
            " AND EXISTS (SELECT 1 FROM piton_promises AS promise \
             WHERE promise.run_id = piton_runs.run_id AND promise.outcome IS NULL); ",
        );
    }
    Ok(())
}

/// The statement up to what else must hold of the runs.
fn add_close<'s>(
    script: &'s mut Script,
    run_ids: &[RunId],
    now: Timestamp,
) -> Result<&'s mut Script, StoreError> {
    script.sql(CLOSE).bind(write_message(&Message::Closed)?).bind(now.as_micros());
    Ok(script.values(1, run_ids.iter(), bind_run).sql(")"))
}

fn bind_run(script: &mut Script, run_id: &RunId) {
    script.bind(run_id.as_uuid());
}

/// Tells of the runs, in the answer of statement number `index`, that have something in the outbox.
pub(super) fn announce(
    store: &SqliteStore,
    rows: &mut Rows,
    index: usize,
) -> Result<(), sqlx::Error> {
    for (run_id,) in rows.read::<(Uuid,)>(index)? {
        store.hub.announce_sent(run_id.into());
    }
    Ok(())
}

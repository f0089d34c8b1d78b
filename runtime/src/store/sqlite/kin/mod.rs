//! Chains, parents and children.

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

/// The message that a run has ended; its key is that of [`MessageKey::of_close`].
const CLOSE: &str = "INSERT OR IGNORE INTO piton_outbox (run_id, seq, workflow_id, message, sent_at) \
    SELECT run_id, (step_no << 20) | 1048575, '', ?, ? FROM piton_runs WHERE run_id IN (";

/// When a run that starts children, or whose promises are awaited, closes, these have to be processed.
const MARK: &str = "UPDATE piton_runs INDEXED BY piton_runs_run_id SET has_kin = 1 \
    WHERE has_kin IS NULL AND run_id IN (";

/// Marks runs as having others that depend on their end.
pub(super) fn add_marks(script: &mut Script, run_ids: &[RunId]) {
    for run_ids in run_ids.chunks(MAX_ROWS) {
        script.sql(MARK).values(1, run_ids.iter(), bind_run).sql("); ");
    }
}

/// Writes messages about the ends of runs that have just closed and on whose end others depend.
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

/// Like [`add_closes`], for those among at most [`MAX_ROWS`] runs on whose end others depend. [`announce`] reads
/// which.
pub(super) fn add_closes_of_kin(
    script: &mut Script,
    closed: &[RunId],
    now: Timestamp,
) -> Result<(), StoreError> {
    add_close(script, closed, now)?.sql(" AND has_kin IS NOT NULL RETURNING run_id");
    Ok(())
}

/// Like [`add_closes`], for runs with successors. Only waits for their promises and children that end with them
/// depend on their end; a message that is still in the outbox may start such a child.
pub(super) fn add_closes_of_followed(
    script: &mut Script,
    followed: &[RunId],
    now: Timestamp,
) -> Result<(), StoreError> {
    for followed in followed.chunks(MAX_ROWS) {
        add_close(script, followed, now)?.sql(
            " AND (EXISTS (SELECT 1 FROM piton_promises AS promise \
             WHERE promise.run_id = piton_runs.run_id AND promise.outcome IS NULL) \
             OR EXISTS (SELECT 1 FROM piton_children AS child WHERE child.parent_run_id = piton_runs.run_id \
             AND child.is_attached = 1 AND child.ends_with_run = 1) \
             OR EXISTS (SELECT 1 FROM piton_outbox AS sent WHERE sent.run_id = piton_runs.run_id)); ",
        );
    }
    Ok(())
}

/// The statement up to further conditions on the runs.
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

/// Notifies of the runs with new messages in the outbox, in the rows of statement number `index`.
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

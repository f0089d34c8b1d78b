//! Terminating runs.

use crate::error::StoreError;
use crate::model::RunId;
use crate::store::sqlite::effects::give_up;
use crate::store::sqlite::script::Script;
use crate::store::sqlite::{SqliteStore, audit, failed, kin, messages};
use crate::store::{ChangeOutcome, Ending, NewAuditEntry};

const TERMINATE: &str = "BEGIN IMMEDIATE; \
    UPDATE piton_runs SET status = 'terminated', closed_at = ?, blocked = NULL, blocked_at = NULL, \
    due_at = NULL, worker_id = NULL, epoch = NULL, failure = ? WHERE run_id = ? AND closed_at IS NULL RETURNING 1; \
    SELECT 1 FROM piton_runs WHERE run_id = ? AND status = 'terminated' AND failure = ?";

const GIVE_UP: &str = "DELETE FROM piton_activities WHERE run_id = ? \
    RETURNING run_id, handle, worker_id IS NOT NULL AS is_made; ";

/// Its result; `None` if the run does not exist or has ended in another way.
pub(super) async fn terminate(
    store: &SqliteStore,
    run_id: RunId,
    reason: &str,
    audit: Option<&NewAuditEntry>,
) -> Result<Option<ChangeOutcome>, StoreError> {
    let failed = failed("terminate_run");
    let mut script = Script::new();
    let now = store.time();
    script.sql(TERMINATE).bind(now.as_micros());
    script.bind(reason.to_owned()).bind(run_id.as_uuid());
    script.bind(run_id.as_uuid()).bind(reason.to_owned());
    let mut turn = store.turn().await;
    let rows = turn.begin(script).await.map_err(failed)?;
    if !rows.any(1) {
        turn.roll_back().await;
        return Ok(rows.any(2).then_some(ChangeOutcome::Unchanged));
    }
    let mut script = Script::new();
    messages::add_leftovers(&mut script, &[run_id]);
    script.sql(GIVE_UP).bind(run_id.as_uuid());
    kin::add_closes_of_kin(&mut script, &[run_id], store.time())?;
    script.sql("; ");
    if let Some(entry) = audit {
        audit::add(&mut script, now, Some(run_id), entry);
    }
    script.sql("COMMIT");
    let mut rows = turn.commit(script).await.map_err(failed)?;
    give_up::announce(store, &mut rows, 1).map_err(failed)?;
    kin::announce(store, &mut rows, 2).map_err(failed)?;
    store.hub.announce_end(run_id, || Ending::terminated(reason));
    Ok(Some(ChangeOutcome::Changed))
}

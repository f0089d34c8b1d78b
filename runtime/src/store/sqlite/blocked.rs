//! Blocked runs, and those who can go on with them.

use super::claim::{add_inboxes, read_runs};
use super::script::{MAX_ROWS, Script};
use super::workers::IS_VALID;
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::rows::{BlockedRow, is_adoptable};
use crate::store::{BlockedRun, ClaimedRun, WorkerLease};

/// In the order of the index, of which few runs are a part, whatever the planner has seen of them.
const FIND: &str = concat!(
    "SELECT run_id, step_no, workflow, blocked FROM piton_runs \
     INDEXED BY piton_runs_adoptable WHERE ",
    is_adoptable!(),
    " AND run_id > ? AND +workflow IN ("
);

const ADOPT: &str = "BEGIN IMMEDIATE; UPDATE piton_runs \
    SET status = 'running', blocked = NULL, worker_id = ?, epoch = ? \
    WHERE status = 'blocked' AND EXISTS (SELECT 1 FROM piton_workers \
    WHERE worker_id = ? AND epoch = ? AND lease_expires_at > ?) AND run_id IN (";

const ADOPTED: &str = ") RETURNING run_id, workflow_id, workflow, step_no, snapshot, takeovers, \
    inbox_count; ";

pub(super) async fn find(
    store: &SqliteStore,
    workflows: &[&str],
    after: Option<RunId>,
    limit: u32,
) -> Result<Vec<BlockedRun>, StoreError> {
    let mut found = Vec::new();
    for workflows in workflows.chunks(MAX_ROWS) {
        let after = after.map_or(Vec::new(), |after| after.as_uuid().as_bytes().to_vec());
        let mut script = Script::new();
        script.sql(FIND).bind(after).values(1, workflows.iter(), |script, name| {
            script.bind((*name).to_owned());
        });
        script.sql(") ORDER BY run_id LIMIT ?").bind(limit);
        let rows = store.read(script).await.and_then(|mut rows| rows.read::<BlockedRow>(0));
        for row in rows.map_err(failed("find_blocked"))? {
            found.push(BlockedRun::try_from(row)?);
        }
    }
    found.sort_by_key(|run| run.run_id);
    found.truncate(limit as usize);
    Ok(found)
}

pub(super) async fn adopt(
    store: &SqliteStore,
    worker: WorkerLease,
    run_ids: &[RunId],
    inbox_limit: u32,
) -> Result<Vec<ClaimedRun>, StoreError> {
    let failed = failed("adopt_blocked");
    let now = store.time();
    let mut script = Script::new();
    script.sql(IS_VALID).bind_validity(worker, now);
    if !store.read(script).await.map_err(failed)?.any(0) {
        return Err(StoreError::Fenced);
    }
    let mut adopted = Vec::with_capacity(run_ids.len());
    for run_ids in run_ids.chunks(MAX_ROWS) {
        let mut script = Script::new();
        script.sql(ADOPT).bind(worker.worker_id.0).bind(worker.epoch.0);
        script.bind_validity(worker, now).values(1, run_ids.iter(), |script, run_id| {
            script.bind(run_id.as_uuid());
        });
        script.sql(ADOPTED);
        add_inboxes(&mut script, run_ids, worker, inbox_limit);
        script.sql("; COMMIT");
        let mut rows = store.turn().await.transact(script).await.map_err(failed)?;
        adopted.extend(read_runs(&mut rows, 1, inbox_limit, failed)?);
    }
    adopted.sort_by_key(|run| run.run_id);
    Ok(adopted)
}

//! Blocked runs: finding and adopting them.

use super::claim::{add_inboxes, read_runs};
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::rows::{BlockedRow, claim_columns, is_adoptable, workers_died};
use crate::store::sqlite::script::{MAX_ROWS, Script};
use crate::store::sqlite::workers::IS_VALID;
use crate::store::sqlite::{SqliteStore, failed};
use crate::store::{BlockedRun, ClaimedRun, WorkerLease};

/// In the order of the partial index, whatever the planner's statistics are.
const FIND: &str = concat!(
    "SELECT run_id, step_no, workflow, blocked FROM piton_runs \
     INDEXED BY piton_runs_adoptable WHERE ",
    is_adoptable!(),
    " AND run_id > ? AND +workflow IN ("
);

const ADOPT: &str = "BEGIN IMMEDIATE; UPDATE piton_runs \
    SET status = 'running', blocked = NULL, blocked_at = NULL, worker_id = ?, epoch = ? \
    WHERE status = 'blocked' AND EXISTS (SELECT 1 FROM piton_workers \
    WHERE worker_id = ? AND epoch = ? AND lease_expires_at > ?) AND run_id IN (";

const ADOPTED: &str = concat!(") RETURNING ", claim_columns!(), "; ");

pub(super) const UNBLOCK_RUN: &str = concat!(
    "UPDATE piton_runs SET status = 'running', blocked = NULL, blocked_at = NULL, due_at = ?, takeovers = CASE WHEN ",
    workers_died!("blocked"),
    " THEN min(takeovers, 1) ELSE takeovers END \
     WHERE run_id = ? AND status = 'blocked' RETURNING 1"
);

const UNBLOCK_WORKFLOWS: &str = concat!(
    "UPDATE piton_runs SET status = 'running', blocked = NULL, blocked_at = NULL, due_at = ? \
     WHERE status = 'blocked' AND NOT ",
    workers_died!("blocked"),
    " AND workflow IN ("
);

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
            found.push(BlockedRun::from(row));
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
    let now = store.moment();
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

pub(super) async fn unblock(
    store: &SqliteStore,
    workflows: &[&str],
    run_id: Option<RunId>,
) -> Result<u64, StoreError> {
    let now = store.time().as_micros();
    let mut unblocked = 0;
    let mut scripts = Vec::new();
    if let Some(run_id) = run_id {
        let mut script = Script::new();
        script.sql(UNBLOCK_RUN).bind(now).bind(run_id.as_uuid());
        scripts.push(script);
    } else {
        for workflows in workflows.chunks(MAX_ROWS) {
            let mut script = Script::new();
            script.sql(UNBLOCK_WORKFLOWS).bind(now).values(1, workflows.iter(), |script, name| {
                script.bind((*name).to_owned());
            });
            script.sql(") RETURNING 1");
            scripts.push(script);
        }
    }
    for script in scripts {
        let rows = store.turn().await.run(script).await;
        unblocked += rows.map_err(failed("unblock_runs"))?.of(0).len() as u64;
    }
    if unblocked > 0 {
        store.hub.announce_due();
    }
    Ok(unblocked)
}

//! Runs that are over are removed after a while.

use async_trait::async_trait;
use sqlx::FromRow;
use uuid::Uuid;

use super::script::{MAX_ROWS, Script};
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::rows::{first_of, last_of};
use crate::store::{RemoveClosed, Removed, Retention};

/// From one name to the next.
const WORKFLOWS: &str = "WITH RECURSIVE named (workflow) AS (\
    SELECT min(workflow) FROM piton_runs WHERE closed_at IS NOT NULL \
    UNION ALL SELECT (SELECT min(workflow) FROM piton_runs \
    WHERE closed_at IS NOT NULL AND workflow > named.workflow) FROM named WHERE workflow IS NOT NULL) \
    SELECT workflow FROM named WHERE workflow IS NOT NULL";

/// Those of a workflow that closed until then, behind a place.
macro_rules! old {
    () => {
        " FROM piton_runs AS run INDEXED BY piton_runs_closed WHERE workflow = ? AND closed_at IS NOT NULL \
         AND closed_at <= ? AND (closed_at, run_id) > (?, ?) ORDER BY closed_at, run_id LIMIT ?"
    };
}

const LOOK: &str = concat!("SELECT 1", old!());

const FIND: &str = concat!(
    "BEGIN IMMEDIATE; SELECT run_id, closed_at, ",
    first_of!("run.run_id"),
    " AS chain, NOT EXISTS (SELECT 1 FROM piton_outbox AS sent WHERE sent.run_id = run.run_id) \
     AND (has_kin IS NULL OR NOT EXISTS (SELECT 1 FROM piton_children AS child JOIN piton_runs AS parent \
     ON parent.run_id = ",
    last_of!("child.parent_chain"),
    " WHERE parent.closed_at IS NULL AND child.child_id = ",
    first_of!("run.run_id"),
    ")) AS is_removable",
    old!()
);

/// Everything that is the runs' alone. Messages on their way, dead letters and audit entries stay, and promises go
/// with their runs.
const DELETE: [&str; 13] = [
    "DELETE FROM piton_run_inputs WHERE run_id IN (",
    "DELETE FROM piton_inbox WHERE run_id IN (",
    "DELETE FROM piton_arrival_keys WHERE run_id IN (",
    "DELETE FROM piton_update_replies WHERE run_id IN (",
    "DELETE FROM piton_child_waits WHERE run_id IN (",
    "DELETE FROM piton_chains WHERE run_id IN (",
    "DELETE FROM piton_activities WHERE run_id IN (",
    "DELETE FROM piton_history WHERE run_id IN (",
    "DELETE FROM piton_attributes WHERE run_id IN (",
    "DELETE FROM piton_memos WHERE run_id IN (",
    "DELETE FROM piton_terms WHERE run_id IN (",
    "DELETE FROM piton_pauses WHERE run_id IN (",
    "DELETE FROM piton_runs WHERE run_id IN (",
];

/// Of chains that are gone as a whole: the rows by which they are children, and those of their children whose policies
/// need not be applied any more.
const DELETE_CHILDREN: [&str; 2] = [
    "DELETE FROM piton_children WHERE NOT EXISTS (SELECT 1 FROM piton_runs AS run WHERE run.run_id = child_id) \
     AND NOT EXISTS (SELECT 1 FROM piton_chains AS link WHERE link.first_run_id = child_id) AND child_id IN (",
    "DELETE FROM piton_children WHERE is_attached = 0 \
     AND NOT EXISTS (SELECT 1 FROM piton_runs AS run WHERE run.run_id = parent_chain) \
     AND NOT EXISTS (SELECT 1 FROM piton_chains AS link WHERE link.first_run_id = parent_chain) \
     AND parent_chain IN (",
];

#[derive(FromRow)]
struct OldRow {
    run_id: Uuid,
    closed_at: i64,
    chain: Uuid,
    is_removable: bool,
}

#[async_trait]
impl Retention for SqliteStore {
    async fn closed_workflows(&self) -> Result<Vec<String>, StoreError> {
        let mut script = Script::new();
        script.sql(WORKFLOWS);
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<(String,)>(0));
        let rows = rows.map_err(failed("closed_workflows"))?;
        Ok(rows.into_iter().map(|(workflow,)| workflow).collect())
    }

    async fn remove_closed(&self, request: RemoveClosed<'_>) -> Result<Removed, StoreError> {
        let failed = failed("remove_closed");
        let before = self.time() - request.age;
        let limit = request.limit.min(MAX_ROWS as u32);
        let ask = |sql, limit: u32| {
            let (closed_at, run_id) = match request.after {
                Some((closed_at, run_id)) => (closed_at.as_micros(), run_id.as_uuid()),
                None => (i64::MIN, Uuid::nil()),
            };
            let mut script = Script::new();
            script.sql(sql).bind(request.workflow.to_owned()).bind(before.as_micros());
            script.bind(closed_at).bind(run_id).bind(limit);
            script
        };
        // Everybody looks now and then, so this must not take the write lock.
        if !self.read(ask(LOOK, 1)).await.map_err(failed)?.any(0) {
            return Ok(Removed::default());
        }
        let mut turn = self.turn().await;
        let mut rows = turn.begin(ask(FIND, limit)).await.map_err(failed)?;
        let rows = rows.read::<OldRow>(1).map_err(failed)?;
        let last = rows.last().map(|row| (Timestamp(row.closed_at), row.run_id.into()));
        let next = last.filter(|_| rows.len() == limit as usize);
        let removed: Vec<(Uuid, Uuid)> =
            rows.iter().filter(|row| row.is_removable).map(|row| (row.run_id, row.chain)).collect();
        if removed.is_empty() {
            turn.roll_back().await;
            return Ok(Removed { runs: 0, next });
        }
        let mut script = Script::new();
        add_removal(&mut script, &removed);
        script.sql("COMMIT");
        turn.commit(script).await.map_err(failed)?;
        Ok(Removed { runs: removed.len() as u64, next })
    }
}

/// Removes runs that are over, each with the first run of its chain; at most [`MAX_ROWS`].
pub(super) fn add_removal(script: &mut Script, runs: &[(Uuid, Uuid)]) {
    for statement in DELETE {
        script.sql(statement).values(1, runs.iter(), |script, (run_id, _)| {
            script.bind(*run_id);
        });
        script.sql("); ");
    }
    for statement in DELETE_CHILDREN {
        script.sql(statement).values(1, runs.iter(), |script, (_, chain)| {
            script.bind(*chain);
        });
        script.sql("); ");
    }
}

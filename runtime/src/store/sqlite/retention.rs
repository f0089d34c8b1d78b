//! Removing old closed runs.

use async_trait::async_trait;
use sqlx::FromRow;
use uuid::Uuid;

use super::script::{MAX_ROWS, Script};
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::model::{PromiseKey, PromiseScope, Timestamp};
use crate::store::rows::{first_of, last_of};
use crate::store::{
    ClosedPart, RemoveClosed, RemovePromises, Removed, RemovedPromises, Retention, StripClosed,
    Stripped,
};

/// Skips from one name to the next.
pub(super) const WORKFLOWS: &str = "WITH RECURSIVE named (workflow) AS (\
    SELECT min(workflow) FROM piton_runs WHERE closed_at IS NOT NULL \
    UNION ALL SELECT (SELECT min(workflow) FROM piton_runs \
    WHERE closed_at IS NOT NULL AND workflow > named.workflow) FROM named WHERE workflow IS NOT NULL) \
    SELECT workflow FROM named WHERE workflow IS NOT NULL";

/// The runs of a workflow that had closed by then, after a place.
macro_rules! old {
    () => {
        " FROM piton_runs AS run INDEXED BY piton_runs_closed WHERE workflow = ? AND closed_at IS NOT NULL \
         AND closed_at <= ? AND (closed_at, run_id) > (?, ?) ORDER BY closed_at, run_id LIMIT ?"
    };
}

pub(super) const LOOK: &str = concat!("SELECT 1", old!());

/// The condition that no open run may ask for it as its child.
macro_rules! has_no_open_parent {
    () => {
        concat!(
            "(has_kin IS NULL OR NOT EXISTS (SELECT 1 FROM piton_children AS child JOIN piton_runs AS parent \
             ON parent.run_id = ",
            last_of!("child.parent_chain"),
            " WHERE parent.closed_at IS NULL AND child.child_id = ",
            first_of!("run.run_id"),
            "))"
        )
    };
}

pub(super) const FIND: &str = concat!(
    "BEGIN IMMEDIATE; SELECT run_id, closed_at, ",
    first_of!("run.run_id"),
    " AS chain, NOT EXISTS (SELECT 1 FROM piton_outbox AS sent WHERE sent.run_id = run.run_id) AND ",
    has_no_open_parent!(),
    " AS is_removable",
    old!()
);

pub(super) const WITH_PAYLOADS: &str = concat!(
    "SELECT run_id, closed_at, \
     EXISTS (SELECT 1 FROM piton_run_inputs AS input WHERE input.run_id = run.run_id) AND ",
    has_no_open_parent!(),
    " AS has_part",
    old!()
);

pub(super) const WITH_KEYS: &str = concat!(
    "SELECT run_id, closed_at, \
     EXISTS (SELECT 1 FROM piton_arrival_keys AS known WHERE known.run_id = run.run_id) \
     OR EXISTS (SELECT 1 FROM piton_update_replies AS reply WHERE reply.run_id = run.run_id) AS has_part",
    old!()
);

/// An operator may have reopened a run since it was found.
macro_rules! of_closed {
    ($statement:literal) => {
        concat!(
            $statement,
            " WHERE run_id IN (SELECT run_id FROM piton_runs WHERE closed_at IS NOT NULL AND run_id IN ("
        )
    };
}

const STRIP_PAYLOADS: [&str; 5] = [
    of_closed!("DELETE FROM piton_run_inputs"),
    of_closed!("DELETE FROM piton_inbox"),
    of_closed!("DELETE FROM piton_history"),
    of_closed!("UPDATE piton_terms SET last_result = NULL"),
    of_closed!("UPDATE piton_runs INDEXED BY piton_runs_run_id SET result = NULL, snapshot = x''"),
];

const STRIP_KEYS: [&str; 2] =
    [of_closed!("DELETE FROM piton_arrival_keys"), of_closed!("DELETE FROM piton_update_replies")];

const PROMISES: &str = "SELECT name, completed_at <= ?1 AND due_at IS NULL AND NOT EXISTS (\
    SELECT 1 FROM piton_promise_waits AS wait WHERE wait.scope = promise.scope AND wait.name = promise.name) \
    AS is_over FROM piton_promises AS promise WHERE scope = 'shared' AND (?2 IS NULL OR name > ?2) \
    ORDER BY name LIMIT ?3";

const REMOVE_PROMISES: &str = "BEGIN IMMEDIATE; DELETE FROM piton_promises WHERE scope = 'shared' \
    AND completed_at IS NOT NULL AND due_at IS NULL AND NOT EXISTS (SELECT 1 FROM piton_promise_waits AS wait \
    WHERE wait.scope = piton_promises.scope AND wait.name = piton_promises.name) AND name IN (";

/// Everything that is the runs' alone. Messages on their way, dead letters and audit entries stay, and promises go
/// with their runs.
const DELETE: [&str; 14] = [
    "DELETE FROM piton_run_inputs WHERE run_id IN (",
    "DELETE FROM piton_inbox WHERE run_id IN (",
    "DELETE FROM piton_arrival_keys WHERE run_id IN (",
    "DELETE FROM piton_update_replies WHERE run_id IN (",
    "DELETE FROM piton_child_waits WHERE run_id IN (",
    "DELETE FROM piton_chains WHERE run_id IN (",
    "DELETE FROM piton_activities WHERE run_id IN (",
    "DELETE FROM piton_failed_calls WHERE run_id IN (",
    "DELETE FROM piton_history WHERE run_id IN (",
    "DELETE FROM piton_attributes WHERE run_id IN (",
    "DELETE FROM piton_memos WHERE run_id IN (",
    "DELETE FROM piton_terms WHERE run_id IN (",
    "DELETE FROM piton_pauses WHERE run_id IN (",
    "DELETE FROM piton_runs WHERE run_id IN (",
];

/// For chains that are gone entirely: the rows by which they are children, and those of their own children, except
/// those whose policies still have to be applied.
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

#[derive(FromRow)]
struct PartRow {
    run_id: Uuid,
    closed_at: i64,
    has_part: bool,
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
        // Every worker checks regularly, so this must not take the write lock.
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

    async fn strip_closed(&self, request: StripClosed<'_>) -> Result<Stripped, StoreError> {
        let failed = failed("strip_closed");
        let limit = request.limit.min(MAX_ROWS as u32);
        let (find, strip): (_, &[&str]) = match request.part {
            ClosedPart::Payloads => (WITH_PAYLOADS, &STRIP_PAYLOADS),
            ClosedPart::Keys => (WITH_KEYS, &STRIP_KEYS),
        };
        let (closed_at, run_id) = match request.after {
            Some((closed_at, run_id)) => (closed_at.as_micros(), run_id.as_uuid()),
            None => (i64::MIN, Uuid::nil()),
        };
        let before = self.time() - request.age;
        let mut script = Script::new();
        script.sql(find).bind(request.workflow.to_owned()).bind(before.as_micros());
        script.bind(closed_at).bind(run_id).bind(limit);
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<PartRow>(0));
        let rows = rows.map_err(failed)?;
        let last = rows.last().map(|row| (Timestamp(row.closed_at), row.run_id.into()));
        let has_more = rows.len() == limit as usize;
        let stripped: Vec<Uuid> =
            rows.iter().filter(|row| row.has_part).map(|row| row.run_id).collect();
        if !stripped.is_empty() {
            let mut script = Script::new();
            script.sql("BEGIN IMMEDIATE; ");
            for statement in strip {
                script.sql(statement).values(1, stripped.iter(), |script, run_id| {
                    script.bind(*run_id);
                });
                script.sql(")); ");
            }
            script.sql("COMMIT");
            self.turn().await.run(script).await.map_err(failed)?;
        }
        Ok(Stripped { runs: stripped.len() as u64, last, has_more })
    }

    async fn remove_shared_promises(
        &self,
        request: RemovePromises<'_>,
    ) -> Result<RemovedPromises, StoreError> {
        let failed = failed("remove_shared_promises");
        let limit = request.limit.min(MAX_ROWS as u32);
        let mut script = Script::new();
        script.sql(PROMISES).bind((self.time() - request.age).as_micros());
        script.bind(request.after.map(|key| key.name.clone())).bind(limit);
        let rows =
            self.read(script).await.and_then(|mut rows| rows.read::<(String, Option<bool>)>(0));
        let rows = rows.map_err(failed)?;
        let is_full = rows.len() == limit as usize;
        let next = rows.last().filter(|_| is_full).map(|(name, _)| shared(name.clone()));
        let over: Vec<String> = rows
            .into_iter()
            .filter(|(_, is_over)| *is_over == Some(true))
            .map(|(name, _)| name)
            .collect();
        if over.is_empty() {
            return Ok(RemovedPromises { promises: 0, next });
        }
        let mut script = Script::new();
        script.sql(REMOVE_PROMISES).values(1, over.iter(), |script, name| {
            script.bind(name.clone());
        });
        script.sql("); COMMIT");
        self.turn().await.run(script).await.map_err(failed)?;
        Ok(RemovedPromises { promises: over.len() as u64, next })
    }
}

fn shared(name: String) -> PromiseKey {
    PromiseKey { scope: PromiseScope::Shared, name }
}

/// Removes closed runs, each with the first run of its chain; at most [`MAX_ROWS`].
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

//! Removing old closed runs.

use async_trait::async_trait;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::transaction::Transaction;
use super::{PostgresStore, failed};
use crate::error::StoreError;
use crate::model::{PromiseKey, PromiseScope, Timestamp};
use crate::store::rows::{first_of, last_of};
use crate::store::{
    ClosedPart, RemoveClosed, RemovePromises, Removed, RemovedPromises, Retention, Store as _,
    StripClosed, Stripped,
};

/// Skips from one name to the next.
const WORKFLOWS: &str = "WITH RECURSIVE named AS (\
    SELECT min(workflow) AS workflow FROM piton_runs WHERE closed_at >= 0 \
    UNION ALL SELECT (SELECT min(workflow) FROM piton_runs \
    WHERE closed_at >= 0 AND workflow > named.workflow) FROM named WHERE workflow IS NOT NULL) \
    SELECT workflow FROM named WHERE workflow IS NOT NULL";

/// The runs of a workflow that had closed by then, after a place.
macro_rules! old {
    () => {
        " FROM piton_runs AS run WHERE workflow = $1 AND closed_at >= 0 AND closed_at <= $2 \
         AND (closed_at, run_id) > ($3, $4) ORDER BY closed_at, run_id"
    };
}

const LOOK: &str = concat!("SELECT 1", old!(), " LIMIT 1");

/// Of two concurrent removals, one gives way.
const LOCK: &str =
    "SELECT pg_try_advisory_xact_lock(hashtext('piton retention ' || current_schema()), 0)";

/// The condition that no open run may ask for it as its child.
macro_rules! has_no_open_parent {
    () => {
        concat!(
            "(has_kin IS NULL OR NOT EXISTS (SELECT FROM piton_children AS child JOIN piton_runs AS parent \
             ON parent.run_id = ",
            last_of!("child.parent_chain"),
            " WHERE parent.closed_at IS NULL AND child.child_id = ",
            first_of!("run.run_id"),
            "))"
        )
    };
}

const FIND: &str = concat!(
    "SELECT run_id, closed_at, NOT EXISTS (SELECT FROM piton_outbox AS sent WHERE sent.run_id = run.run_id) AND ",
    has_no_open_parent!(),
    " AS is_removable",
    old!(),
    " LIMIT $5 FOR UPDATE OF run SKIP LOCKED"
);

const WITH_PAYLOADS: &str = concat!(
    "SELECT run_id, closed_at, arguments IS NOT NULL AND ",
    has_no_open_parent!(),
    " AS has_part",
    old!(),
    " LIMIT $5"
);

const WITH_KEYS: &str = concat!(
    "SELECT run_id, closed_at, \
     EXISTS (SELECT FROM piton_arrival_keys AS known WHERE known.run_id = run.run_id) \
     OR EXISTS (SELECT FROM piton_update_replies AS reply WHERE reply.run_id = run.run_id) AS has_part",
    old!(),
    " LIMIT $5"
);

/// An operator may have reopened a run since it was found.
const LOCK_CLOSED: &str = "SELECT run_id FROM piton_runs WHERE run_id = ANY ($1) AND closed_at IS NOT NULL \
    ORDER BY run_id FOR UPDATE SKIP LOCKED";

const STRIP_PAYLOADS: [&str; 4] = [
    "DELETE FROM piton_inbox WHERE run_id = ANY ($1)",
    "DELETE FROM piton_history WHERE run_id = ANY ($1)",
    "UPDATE piton_terms SET last_result = NULL WHERE run_id = ANY ($1)",
    "UPDATE piton_runs SET arguments = NULL, result = NULL, snapshot = '' WHERE run_id = ANY ($1)",
];

const STRIP_KEYS: [&str; 2] = [
    "DELETE FROM piton_arrival_keys WHERE run_id = ANY ($1)",
    "DELETE FROM piton_update_replies WHERE run_id = ANY ($1)",
];

const PROMISES: &str = "SELECT name, completed_at <= $1 AND due_at IS NULL AND NOT EXISTS (\
    SELECT FROM piton_promise_waits AS wait WHERE wait.scope = promise.scope AND wait.name = promise.name) \
    AS is_over FROM piton_promises AS promise WHERE scope = 'shared' AND ($2::text IS NULL OR name > $2) \
    ORDER BY name LIMIT $3";

const REMOVE_PROMISES: &str = "DELETE FROM piton_promises AS promise WHERE scope = 'shared' \
    AND name = ANY ($1) AND completed_at IS NOT NULL AND due_at IS NULL AND NOT EXISTS (\
    SELECT FROM piton_promise_waits AS wait WHERE wait.scope = promise.scope AND wait.name = promise.name)";

const CHAINS: &str = concat!(
    "SELECT DISTINCT ",
    first_of!("named.run_id"),
    " FROM unnest($1::uuid[]) AS named (run_id)"
);

/// Everything that is the runs' alone. Messages on their way, dead letters and audit entries stay, and promises go
/// with their runs.
const DELETE: [&str; 13] = [
    "DELETE FROM piton_inbox WHERE run_id = ANY ($1)",
    "DELETE FROM piton_arrival_keys WHERE run_id = ANY ($1)",
    "DELETE FROM piton_update_replies WHERE run_id = ANY ($1)",
    "DELETE FROM piton_child_waits WHERE run_id = ANY ($1)",
    "DELETE FROM piton_chains WHERE run_id = ANY ($1)",
    "DELETE FROM piton_activities WHERE run_id = ANY ($1)",
    "DELETE FROM piton_failed_calls WHERE run_id = ANY ($1)",
    "DELETE FROM piton_history WHERE run_id = ANY ($1)",
    "DELETE FROM piton_attributes WHERE run_id = ANY ($1)",
    "DELETE FROM piton_memos WHERE run_id = ANY ($1)",
    "DELETE FROM piton_terms WHERE run_id = ANY ($1)",
    "DELETE FROM piton_pauses WHERE run_id = ANY ($1)",
    "DELETE FROM piton_runs WHERE run_id = ANY ($1)",
];

/// For chains that are gone entirely: the rows by which they are children, and those of their own children, except
/// those whose policies still have to be applied.
const DELETE_CHILDREN: &str = "WITH gone AS MATERIALIZED (SELECT chain FROM unnest($1::uuid[]) AS named (chain) \
    WHERE NOT EXISTS (SELECT FROM piton_runs WHERE run_id = chain) \
    AND NOT EXISTS (SELECT FROM piton_chains WHERE first_run_id = chain)), \
    own AS (DELETE FROM piton_children USING gone WHERE child_id = gone.chain) \
    DELETE FROM piton_children USING gone WHERE parent_chain = gone.chain AND NOT is_attached";

#[derive(FromRow)]
struct OldRow {
    run_id: Uuid,
    closed_at: i64,
    is_removable: bool,
}

#[derive(FromRow)]
struct PartRow {
    run_id: Uuid,
    closed_at: i64,
    has_part: bool,
}

#[async_trait]
impl Retention for PostgresStore {
    async fn closed_workflows(&self) -> Result<Vec<String>, StoreError> {
        self.answered("closed_workflows", async {
            let failed = failed("closed_workflows");
            let mut lane = self.pool.lane().await.map_err(failed)?;
            let names =
                sqlx::query_scalar(WORKFLOWS).fetch_all(lane.get()).await.map_err(failed)?;
            lane.done();
            Ok(names)
        })
        .await
    }

    async fn remove_closed(&self, request: RemoveClosed<'_>) -> Result<Removed, StoreError> {
        let before = self.now().await? - request.age;
        let removed = remove_closed(self, request, before);
        let removed = async { removed.await.map_err(failed("remove_closed")) };
        self.answered("remove_closed", removed).await
    }

    async fn strip_closed(&self, request: StripClosed<'_>) -> Result<Stripped, StoreError> {
        let before = self.now().await? - request.age;
        let stripped = strip_closed(self, request, before);
        let stripped = async { stripped.await.map_err(failed("strip_closed")) };
        self.answered("strip_closed", stripped).await
    }

    async fn remove_shared_promises(
        &self,
        request: RemovePromises<'_>,
    ) -> Result<RemovedPromises, StoreError> {
        let before = self.now().await? - request.age;
        let removed = remove_promises(self, request, before);
        let removed = async { removed.await.map_err(failed("remove_shared_promises")) };
        self.answered("remove_shared_promises", removed).await
    }
}

async fn strip_closed(
    store: &PostgresStore,
    request: StripClosed<'_>,
    before: Timestamp,
) -> Result<Stripped, sqlx::Error> {
    let (find, strip): (_, &[&str]) = match request.part {
        ClosedPart::Payloads => (WITH_PAYLOADS, &STRIP_PAYLOADS),
        ClosedPart::Keys => (WITH_KEYS, &STRIP_KEYS),
    };
    let (closed_at, run_id) = match request.after {
        Some((closed_at, run_id)) => (closed_at.as_micros(), run_id.as_uuid()),
        None => (i64::MIN, Uuid::nil()),
    };
    let mut lane = store.pool.lane().await?;
    let rows: Vec<PartRow> = sqlx::query_as(find)
        .bind(request.workflow)
        .bind(before.as_micros())
        .bind(closed_at)
        .bind(run_id)
        .bind(i64::from(request.limit))
        .fetch_all(lane.get())
        .await?;
    lane.done();
    let last = rows.last().map(|row| (Timestamp(row.closed_at), row.run_id.into()));
    let has_more = rows.len() == request.limit as usize;
    let found: Vec<Uuid> = rows.iter().filter(|row| row.has_part).map(|row| row.run_id).collect();
    if found.is_empty() {
        return Ok(Stripped { runs: 0, last, has_more });
    }
    let mut transaction = Transaction::begin(store).await?;
    let run_ids: Vec<Uuid> =
        sqlx::query_scalar(LOCK_CLOSED).bind(found).fetch_all(transaction.get()).await?;
    for statement in strip {
        sqlx::query(*statement).bind(&run_ids).execute(transaction.get()).await?;
    }
    transaction.commit().await?;
    Ok(Stripped { runs: run_ids.len() as u64, last, has_more })
}

async fn remove_promises(
    store: &PostgresStore,
    request: RemovePromises<'_>,
    before: Timestamp,
) -> Result<RemovedPromises, sqlx::Error> {
    let mut lane = store.pool.lane().await?;
    let rows: Vec<(String, Option<bool>)> = sqlx::query_as(PROMISES)
        .bind(before.as_micros())
        .bind(request.after.map(|key| key.name.as_str()))
        .bind(i64::from(request.limit))
        .fetch_all(lane.get())
        .await?;
    lane.done();
    let is_full = rows.len() == request.limit as usize;
    let last = rows.last().filter(|_| is_full).map(|(name, _)| name.clone());
    let next = last.map(|name| PromiseKey { scope: PromiseScope::Shared, name });
    let over = rows.into_iter().filter(|(_, is_over)| *is_over == Some(true));
    let over: Vec<String> = over.map(|(name, _)| name).collect();
    if over.is_empty() {
        return Ok(RemovedPromises { promises: 0, next });
    }
    let mut transaction = Transaction::begin(store).await?;
    let removed = sqlx::query(REMOVE_PROMISES).bind(over).execute(transaction.get()).await?;
    transaction.commit().await?;
    Ok(RemovedPromises { promises: removed.rows_affected(), next })
}

async fn remove_closed(
    store: &PostgresStore,
    request: RemoveClosed<'_>,
    before: Timestamp,
) -> Result<Removed, sqlx::Error> {
    let RemoveClosed { workflow, after, limit, .. } = request;
    let (closed_at, run_id) = match after {
        Some((closed_at, run_id)) => (closed_at.as_micros(), run_id.as_uuid()),
        None => (i64::MIN, Uuid::nil()),
    };
    let mut lane = store.pool.lane().await?;
    let found = sqlx::query(LOOK)
        .bind(workflow)
        .bind(before.as_micros())
        .bind(closed_at)
        .bind(run_id)
        .fetch_optional(lane.get())
        .await?;
    lane.done();
    if found.is_none() {
        return Ok(Removed::default());
    }
    let mut transaction = Transaction::begin(store).await?;
    if !sqlx::query_scalar::<_, bool>(LOCK).fetch_one(transaction.get()).await? {
        transaction.roll_back().await?;
        return Ok(Removed::default());
    }
    let rows: Vec<OldRow> = sqlx::query_as(FIND)
        .bind(workflow)
        .bind(before.as_micros())
        .bind(closed_at)
        .bind(run_id)
        .bind(i64::from(limit))
        .fetch_all(transaction.get())
        .await?;
    let last = rows.last().map(|row| (Timestamp(row.closed_at), row.run_id.into()));
    let next = last.filter(|_| rows.len() == limit as usize);
    let run_ids: Vec<Uuid> =
        rows.iter().filter(|row| row.is_removable).map(|row| row.run_id).collect();
    if !run_ids.is_empty() {
        remove(transaction.get(), &run_ids).await?;
    }
    transaction.commit().await?;
    Ok(Removed { runs: run_ids.len() as u64, next })
}

/// Removes closed, locked runs.
pub(super) async fn remove(
    connection: &mut PgConnection,
    run_ids: &[Uuid],
) -> Result<(), sqlx::Error> {
    let chains: Vec<Uuid> =
        sqlx::query_scalar(CHAINS).bind(run_ids).fetch_all(&mut *connection).await?;
    for statement in DELETE {
        sqlx::query(statement).bind(run_ids).execute(&mut *connection).await?;
    }
    sqlx::query(DELETE_CHILDREN).bind(chains).execute(connection).await?;
    Ok(())
}

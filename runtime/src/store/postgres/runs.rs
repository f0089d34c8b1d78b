//! Runs come in, and are ended or set going again from outside.

use std::collections::{HashMap, HashSet};

use sqlx::Row as _;
use sqlx::error::DatabaseError;
use uuid::Uuid;

use super::activities::{self, Changes};
use super::transaction::Transaction;
use super::{PostgresStore, failed, kept, named_after, named_by, now};
use crate::error::StoreError;
use crate::model::{RunId, Timestamp};
use crate::store::recipients::distinct;
use crate::store::rows::{workers_died, write_arrival};
use crate::store::{Ending, NewRun, StartOutcome};

/// A conflict waits for the other start to end, which is why runs come in the order of their ids.
/// What has been there before is left out; what comes at the same time fails the statement, which
/// costs less than `ON CONFLICT`, by which each row would be written to the log twice. `named` is the
/// run whose id somebody else gives to his run as a workflow id. A run whose own id stands for it is
/// not looked for: nobody can have known that id before.
///
/// `IS TRUE` makes the planner look the runs inserted up in a hash table; joined to them, a batch of n
/// would be n² comparisons. Subqueries as values are looked up one by one, whatever the planner has
/// seen of the table.
const INSERT: &str = concat!(
    "WITH clock AS MATERIALIZED ",
    now!(),
    ", valid AS MATERIALIZED (SELECT worker_id, epoch FROM piton_workers AS worker, clock \
     WHERE (worker_id, epoch) IN (SELECT * FROM unnest($2::bigint[], $3::bigint[])) \
     AND lease_expires_at > clock.now ORDER BY worker_id FOR KEY SHARE OF worker), \
     new AS MATERIALIZED (SELECT unnest($4::uuid[]) AS run_id, unnest($5::text[]) AS workflow_id, \
     unnest($15::uuid[]) AS named, unnest($6::text[]) AS workflow, unnest($7::text[]) AS state, \
     unnest($8::bytea[]) AS snapshot, unnest($9::bytea[]) AS arguments, \
     unnest($10::bigint[]) AS start_at, unnest($11::bigint[]) AS worker_id, \
     unnest($12::bigint[]) AS epoch, unnest($13::bytea[]) AS arrival, \
     unnest($14::text[]) AS dedup_key), \
     inserted AS (INSERT INTO piton_runs (run_id, workflow_id, workflow, status, worker_id, epoch, \
     due_at, started_at, state, snapshot, inbox_count, arguments) \
     SELECT new.run_id, workflow_id, workflow, 'running', valid.worker_id, valid.epoch, \
     CASE WHEN valid.worker_id IS NULL THEN coalesce(start_at, clock.now) END, \
     clock.now, state, snapshot, CASE WHEN arrival IS NULL THEN 0 ELSE 1 END, arguments \
     FROM clock, new LEFT JOIN valid USING (worker_id, epoch) \
     WHERE (SELECT run_id FROM piton_runs AS open \
     WHERE open.workflow_id = new.workflow_id AND closed_at IS NULL) IS NULL \
     AND (SELECT run_id FROM piton_runs AS open \
     WHERE open.run_id = new.named AND open.workflow_id IS NULL AND closed_at IS NULL) IS NULL \
     RETURNING run_id, worker_id), \
     arrived AS (INSERT INTO piton_inbox (run_id, seq, arrival) \
     SELECT run_id, 1, arrival FROM new WHERE arrival IS NOT NULL \
     AND (run_id IN (SELECT run_id FROM inserted)) IS TRUE), \
     keyed AS (INSERT INTO piton_arrival_keys (run_id, dedup_key) \
     SELECT run_id, dedup_key FROM new WHERE dedup_key IS NOT NULL \
     AND (run_id IN (SELECT run_id FROM inserted)) IS TRUE) \
     SELECT run_id, worker_id IS NOT NULL FROM inserted"
);

const FIND_STARTED: &str = "SELECT run_id FROM piton_runs WHERE run_id = ANY ($1)";

const FIND_OPEN: &str = "SELECT workflow_id, run_id FROM piton_runs \
    WHERE closed_at IS NULL AND workflow_id = ANY ($1) \
    UNION ALL SELECT run_id::text, run_id FROM piton_runs \
    WHERE closed_at IS NULL AND workflow_id IS NULL AND run_id = ANY ($2)";

const TERMINATE: &str = concat!(
    "UPDATE piton_runs SET status = 'terminated', closed_at = clock.now, blocked = NULL, \
     due_at = NULL, worker_id = NULL, epoch = NULL, failure = $3 FROM ",
    now!(),
    " AS clock WHERE run_id = $2 AND closed_at IS NULL"
);

/// A statement of its own, to which the end that the update has waited for is visible.
const IS_TERMINATED: &str = "SELECT EXISTS (SELECT 1 FROM piton_runs \
    WHERE run_id = $1 AND status = 'terminated' AND failure = $2)";

const EMPTY_INBOX: &str = "DELETE FROM piton_inbox WHERE run_id = $1";

const UNBLOCK: &str = concat!(
    "UPDATE piton_runs AS run SET status = 'running', blocked = NULL, due_at = clock.now, \
     takeovers = CASE WHEN ",
    workers_died!("run.blocked"),
    " THEN least(run.takeovers, 1) ELSE run.takeovers END FROM ",
    now!(),
    " AS clock, (SELECT run_id FROM piton_runs WHERE status = 'blocked' \
     AND CASE WHEN $2::uuid IS NULL THEN workflow = ANY ($3) AND NOT ",
    workers_died!("blocked"),
    " ELSE run_id = $2 END \
     ORDER BY run_id FOR UPDATE) AS blocked WHERE ",
    named_by!("run", "blocked")
);

/// Starts what can be started, then finds out what stood in the way of the rest. If that is gone
/// by then, the rest is tried again.
pub(super) async fn start(
    store: &PostgresStore,
    runs: Vec<NewRun>,
) -> Result<Vec<StartOutcome>, StoreError> {
    let failed = failed("start_runs");
    let mut outcomes: Vec<Option<StartOutcome>> = vec![None; runs.len()];
    loop {
        let left: Vec<usize> = (0..runs.len()).filter(|at| outcomes[*at].is_none()).collect();
        if left.is_empty() {
            break;
        }
        let (mut seen, mut named) = (HashSet::new(), HashSet::new());
        let mut these: Vec<&NewRun> = left.iter().map(|at| &runs[*at]).collect();
        these.retain(|run| seen.insert(run.run_id) && named.insert(run.workflow_id.as_str()));
        these.sort_by(|one, other| one.workflow_id.cmp(&other.workflow_id));
        // Somebody who came at the same time is there now, and stands in the way of some.
        let mut inserted = match insert(store, &these).await {
            Err(error) if is_conflict(&error) => HashMap::new(),
            inserted => inserted.map_err(failed)?,
        };
        if inserted.values().any(|owned| !owned) {
            store.news.due();
        }
        for at in &left {
            let owned = inserted.remove(&runs[*at].run_id);
            outcomes[*at] = owned.map(|owned| StartOutcome::Started { owned });
        }
        let refused: Vec<usize> = left.into_iter().filter(|at| outcomes[*at].is_none()).collect();
        if !refused.is_empty() {
            explain(store, &runs, &refused, &mut outcomes).await.map_err(failed)?;
        }
    }
    Ok(outcomes.into_iter().flatten().collect())
}

/// Returns the runs inserted, each with whether it has got its owner.
async fn insert(
    store: &PostgresStore,
    runs: &[&NewRun],
) -> Result<HashMap<RunId, bool>, sqlx::Error> {
    let owners = distinct(runs.iter().filter_map(|run| run.owner));
    let owner_ids: Vec<i64> = owners.iter().map(|owner| owner.worker_id.0).collect();
    let owner_epochs: Vec<i64> = owners.iter().map(|owner| owner.epoch.0).collect();
    let firsts = runs.iter().map(|run| run.first.as_ref());
    let arrivals: Result<Vec<_>, _> = firsts
        .clone()
        .map(|first| first.map(|first| write_arrival(&first.kind)).transpose())
        .collect();
    let arrivals = arrivals.map_err(|error| sqlx::Error::Encode(error.into()))?;
    let keys: Vec<Option<&str>> = firsts.map(|first| first?.dedup_key.as_deref()).collect();
    let (workflow_ids, named): (Vec<_>, Vec<_>) = runs.iter().map(|run| name(run)).unzip();
    let mut lane = store.calls.lane().await?;
    let rows = sqlx::query(INSERT)
        .bind(store.given_time())
        .bind(owner_ids)
        .bind(owner_epochs)
        .bind(runs.iter().map(|run| run.run_id.as_uuid()).collect::<Vec<_>>())
        .bind(workflow_ids)
        .bind(runs.iter().map(|run| run.workflow.as_str()).collect::<Vec<_>>())
        .bind(runs.iter().map(|run| run.state.as_str()).collect::<Vec<_>>())
        .bind(runs.iter().map(|run| run.snapshot.as_slice()).collect::<Vec<_>>())
        .bind(runs.iter().map(|run| run.arguments.as_bytes()).collect::<Vec<_>>())
        .bind(runs.iter().map(|run| run.start_at.map(Timestamp::as_micros)).collect::<Vec<_>>())
        .bind(runs.iter().map(|run| run.owner.map(|owner| owner.worker_id.0)).collect::<Vec<_>>())
        .bind(runs.iter().map(|run| run.owner.map(|owner| owner.epoch.0)).collect::<Vec<_>>())
        .bind(arrivals)
        .bind(keys)
        .bind(named)
        .fetch_all(lane.get())
        .await;
    // What the server refuses is no fault of the connection.
    if rows.as_ref().err().is_none_or(is_conflict) {
        lane.done();
    }
    let rows = rows?;
    let inserted = rows.iter().map(|row| Ok((row.try_get::<Uuid, _>(0)?.into(), row.try_get(1)?)));
    inserted.collect()
}

/// The workflow id, unless the run's own stands for it, and the other run whose id it is.
fn name(run: &NewRun) -> (Option<&str>, Option<Uuid>) {
    match named_after(&run.workflow_id) {
        Some(own) if own == run.run_id.as_uuid() => (None, None),
        other => (Some(&run.workflow_id), other),
    }
}

/// Whether there is a run already that one of those to be inserted would be a second of.
fn is_conflict(error: &sqlx::Error) -> bool {
    let refused = |error: &dyn DatabaseError| {
        error.is_unique_violation() && error.table() == Some("piton_runs")
    };
    error.as_database_error().is_some_and(refused)
}

async fn explain(
    store: &PostgresStore,
    runs: &[NewRun],
    refused: &[usize],
    outcomes: &mut [Option<StartOutcome>],
) -> Result<(), sqlx::Error> {
    let mut connection = store.connection().await?;
    let run_ids: Vec<Uuid> = refused.iter().map(|at| runs[*at].run_id.as_uuid()).collect();
    let started: Vec<Uuid> =
        sqlx::query_scalar(FIND_STARTED).bind(run_ids).fetch_all(&mut *connection).await?;
    let started: HashSet<RunId> = started.into_iter().map(RunId::from).collect();
    let ids: Vec<&str> = refused.iter().map(|at| runs[*at].workflow_id.as_str()).collect();
    let named: Vec<Uuid> = ids.iter().filter_map(|id| named_after(id)).collect();
    let open: Vec<(String, Uuid)> =
        sqlx::query_as(FIND_OPEN).bind(ids).bind(named).fetch_all(&mut *connection).await?;
    let open: HashMap<String, Uuid> = open.into_iter().collect();
    for at in refused {
        let run = &runs[*at];
        outcomes[*at] = if started.contains(&run.run_id) {
            Some(StartOutcome::Repeated)
        } else {
            open.get(&run.workflow_id)
                .map(|run_id| StartOutcome::IdTaken { run_id: (*run_id).into() })
        };
    }
    Ok(())
}

pub(super) async fn terminate(
    store: &PostgresStore,
    run_id: RunId,
    reason: &str,
) -> Result<bool, StoreError> {
    let terminated = try_terminate(store, run_id, reason).await.map_err(failed("terminate_run"))?;
    Ok(match terminated {
        Terminated::Now(changes) => {
            store.news.ended(run_id, || Ending::terminated(reason));
            changes.announce(store);
            true
        }
        Terminated::Before => true,
        Terminated::Never => false,
    })
}

/// Whether a run has been terminated for some reason.
enum Terminated {
    /// By this call.
    Now(Changes),
    Before,
    Never,
}

async fn try_terminate(
    store: &PostgresStore,
    run_id: RunId,
    reason: &str,
) -> Result<Terminated, sqlx::Error> {
    let key = run_id.as_uuid();
    let mut transaction = Transaction::begin(store).await?;
    let terminated = sqlx::query(TERMINATE)
        .bind(store.given_time())
        .bind(key)
        .bind(kept(reason))
        .execute(transaction.get())
        .await?;
    if terminated.rows_affected() == 0 {
        let is_terminated = sqlx::query_scalar(IS_TERMINATED)
            .bind(key)
            .bind(kept(reason))
            .fetch_one(transaction.get())
            .await?;
        transaction.roll_back().await?;
        return Ok(if is_terminated { Terminated::Before } else { Terminated::Never });
    }
    sqlx::query(EMPTY_INBOX).bind(key).execute(transaction.get()).await?;
    let changes = activities::remove_all(transaction.get(), run_id).await?;
    transaction.commit().await?;
    Ok(Terminated::Now(changes))
}

pub(super) async fn unblock(
    store: &PostgresStore,
    workflows: &[&str],
    run_id: Option<RunId>,
) -> Result<u64, StoreError> {
    let failed = failed("unblock_runs");
    let mut connection = store.connection().await.map_err(failed)?;
    let unblocked = sqlx::query(UNBLOCK)
        .bind(store.given_time())
        .bind(run_id.map(|run_id| run_id.as_uuid()))
        .bind(workflows)
        .execute(&mut *connection)
        .await
        .map_err(failed)?
        .rows_affected();
    if unblocked > 0 {
        store.news.due();
    }
    Ok(unblocked)
}

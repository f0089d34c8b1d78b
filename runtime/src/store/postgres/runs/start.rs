//! Starts of runs.

use std::collections::{HashMap, HashSet};

use sqlx::error::DatabaseError;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use crate::error::StoreError;
use crate::model::{RunId, Timestamp};
use crate::store::postgres::effects::attributes;
use crate::store::postgres::transaction::Transaction;
use crate::store::postgres::{PostgresStore, failed, lifecycle, named_after, now};
use crate::store::recipients::distinct;
use crate::store::rows::{NamedRow, write_arrival};
use crate::store::{NewRun, StartOutcome};

/// A conflict waits for the other start to end, so runs are inserted in the order of their ids. Runs that exist
/// already are skipped. A concurrent conflict fails the statement, which costs less than `ON CONFLICT`, with which
/// each row would be written to the log twice. `named` is an existing run whose id is the new run's workflow id.
/// For a new run whose own id is its workflow id there is no such check, since nobody can have known that id
/// before.
///
/// `IS TRUE` makes the planner look the inserted runs up in a hash table; with a join, a batch of n would take n²
/// comparisons. Scalar subqueries are looked up one by one, whatever the planner's statistics are.
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
     unnest($14::text[]) AS dedup_key, unnest($17::text[]) AS name, unnest($16::bigint[]) AS definition), \
     inserted AS (INSERT INTO piton_runs (run_id, workflow_id, workflow, status, worker_id, epoch, \
     due_at, started_at, state, snapshot, inbox_count, arguments, definition) \
     SELECT new.run_id, workflow_id, workflow, 'running', valid.worker_id, valid.epoch, \
     CASE WHEN valid.worker_id IS NULL THEN coalesce(start_at, clock.now) END, \
     clock.now, state, snapshot, CASE WHEN arrival IS NULL THEN 0 ELSE 1 END, arguments, \
     int8send(definition) \
     FROM clock, new LEFT JOIN valid USING (worker_id, epoch) \
     WHERE (SELECT run_id FROM piton_runs AS open \
     WHERE open.workflow_id = new.workflow_id AND closed_at IS NULL) IS NULL \
     AND (SELECT run_id FROM piton_runs AS open \
     WHERE open.run_id = new.named AND open.workflow_id IS NULL AND closed_at IS NULL) IS NULL \
     RETURNING run_id, worker_id), \
     arrived AS (INSERT INTO piton_inbox (run_id, seq, arrival, arrived_at) \
     SELECT run_id, 1, arrival, (SELECT now FROM clock) FROM new WHERE arrival IS NOT NULL \
     AND (run_id IN (SELECT run_id FROM inserted)) IS TRUE), \
     keyed AS (INSERT INTO piton_arrival_keys (run_id, dedup_key, name) \
     SELECT run_id, dedup_key, name FROM new WHERE dedup_key IS NOT NULL \
     AND (run_id IN (SELECT run_id FROM inserted)) IS TRUE) \
     SELECT run_id, worker_id IS NOT NULL AS is_owned FROM inserted"
);

pub(in crate::store::postgres) const FIND_STARTED: &str =
    "SELECT run_id FROM piton_runs WHERE run_id = ANY ($1)";

/// The open runs with these workflow ids, including runs whose own id is one of them.
pub(in crate::store::postgres) const FIND_OPEN: &str = "SELECT workflow_id, run_id FROM piton_runs \
    WHERE closed_at IS NULL AND workflow_id = ANY ($1) \
    UNION ALL SELECT run_id::text AS workflow_id, run_id FROM piton_runs \
    WHERE closed_at IS NULL AND workflow_id IS NULL AND run_id = ANY ($2)";

/// Starts the runs without a conflict, then finds the conflicting runs of the rest. If these are gone by then, the
/// rest is tried again.
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
        // Concurrent starts were first, and conflict with some of these.
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

/// A run that was inserted.
#[derive(FromRow)]
struct InsertedRow {
    run_id: Uuid,
    is_owned: bool,
}

/// Returns the inserted runs, each with whether it got its owner.
async fn insert(
    store: &PostgresStore,
    runs: &[&NewRun],
) -> Result<HashMap<RunId, bool>, sqlx::Error> {
    if runs.iter().any(|run| is_labelled(run)) {
        return insert_labelled(store, runs).await;
    }
    let mut lane = store.calls.lane().await?;
    let inserted = insert_rows(lane.get(), store, runs).await;
    // An error of the statement does not invalidate the connection.
    if inserted.as_ref().err().is_none_or(is_conflict) {
        lane.done();
    }
    inserted
}

fn is_labelled(run: &NewRun) -> bool {
    !run.attributes.is_empty() || !run.memo.is_empty() || run.terms.is_some()
}

/// The same with attributes, memos and terms, in one transaction.
async fn insert_labelled(
    store: &PostgresStore,
    runs: &[&NewRun],
) -> Result<HashMap<RunId, bool>, sqlx::Error> {
    let mut transaction = Transaction::begin_in(&store.calls).await?;
    let inserted = match insert_rows(transaction.get(), store, runs).await {
        Err(error) if is_conflict(&error) => {
            transaction.roll_back().await?;
            return Err(error);
        }
        inserted => inserted?,
    };
    let labelled = runs.iter().copied().filter(|run| inserted.contains_key(&run.run_id));
    let labelled: Vec<_> = labelled.collect();
    attributes::write_new(transaction.get(), &labelled).await?;
    for run in labelled {
        lifecycle::write(transaction.get(), store.given_time(), run).await?;
    }
    transaction.commit().await?;
    Ok(inserted)
}

pub(in crate::store::postgres) async fn insert_rows(
    connection: &mut PgConnection,
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
    let keys = firsts.clone().map(|first| first?.dedup_key.as_deref());
    let keys: Vec<Option<&str>> = keys.collect();
    let names: Vec<Option<&str>> = firsts.map(|first| first?.kind.name()).collect();
    let (workflow_ids, named): (Vec<_>, Vec<_>) = runs.iter().map(|run| name(run)).unzip();
    let rows: Vec<InsertedRow> = sqlx::query_as(INSERT)
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
        .bind(runs.iter().map(|run| run.definition.0.cast_signed()).collect::<Vec<_>>())
        .bind(names)
        .fetch_all(connection)
        .await?;
    Ok(rows.into_iter().map(|row| (row.run_id.into(), row.is_owned)).collect())
}

/// The workflow id, unless it is the run's own id; and the other run whose id it is.
fn name(run: &NewRun) -> (Option<&str>, Option<Uuid>) {
    match named_after(&run.workflow_id) {
        Some(own) if own == run.run_id.as_uuid() => (None, None),
        other => (Some(&run.workflow_id), other),
    }
}

/// Whether one of the runs to insert exists already.
pub(in crate::store::postgres) fn is_conflict(error: &sqlx::Error) -> bool {
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
    let mut lane = store.pool.lane().await?;
    let run_ids: Vec<Uuid> = refused.iter().map(|at| runs[*at].run_id.as_uuid()).collect();
    let started: Vec<Uuid> =
        sqlx::query_scalar(FIND_STARTED).bind(run_ids).fetch_all(lane.get()).await?;
    let started: HashSet<RunId> = started.into_iter().map(RunId::from).collect();
    let ids: Vec<&str> = refused.iter().map(|at| runs[*at].workflow_id.as_str()).collect();
    let named: Vec<Uuid> = ids.iter().filter_map(|id| named_after(id)).collect();
    let open: Vec<NamedRow> =
        sqlx::query_as(FIND_OPEN).bind(ids).bind(named).fetch_all(lane.get()).await?;
    lane.done();
    let open: HashMap<String, Uuid> =
        open.into_iter().map(|row| (row.workflow_id, row.run_id)).collect();
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

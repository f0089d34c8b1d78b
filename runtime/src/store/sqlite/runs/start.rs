//! Starts of runs.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use crate::error::StoreError;
use crate::model::{RunId, Timestamp};
use crate::store::recipients::distinct;
use crate::store::rows::NamedRow;
use crate::store::sqlite::clock::Moment;
use crate::store::sqlite::effects::attributes;
use crate::store::sqlite::lifecycle::add_terms;
use crate::store::sqlite::messages::add_arrivals;
use crate::store::sqlite::script::{MAX_ROWS, Script};
use crate::store::sqlite::workers::IS_VALID;
use crate::store::sqlite::{SqliteStore, Turn, failed};
use crate::store::{ArrivalOutcome, FirstArrival, NewArrival, NewRun, StartOutcome, WorkerLease};

const INSERT_RUN: &str = "INSERT INTO piton_runs \
    (run_id, workflow_id, workflow, status, worker_id, epoch, due_at, started_at, state, snapshot, \
    inbox_count, definition) \
    SELECT column1, column2, column3, 'running', column4, column5, column6, ?, column7, column8, \
    column9, column10 \
    FROM (";

const INSERT_INPUT: &str = "INSERT INTO piton_run_inputs (run_id, arguments) \
    SELECT column1, column2 FROM (";

/// Conflicting runs, and the owners with valid leases.
struct Obstacles {
    run_ids: HashSet<RunId>,
    open: HashMap<String, RunId>,
    valid: Vec<WorkerLease>,
}

pub(super) async fn start(
    store: &SqliteStore,
    runs: Vec<NewRun>,
) -> Result<Vec<StartOutcome>, StoreError> {
    let mut outcomes = Vec::with_capacity(runs.len());
    for runs in runs.chunks(MAX_ROWS) {
        outcomes.extend(start_some(store, runs).await?);
    }
    Ok(outcomes)
}

async fn start_some(store: &SqliteStore, runs: &[NewRun]) -> Result<Vec<StartOutcome>, StoreError> {
    let failed = failed("start_runs");
    let mut turn = store.turn().await;
    let now = store.moment();
    let mut obstacles = find_obstacles(&mut turn, runs, now).await.map_err(failed)?;
    let mut outcomes = Vec::with_capacity(runs.len());
    let mut new: Vec<(&NewRun, Option<WorkerLease>)> = Vec::with_capacity(runs.len());
    for run in runs {
        if !obstacles.run_ids.insert(run.run_id) {
            outcomes.push(StartOutcome::Repeated);
        } else if let Some(open) = obstacles.open.get(&run.workflow_id) {
            outcomes.push(StartOutcome::IdTaken { run_id: *open });
        } else {
            obstacles.open.insert(run.workflow_id.clone(), run.run_id);
            let owner = run.owner.filter(|owner| obstacles.valid.contains(owner));
            outcomes.push(StartOutcome::Started { owned: owner.is_some() });
            new.push((run, owner));
        }
    }
    if new.is_empty() {
        return Ok(outcomes);
    }
    let mut script = Script::new();
    insert(&mut script, &new, now.time)?;
    turn.commit(script).await.map_err(failed)?;
    if new.iter().any(|(_, owner)| owner.is_none()) {
        store.hub.announce_due();
    }
    Ok(outcomes)
}

async fn find_obstacles(
    turn: &mut Turn,
    runs: &[NewRun],
    now: Moment,
) -> Result<Obstacles, sqlx::Error> {
    let owners = distinct(runs.iter().filter_map(|run| run.owner));
    let mut script = Script::new();
    script
        .sql("BEGIN IMMEDIATE; SELECT run_id FROM piton_runs WHERE run_id IN (")
        .values(1, runs.iter(), |script, run| {
            script.bind(run.run_id.as_uuid());
        })
        .sql("); SELECT workflow_id, run_id FROM piton_runs WHERE closed_at IS NULL ")
        .sql("AND workflow_id IN (")
        .values(1, runs.iter(), |script, run| {
            script.bind(run.workflow_id.clone());
        })
        .sql(")");
    for owner in &owners {
        script.sql("; ").sql(IS_VALID).bind_validity(*owner, now);
    }
    let mut rows = turn.begin(script).await?;
    let run_ids: Vec<(Uuid,)> = rows.read(1)?;
    let open: Vec<NamedRow> = rows.read(2)?;
    Ok(Obstacles {
        run_ids: run_ids.into_iter().map(|(run_id,)| run_id.into()).collect(),
        open: open.into_iter().map(|row| (row.workflow_id, row.run_id.into())).collect(),
        valid: (3..).zip(owners).filter(|(at, _)| rows.any(*at)).map(|(_, owner)| owner).collect(),
    })
}

/// Inserts runs whose ids are known to be free; commits the transaction.
pub(in crate::store::sqlite) fn insert(
    script: &mut Script,
    new: &[(&NewRun, Option<WorkerLease>)],
    now: Timestamp,
) -> Result<(), StoreError> {
    script
        .sql(INSERT_RUN)
        .bind(now.as_micros())
        .values(10, new.iter(), |script, (run, owner)| {
            let due_at = owner.is_none().then(|| run.start_at.unwrap_or(now).as_micros());
            script
                .bind(run.run_id.as_uuid())
                .bind(run.workflow_id.clone())
                .bind(run.workflow.clone())
                .bind(owner.map(|owner| owner.worker_id.0))
                .bind(owner.map(|owner| owner.epoch.0))
                .bind(due_at)
                .bind(run.state.clone())
                .bind(run.snapshot.clone())
                .bind(i64::from(run.first.is_some()))
                .bind(run.definition.0.cast_signed());
        })
        .sql(") WHERE column1 IS NOT NULL; ")
        .sql(INSERT_INPUT)
        .values(2, new.iter(), |script, (run, _)| {
            script.bind(run.run_id.as_uuid()).bind(run.arguments.as_bytes().to_vec());
        })
        .sql(") WHERE column1 IS NOT NULL; ");
    attributes::add_new(script, new.iter().map(|(run, _)| *run));
    new.iter().try_for_each(|(run, _)| add_terms(script, run, now))?;
    let first = |(run, _): &(&NewRun, _)| {
        let FirstArrival { kind, dedup_key } = run.first.clone()?;
        Some(NewArrival { run_id: run.run_id, kind, dedup_key, owner: None })
    };
    let firsts: Vec<NewArrival> = new.iter().filter_map(first).collect();
    if !firsts.is_empty() {
        let outcomes = vec![ArrivalOutcome::Accepted { seq: 1 }; firsts.len()];
        add_arrivals(script, &firsts, &outcomes, now)?;
    }
    script.sql("COMMIT");
    Ok(())
}

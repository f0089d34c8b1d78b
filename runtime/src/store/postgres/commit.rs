//! Steps become durable.

use std::collections::HashSet;

use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row as _};
use uuid::Uuid;

use super::transaction::Transaction;
use super::{PostgresStore, activities, failed, now, workers};
use crate::error::StoreError;
use crate::model::{RunId, RunStatus, Timestamp};
use crate::store::rows::write_blocked;
use crate::store::steps::{has_effects, is_close, outcomes};
use crate::store::{CommitOutcome, CommitStep, Disposition, WorkerLease};

/// The worker, locked.
macro_rules! worker {
    () => {
        concat!(
            "WITH clock AS MATERIALIZED ",
            now!(),
            ", worker AS MATERIALIZED (SELECT clock.now FROM piton_workers AS worker, clock \
             WHERE worker_id = $2 AND epoch = $3 AND lease_expires_at > clock.now \
             FOR SHARE OF worker)"
        )
    };
}

/// All steps in the order of their runs. Columns that keep their value count as unchanged, so a run
/// that is kept touches no index. A run that is closed must not have had arrivals unless `$13` says
/// that its inbox will be emptied.
///
/// `worker_id + 0` because an index on the bare column would do as well, to a planner that has seen
/// the table empty: every step would then read all the runs that its worker owns.
macro_rules! update {
    () => {
        "UPDATE piton_runs AS run SET step_no = run.step_no + 1, \
     takeovers = CASE WHEN step.blocked IS NULL THEN 0 ELSE run.takeovers END, \
     state = coalesce(step.state, run.state), snapshot = coalesce(step.snapshot, run.snapshot), \
     status = step.status, blocked = step.blocked, \
     worker_id = CASE WHEN step.kept THEN run.worker_id END, \
     epoch = CASE WHEN step.kept THEN run.epoch END, \
     due_at = CASE WHEN step.inbox_read < run.inbox_count \
     THEN least(step.due_at, worker.now) ELSE step.due_at END, \
     closed_at = CASE WHEN step.status NOT IN ('running', 'blocked') THEN worker.now END \
     FROM worker, unnest($4::uuid[], $5::bigint[], $6::bool[], $7::text[], $8::text[], $9::bytea[], \
     $10::bigint[], $11::bigint[], $12::text[]) \
     AS step (run_id, expected, kept, status, state, snapshot, due_at, inbox_read, blocked) \
     WHERE run.run_id = step.run_id AND run.step_no = step.expected \
     AND run.worker_id + 0 = $2 AND run.epoch = $3 \
     AND ($13 OR run.inbox_count = 0 OR step.status IN ('running', 'blocked')) \
     RETURNING run.run_id, run.due_at, run.inbox_count"
    };
}

const COMMIT: &str = concat!(worker!(), " ", update!());

/// The same with results. A statement that need not insert any is spared the preparation.
///
/// `IS TRUE` makes the planner look up what was committed in a hash table.
const COMMIT_WITH_RESULTS: &str = concat!(
    worker!(),
    ", committed AS (",
    update!(),
    "), results AS (INSERT INTO piton_run_results (run_id, result, failure) \
     SELECT * FROM unnest($14::uuid[], $15::bytea[], $16::text[]) AS result (run_id, result, failure) \
     WHERE (run_id IN (SELECT run_id FROM committed)) IS TRUE) \
     SELECT * FROM committed"
);

const EMPTY_INBOXES: &str = "DELETE FROM piton_inbox WHERE run_id = ANY ($1)";

const USE_UP: &str = "DELETE FROM piton_inbox AS inbox \
    USING unnest($1::uuid[], $2::bigint[]) AS used (run_id, seq) \
    WHERE inbox.run_id = used.run_id AND inbox.seq = used.seq";

/// What the update found.
#[derive(Default)]
struct Met {
    committed: HashSet<RunId>,
    any_due: bool,
    /// Committed runs that have ever had arrivals.
    had_arrivals: HashSet<RunId>,
    /// What has become of activities on queues.
    activities: activities::Changes,
}

pub(super) async fn commit(
    store: &PostgresStore,
    worker: WorkerLease,
    steps: &[CommitStep],
) -> Result<Vec<CommitOutcome>, StoreError> {
    let failed = failed("commit_steps");
    let (mut alone, mut in_transaction): (Vec<_>, Vec<_>) =
        steps.iter().partition(|step| !has_effects(step));
    let mut committed = HashSet::new();
    if in_transaction.is_empty() {
        let mut lane = store.lanes.lane().await.map_err(failed)?;
        let met = update(lane.get(), store, worker, &alone, false).await.map_err(failed)?;
        lane.done();
        announce(store, &alone, &met);
        committed.extend(met.committed);
        // Those that have had arrivals are left.
        alone.retain(|step| is_close(step) && !committed.contains(&step.run_id));
    }
    in_transaction.extend(alone);
    if !in_transaction.is_empty() {
        let met = commit_with_consequences(store, worker, &in_transaction).await.map_err(failed)?;
        announce(store, &in_transaction, &met);
        met.activities.announce(store);
        committed.extend(met.committed);
    }
    if committed.is_empty() && !workers::is_valid(store, worker).await.map_err(failed)? {
        return Err(StoreError::Fenced);
    }
    Ok(outcomes(steps, &committed))
}

async fn update(
    connection: &mut PgConnection,
    store: &PostgresStore,
    worker: WorkerLease,
    steps: &[&CommitStep],
    empties_inboxes: bool,
) -> Result<Met, sqlx::Error> {
    let mut order = steps.to_vec();
    order.sort_unstable_by_key(|step| step.run_id);
    let mut columns = Columns::with_capacity(steps.len());
    let (mut closed, mut results, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    for step in order {
        columns.push(step);
        if let Disposition::Close { result, failure, .. } = &step.disposition
            && (result.is_some() || failure.is_some())
        {
            closed.push(step.run_id.as_uuid());
            results.push(result.as_ref().map(|payload| payload.as_bytes()));
            failures.push(failure.as_deref());
        }
    }
    let statement = if closed.is_empty() { COMMIT } else { COMMIT_WITH_RESULTS };
    let mut query = sqlx::query(statement)
        .bind(store.given_time())
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .bind(columns.run_ids)
        .bind(columns.expected)
        .bind(columns.kept)
        .bind(columns.statuses)
        .bind(columns.states)
        .bind(columns.snapshots)
        .bind(columns.due_at)
        .bind(columns.inbox_read)
        .bind(columns.blocked)
        .bind(empties_inboxes);
    if !closed.is_empty() {
        query = query.bind(closed).bind(results).bind(failures);
    }
    Met::read(&query.fetch_all(connection).await?)
}

impl Met {
    fn read(rows: &[PgRow]) -> Result<Self, sqlx::Error> {
        let mut met = Self::default();
        for row in rows {
            let run_id: RunId = row.try_get::<Uuid, _>(0)?.into();
            met.committed.insert(run_id);
            met.any_due |= row.try_get::<Option<i64>, _>(1)?.is_some();
            if row.try_get::<i64, _>(2)? > 0 {
                met.had_arrivals.insert(run_id);
            }
        }
        Ok(met)
    }
}

/// Steps as one array per column.
#[derive(Default)]
struct Columns<'a> {
    run_ids: Vec<Uuid>,
    expected: Vec<i64>,
    kept: Vec<bool>,
    statuses: Vec<&'static str>,
    states: Vec<Option<&'a str>>,
    snapshots: Vec<Option<&'a [u8]>>,
    due_at: Vec<Option<i64>>,
    inbox_read: Vec<Option<i64>>,
    blocked: Vec<Option<String>>,
}

impl<'a> Columns<'a> {
    fn with_capacity(count: usize) -> Self {
        Self {
            run_ids: Vec::with_capacity(count),
            expected: Vec::with_capacity(count),
            kept: Vec::with_capacity(count),
            statuses: Vec::with_capacity(count),
            states: Vec::with_capacity(count),
            snapshots: Vec::with_capacity(count),
            due_at: Vec::with_capacity(count),
            inbox_read: Vec::with_capacity(count),
            blocked: Vec::with_capacity(count),
        }
    }

    fn push(&mut self, step: &'a CommitStep) {
        self.run_ids.push(step.run_id.as_uuid());
        self.expected.push(step.expected.0);
        self.kept.push(matches!(step.disposition, Disposition::Keep { .. }));
        let (mut status, mut state, mut snapshot) = (RunStatus::Running, None, None);
        let (mut due, mut read, mut why) = (None, None, None);
        match &step.disposition {
            Disposition::Keep { snapshot: new, state: name } => {
                (state, snapshot) = (Some(name.as_str()), Some(new.as_slice()));
            }
            Disposition::Park { snapshot: new, state: name, due_at, inbox_read } => {
                (state, snapshot) = (Some(name.as_str()), Some(new.as_slice()));
                (due, read) = (due_at.map(Timestamp::as_micros), Some(*inbox_read));
            }
            Disposition::Close { status: closed, .. } => {
                status = *closed;
                // Nobody looks into the last state of a run that went well.
                snapshot = (status == RunStatus::Completed).then_some(&[][..]);
            }
            Disposition::Block { reason } => {
                status = RunStatus::Blocked;
                why = Some(write_blocked(reason));
            }
        }
        self.statuses.push(status.as_str());
        self.states.push(state);
        self.snapshots.push(snapshot);
        self.due_at.push(due);
        self.inbox_read.push(read);
        self.blocked.push(why);
    }
}

/// Inboxes are emptied by a statement of its own, to which everything is visible that arrived
/// before the runs were closed.
async fn commit_with_consequences(
    store: &PostgresStore,
    worker: WorkerLease,
    steps: &[&CommitStep],
) -> Result<Met, sqlx::Error> {
    let mut transaction = Transaction::begin_in(&store.lanes).await?;
    let mut met = update(transaction.get(), store, worker, steps, true).await?;
    let (mut emptied, mut using, mut used) = (Vec::new(), Vec::new(), Vec::<i64>::new());
    let committed = steps.iter().copied().filter(|step| met.committed.contains(&step.run_id));
    for step in committed.clone() {
        let run_id = step.run_id.as_uuid();
        if is_close(step) {
            if met.had_arrivals.contains(&step.run_id) {
                emptied.push(run_id);
            }
        } else {
            using.extend(step.consumed.iter().map(|_| run_id));
            used.extend(&step.consumed);
        }
    }
    if !emptied.is_empty() {
        sqlx::query(EMPTY_INBOXES).bind(emptied).execute(transaction.get()).await?;
    }
    if !used.is_empty() {
        sqlx::query(USE_UP).bind(using).bind(used).execute(transaction.get()).await?;
    }
    let changes = activities::change(transaction.get(), store, committed).await?;
    met.activities = changes;
    transaction.commit().await?;
    Ok(met)
}

fn announce(store: &PostgresStore, steps: &[&CommitStep], met: &Met) {
    if met.any_due {
        store.news.due();
    }
    for step in steps.iter().filter(|step| met.committed.contains(&step.run_id)) {
        if let Some(ending) = step.disposition.ending() {
            store.news.ended(step.run_id, ending);
        } else if let Disposition::Block { .. } = step.disposition {
            store.news.blocked(step.run_id);
        }
    }
}

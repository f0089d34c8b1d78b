//! Commits of steps.

use std::borrow::Cow;
use std::collections::HashSet;

use sqlx::postgres::{PgArguments, PgRow};
use sqlx::{Arguments as _, PgConnection, Row as _};
use uuid::Uuid;

use crate::error::StoreError;
use crate::model::{Payload, RunId, RunStatus, Timestamp};
use crate::store::effects::{Effects, check};
use crate::store::postgres::transaction::Transaction;
use crate::store::postgres::{
    PostgresStore, effects, failed, kept, kin, lock_worker, messages, named_by, now, workers,
};
use crate::store::rows::write_blocked;
use crate::store::steps::{has_effects, is_close, outcomes, starts_children};
use crate::store::{CommitOutcome, CommitStep, Disposition, WorkerLease};

/// All steps in the order of their runs. Columns that keep their value count as unchanged, so a kept run touches no
/// index. A run that closes must have no arrivals, and no others may depend on its end, unless `$12` says that the
/// caller handles both. A null status means a kept run.
///
/// The lists are unnested in the select list and not in `FROM`, where each of them would be materialized and read
/// again. The worker's row is checked once, before any run is locked. The result is one row for any number of
/// steps, because rows cost several times as much as values in a list. It contains run ids only if some are
/// missing.
///
/// `IS NOT DISTINCT FROM`, because a planner whose statistics show an empty table would otherwise use the index on
/// the owner: every step would then read all runs of its worker.
const COMMIT: &str = concat!(
    "WITH clock AS MATERIALIZED ",
    now!(),
    ", worker AS MATERIALIZED (SELECT clock.now FROM piton_workers AS worker, clock WHERE ",
    lock_worker!(),
    "), \
     committed AS (UPDATE piton_runs AS run SET step_no = run.step_no + 1, \
     takeovers = CASE WHEN step.blocked IS NOT NULL THEN run.takeovers END, \
     state = coalesce(step.state, run.state), snapshot = coalesce(step.snapshot, run.snapshot), \
     status = coalesce(step.status, run.status), blocked = step.blocked, \
     blocked_at = CASE WHEN step.blocked IS NOT NULL THEN (SELECT now FROM worker) END, \
     worker_id = CASE WHEN step.status IS NULL THEN run.worker_id END, \
     epoch = CASE WHEN step.status IS NULL THEN run.epoch END, \
     due_at = CASE WHEN step.inbox_read < run.inbox_count \
     THEN least(step.due_at, (SELECT now FROM worker)) ELSE step.due_at END, \
     closed_at = CASE WHEN step.status NOT IN ('running', 'blocked') \
     THEN (SELECT now FROM worker) END, \
     result = step.result, failure = step.failure, \
     definition = coalesce(int8send(step.definition), run.definition), \
     stepped_at = (SELECT now FROM worker) \
     FROM (SELECT unnest($4::uuid[]) AS run_id, unnest($5::bigint[]) AS expected, \
     unnest($6::text[]) AS status, unnest($7::text[]) AS state, unnest($8::bytea[]) AS snapshot, \
     unnest($9::bigint[]) AS due_at, unnest($10::bigint[]) AS inbox_read, \
     unnest($11::text[]) AS blocked, unnest($13::bytea[]) AS result, unnest($14::text[]) AS failure, \
     unnest($15::bigint[]) AS definition) \
     AS step WHERE ",
    named_by!("run", "step"),
    " AND run.step_no = step.expected \
     AND run.worker_id IS NOT DISTINCT FROM $2 AND run.epoch = $3 AND (SELECT now FROM worker) IS NOT NULL \
     AND ($12 OR (run.inbox_count = 0 AND run.has_kin IS NULL) OR step.status IS NULL OR step.status IN ('running', 'blocked')) \
     RETURNING run.run_id, run.due_at, run.inbox_count, run.has_kin) \
     SELECT CASE WHEN count(*) < cardinality($4) THEN ARRAY (SELECT run_id FROM committed) END AS committed, \
     coalesce(bool_or(due_at IS NOT NULL), false) AS any_due, \
     coalesce(array_agg(run_id) FILTER (WHERE inbox_count > 0 OR has_kin), '{}') AS had_arrivals FROM committed"
);

/// The same for a single step that keeps its run, the most common case. Each list costs the server time, and so
/// does each written column even if it keeps its value; without them the statement takes a third less.
const KEEP_ONE: &str = concat!(
    "WITH worker AS MATERIALIZED (SELECT clock.now FROM piton_workers AS worker, ",
    now!(),
    " AS clock WHERE ",
    lock_worker!(),
    ") \
     UPDATE piton_runs SET step_no = step_no + 1, takeovers = NULL, state = $6, snapshot = $7, \
     definition = coalesce(int8send($8), definition), stepped_at = (SELECT now FROM worker) \
     WHERE run_id = $4 AND step_no = $5 AND worker_id IS NOT DISTINCT FROM $2 AND epoch = $3 \
     AND EXISTS (SELECT FROM worker)"
);

/// The parameters of [`COMMIT`].
const PARAMETERS: usize = 15;

/// The approximate size of a step's parameters besides its snapshot and the run's result.
const STEP_BYTES: usize = 76;

const USE_UP: &str = concat!(
    "DELETE FROM piton_inbox AS inbox \
     USING unnest($1::uuid[], $2::bigint[]) AS used (run_id, seq) WHERE ",
    named_by!("inbox", "used", "seq")
);

/// The result of the update.
#[derive(Default)]
struct Met {
    /// Runs whose steps did not meet their guards, which is rare.
    lost: HashSet<RunId>,
    any_due: bool,
    /// Committed runs that have ever had arrivals, or on whose end others depend.
    had_arrivals: HashSet<RunId>,
    /// Closed runs with new messages in the outbox.
    over: Vec<RunId>,
    /// Notifications to send for effects.
    told: effects::Told,
}

pub(super) async fn commit(
    store: &PostgresStore,
    worker: WorkerLease,
    steps: &[&CommitStep],
) -> Result<Vec<CommitOutcome>, StoreError> {
    let failed = failed("commit_steps");
    check(steps)?;
    let (mut alone, mut in_transaction): (Vec<_>, Vec<_>) =
        steps.iter().copied().partition(|step| !has_effects(step));
    let mut lost = HashSet::new();
    if in_transaction.is_empty() {
        let mut lane = store.lanes.lane().await.map_err(failed)?;
        let met = match alone[..] {
            [step @ CommitStep { disposition: Disposition::Keep { snapshot, state }, .. }] => {
                keep_one(lane.get(), store, worker, step, snapshot, state).await
            }
            _ => update(lane.get(), store, worker, &alone, false).await,
        };
        let met = met.map_err(failed)?;
        lane.done();
        announce(store, &alone, &met);
        lost = met.lost;
        // The runs with arrivals remain.
        alone.retain(|step| is_close(step) && lost.contains(&step.run_id));
    }
    in_transaction.extend(alone);
    if !in_transaction.is_empty() {
        let met = commit_with_consequences(store, worker, &in_transaction).await.map_err(failed)?;
        announce(store, &in_transaction, &met);
        for step in &in_transaction {
            match met.has(step) {
                true => lost.remove(&step.run_id),
                false => lost.insert(step.run_id),
            };
        }
        met.told.announce(store);
    }
    if lost.len() == steps.len() && !workers::is_valid(store, worker).await.map_err(failed)? {
        return Err(StoreError::Fenced);
    }
    Ok(outcomes(steps, |run_id| !lost.contains(&run_id)))
}

async fn keep_one(
    connection: &mut PgConnection,
    store: &PostgresStore,
    worker: WorkerLease,
    step: &CommitStep,
    snapshot: &[u8],
    state: &str,
) -> Result<Met, sqlx::Error> {
    let query = sqlx::query(KEEP_ONE)
        .bind(store.given_time())
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .bind(step.run_id.as_uuid())
        .bind(step.expected.0)
        .bind(state)
        .bind(snapshot)
        .bind(step.definition.map(|hash| hash.0.cast_signed()));
    let is_met = query.execute(connection).await?.rows_affected() == 1;
    let lost = if is_met { HashSet::new() } else { HashSet::from([step.run_id]) };
    Ok(Met { lost, ..Met::default() })
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
    let mut columns = Columns::default();
    for (at, step) in order.into_iter().enumerate() {
        columns.push(at, step);
    }
    // A buffer that grows from zero is moved a dozen times.
    let mut arguments = PgArguments::default();
    arguments.reserve(PARAMETERS, columns.bytes());
    let query = sqlx::query_with(COMMIT, arguments)
        .bind(store.given_time())
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .bind(columns.run_ids)
        .bind(columns.expected)
        .bind(columns.statuses.0)
        .bind(columns.states.0)
        .bind(columns.snapshots.0)
        .bind(columns.due_at.0)
        .bind(columns.inbox_read.0)
        .bind(columns.blocked.0)
        .bind(empties_inboxes)
        .bind(columns.results.0)
        .bind(columns.failures.0)
        .bind(columns.definitions.0);
    Met::read(&query.fetch_one(connection).await?, steps)
}

impl Met {
    fn read(row: &PgRow, steps: &[&CommitStep]) -> Result<Self, sqlx::Error> {
        let runs = |ids: Vec<Uuid>| ids.into_iter().map(RunId::from).collect::<HashSet<_>>();
        let lost = match row.try_get::<Option<Vec<Uuid>>, _>("committed")?.map(runs) {
            Some(committed) => {
                let run_ids = steps.iter().map(|step| step.run_id);
                run_ids.filter(|run_id| !committed.contains(run_id)).collect()
            }
            None => HashSet::new(),
        };
        Ok(Self {
            lost,
            any_due: row.try_get("any_due")?,
            had_arrivals: runs(row.try_get("had_arrivals")?),
            over: Vec::new(),
            told: effects::Told::default(),
        })
    }

    fn has(&self, step: &CommitStep) -> bool {
        !self.lost.contains(&step.run_id)
    }
}

/// Steps as one list per column.
#[derive(Default)]
struct Columns<'a> {
    run_ids: Vec<Uuid>,
    expected: Vec<i64>,
    statuses: Sparse<&'static str>,
    states: Sparse<&'a str>,
    snapshots: Sparse<&'a [u8]>,
    due_at: Sparse<i64>,
    inbox_read: Sparse<i64>,
    blocked: Sparse<String>,
    results: Sparse<&'a [u8]>,
    failures: Sparse<Cow<'a, str>>,
    definitions: Sparse<i64>,
}

/// A list that ends with its last value: most steps keep their runs, so most of these lists are empty.
struct Sparse<T>(Vec<Option<T>>);

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Sparse<T> {
    fn set(&mut self, at: usize, value: Option<T>) {
        if value.is_some() {
            self.0.resize_with(at, || None);
            self.0.push(value);
        }
    }
}

impl<'a> Columns<'a> {
    /// The approximate size of the parameters.
    fn bytes(&self) -> usize {
        let values = self.snapshots.0.iter().chain(&self.results.0).flatten();
        self.run_ids.len() * STEP_BYTES + values.map(|value| value.len()).sum::<usize>()
    }

    /// Adds the step with this index.
    fn push(&mut self, at: usize, step: &'a CommitStep) {
        self.run_ids.push(step.run_id.as_uuid());
        self.expected.push(step.expected.0);
        self.definitions.set(at, step.definition.map(|hash| hash.0.cast_signed()));
        match &step.disposition {
            Disposition::Keep { snapshot, state } => {
                self.states.set(at, Some(&**state));
                self.snapshots.set(at, Some(snapshot));
            }
            Disposition::Park { snapshot, state, due_at, inbox_read } => {
                self.statuses.set(at, Some(RunStatus::Running.as_str()));
                self.states.set(at, Some(&**state));
                self.snapshots.set(at, Some(snapshot));
                self.due_at.set(at, due_at.map(Timestamp::as_micros));
                self.inbox_read.set(at, Some(*inbox_read));
            }
            Disposition::Close { status, result, failure, .. } => {
                self.statuses.set(at, Some(status.as_str()));
                // The last state of a completed run is not needed, unless it exposes variables.
                let went_well = *status == RunStatus::Completed;
                let last = step.last_snapshot.as_deref().unwrap_or_default();
                self.snapshots.set(at, went_well.then_some(last));
                self.results.set(at, result.as_ref().map(Payload::as_bytes));
                self.failures.set(at, failure.as_deref().map(kept));
            }
            Disposition::Block { reason } => {
                self.statuses.set(at, Some(RunStatus::Blocked.as_str()));
                self.blocked.set(at, Some(write_blocked(reason)));
            }
        }
    }
}

/// Inboxes are emptied by a separate statement, which sees all arrivals before the runs were closed.
async fn commit_with_consequences(
    store: &PostgresStore,
    worker: WorkerLease,
    steps: &[&CommitStep],
) -> Result<Met, sqlx::Error> {
    let mut transaction = Transaction::begin_in(&store.lanes).await?;
    let mut met = update(transaction.get(), store, worker, steps, true).await?;
    let (mut emptied, mut left) = (Vec::new(), Vec::new());
    let (mut using, mut used) = (Vec::new(), Vec::<i64>::new());
    let (mut over, mut followed) = (Vec::new(), Vec::new());
    let committed = steps.iter().copied().filter(|step| !met.lost.contains(&step.run_id));
    for step in committed.clone() {
        let run_id = step.run_id.as_uuid();
        using.extend(step.consumed.iter().map(|_| run_id));
        used.extend(&step.consumed);
        if is_close(step) {
            let successor = step.disposition.successor();
            if met.had_arrivals.contains(&step.run_id) {
                if successor.is_some() { &mut emptied } else { &mut left }.push(run_id);
            }
            match successor {
                Some(successor) => followed.push((step, successor)),
                None if met.had_arrivals.contains(&step.run_id) || starts_children(step) => {
                    over.push(run_id);
                }
                None => {}
            }
        }
    }
    // Arrivals are moved to the dead letters before inboxes are emptied.
    met.told = effects::write(transaction.get(), store, &Effects::of(committed)).await?;
    if !used.is_empty() {
        sqlx::query(USE_UP).bind(using).bind(used).execute(transaction.get()).await?;
    }
    for (step, successor) in &followed {
        kin::follow(transaction.get(), store.given_time(), step.run_id, successor).await?;
    }
    let has_kin =
        |step: &CommitStep| met.had_arrivals.contains(&step.run_id) || starts_children(step);
    let with_kin = followed.iter().filter(|(step, _)| has_kin(step));
    let with_kin: Vec<_> = with_kin.map(|(step, _)| step.run_id.as_uuid()).collect();
    if !with_kin.is_empty() {
        let given = store.given_time();
        met.over = kin::write_closes_of_followed(transaction.get(), given, with_kin).await?;
    }
    if !over.is_empty() {
        let over = kin::write_closes(transaction.get(), store.given_time(), over).await?;
        met.over.extend(over);
    }
    messages::empty_inboxes(transaction.get(), &emptied).await?;
    messages::keep_leftovers(transaction.get(), &left).await?;
    transaction.commit().await?;
    met.any_due |= !followed.is_empty();
    Ok(met)
}

fn announce(store: &PostgresStore, steps: &[&CommitStep], met: &Met) {
    met.over.iter().for_each(|run_id| store.hub.announce_sent(*run_id));
    if met.any_due {
        store.news.due();
    }
    let committed = steps.iter().filter(|step| met.has(step)).map(|step| step.run_id);
    store.hub.announce_changed(committed);
    for step in steps {
        // Most steps need no notification, so that is checked before the lookup.
        match (step.disposition.ending(), &step.disposition) {
            (Some(ending), _) if met.has(step) => store.news.ended(step.run_id, ending),
            (None, Disposition::Block { .. }) if met.has(step) => {
                store.news.blocked(step.run_id);
            }
            _ => {}
        }
    }
}

//! Commits of steps.
//!
//! A batch is one script if possible: the statements contain their guards and return the rows that met them. Only
//! if other writes depend on these results (such as removing consumed arrivals), a second script follows and
//! commits.

use std::collections::HashSet;

use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StoreError;
use crate::model::{RunId, RunStatus, Timestamp};
use crate::store::effects::{Effects, check};
use crate::store::rows::write_blocked;
use crate::store::sqlite::clock::Moment;
use crate::store::sqlite::script::{MAX_ROWS, Rows, Script};
use crate::store::sqlite::workers::IS_VALID;
use crate::store::sqlite::{SqliteStore, effects, failed, kin, messages};
use crate::store::steps::{has_consequences, is_close, outcomes, starts_children};
use crate::store::{CommitOutcome, CommitStep, Disposition, RunEvent, WorkerLease};

/// Touches no indexed column.
const KEEP: &str = "UPDATE piton_runs INDEXED BY piton_runs_run_id \
    SET step_no = step_no + 1, takeovers = 0, state = step.column3, snapshot = step.column4, \
    definition = coalesce(step.column5, definition), stepped_at = ? \
    FROM (";

const LET_GO: &str = "UPDATE piton_runs INDEXED BY piton_runs_run_id \
    SET step_no = step_no + 1, worker_id = NULL, epoch = NULL, \
    takeovers = CASE WHEN step.column8 IS NULL THEN 0 ELSE takeovers END, \
    status = step.column3, state = coalesce(step.column4, state), \
    snapshot = coalesce(step.column5, snapshot), \
    due_at = CASE WHEN step.column7 < inbox_count THEN min(coalesce(step.column6, ?), ?) \
    ELSE step.column6 END, \
    blocked = step.column8, blocked_at = CASE WHEN step.column8 IS NOT NULL THEN ? END, \
    closed_at = step.column9, result = step.column10, \
    failure = step.column11, definition = coalesce(step.column12, definition), stepped_at = ? FROM (";

/// The owner's guard; binds its id and epoch, then the parameters of [`IS_VALID`].
const OWNED: &str = ") AS step \
    WHERE piton_runs.run_id = step.column1 AND step_no = step.column2 \
    AND piton_runs.worker_id = ? AND piton_runs.epoch = ? AND EXISTS (";

const USE_UP: &str = "DELETE FROM piton_inbox WHERE (run_id, seq) IN (";

/// The result of the first script.
#[derive(Default)]
struct Met {
    committed: HashSet<RunId>,
    /// Some released run has a due time.
    any_due: bool,
    /// Released runs with arrivals.
    had_arrivals: HashSet<RunId>,
    /// Released runs on whose end others depend.
    has_kin: HashSet<RunId>,
}

pub(super) async fn commit(
    store: &SqliteStore,
    worker: WorkerLease,
    steps: &[&CommitStep],
) -> Result<Vec<CommitOutcome>, StoreError> {
    let failed = failed("commit_steps");
    check(steps)?;
    let (kept, let_go): (Vec<_>, Vec<_>) = steps
        .iter()
        .copied()
        .partition(|step| matches!(step.disposition, Disposition::Keep { .. }));
    let mut turn = store.turn().await;
    let now = store.moment();
    let mut script = Script::new();
    for steps in kept.chunks(MAX_ROWS) {
        add_kept(&mut script, steps, worker, now);
    }
    for steps in let_go.chunks(MAX_ROWS) {
        add_let_go(&mut script, steps, worker, now);
    }
    let statements = (kept.len().div_ceil(MAX_ROWS), let_go.len().div_ceil(MAX_ROWS));
    let alone =
        statements.0 + statements.1 <= 1 && !steps.iter().any(|step| has_consequences(step));
    let mut rows = if alone {
        turn.run(script).await.map_err(failed)?
    } else {
        let mut transaction = Script::new();
        transaction.sql("BEGIN IMMEDIATE; ").append(script);
        turn.begin(transaction).await.map_err(failed)?
    };
    let met = Met::read(&mut rows, usize::from(!alone), statements).map_err(failed)?;
    if met.committed.is_empty() {
        let mut script = Script::new();
        script.sql(IS_VALID).bind_validity(worker, now);
        return match turn.run(script).await.map_err(failed)?.any(0) {
            true => Ok(vec![CommitOutcome::Lost; steps.len()]),
            false => Err(StoreError::Fenced),
        };
    }
    if !alone {
        let committed = steps.iter().copied().filter(|step| met.committed.contains(&step.run_id));
        let mut script = Script::new();
        let effects = Effects::of(committed);
        let given_up = effects::add(&mut script, &effects, now.time)?;
        let over = add_consequences(&mut script, steps, &met, now.time)?;
        let mut rows = turn.commit(script).await.map_err(failed)?;
        effects::announce(store, &effects, &mut rows, 0..given_up).map_err(failed)?;
        over.into_iter().for_each(|run_id| store.hub.announce_sent(run_id));
    }
    announce(store, steps, &met);
    Ok(outcomes(steps, |run_id| met.committed.contains(&run_id)))
}

fn add_kept(script: &mut Script, steps: &[&CommitStep], worker: WorkerLease, now: Moment) {
    script.sql(KEEP).bind(now.as_micros()).values(5, steps.iter(), |script, step| {
        script.bind(step.run_id.as_uuid()).bind(step.expected.0);
        if let Disposition::Keep { snapshot, state } = &step.disposition {
            script.bind(state.to_string()).bind(snapshot.clone());
        }
        script.bind(step.definition.map(|hash| hash.0.cast_signed()));
    });
    script
        .sql(OWNED)
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .sql(IS_VALID)
        .bind_validity(worker, now)
        .sql(") RETURNING run_id; ");
}

fn add_let_go(script: &mut Script, steps: &[&CommitStep], worker: WorkerLease, now: Moment) {
    let now_micros = now.as_micros();
    script.sql(LET_GO);
    (0..4).for_each(|_| _ = script.bind(now_micros));
    script.values(12, steps.iter(), |script, step| {
        script.bind(step.run_id.as_uuid()).bind(step.expected.0);
        match &step.disposition {
            Disposition::Park { snapshot, state, due_at, inbox_read } => script
                .bind(RunStatus::Running.as_str())
                .bind(state.to_string())
                .bind(snapshot.clone())
                .bind(due_at.map(Timestamp::as_micros))
                .bind(*inbox_read)
                .bind(None::<String>)
                .bind(None::<i64>)
                .bind(None::<Vec<u8>>)
                .bind(None::<String>),
            Disposition::Close { status, result, failure, .. } => script
                .bind(status.as_str())
                .bind(None::<String>)
                // The last state of a completed run is not needed, unless it exposes variables.
                .bind(
                    (*status == RunStatus::Completed)
                        .then(|| step.last_snapshot.clone().unwrap_or_default()),
                )
                .bind(None::<i64>)
                .bind(None::<i64>)
                .bind(None::<String>)
                .bind(now_micros)
                .bind(result.as_ref().map(|payload| payload.as_bytes().to_vec()))
                .bind(failure.clone()),
            Disposition::Block { reason } => script
                .bind(RunStatus::Blocked.as_str())
                .bind(None::<String>)
                .bind(None::<Vec<u8>>)
                .bind(None::<i64>)
                .bind(None::<i64>)
                .bind(write_blocked(reason))
                .bind(None::<i64>)
                .bind(None::<Vec<u8>>)
                .bind(None::<String>),
            Disposition::Keep { .. } => unreachable!("kept runs are not let go"),
        };
        script.bind(step.definition.map(|hash| hash.0.cast_signed()));
    });
    script
        .sql(OWNED)
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .sql(IS_VALID)
        .bind_validity(worker, now)
        .sql(") RETURNING run_id, due_at, inbox_count, has_kin IS NOT NULL AS has_kin; ");
}

/// A run that its owner keeps.
#[derive(FromRow)]
struct KeptRow {
    run_id: Uuid,
}

/// A run that its owner releases.
#[derive(FromRow)]
struct LetGoRow {
    run_id: Uuid,
    due_at: Option<i64>,
    inbox_count: i64,
    has_kin: bool,
}

impl Met {
    /// Reads the results of the statements from number `first` on: first those for kept runs, then those for
    /// released runs.
    fn read(
        rows: &mut Rows,
        first: usize,
        (kept, let_go): (usize, usize),
    ) -> Result<Self, sqlx::Error> {
        let mut met = Self::default();
        for statement in first..first + kept {
            let kept: Vec<KeptRow> = rows.read(statement)?;
            met.committed.extend(kept.into_iter().map(|row| RunId::from(row.run_id)));
        }
        for statement in first + kept..first + kept + let_go {
            for row in rows.read::<LetGoRow>(statement)? {
                let run_id = row.run_id.into();
                met.committed.insert(run_id);
                met.any_due |= row.due_at.is_some();
                if row.inbox_count > 0 {
                    met.had_arrivals.insert(run_id);
                }
                if row.has_kin {
                    met.has_kin.insert(run_id);
                }
            }
        }
        Ok(met)
    }
}

/// The further writes of committed steps; commits the transaction. Returns the closed runs on whose end others
/// depend.
fn add_consequences(
    script: &mut Script,
    steps: &[&CommitStep],
    met: &Met,
    now: Timestamp,
) -> Result<Vec<RunId>, StoreError> {
    let (mut emptied, mut left, mut used_up) = (Vec::new(), Vec::new(), Vec::new());
    let (mut over, mut followed) = (Vec::new(), Vec::new());
    for step in steps.iter().filter(|step| met.committed.contains(&step.run_id)) {
        used_up.extend(step.consumed.iter().map(|seq| (step.run_id, *seq)));
        if is_close(step) {
            let successor = step.disposition.successor();
            if met.had_arrivals.contains(&step.run_id) {
                if successor.is_some() { &mut emptied } else { &mut left }.push(step.run_id);
            }
            let has_kin = met.has_kin.contains(&step.run_id) || starts_children(step);
            match successor {
                Some(successor) => followed.push((step.run_id, successor, has_kin)),
                None if has_kin => over.push(step.run_id),
                None => {}
            }
        }
    }
    for arrivals in used_up.chunks(MAX_ROWS) {
        script.sql(USE_UP).values(2, arrivals.iter(), |script, (run_id, seq)| {
            script.bind(run_id.as_uuid()).bind(*seq);
        });
        script.sql("); ");
    }
    let mut awaited = Vec::new();
    for (run_id, successor, has_kin) in followed {
        kin::add_successor(script, run_id, successor, has_kin, now)?;
        awaited.extend(has_kin.then_some(run_id));
    }
    kin::add_closes(script, &over, now)?;
    kin::add_closes_of_followed(script, &awaited, now)?;
    over.extend(awaited);
    messages::add_emptied(script, &emptied);
    messages::add_leftovers(script, &left);
    script.sql("COMMIT");
    Ok(over)
}

fn announce(store: &SqliteStore, steps: &[&CommitStep], met: &Met) {
    let has_successor = |step: &&&CommitStep| step.disposition.successor().is_some();
    if met.any_due || steps.iter().any(|step| has_successor(&step)) {
        store.hub.announce_due();
    }
    store.hub.announce_changed(met.committed.iter().copied());
    for step in steps.iter().filter(|step| met.committed.contains(&step.run_id)) {
        if let Some(ending) = step.disposition.ending() {
            store.hub.announce_end(step.run_id, ending);
        } else if let Disposition::Block { .. } = step.disposition {
            store.hub.announce(RunEvent::Settled(step.run_id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Epoch, StepNo, WorkerId};
    use crate::store::StoreOptions;
    use crate::store::sqlite::open_memory;
    use crate::store::sqlite::plans::plan_of;

    /// SQLite's planner tends to scan the table as soon as there are several steps.
    #[tokio::test]
    async fn runs_are_looked_up_however_many_there_are() {
        let store = open_memory(&StoreOptions::default()).await.expect("memory is there");
        let worker = WorkerLease { worker_id: WorkerId(1), epoch: Epoch(1) };
        let step = |disposition: &Disposition| {
            CommitStep::new(RunId::new(), StepNo(0), disposition.clone())
        };
        let keep = Disposition::Keep { snapshot: Vec::new(), state: "".into() };
        let close = Disposition::close(RunStatus::Completed, None, None);
        for (disposition, add) in
            [(keep, add_kept as fn(&mut Script, &[&CommitStep], _, _)), (close, add_let_go)]
        {
            for count in [1, 2, 8, MAX_ROWS] {
                let steps: Vec<CommitStep> = (0..count).map(|_| step(&disposition)).collect();
                let mut script = Script::new();
                script.sql("EXPLAIN QUERY PLAN ");
                add(&mut script, &steps.iter().collect::<Vec<_>>(), worker, store.moment());
                let plan = plan_of(&store, script).await;
                let looks_up = |line: &String| line.starts_with("SEARCH piton_runs");
                assert!(plan.iter().any(looks_up), "{count} steps: {plan:#?}");
            }
        }
    }
}

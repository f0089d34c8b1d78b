//! Starts of successors.

use crate::error::StoreError;
use crate::model::{RunId, Timestamp};
use crate::store::sqlite::lifecycle::add_terms;
use crate::store::sqlite::script::Script;
use crate::store::{ArrivalKind, NewRun, Successor};

const INSERT: &str = "INSERT INTO piton_runs (run_id, workflow_id, workflow, status, due_at, started_at, \
    state, snapshot, definition, has_kin) VALUES (?, ?, ?, 'running', ?, ?, ?, ?, ?, ?); \
    INSERT INTO piton_run_inputs (run_id, arguments) VALUES (?, ?); ";

const LINK: &str = "INSERT INTO piton_chains (run_id, first_run_id, place, previous_run_id, link) \
    SELECT ?, coalesce(first_run_id, closed), coalesce(place, 0) + 1, closed, ? \
    FROM (SELECT ? AS closed) LEFT JOIN piton_chains ON run_id = closed; ";

const GO_OVER: &str = "INSERT INTO piton_inbox (run_id, seq, arrival, arrived_at) \
    SELECT ?, row_number() OVER (ORDER BY seq), arrival, arrived_at FROM piton_inbox \
    WHERE run_id = ? AND substr(arrival, 2, 1) IN (?, ?, ?); \
    UPDATE piton_runs INDEXED BY piton_runs_run_id \
    SET inbox_count = (SELECT count(*) FROM piton_inbox WHERE run_id = ?) WHERE run_id = ?; \
    INSERT INTO piton_arrival_keys (run_id, dedup_key, name) \
    SELECT ?, dedup_key, name FROM piton_arrival_keys WHERE run_id = ?; \
    INSERT INTO piton_attributes (run_id, name, place, kind, text, integer, float, truth, time) \
    SELECT ?, name, place, kind, text, integer, float, truth, time FROM piton_attributes WHERE run_id = ?; \
    INSERT INTO piton_memos (run_id, memo) SELECT ?, memo FROM piton_memos WHERE run_id = ?; ";

/// Nobody has resumed the run that has closed, so the one that follows is paused.
const HOLD: &str = "UPDATE piton_pauses SET run_id = next, due_at = next_due_at \
    FROM (SELECT run_id AS next, due_at AS next_due_at FROM piton_runs WHERE run_id = ?) WHERE run_id = ?; \
    UPDATE piton_runs INDEXED BY piton_runs_run_id SET status = 'paused', due_at = NULL WHERE run_id = ? \
    AND EXISTS (SELECT 1 FROM piton_pauses AS pause WHERE pause.run_id = piton_runs.run_id); ";

/// Starts the run that follows one which this transaction has closed, with what goes over. If nobody has resumed the
/// closed run since it was to pause, the next one is paused.
pub(in crate::store::sqlite) fn add_successor(
    script: &mut Script,
    closed: RunId,
    successor: &Successor,
    has_kin: bool,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Successor { run, link } = successor;
    add_run(script, run, has_kin, now);
    let (next, closed) = (run.run_id.as_uuid(), closed.as_uuid());
    script.sql(LINK).bind(next).bind(link.as_str()).bind(closed);
    script.sql(GO_OVER).bind(next).bind(closed);
    for kind in ArrivalKind::GO_OVER {
        script.bind(vec![kind]);
    }
    script.bind(next).bind(next).bind(next).bind(closed);
    script.bind(next).bind(closed).bind(next).bind(closed);
    script.sql(HOLD).bind(next).bind(closed).bind(next);
    add_terms(script, run, now)
}

/// Inserts a run without an owner, whose workflow id is known to be free.
pub(super) fn add_run(script: &mut Script, run: &NewRun, has_kin: bool, now: Timestamp) {
    let run_id = run.run_id.as_uuid();
    script
        .sql(INSERT)
        .bind(run_id)
        .bind(run.workflow_id.clone())
        .bind(run.workflow.clone())
        .bind(run.start_at.unwrap_or(now).as_micros())
        .bind(now.as_micros())
        .bind(run.state.clone())
        .bind(run.snapshot.clone())
        .bind(run.definition.0.cast_signed())
        .bind(has_kin.then_some(1_i64))
        .bind(run_id)
        .bind(run.arguments.as_bytes().to_vec());
}

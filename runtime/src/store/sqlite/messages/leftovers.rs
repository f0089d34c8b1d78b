//! The inboxes of runs that have closed.

use crate::model::RunId;
use crate::store::ArrivalKind;
use crate::store::sqlite::script::{MAX_ROWS, Script};

const EMPTY: &str = "DELETE FROM piton_inbox WHERE run_id IN (";

const EMPTY_BUT_FOR_SIGNALS: &str =
    "DELETE FROM piton_inbox WHERE substr(arrival, 2, 1) <> ? AND run_id IN (";

/// Empties the inboxes of closed runs that have successors, once what goes over is in the successors' inboxes.
pub(in crate::store::sqlite) fn add_emptied(script: &mut Script, run_ids: &[RunId]) {
    for run_ids in run_ids.chunks(MAX_ROWS) {
        script.sql(EMPTY);
        add_ids(script, run_ids);
    }
}

/// Empties the inboxes of closed runs without successors, except for signals: those that nobody has taken stay until
/// retention deletes the run or its payloads.
pub(in crate::store::sqlite) fn add_leftovers(script: &mut Script, run_ids: &[RunId]) {
    for run_ids in run_ids.chunks(MAX_ROWS) {
        script.sql(EMPTY_BUT_FOR_SIGNALS).bind(vec![ArrivalKind::SIGNAL]);
        add_ids(script, run_ids);
    }
}

fn add_ids(script: &mut Script, run_ids: &[RunId]) {
    script.values(1, run_ids.iter(), |script, run_id| {
        script.bind(run_id.as_uuid());
    });
    script.sql("); ");
}

//! Runs that their owners have let go of are paused.

use crate::model::RunId;
use crate::store::sqlite::script::{MAX_ROWS, Script};

/// Unless the pause was withdrawn meanwhile.
const PAUSE: &str = "UPDATE piton_runs SET status = 'paused', due_at = NULL \
    WHERE status = 'running' AND worker_id IS NULL \
    AND EXISTS (SELECT 1 FROM piton_pauses AS pause WHERE pause.run_id = piton_runs.run_id) AND run_id IN (";

pub(super) fn add(script: &mut Script, paused: &[RunId]) {
    for run_ids in paused.chunks(MAX_ROWS) {
        script.sql(PAUSE).values(1, run_ids.iter(), |script, run_id| {
            script.bind(run_id.as_uuid());
        });
        script.sql("); ");
    }
}

//! All rows of one run, read at one moment.

use super::lists::labels;
use super::script::Script;
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::rows::{DetailsRow, queued_columns, read_details};
use crate::store::weight::fits;
use crate::store::{MAX_DETAILS, RunDetails};

const RUN: &str = concat!(
    "SELECT run.run_id, workflow_id, workflow, status, state, step_no, worker_id, \
     run.due_at, blocked, blocked_at, started_at, stepped_at, closed_at, result, failure, definition, arguments, \
     snapshot, takeovers, pause.paused_at, pause.who AS paused_by, pause.reason AS pause_reason, ",
    labels!("run"),
    " FROM piton_runs AS run LEFT JOIN piton_run_inputs AS input \
     ON input.run_id = run.run_id \
     LEFT JOIN piton_pauses AS pause ON pause.run_id = run.run_id AND run.closed_at IS NULL WHERE run.run_id = ?1"
);

const ACTIVITIES: &str = concat!(
    "SELECT ",
    queued_columns!(),
    ", (SELECT count(*) FROM piton_activities WHERE run_id = ?1) AS total \
     FROM piton_activities WHERE run_id = ?1 ORDER BY handle LIMIT ?2"
);

/// Rows that do not fit in the response are not read.
const UNREAD: &str = concat!(
    "SELECT seq, CASE WHEN ",
    fits!("sized"),
    " THEN (SELECT arrival FROM piton_inbox AS inbox \
     WHERE inbox.run_id = ?1 AND inbox.seq = sized.seq) END AS arrival, bytes, arrived_at, \
     (SELECT count(*) FROM piton_inbox WHERE run_id = ?1) AS total \
     FROM (SELECT *, sum(bytes) OVER (ORDER BY seq) AS upto FROM \
     (SELECT seq, arrived_at, length(arrival) AS bytes FROM piton_inbox \
     WHERE run_id = ?1 ORDER BY seq LIMIT ?2)) AS sized ORDER BY seq"
);

pub(super) async fn find(
    store: &SqliteStore,
    run_id: RunId,
) -> Result<Option<RunDetails>, StoreError> {
    let failed = failed("find_details");
    let mut script = Script::new();
    // Parameters with numbers are those of the whole script.
    script.bind(run_id.as_uuid()).bind(MAX_DETAILS).sql("BEGIN; ").sql(RUN).sql("; ");
    script.sql(ACTIVITIES).sql("; ").sql(UNREAD).sql("; COMMIT");
    let mut rows = store.turn().await.transact(script).await.map_err(failed)?;
    let run = rows.read::<DetailsRow>(1).map_err(failed)?.pop();
    let activities = rows.read(2).map_err(failed)?;
    let unread = rows.read(3).map_err(failed)?;
    run.map(|run| read_details(run, activities, unread)).transpose()
}

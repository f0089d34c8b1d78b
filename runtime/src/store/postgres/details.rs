//! All rows of one run, read at one moment.

use super::lists::labels;
use super::server::takes_writes;
use super::transaction::Transaction;
use super::{PostgresStore, definition, failed, workflow_id};
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::rows::{DetailsRow, QueuedRow, UnreadRow, queued_columns, read_details};
use crate::store::weight::fits;
use crate::store::{MAX_DETAILS, RunDetails};

const RUN: &str = concat!(
    "SELECT piton_runs.run_id, ",
    workflow_id!("piton_runs"),
    ", ",
    definition!("piton_runs"),
    ", workflow, status, state, step_no, worker_id, piton_runs.due_at, blocked, blocked_at, started_at, \
     stepped_at, closed_at, result, failure, arguments, snapshot, coalesce(takeovers, 0) AS takeovers, \
     pause.paused_at, pause.who AS paused_by, pause.reason AS pause_reason, ",
    labels!("piton_runs"),
    " FROM piton_runs LEFT JOIN piton_pauses AS pause ON pause.run_id = piton_runs.run_id \
     AND piton_runs.closed_at IS NULL WHERE ",
    takes_writes!(),
    " AND piton_runs.run_id = $1"
);

const ACTIVITIES: &str = concat!(
    "SELECT ",
    queued_columns!(),
    ", (SELECT count(*) FROM piton_activities WHERE run_id = $1) AS total \
     FROM piton_activities WHERE run_id = $1 ORDER BY handle LIMIT $2"
);

/// Rows that do not fit in the response are not read.
const UNREAD: &str = concat!(
    "SELECT seq, CASE WHEN ",
    fits!("sized"),
    " THEN arrival END AS arrival, bytes::bigint AS bytes, arrived_at, \
     (SELECT count(*) FROM piton_inbox WHERE run_id = $1) AS total \
     FROM (SELECT *, sum(bytes) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING) AS upto FROM \
     (SELECT seq, arrival, arrived_at, octet_length(arrival) AS bytes FROM piton_inbox \
     WHERE run_id = $1 ORDER BY seq LIMIT $2) AS inbox) AS sized ORDER BY seq"
);

pub(super) async fn find(
    store: &PostgresStore,
    run_id: RunId,
) -> Result<Option<RunDetails>, StoreError> {
    match read(store, run_id).await.map_err(failed("find_details"))? {
        Some((run, activities, unread)) => read_details(run, activities, unread).map(Some),
        None => Ok(None),
    }
}

type Rows = (DetailsRow, Vec<QueuedRow>, Vec<UnreadRow>);

async fn read(store: &PostgresStore, run_id: RunId) -> Result<Option<Rows>, sqlx::Error> {
    let key = run_id.as_uuid();
    let mut moment = Transaction::begin_at_one_moment(store).await?;
    let run: Option<DetailsRow> =
        sqlx::query_as(RUN).bind(key).fetch_optional(moment.get()).await?;
    let Some(run) = run else {
        moment.roll_back().await?;
        return Ok(None);
    };
    let activities = sqlx::query_as(ACTIVITIES).bind(key).bind(i64::from(MAX_DETAILS));
    let activities = activities.fetch_all(moment.get()).await?;
    let unread = sqlx::query_as(UNREAD).bind(key).bind(i64::from(MAX_DETAILS));
    let unread = unread.fetch_all(moment.get()).await?;
    moment.commit().await?;
    Ok(Some((run, activities, unread)))
}

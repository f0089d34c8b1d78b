//! Relations between runs.

use uuid::Uuid;

use crate::error::StoreError;
use crate::model::RunId;
use crate::store::postgres::server::takes_writes;
use crate::store::postgres::{PostgresStore, failed};
use crate::store::rows::{ChainRow, ChildRow, KinRow, LastRunRow, first_of, last_of};
use crate::store::{ChainEntry, ChildRecord, Kin, LastRun};

const FIND: &str = concat!(
    "SELECT run.first_run_id, chain.previous_run_id, chain.link, \
     (SELECT run_id FROM piton_chains WHERE previous_run_id = run.run_id LIMIT 1) AS next_run_id, \
     child.parent_run_id, child.on_parent_close, child.ends_with_run, \
     (SELECT count(*) FROM piton_children WHERE parent_chain = run.first_run_id) AS child_count \
     FROM (SELECT run_id, ",
    first_of!("piton_runs.run_id"),
    " AS first_run_id FROM piton_runs WHERE run_id = $1) AS run \
     LEFT JOIN piton_chains AS chain ON chain.run_id = run.run_id \
     LEFT JOIN piton_children AS child ON child.child_id = run.first_run_id WHERE ",
    takes_writes!()
);

const LAST: &str = concat!(
    "SELECT run.run_id, run.status, run.closed_at FROM (SELECT place, ",
    last_of!("asked.first"),
    " AS last FROM unnest($1::uuid[]) WITH ORDINALITY AS asked (first, place)) AS named \
     LEFT JOIN piton_runs AS run ON run.run_id = named.last WHERE ",
    takes_writes!(),
    " ORDER BY named.place"
);

const CHAIN: &str = concat!(
    "SELECT run.run_id, run.workflow, listed.place, listed.link, run.status, \
     run.started_at, run.closed_at FROM (SELECT $1 AS run_id, 0::bigint AS place, NULL AS link \
     UNION ALL (SELECT run_id, place, link FROM piton_chains \
     WHERE first_run_id = $1 AND place > coalesce($2::bigint, 0) ORDER BY place LIMIT $3)) AS listed \
     JOIN piton_runs AS run ON run.run_id = listed.run_id \
     WHERE ($2 IS NULL OR listed.place > $2) AND ",
    takes_writes!(),
    " ORDER BY listed.place LIMIT $3"
);

const CHILDREN: &str = concat!(
    "SELECT child.child_id, child.workflow_id, child.parent_run_id, child.on_parent_close, \
     child.ends_with_run, run.run_id, run.status FROM (SELECT *, ",
    last_of!("piton_children.child_id"),
    " AS last FROM piton_children WHERE parent_chain = $1 AND ($2::uuid IS NULL OR child_id > $2) \
     ORDER BY child_id LIMIT $3) AS child \
     LEFT JOIN piton_runs AS run ON run.run_id = child.last WHERE ",
    takes_writes!(),
    " ORDER BY child.child_id"
);

pub(in crate::store::postgres) async fn find(
    store: &PostgresStore,
    run_id: RunId,
) -> Result<Option<Kin>, StoreError> {
    let failed = failed("find_kin");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let row: Option<KinRow> = sqlx::query_as(FIND)
        .bind(run_id.as_uuid())
        .fetch_optional(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    row.map(Kin::try_from).transpose()
}

pub(in crate::store::postgres) async fn last_runs(
    store: &PostgresStore,
    first_run_ids: &[RunId],
) -> Result<Vec<Option<LastRun>>, StoreError> {
    let failed = failed("find_last_runs");
    let asked: Vec<Uuid> = first_run_ids.iter().map(|run_id| run_id.as_uuid()).collect();
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<LastRunRow> =
        sqlx::query_as(LAST).bind(asked).fetch_all(lane.get()).await.map_err(failed)?;
    lane.done();
    rows.into_iter().map(LastRunRow::into_found).collect()
}

pub(in crate::store::postgres) async fn chain(
    store: &PostgresStore,
    first: RunId,
    after: Option<u64>,
    limit: u32,
) -> Result<Vec<ChainEntry>, StoreError> {
    let failed = failed("list_chain");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<ChainRow> = sqlx::query_as(CHAIN)
        .bind(first.as_uuid())
        .bind(after.map(|after| i64::try_from(after).unwrap_or(i64::MAX)))
        .bind(i64::from(limit))
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    rows.into_iter().map(ChainEntry::try_from).collect()
}

pub(in crate::store::postgres) async fn children(
    store: &PostgresStore,
    first: RunId,
    after: Option<RunId>,
    limit: u32,
) -> Result<Vec<ChildRecord>, StoreError> {
    let failed = failed("list_children");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<ChildRow> = sqlx::query_as(CHILDREN)
        .bind(first.as_uuid())
        .bind(after.map(|after| after.as_uuid()))
        .bind(i64::from(limit))
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    rows.into_iter().map(ChildRecord::try_from).collect()
}

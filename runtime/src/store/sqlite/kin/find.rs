//! Relations between runs.

use crate::error::StoreError;
use crate::model::RunId;
use crate::store::rows::{ChainRow, ChildRow, KinRow, LastRunRow, first_of, last_of};
use crate::store::sqlite::script::{MAX_ROWS, Script};
use crate::store::sqlite::{SqliteStore, failed};
use crate::store::{ChainEntry, ChildRecord, Kin, LastRun};

const FIND: &str = concat!(
    "SELECT run.first_run_id, chain.previous_run_id, chain.link, \
     (SELECT run_id FROM piton_chains WHERE previous_run_id = run.run_id) AS next_run_id, \
     child.parent_run_id, child.on_parent_close, child.ends_with_run, \
     (SELECT count(*) FROM piton_children WHERE parent_chain = run.first_run_id) AS child_count \
     FROM (SELECT run_id, ",
    first_of!("piton_runs.run_id"),
    " AS first_run_id FROM piton_runs WHERE run_id = ?) AS run \
     LEFT JOIN piton_chains AS chain ON chain.run_id = run.run_id \
     LEFT JOIN piton_children AS child ON child.child_id = run.first_run_id"
);

const LAST: &str = concat!(
    "SELECT run.run_id, run.status, run.closed_at FROM (SELECT column1 AS place, ",
    last_of!("column2"),
    " AS last FROM ("
);

const OF_CHAINS: &str = ") WHERE column1 IS NOT NULL) AS named \
    LEFT JOIN piton_runs AS run ON run.run_id = named.last ORDER BY named.place";

const CHAIN: &str = "SELECT run.run_id, run.workflow, listed.place, listed.link, run.status, \
    run.started_at, run.closed_at FROM (SELECT ?1 AS run_id, 0 AS place, NULL AS link \
    UNION ALL SELECT * FROM (SELECT run_id, place, link FROM piton_chains \
    WHERE first_run_id = ?1 AND place > coalesce(?2, 0) ORDER BY place LIMIT ?3)) AS listed \
    JOIN piton_runs AS run ON run.run_id = listed.run_id \
    WHERE ?2 IS NULL OR listed.place > ?2 ORDER BY listed.place LIMIT ?3";

const CHILDREN: &str = concat!(
    "SELECT child.child_id, child.workflow_id, child.parent_run_id, child.on_parent_close, \
     child.ends_with_run, run.run_id, run.status FROM (SELECT *, ",
    last_of!("piton_children.child_id"),
    " AS last FROM piton_children WHERE parent_chain = ?1 AND (?2 IS NULL OR child_id > ?2) \
     ORDER BY child_id LIMIT ?3) AS child \
     LEFT JOIN piton_runs AS run ON run.run_id = child.last ORDER BY child.child_id"
);

pub(in crate::store::sqlite) async fn find(
    store: &SqliteStore,
    run_id: RunId,
) -> Result<Option<Kin>, StoreError> {
    let mut script = Script::new();
    script.sql(FIND).bind(run_id.as_uuid());
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<KinRow>(0));
    rows.map_err(failed("find_kin"))?.pop().map(Kin::try_from).transpose()
}

pub(in crate::store::sqlite) async fn last_runs(
    store: &SqliteStore,
    first_run_ids: &[RunId],
) -> Result<Vec<Option<LastRun>>, StoreError> {
    let mut found = Vec::with_capacity(first_run_ids.len());
    for first_run_ids in first_run_ids.chunks(MAX_ROWS) {
        let mut script = Script::new();
        script.sql(LAST).values(2, first_run_ids.iter().enumerate(), |script, (place, run_id)| {
            script.bind(i64::try_from(place).unwrap_or(i64::MAX)).bind(run_id.as_uuid());
        });
        script.sql(OF_CHAINS);
        let rows = store.read(script).await.and_then(|mut rows| rows.read::<LastRunRow>(0));
        for row in rows.map_err(failed("find_last_runs"))? {
            found.push(row.into_found()?);
        }
    }
    Ok(found)
}

pub(in crate::store::sqlite) async fn chain(
    store: &SqliteStore,
    first: RunId,
    after: Option<u64>,
    limit: u32,
) -> Result<Vec<ChainEntry>, StoreError> {
    let mut script = Script::new();
    let after = after.map(|after| i64::try_from(after).unwrap_or(i64::MAX));
    script.sql(CHAIN).bind(first.as_uuid()).bind(after).bind(limit);
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<ChainRow>(0));
    rows.map_err(failed("list_chain"))?.into_iter().map(ChainEntry::try_from).collect()
}

pub(in crate::store::sqlite) async fn children(
    store: &SqliteStore,
    first: RunId,
    after: Option<RunId>,
    limit: u32,
) -> Result<Vec<ChildRecord>, StoreError> {
    let mut script = Script::new();
    let after = after.map(|after| after.as_uuid());
    script.sql(CHILDREN).bind(first.as_uuid()).bind(after).bind(limit);
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<ChildRow>(0));
    rows.map_err(failed("list_children"))?.into_iter().map(ChildRecord::try_from).collect()
}

//! Lists and counts of runs.

use super::script::Script;
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::filter::literal::DAY;
use crate::filter::sql::{Bound, Dialect, Sql};
use crate::filter::{Column, Filter};
use crate::store::rows::{CountRow, RunRow, in_order, read_run_counts, select_attribute_names};
use crate::store::weight::{ending_bytes, fits};
use crate::store::{RunCount, RunOrder, RunQuery, RunRecord};

/// The columns of a record in the run's row.
macro_rules! record_columns {
    () => {
        "run_id, workflow_id, workflow, status, state, step_no, worker_id, due_at, blocked, blocked_at, \
         started_at, stepped_at, closed_at, result, failure, definition"
    };
}
pub(super) use record_columns;

/// The columns of a record in other tables.
macro_rules! labels {
    ($run:literal) => {
        concat!(
            "(SELECT json_group_array(json_array(name, kind, text, coalesce(integer, truth, time), \
             CASE WHEN float IS NOT NULL THEN printf('%!.17g', float) END)) \
             FROM (SELECT * FROM piton_attributes WHERE run_id = ",
            $run,
            ".run_id ORDER BY name, place)) AS attributes, \
             (SELECT memo FROM piton_memos WHERE run_id = ",
            $run,
            ".run_id) AS memo"
        )
    };
}
pub(super) use labels;

/// Wraps the runs that match. Rows that do not fit in the response are not read.
const LISTED: &str = concat!(
    "SELECT *, ",
    ending_bytes!(),
    " + octet_length(attributes) + coalesce(octet_length(memo), 0) AS bytes \
     FROM (SELECT *, ",
    labels!("listed"),
    " FROM (SELECT "
);

pub(super) async fn list(
    store: &SqliteStore,
    query: RunQuery<'_>,
) -> Result<Vec<RunRecord>, StoreError> {
    let condition = query.condition(store.time());
    let sql = Sql::of(Dialect::Sqlite, 0, &condition);
    let mut script = Script::new();
    add_list(&mut script, &sql, query.order);
    add_bound(&mut script, sql.bound).bind(query.limit);
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<RunRow>(0));
    rows.map_err(failed("list_runs"))?.into_iter().map(TryInto::try_into).collect()
}

fn add_list(script: &mut Script, sql: &Sql, order: RunOrder) {
    let outer = in_order(order, "", "run_id");
    let inner = in_order(order, "run.", sql.run_id);
    script.sql("SELECT * FROM (SELECT *, sum(bytes) OVER (ORDER BY ").sql(&outer);
    script.sql(" ROWS UNBOUNDED PRECEDING) AS upto FROM (").sql(LISTED);
    let columns = record_columns!().split(", ").map(|column| format!("run.{}", column.trim()));
    script.sql(&columns.collect::<Vec<_>>().join(", ")).sql(FROM).sql(&sql.joins);
    script.sql(" WHERE ").sql(&sql.condition).sql(" ORDER BY ").sql(&inner);
    script.sql(" LIMIT ?) AS listed) AS labelled)) AS sized WHERE ").sql(fits!("sized"));
    script.sql(" ORDER BY ").sql(&outer);
}

const FROM: &str = " FROM piton_runs AS run";

pub(super) const ATTRIBUTE_NAMES: &str = select_attribute_names!("?1");

pub(super) async fn attribute_names(
    store: &SqliteStore,
    limit: u32,
) -> Result<Vec<String>, StoreError> {
    let mut script = Script::new();
    script.sql(ATTRIBUTE_NAMES).bind(limit);
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<(String,)>(0));
    Ok(rows.map_err(failed("list_attribute_names"))?.into_iter().map(|(name,)| name).collect())
}

fn add_bound(script: &mut Script, bound: Vec<Bound>) -> &mut Script {
    for value in bound {
        match value {
            Bound::Text(text) => script.bind(text),
            Bound::Integer(number) => script.bind(number),
            Bound::Float(number) => script.bind(number),
            Bound::Uuid(uuid) => script.bind(uuid),
        };
    }
    script
}

pub(super) async fn count(
    store: &SqliteStore,
    filter: &Filter,
    group_by: Option<Column>,
) -> Result<Vec<RunCount>, StoreError> {
    let sql = Sql::of(Dialect::Sqlite, 0, &filter.for_store(store.time()));
    let mut script = Script::new();
    script.sql("SELECT ").sql(&sql.group(group_by, DAY)).sql(", count(*) AS runs").sql(FROM);
    script.sql(&sql.joins).sql(" WHERE ").sql(&sql.condition);
    if group_by.is_some() {
        script.sql(" GROUP BY 1, 2");
    }
    add_bound(&mut script, sql.bound);
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<CountRow>(0));
    Ok(read_run_counts(rows.map_err(failed("count_runs"))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoreOptions;
    use crate::store::sqlite::open_memory;
    use crate::store::sqlite::plans::plan_of;

    /// The steps of the query plan of a list.
    async fn plan(store: &SqliteStore, filter: &str) -> String {
        let filter: Filter = filter.parse().expect("a filter");
        let sql = Sql::of(Dialect::Sqlite, 0, &filter.for_store(store.time()));
        let mut script = Script::new();
        script.sql("EXPLAIN QUERY PLAN ");
        add_list(&mut script, &sql, RunOrder::default());
        add_bound(&mut script, sql.bound).bind(100);
        plan_of(store, script).await.join("\n")
    }

    #[tokio::test]
    async fn indexes_lead_to_the_runs() {
        let store = open_memory(&StoreOptions::default()).await.expect("memory is there");
        for (filter, index) in [
            ("customer = 'c-17'", "led USING INDEX piton_attributes_text"),
            ("customer = 'c-17' and workflow = 'w'", "led USING INDEX piton_attributes_text"),
            ("customer in ('a', 'b')", "attribute USING INDEX piton_attributes_text"),
            ("customer like 'c-%'", "attribute USING INDEX piton_attributes_text"),
            ("cents between 1 and 2", "attribute USING COVERING INDEX piton_attributes_integer"),
            ("express = true", "attribute USING COVERING INDEX piton_attributes_truth"),
            ("ship_by > '2026-01-01'", "attribute USING COVERING INDEX piton_attributes_time"),
            ("status = 'blocked'", "run USING INDEX piton_runs_blocked"),
            ("status = 'paused'", "run USING INDEX piton_runs_paused"),
            ("status = 'failed'", "run USING INDEX piton_runs_unsuccessful"),
            ("status = 'timed_out' and workflow = 'w'", "run USING INDEX piton_runs_unsuccessful"),
            ("workflow_id = 'o-42'", "piton_runs USING INDEX piton_runs_open"),
            ("workflow_id = 'o-42'", "piton_runs USING INDEX piton_runs_workflow_id"),
            (
                "run_id < '01981234-0000-7000-8000-000000000000'",
                "run USING INDEX piton_runs_run_id",
            ),
        ] {
            let plan = plan(&store, filter).await;
            assert!(plan.contains(index), "{filter}: {index}\n{plan}");
            let scans = plan.lines().any(|line| line == "SCAN run");
            assert!(!scans, "{filter}\n{plan}");
        }
        // The newest of many runs with an attribute are found without sorting.
        let plan = plan(&store, "customer = 'c-17'").await;
        let inner = plan.split("led USING").next().unwrap_or_default();
        assert!(!plan.contains("USE TEMP B-TREE FOR ORDER BY\nSEARCH led"), "{inner}");
    }
}

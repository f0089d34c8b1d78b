//! The plans of what workers look for again and again: none reads a whole table, with and without statistics.

use sqlx::Row as _;

use super::script::Script;
use super::{SqliteStore, lifecycle, lists, open_memory, retention, schedules};
use crate::store::StoreOptions;

/// Mostly closed runs with terms, and schedules, of which few are due.
const FILL: &str = "INSERT INTO piton_runs \
    (run_id, workflow_id, workflow, status, started_at, closed_at, state, snapshot) \
    SELECT unhex(printf('%032x', n)), 'o-' || n, 'w-' || (n % 5), iif(n % 400 = 0, 'running', 'completed'), n, \
    iif(n % 400 = 0, NULL, n), 'paid', zeroblob(200) FROM (WITH RECURSIVE numbers (n) AS \
    (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000) SELECT n FROM numbers); \
    INSERT INTO piton_terms (run_id, terms, deadline_at) \
    SELECT run_id, '{}', iif(closed_at IS NULL, started_at, NULL) FROM piton_runs; \
    INSERT INTO piton_attributes (run_id, name, place, kind, text) \
    SELECT run_id, 'customer', 0, 'keyword', 'c-' || (started_at % 1000) FROM piton_runs; \
    INSERT INTO piton_schedules (schedule_id, token, workflow, arguments, config, state, due_at, created_at) \
    SELECT workflow_id, run_id, workflow, x'', '{}', '{}', iif(started_at % 2 = 0, started_at, NULL), 0 FROM piton_runs";

/// The steps of the plan of a statement, given to a script that begins with `EXPLAIN QUERY PLAN`.
pub(in crate::store::sqlite) async fn plan_of(store: &SqliteStore, script: Script) -> Vec<String> {
    let mut plan = store.turn().await.run(script).await.expect("it can be explained");
    plan.of(0).iter().map(|row| row.get("detail")).collect()
}

/// The steps of the plan that read a table or an index in whole.
async fn read_whole(store: &SqliteStore, sql: &str) -> Vec<String> {
    let sql = sql.trim_start_matches("BEGIN IMMEDIATE; ");
    let mut script = Script::new();
    script.sql("EXPLAIN QUERY PLAN ").sql(sql);
    let lines = plan_of(store, script).await;
    assert!(!lines.is_empty(), "{sql}");
    // The rest are names of recursive queries and lists of values.
    let tables = ["piton_", "run", "agreed", "attribute", "input"];
    let is_whole = |line: &String| {
        let scanned = line.strip_prefix("SCAN ");
        scanned.is_some_and(|name| tables.iter().any(|table| name.starts_with(table)))
    };
    lines.into_iter().filter(is_whole).collect()
}

#[tokio::test]
async fn sweeps_read_no_whole_table() {
    let store = open_memory(&StoreOptions::default()).await.expect("memory is there");
    let mut script = Script::new();
    script.sql(FILL);
    store.turn().await.run(script).await.expect("it can be filled");
    let workflows = "?, ?, ?, ?, ?";
    let claim = [schedules::CLAIM, workflows, schedules::CLAIM_END].concat();
    let next = [schedules::NEXT, workflows, ")"].concat();
    let statements = [
        lifecycle::EXPIRED,
        lists::ATTRIBUTE_NAMES,
        retention::WORKFLOWS,
        retention::LOOK,
        retention::FIND,
        retention::WITH_PAYLOADS,
        retention::WITH_KEYS,
        &claim,
        &next,
    ];
    for has_statistics in [false, true] {
        if has_statistics {
            let mut script = Script::new();
            script.sql("ANALYZE");
            store.turn().await.run(script).await.expect("it can be analyzed");
        }
        for sql in statements {
            let whole = read_whole(&store, sql).await;
            assert!(whole.is_empty(), "{sql}\n{whole:#?}");
        }
    }
    // The test sees what is read in whole.
    let by_state = "SELECT run_id FROM piton_runs AS run WHERE run.state = ?";
    assert_eq!(read_whole(&store, by_state).await.len(), 1);
}

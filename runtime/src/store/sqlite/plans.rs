//! How SQLite carries out the statements of the store: none of them reads all of a table that grows with the runs.
//!
//! The statements are those that the conformance suite has the store send. A plan does not depend on the rows, because
//! piton never has SQLite gather statistics.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sqlx::Row as _;

use super::open_memory;
use super::script::{Script, take_sent};
use crate::model::Timestamp;
use crate::store::conformance::{StoreUnderTest, cases};
use crate::store::{Clock, ManualClock, StoreOptions};

/// Tables with a row or more for a run, a message, a promise or an activity.
const GROWING: [&str; 20] = [
    "piton_runs",
    "piton_run_inputs",
    "piton_chains",
    "piton_terms",
    "piton_pauses",
    "piton_children",
    "piton_child_waits",
    "piton_inbox",
    "piton_arrival_keys",
    "piton_update_replies",
    "piton_outbox",
    "piton_dead_letters",
    "piton_promises",
    "piton_promise_waits",
    "piton_activities",
    "piton_failed_calls",
    "piton_audit",
    "piton_history",
    "piton_attributes",
    "piton_memos",
];

#[tokio::test]
async fn no_statement_reads_all_of_a_table_that_grows() {
    let mut sent = BTreeSet::new();
    for case in cases() {
        let clock = ManualClock::new(Timestamp::now());
        let options = StoreOptions::default().clock(Clock::Manual(Arc::clone(&clock)));
        let store = Arc::new(open_memory(&options).await.expect("memory is there"));
        take_sent();
        case.run(StoreUnderTest::new(store.clone(), store, clock)).await;
        sent.extend(take_sent());
    }
    assert!(sent.len() > 200, "{}", sent.len());
    let store = open_memory(&StoreOptions::default()).await.expect("memory is there");
    let mut wrong = String::new();
    for sql in &sent {
        let mut script = Script::new();
        script.sql("EXPLAIN QUERY PLAN ").sql(sql);
        let mut plan = store.turn().await.run(script).await.expect("it can be explained");
        let plan = plan.of(0).iter().map(|row| row.get::<String, _>("detail")).collect::<Vec<_>>();
        let whole = read_whole(sql, &plan);
        if !whole.is_empty() {
            wrong.push_str(&format!("{whole:?}\n{sql}\n{}\n\n", plan.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The growing tables of which a plan reads all rows, or all entries of an index.
fn read_whole<'a>(sql: &'a str, plan: &[String]) -> BTreeSet<&'a str> {
    let tables = tables(sql);
    let scanned = plan.iter().filter_map(|step| {
        let mut words = step.strip_prefix("SCAN ")?.split_whitespace();
        tables.get(words.next()?).copied()
    });
    scanned.collect()
}

/// The growing tables in a statement, by the names that it has for them.
fn tables(sql: &str) -> BTreeMap<&str, &str> {
    let words = sql.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let named = words.iter().enumerate().filter(|(_, word)| GROWING.contains(word));
    let named = named.map(|(at, table)| match words.get(at + 1..at + 3) {
        Some(["AS", name]) => (*name, *table),
        _ => (*table, *table),
    });
    named.collect()
}

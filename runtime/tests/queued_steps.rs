//! The statements and writes of a step with a queued activity, counted by the databases.
//!
//! Without Postgres binaries the tests on it are reported as ignored, or as failed if
//! `PITON_REQUIRE_POSTGRES=1`.

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use piton::prelude::*;
use piton::worker::Queue;
use piton_postgres_cluster::{Cluster, run_tests, trial};
use sqlx::Connection as _;
use sqlx::sqlite::SqliteConnection;

/// Makes the server log every statement on a line that begins with the database's name.
const SETTINGS: &str = "log_statement = 'all'\nlog_line_prefix = '%d '\n";

/// Longer than the test, so that only the statements of steps are counted, and no polls.
const NEVER: Duration = Duration::from_secs(3_600);

/// The statements of a queued step, each by a distinctive text, with their number per step of a single run.
const STATEMENTS: &[(&str, f64)] = &[
    // The step's commit adds the activity and removes the previous outcome.
    ("BEGIN", 1.0),
    ("UPDATE piton_runs AS run SET step_no", 1.0),
    ("DELETE FROM piton_inbox", 1.0),
    ("INSERT INTO piton_activities", 1.0),
    ("COMMIT", 1.0),
    // The notification of the activity, which may be combined with the next one.
    ("SELECT pg_notify($2, payload)", 1.0),
    // The claim.
    ("UPDATE piton_activities AS activity SET worker_id", 1.0),
    // The outcome goes into the inbox.
    ("DELETE FROM piton_activities", 1.0),
    // The inbox is read.
    ("SELECT run_id, seq, arrival FROM piton_inbox", 1.0),
];

/// A distinctive text of the claim of a run. On a busy machine a step may take longer than a waiting run stays in
/// memory, so there may be more than one claim.
const CLAIMS: &str = "UPDATE piton_runs AS run SET worker_id";

/// The maximum cost of a claim with the parking before it, in statements or writes.
const OF_A_CLAIM: f64 = 10.0;

/// The maximum number of statements of a queued step if many runs make steps at the same time.
const AT_MOST_TOGETHER: f64 = 2.0;

/// The row writes of a queued step: the run twice, with the state and with the outcome, the activity three times, and
/// the outcome.
const WRITES: &[(&str, f64)] = &[
    ("activities delete", 1.0),
    ("activities insert", 1.0),
    ("activities update", 1.0),
    ("inbox delete", 1.0),
    ("inbox insert", 1.0),
    ("inbox update", 0.0),
    ("runs delete", 0.0),
    ("runs insert", 0.0),
    ("runs update", 2.0),
];

#[activity(queue = "far")]
async fn add(sum: u64, number: u64) -> u64 {
    sum + number
}

#[workflow]
async fn sum_up(steps: u64) -> u64 {
    let mut sum = 0;
    for number in 0..steps {
        sum = add(sum, number).await;
    }
    sum
}

fn main() {
    run_tests(&Arguments::from_args(), SETTINGS, |cluster| {
        let trials = vec![
            Trial::test("sqlite::rows_written_by_a_step", || run(rows_written_by_a_step())),
            trial("postgres::statements_of_a_step".to_owned(), cluster, |cluster| {
                run(statements_of_a_step(cluster))
            }),
            trial("postgres::steps_share_statements".to_owned(), cluster, |cluster| {
                run(steps_share_statements(cluster))
            }),
        ];
        trials
    })
}

fn run(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_all().build()?.block_on(test)
}

/// A worker that serves workflows and the queue, without polls.
async fn worker(client: &Client) -> piton::Result<RunningWorker> {
    let worker = Worker::new(client)
        .queue(Queue::new("far").max_concurrent(1_000))
        .poll_interval(NEVER)
        .lease(NEVER);
    Ok(worker.start().await?)
}

async fn sum_up_all(client: &Client, runs: u64, steps: u64) -> piton::Result<()> {
    let mut started = Vec::new();
    for _ in 0..runs {
        started.push(client.start(sum_up(steps)).await?);
    }
    for run in started {
        ensure!(run.result().await? == steps * (steps - 1) / 2, "a wrong sum");
    }
    Ok(())
}

/// Compares the cost of one more step with the expectation.
fn check(counted: &[Vec<(String, f64)>; 2], more: f64, expected: &[(&str, f64)]) {
    let [few, many] = counted;
    let more_of = |kind: &str| {
        let count = |counts: &[(String, f64)]| {
            let is_kind = |counted: &str| counted == kind || counted.contains(&format!("{kind} "));
            let matching = counts.iter().filter(|(counted, _)| is_kind(counted));
            matching.map(|(_, count)| count).sum::<f64>()
        };
        (count(many) - count(few)) / more
    };
    let claims = more_of(CLAIMS).abs();
    for (kind, wanted) in expected {
        let each = more_of(kind);
        // Notifications may be combined, and a claim may find nothing.
        let fewer_is_well = kind.contains("pg_notify");
        let tolerance = 0.1 + 2.0 * claims;
        let is_well = each < wanted + tolerance && (fewer_is_well || each > wanted - tolerance);
        assert!(is_well, "{each} × {kind}, expected {wanted}, with {claims} claims");
    }
    let total = |counts: &[(String, f64)]| counts.iter().map(|(_, count)| count).sum::<f64>();
    let each = (total(many) - total(few)) / more;
    println!("{each:.2} for a step");
    let wanted: f64 = expected.iter().map(|(_, wanted)| wanted).sum();
    let others = |counts: &[(String, f64)]| {
        let is_other = |counted: &str| !expected.iter().any(|(kind, _)| counted.contains(kind));
        let others = counts.iter().filter(|(counted, _)| is_other(counted));
        others.map(|(counted, _)| counted.clone()).collect::<Vec<_>>()
    };
    let most = wanted + 0.3 + OF_A_CLAIM * claims;
    assert!(each < most, "{each} in all, expected {wanted}: {:#?}", others(many));
}

/// The statements sent to a database, except the timed checks for dead workers.
fn statements(cluster: &Cluster, url: &str) -> Vec<(String, f64)> {
    let log = std::fs::read_to_string(cluster.directory().join("log")).expect("there is a log");
    let (database, _) = url.trim_start_matches("postgres:///").split_once('?').expect("so it is");
    let prefix = format!("{database} LOG:  ");
    let lines = log.lines().filter_map(|line| line.strip_prefix(&prefix));
    let statements = lines.filter_map(|line| {
        let (kind, sql) = line.split_once(": ")?;
        (kind == "statement" || kind.starts_with("execute")).then_some(sql)
    });
    let counted = statements.filter(|sql| !sql.contains("pg_locks"));
    counted.map(|sql| (sql.to_owned(), 1.0)).collect()
}

async fn statements_of_a_step(cluster: Arc<Cluster>) -> Result<(), Failed> {
    let mut counted = [Vec::new(), Vec::new()];
    for (counted, steps) in counted.iter_mut().zip([20, 120]) {
        let url = cluster.new_database().await?;
        let client = Client::connect(&url).await?;
        let worker = worker(&client).await?;
        sum_up_all(&client, 1, steps).await?;
        worker.shutdown().await?;
        client.close().await;
        *counted = statements(&cluster, &url);
    }
    check(&counted, 100.0, STATEMENTS);
    Ok(())
}

async fn steps_share_statements(cluster: Arc<Cluster>) -> Result<(), Failed> {
    const RUNS: u64 = 50;
    const STEPS: u64 = 20;
    let url = cluster.new_database().await?;
    let client = Client::connect(&url).await?;
    let worker = worker(&client).await?;
    let before = statements(&cluster, &url).len();
    sum_up_all(&client, RUNS, STEPS).await?;
    let each = (statements(&cluster, &url).len() - before) as f64 / (RUNS * STEPS) as f64;
    println!("{each:.2} for a step");
    assert!(each < AT_MOST_TOGETHER, "{each}");
    worker.shutdown().await?;
    Ok(())
}

/// Triggers that count every write to the tables of a queued step.
fn count_writes() -> String {
    let mut sql = "CREATE TABLE writes (kind TEXT PRIMARY KEY, count INTEGER NOT NULL);".to_owned();
    for (kind, _) in WRITES {
        let (table, what) = kind.split_once(' ').expect("two words");
        sql.push_str(&format!(
            "INSERT INTO writes VALUES ('{kind}', 0);
             CREATE TRIGGER count_{table}_{what} AFTER {what} ON piton_{table}
             BEGIN UPDATE writes SET count = count + 1 WHERE kind = '{kind}'; END;"
        ));
    }
    sql.push_str(&format!(
        "INSERT INTO writes VALUES ('{CLAIMS}', 0);
         CREATE TRIGGER count_claims AFTER UPDATE ON piton_runs
         WHEN OLD.worker_id IS NULL AND NEW.worker_id IS NOT NULL
         BEGIN UPDATE writes SET count = count + 1 WHERE kind = '{CLAIMS}'; END;"
    ));
    sql
}

async fn rows_written_by_a_step() -> Result<(), Failed> {
    let mut counted = [Vec::new(), Vec::new()];
    for (counted, steps) in counted.iter_mut().zip([20, 120]) {
        let folder = tempfile::tempdir()?;
        let url = format!("sqlite:{}", folder.path().join("runs.db").display());
        let client = Client::connect(&url).await?;
        let mut observer = SqliteConnection::connect(&url).await?;
        sqlx::raw_sql(sqlx::AssertSqlSafe(count_writes())).execute(&mut observer).await?;
        let worker = worker(&client).await?;
        sum_up_all(&client, 1, steps).await?;
        worker.shutdown().await?;
        let counts = "SELECT kind, CAST(count AS REAL) FROM writes";
        *counted = sqlx::query_as(counts).fetch_all(&mut observer).await?;
    }
    check(&counted, 100.0, WRITES);
    Ok(())
}

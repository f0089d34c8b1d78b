//! What lists, counts and sweeps read of 20,000 runs, most of which are closed: the rows that each scan returns, and
//! those that it reads and drops. A plan alone does not show that, since an index may be read in whole.
//!
//! The statements and their parameters are taken from the server's log, so the test has its own server.

use std::time::Duration;

use piton::filter::Filter;
use piton::model::RunId;
use piton::store::{
    ClaimSchedules, ClosedPart, RemoveClosed, RunQuery, Senders, Store, StripClosed, WorkerLease,
};
use piton_postgres_cluster::Cluster;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::fixture::{new_worker, open};
use crate::plans::{AS_THE_STORE, SETTINGS, statement_in};

/// Most rows that one statement may read of a table: a page of a hundred runs with their attributes, and some more.
const FEW: f64 = 1_000.0;

/// Of 400 runs, 393 are completed, and one each has another status.
const FILL: [&str; 5] = [
    "INSERT INTO piton_runs (run_id, workflow_id, workflow, status, step_no, started_at, stepped_at, closed_at, \
     due_at, blocked, blocked_at, state, snapshot, has_terms) \
     SELECT (lpad(to_hex(n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, 'o-' || n, 'w-' || (n % 5), \
     status, 3, n * 1000, n * 1000, \
     CASE WHEN status NOT IN ('running', 'blocked', 'paused') THEN n * 1000 END, \
     CASE WHEN status = 'running' THEN 9000000000000000 END, \
     CASE WHEN status = 'blocked' THEN '{\"panicked\":\"oh\"}' END, \
     CASE WHEN status = 'blocked' THEN n * 1000 END, 'paid', decode(repeat('00', 200), 'hex'), true \
     FROM (SELECT n, CASE n % 400 WHEN 0 THEN 'blocked' WHEN 1 THEN 'paused' WHEN 2 THEN 'failed' \
     WHEN 3 THEN 'cancelled' WHEN 4 THEN 'terminated' WHEN 5 THEN 'timed_out' WHEN 6 THEN 'running' \
     ELSE 'completed' END AS status FROM generate_series(1, 20000) AS n) AS numbered",
    "INSERT INTO piton_attributes (run_id, name, place, kind, text, integer, float, truth, time) \
     SELECT run_id, name, 0, kind, CASE kind WHEN 'keyword' THEN 'c-' || (n % 1000) END, \
     CASE kind WHEN 'integer' THEN n END, CASE kind WHEN 'float' THEN n / 2.0 END, \
     CASE kind WHEN 'bool' THEN (n % 500 = 0)::int END, CASE kind WHEN 'time' THEN n * 1000000 END \
     FROM (SELECT run_id, started_at / 1000 AS n FROM piton_runs) AS numbered CROSS JOIN \
     (VALUES ('customer', 'keyword'), ('cents', 'integer'), ('weight', 'float'), ('express', 'bool'), \
     ('ship_by', 'time')) AS named (name, kind)",
    "INSERT INTO piton_terms (run_id, terms, deadline_at) SELECT run_id, '{}', \
     CASE WHEN status = 'running' THEN started_at WHEN status = 'paused' THEN 9000000000000000 END FROM piton_runs",
    "INSERT INTO piton_schedules (schedule_id, token, workflow, arguments, config, state, due_at, created_at) \
     SELECT 's-' || n, gen_random_uuid(), 'w-' || (n % 5), '', '{}', '{}', \
     CASE WHEN n % 400 = 0 THEN n WHEN n % 2 = 0 THEN 9000000000000000 END, n FROM generate_series(1, 20000) AS n",
    "ANALYZE",
];

/// Each column and each kind of attribute that the guide calls indexed.
const INDEXED: [&str; 16] = [
    "customer = 'c-17'",
    "customer = 'c-17' and workflow = 'w-2'",
    "customer in ('c-17', 'c-18')",
    "customer like 'c-17%'",
    "cents between 100 and 200",
    "weight < 50.0",
    "express = true",
    "ship_by < '1970-01-01T00:02:00Z'",
    "status = 'blocked'",
    "status = 'paused'",
    "status = 'failed'",
    "status = 'cancelled' and workflow = 'w-3'",
    "status = 'terminated'",
    "status = 'timed_out'",
    "workflow_id = 'o-42'",
    "run_id < '00000000-0064-7000-8000-000000000000'",
];

/// A statement with its parameters, as the server has logged them.
struct Sent {
    sql: String,
    parameters: String,
}

/// The statements that the server was sent since `from`, a place in its log. Moves the place to the end.
fn sent(cluster: &Cluster, from: &mut usize) -> Vec<Sent> {
    let log = std::fs::read_to_string(cluster.directory().join("log")).expect("there is a log");
    let mut all: Vec<Sent> = Vec::new();
    for line in log[*from..].lines() {
        if let Some(sql) = statement_in(line) {
            all.push(Sent { sql: sql.to_owned(), parameters: String::new() });
        } else if let Some((_, rest)) = line.split_once("DETAIL:  ")
            && let Some((_, given)) = rest.split_once("arameters: ")
            && let Some(last) = all.last_mut()
        {
            let values =
                given.split(", $").map(|one| one.split_once(" = ").map_or(one, |(_, value)| value));
            last.parameters = format!("({})", values.collect::<Vec<_>>().join(", "));
        }
    }
    *from = log.len();
    all.retain(|sent| sent.sql.contains("piton_"));
    all
}

/// Carries the statement out again in a transaction that is rolled back. Returns the plan with the numbers of rows.
async fn explain(
    connection: &mut PgConnection,
    sent: &Sent,
    settings: &str,
) -> Result<Vec<String>, sqlx::Error> {
    let Sent { sql, parameters } = sent;
    let prepare = format!("BEGIN; {settings}; PREPARE it AS {sql}");
    sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut *connection).await?;
    let explain = format!("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE it {parameters}");
    let lines = sqlx::query_scalar(AssertSqlSafe(explain)).persistent(false);
    let lines = lines.fetch_all(&mut *connection).await?;
    sqlx::raw_sql("ROLLBACK; DEALLOCATE it").execute(connection).await?;
    Ok(lines)
}

/// The most rows that one scan of a table has read.
fn most_read(plan: &[String]) -> f64 {
    let number = |text: &str, name: &str| -> Option<f64> {
        let (_, rest) = text.split_once(name)?;
        rest.split([' ', ')']).next()?.parse().ok()
    };
    let mut most: f64 = 0.0;
    let mut scan: Option<(f64, f64)> = None;
    for line in plan {
        if let Some(rows) = number(line, "rows=") {
            let loops = number(line, "loops=").unwrap_or(1.0);
            let is_scan = line.contains("Scan ") && line.contains(" on piton_");
            scan = is_scan.then_some((rows * loops, loops));
        } else if let (Some((read, loops)), Some(dropped)) =
            (&mut scan, number(line, "Rows Removed by Filter: "))
        {
            *read += dropped * *loops;
        }
        most = most.max(scan.map_or(0.0, |(read, _)| read));
    }
    most
}

pub(crate) async fn lists_and_sweeps_read_few_of_many_rows(_: String) {
    let cluster = Cluster::start_with(SETTINGS, &[]).expect("there is another");
    read_few(&cluster).await.expect("the server is there");
}

async fn read_few(cluster: &Cluster) -> piton::Result<()> {
    let url = cluster.new_database().await?;
    let store = open(&url).await;
    let mut connection = PgConnection::connect(&url).await?;
    for sql in FILL {
        sqlx::raw_sql(sql).execute(&mut connection).await?;
    }
    let worker = store.register_worker(new_worker()).await?;
    let mut place = 0;
    sent(cluster, &mut place);
    for filter in INDEXED {
        let filter: Filter = filter.parse()?;
        let listed = store.list_runs(RunQuery { limit: 100, ..RunQuery::of(&filter) }).await?;
        let counted = store.count_runs(&filter, None).await?;
        assert!(!listed.is_empty() && counted[0].runs > 0, "{filter}");
        let statements = sent(cluster, &mut place);
        assert_eq!(statements.len(), 2, "{filter}");
        for one in statements {
            let plan = explain(&mut connection, &one, "SELECT").await?;
            assert!(most_read(&plan) < FEW, "{filter}\n{}\n{}", one.sql, plan.join("\n"));
        }
    }
    // What no index answers is read in whole: the numbers show it.
    let unindexed: Filter = "state = 'packed'".parse()?;
    store.count_runs(&unindexed, None).await?;
    let plan = explain(&mut connection, &sent(cluster, &mut place)[0], "SELECT").await?;
    assert!(most_read(&plan) > 19_000.0, "{}", plan.join("\n"));

    store.list_attribute_names(100).await?;
    for one in sent(cluster, &mut place) {
        let plan = explain(&mut connection, &one, "SELECT").await?;
        assert!(most_read(&plan) < FEW, "{}\n{}", one.sql, plan.join("\n"));
    }
    sweep(&*store, worker).await?;
    let statements = sent(cluster, &mut place);
    assert!(statements.len() > 15, "{}", statements.len());
    for one in statements {
        let plan = explain(&mut connection, &one, AS_THE_STORE).await?;
        assert!(most_read(&plan) < FEW, "{}\n{}", one.sql, plan.join("\n"));
    }
    store.close().await;
    Ok(())
}

/// What the loops of a worker look for again and again.
async fn sweep(store: &dyn Store, worker: WorkerLease) -> piton::Result<()> {
    let workflows = ["w-0", "w-1", "w-2", "w-3", "w-4"];
    assert_eq!(store.find_expired(None, 100).await?.last.map(|(at, _)| at.0), Some(19_606_000));
    store.attend(&workflows, Duration::from_secs(10)).await?;
    let hold = Duration::from_secs(10);
    let claimed = store.claim_schedules(ClaimSchedules { workflows: &workflows, limit: 100, hold });
    assert_eq!(claimed.await?.schedules.len(), 50);
    assert_eq!(store.closed_workflows().await?, workflows);
    let (age, limit) = (Duration::from_secs(60), 100);
    for part in ClosedPart::ALL {
        let strip = StripClosed { part, workflow: "w-1", age, after: None, limit };
        store.strip_closed(strip).await?;
    }
    let remove = RemoveClosed { workflow: "w-1", age, after: None, limit };
    assert_eq!(store.remove_closed(remove).await?.runs, 100);
    store.find_blocked(&workflows, None, 50).await?;
    let senders = Senders::WaitingFor(Duration::from_secs(1));
    store.relay_messages(piton::store::RelayMessages { senders, limit: 500 }).await?;
    store.settle_promises(100).await?;
    store.review_runs(worker, &[(RunId::new(), 0)]).await?;
    Ok(())
}

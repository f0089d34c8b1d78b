//! Filters over very many runs: their results, their time, and their effect on commits.
//!
//! By default there are a few thousand runs, and the test checks only the results. It prints figures with
//! `PITON_RUNS=1000000 cargo test -p piton --test many_runs -- --nocapture`. Without Postgres binaries its trial is
//! reported as ignored.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use piton::client::Client;
use piton::filter::{Column, Filter};
use piton::model::{DefinitionHash, Payload, RunId, StepNo};
use piton::store::{CommitOutcome, CommitStep, Disposition, NewRun, NewWorker, OrderBy, RunOrder};
use piton_postgres_cluster::{Cluster, run_tests, trial};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};

fn main() {
    run_tests(&Arguments::from_args(), "", |cluster| {
        vec![
            Trial::test("many_runs_on_sqlite", || {
                let directory = tempfile::tempdir()?;
                let url = format!("sqlite:{}", directory.path().join("runs.db").display());
                block_on(check(&url))
            }),
            trial("many_runs_on_postgres".into(), cluster, |cluster: Arc<Cluster>| {
                block_on(async { check(&cluster.new_database().await?).await })
            }),
        ]
    })
}

fn block_on(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(test)
}

fn runs() -> Result<u64, Failed> {
    Ok(std::env::var("PITON_RUNS").map_or(Ok(4_000), |count| count.parse())?)
}

/// Nine of ten runs are completed, one of a thousand is blocked; twenty share a customer, and a quarter shares a
/// region.
const FILL_SQLITE: [&str; 2] = [
    "INSERT INTO piton_runs (run_id, workflow_id, workflow, status, step_no, started_at, stepped_at, closed_at, \
     blocked, blocked_at, state, snapshot) \
     SELECT unhex(printf('%012x70008000%012x', n, n)), 'o-' || n, 'w-' || (n % 5), \
     CASE WHEN n % 1000 = 0 THEN 'blocked' WHEN n % 10 = 0 THEN 'running' ELSE 'completed' END, 3, n * 1000, \
     n * 1000, CASE WHEN n % 10 <> 0 THEN n * 1000 END, \
     CASE WHEN n % 1000 = 0 THEN '{\"panicked\":\"oh\"}' END, CASE WHEN n % 1000 = 0 THEN n * 1000 END, 'paid', \
     zeroblob(200) \
     FROM (WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {runs}) \
     SELECT n FROM numbers)",
    "INSERT INTO piton_attributes (run_id, name, place, kind, text, integer) \
     SELECT run_id, 'customer', 0, 'keyword', 'c-' || (started_at / 1000 % ({runs} / 20)), NULL FROM piton_runs \
     UNION ALL SELECT run_id, 'region', 0, 'keyword', 'r-' || (started_at / 1000 % 4), NULL FROM piton_runs \
     UNION ALL SELECT run_id, 'cents', 0, 'integer', NULL, started_at / 1000 FROM piton_runs",
];

const FILL_POSTGRES: [&str; 3] = [
    "INSERT INTO piton_runs (run_id, workflow_id, workflow, status, step_no, started_at, stepped_at, closed_at, \
     blocked, blocked_at, state, snapshot) \
     SELECT (lpad(to_hex(n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, 'o-' || n, \
     'w-' || (n % 5), \
     CASE WHEN n % 1000 = 0 THEN 'blocked' WHEN n % 10 = 0 THEN 'running' ELSE 'completed' END, 3, n * 1000, \
     n * 1000, CASE WHEN n % 10 <> 0 THEN n * 1000 END, \
     CASE WHEN n % 1000 = 0 THEN '{\"panicked\":\"oh\"}' END, CASE WHEN n % 1000 = 0 THEN n * 1000 END, 'paid', \
     decode(repeat('00', 200), 'hex') FROM generate_series(1, {runs}::bigint) AS n",
    "INSERT INTO piton_attributes (run_id, name, place, kind, text, integer) \
     SELECT run_id, 'customer', 0, 'keyword', 'c-' || (started_at / 1000 % ({runs} / 20)), NULL::bigint FROM piton_runs \
     UNION ALL SELECT run_id, 'region', 0, 'keyword', 'r-' || (started_at / 1000 % 4), NULL::bigint FROM piton_runs \
     UNION ALL SELECT run_id, 'cents', 0, 'integer', NULL, started_at / 1000 FROM piton_runs",
    "ANALYZE",
];

async fn fill(url: &str, runs: u64) -> Result<(), Failed> {
    let statement = |text: &str| AssertSqlSafe(text.replace("{runs}", &runs.to_string()));
    if url.starts_with("sqlite") {
        let mut connection = SqliteConnection::connect(url).await?;
        for text in FILL_SQLITE {
            sqlx::query(statement(text)).execute(&mut connection).await?;
        }
        connection.close().await?;
    } else {
        let mut connection = PgConnection::connect(url).await?;
        for text in FILL_POSTGRES {
            sqlx::query(statement(text)).execute(&mut connection).await?;
        }
        connection.close().await?;
    }
    Ok(())
}

async fn check(url: &str) -> Result<(), Failed> {
    let runs = runs()?;
    let client = Client::connect(url).await?;
    let began = Instant::now();
    fill(url, runs).await?;
    println!("{runs} runs filled in {:.1?}", began.elapsed());
    for (text, found) in [
        ("customer = 'c-7'", 20),
        ("customer = 'c-7' and status = 'completed'", 20),
        ("customer like 'c-77%' and region = 'r-1'", 100),
        ("region = 'r-1'", 100),
        ("region = 'r-1' and workflow = 'w-1'", 100),
        ("region in ('r-1', 'r-2')", 100),
        ("cents between 1001 and 1050", 50),
        ("status = 'blocked'", 100),
        ("workflow_id = 'o-17'", 1),
        ("workflow = 'w-3'", 100),
        ("", 100),
    ] {
        let filter: Filter = text.parse()?;
        let mut times = Vec::new();
        for _ in 0..5 {
            let began = Instant::now();
            let page = client.list_runs(&filter).await?;
            times.push(began.elapsed());
            let bound = usize::try_from(runs / 1_000)?.max(1);
            let expected = if text.starts_with("status") { found.min(bound) } else { found };
            if text.contains("like") {
                assert!(!page.runs.is_empty() && page.runs.len() <= expected, "{text}");
            } else {
                assert_eq!(page.runs.len(), expected, "{text}");
            }
        }
        times.sort_unstable();
        println!("{:>10.1?}  list   {text}", times[2]);
    }
    let began = Instant::now();
    let by = RunOrder::descending(OrderBy::StartedAt);
    assert_eq!(client.list_runs(Filter::all()).order_by(by).await?.runs.len(), 100);
    println!("{:>10.1?}  list   all by started_at", began.elapsed());
    let began = Instant::now();
    let counts = client.count(Filter::all()).group_by(Column::Status).await?;
    assert_eq!(counts.iter().map(|count| count.runs).sum::<u64>(), runs);
    println!("{:>10.1?}  count  all by status", began.elapsed());
    let began = Instant::now();
    let filter: Filter = "customer = 'c-7'".parse()?;
    assert_eq!(client.count(filter).await?, 20);
    println!("{:>10.1?}  count  customer = 'c-7'", began.elapsed());
    if runs >= 100_000 {
        compare_commits(&client).await?;
    }
    client.close().await;
    Ok(())
}

/// Commits with and without concurrent lists.
async fn compare_commits(client: &Client) -> Result<(), Failed> {
    let store = client.store();
    let worker = NewWorker { host: "here".into(), pid: 1, lease: Duration::from_secs(3_600) };
    let worker = store.register_worker(worker).await?;
    let new = || {
        let run_id = RunId::new();
        NewRun {
            run_id,
            workflow_id: run_id.to_string(),
            workflow: "commits".into(),
            arguments: Payload::default(),
            snapshot: vec![0; 200],
            state: "start".into(),
            definition: DefinitionHash(1),
            owner: Some(worker),
            start_at: None,
            first: None,
            attributes: Default::default(),
            memo: Default::default(),
            terms: None,
        }
    };
    let runs: Vec<NewRun> = (0..50).map(|_| new()).collect();
    let run_ids: Vec<RunId> = runs.iter().map(|run| run.run_id).collect();
    store.start_runs(runs).await?;
    let mut step_no = 0;
    for round in ["alone", "beside lists", "alone", "beside lists"] {
        let is_over = Arc::new(AtomicBool::new(round == "alone"));
        let lists = tokio::spawn(list_until(client.clone(), Arc::clone(&is_over)));
        let (began, before) = (Instant::now(), step_no);
        while began.elapsed() < Duration::from_secs(5) {
            let steps: Vec<CommitStep> = run_ids
                .iter()
                .map(|run_id| {
                    let kept = Disposition::Keep { snapshot: vec![1; 200], state: "s".into() };
                    CommitStep::new(*run_id, StepNo(step_no), kept)
                })
                .collect();
            let outcomes = store.commit_steps(worker, &steps.iter().collect::<Vec<_>>()).await?;
            assert!(outcomes.iter().all(|outcome| *outcome == CommitOutcome::Committed));
            step_no += 1;
        }
        let batches = (step_no - before) as f64 / began.elapsed().as_secs_f64();
        is_over.store(true, Ordering::Relaxed);
        let listed = lists.await??;
        println!("{batches:>8.1} batches of 50 commits a second {round} ({listed} lists)");
    }
    Ok(())
}

/// Ten lists per second, as one or two dashboards request.
async fn list_until(client: Client, is_over: Arc<AtomicBool>) -> Result<u64, Failed> {
    let mut listed = 0;
    while !is_over.load(Ordering::Relaxed) {
        for text in ["customer = 'c-7'", "region = 'r-1'", "status = 'blocked'"] {
            client.list_runs(&text.parse::<Filter>()?).await?;
            listed += 1;
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    Ok(listed)
}

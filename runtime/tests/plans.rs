//! How Postgres carries out the store's own statements where its statistics mislead it most: a table that
//! has just been analyzed when the first few of many runs were there.
//!
//! The statements are those that the server logs when the store sends them. Without Postgres binaries the
//! tests are reported as ignored, or as failed if `PITON_REQUIRE_POSTGRES=1`.

use std::time::Duration;

use libtest_mimic::{Arguments, Failed};
use piton::model::{BlockedReason, Payload, RunId, StepNo};
use piton::store::{CommitStep, Disposition, NewRun, NewWorker, Store, WorkerLease, connect};
use piton_postgres_cluster::{Cluster, run_tests, trial};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

/// Every statement is a line of the server's log.
const SETTINGS: &str = "log_statement = 'all'\nautovacuum = off\n";

/// What the store has each of its sessions do.
const AS_THE_STORE: &str = "SET enable_hashjoin = off; SET enable_mergejoin = off; \
    SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off; \
    SET plan_cache_mode = force_generic_plan";

fn main() {
    run_tests(&Arguments::from_args(), SETTINGS, |cluster| {
        let trials = vec![
            trial("a_commit_looks_up_its_runs".into(), cluster, |cluster| {
                run(a_commit_looks_up_its_runs(&cluster))
            }),
            trial("the_look_for_blocked_runs_reads_no_others".into(), cluster, |cluster| {
                run(the_look_for_blocked_runs_reads_no_others(&cluster))
            }),
        ];
        trials
    })
}

fn run(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(test)
}

fn new_run(owner: WorkerLease) -> NewRun {
    let run_id = RunId::new();
    NewRun {
        run_id,
        workflow_id: run_id.to_string(),
        workflow: "order".into(),
        arguments: Payload::default(),
        snapshot: vec![7; 300],
        state: "start".into(),
        owner: Some(owner),
        start_at: None,
        first: None,
    }
}

async fn start(store: &dyn Store, owner: WorkerLease, count: usize) -> Vec<RunId> {
    let runs: Vec<NewRun> = (0..count).map(|_| new_run(owner)).collect();
    let run_ids = runs.iter().map(|run| run.run_id).collect();
    store.start_runs(runs).await.expect("they can be started");
    run_ids
}

async fn worker(store: &dyn Store) -> WorkerLease {
    let worker = NewWorker { host: "here".into(), pid: 1, lease: Duration::from_secs(3_600) };
    store.register_worker(worker).await.expect("a worker can register")
}

/// The last statement with these words that the server was sent.
fn sent(cluster: &Cluster, words: &str) -> String {
    let log = std::fs::read_to_string(cluster.directory().join("log")).expect("there is a log");
    let mut statements = log.lines().filter_map(|line| {
        let (_, rest) = line.split_once("LOG:  execute ")?;
        rest.split_once(": ").map(|(_, sql)| sql)
    });
    statements.rfind(|sql| sql.contains(words)).expect("it was sent").to_owned()
}

/// How the server would carry out a statement, with these arguments, whose values make no difference.
async fn plan(connection: &mut PgConnection, sql: &str, arguments: &str) -> String {
    sqlx::raw_sql(AS_THE_STORE).execute(&mut *connection).await.expect("it is right");
    for sql in [format!("PREPARE it AS {sql}"), "ANALYZE piton_runs".into()] {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *connection).await.expect("it is right");
    }
    let explain = format!("EXPLAIN EXECUTE it ({arguments})");
    let lines: Vec<String> = sqlx::query_scalar(AssertSqlSafe(explain))
        .persistent(false)
        .fetch_all(&mut *connection)
        .await
        .expect("it can be explained");
    sqlx::raw_sql("DEALLOCATE it").execute(connection).await.expect("it was prepared");
    lines.join("\n")
}

async fn a_commit_looks_up_its_runs(cluster: &Cluster) -> Result<(), Failed> {
    let url = cluster.new_database().await?;
    let store = connect(&url).await?;
    let worker = worker(&*store).await;
    let mut connection = PgConnection::connect(&url).await?;
    let mut there = 0;
    for count in [2, 3, 5, 10, 20, 50, 200, 1_000] {
        let run_ids = start(&*store, worker, count - there).await;
        there = count;
        let keep = Disposition::Keep { snapshot: vec![8; 300], state: "one".into() };
        let step = CommitStep::new(run_ids[0], StepNo(0), keep);
        store.commit_steps(worker, &[&step]).await?;
        let sql = sent(cluster, "UPDATE piton_runs AS run SET step_no");
        let arguments =
            "NULL, 1, 1, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', false, '{}', '{}'";
        let plan = plan(&mut connection, &sql, arguments).await;
        let look_up = "Index Scan using piton_runs_run_id on piton_runs run";
        assert_eq!(plan.matches("on piton_runs run").count(), 2, "{count} runs: {plan}");
        assert!(plan.contains(look_up), "{count} runs: {plan}");
        assert!(plan.contains("Index Cond: (run_id = "), "{count} runs: {plan}");
    }
    store.close().await;
    Ok(())
}

async fn the_look_for_blocked_runs_reads_no_others(cluster: &Cluster) -> Result<(), Failed> {
    let url = cluster.new_database().await?;
    let store = connect(&url).await?;
    let worker = worker(&*store).await;
    let mut connection = PgConnection::connect(&url).await?;
    let run_ids = start(&*store, worker, 200).await;
    let reason = BlockedReason::Panicked("oh no".into());
    let block = |run_id: &RunId| {
        let disposition = Disposition::Block { reason: reason.clone() };
        CommitStep::new(*run_id, StepNo(0), disposition)
    };
    let steps: Vec<CommitStep> = run_ids.iter().map(block).collect();
    store.commit_steps(worker, &steps.iter().collect::<Vec<_>>()).await?;
    assert!(store.find_blocked(&["order"], None, 50).await?.is_empty());
    let sql = sent(cluster, "SELECT run_id, workflow, blocked, snapshot");
    let nobody = RunId::new();
    let plan = plan(&mut connection, &sql, &format!("'{{}}', '{nobody}', 50")).await;
    assert!(plan.contains("Index Scan using piton_runs_adoptable on piton_runs"), "{plan}");
    let pages = "SELECT pg_relation_size('piton_runs_adoptable') / 8192";
    let pages: i64 = sqlx::query_scalar(pages).fetch_one(&mut connection).await?;
    assert_eq!(pages, 1, "what has panicked is not in the index");
    store.close().await;
    Ok(())
}

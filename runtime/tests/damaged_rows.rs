//! A row that this build cannot read, because it is damaged or a later build wrote it, holds up its own run and no
//! other. On both databases.
//!
//! Without Postgres binaries the tests on it are reported as ignored, or as failed if `PITON_REQUIRE_POSTGRES=1`.

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use piton::client::{Completed, RunHandle};
use piton::error::RunError;
use piton::machine::{Never, Workflow};
use piton::model::{RunStatus, StepNo};
use piton::prelude::*;
use piton::schedule::Spec;
use piton::store::{DeadLetterFilter, PromiseFilter, RunRecord};
use piton_postgres_cluster::{Cluster, run_tests, trial};
use serde::{Deserialize, Serialize};
use sqlx::{AssertSqlSafe, PgPool, SqlitePool};

#[derive(Signal, Serialize, Deserialize)]
struct Approve {
    by: String,
}

#[workflow]
async fn damaged_approval(cx: &Context) -> String {
    cx.signal::<Approve>().await.by
}

type Case = fn(Scene) -> Result<(), Failed>;

const CASES: &[(&str, Case)] = &[
    ("an_arrival_blocks_its_run", |scene| block_on(an_arrival_blocks_its_run(scene))),
    ("terms_leave_their_run_open", |scene| block_on(terms_leave_their_run_open(scene))),
    ("a_reason_of_a_later_build_is_passed_over", |scene| {
        block_on(a_reason_of_a_later_build_is_passed_over(scene))
    }),
    ("a_schedule_waits", |scene| block_on(a_schedule_waits(scene))),
    ("an_outcome_blocks_those_who_await_it", |scene| {
        block_on(an_outcome_blocks_those_who_await_it(scene))
    }),
];

fn main() {
    run_tests(&Arguments::from_args(), "", |cluster| {
        let mut trials = Vec::new();
        for (name, case) in CASES {
            trials.push(Trial::test(format!("sqlite::{name}"), || {
                let folder = tempfile::tempdir()?;
                let url = format!("sqlite:{}", folder.path().join("runs.db").display());
                case(Scene { url })
            }));
            trials.push(trial(format!("postgres::{name}"), cluster, |cluster: Arc<Cluster>| {
                let url = block_on(async { Ok(cluster.new_database().await?) })?;
                case(Scene { url })
            }));
        }
        trials
    })
}

fn block_on<T>(test: impl Future<Output = Result<T, Failed>>) -> Result<T, Failed> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(test)
}

/// The database of a test.
struct Scene {
    url: String,
}

impl Scene {
    async fn client(&self) -> Result<Client, Failed> {
        Ok(Client::connect(&self.url).await?)
    }

    /// Changes one row of the run behind the back of everyone.
    async fn damage(&self, sql: &str) -> Result<(), Failed> {
        let changed = match self.url.starts_with("sqlite:") {
            true => {
                let pool = SqlitePool::connect(&self.url).await?;
                sqlx::query(AssertSqlSafe(sql)).execute(&pool).await?.rows_affected()
            }
            false => {
                let pool = PgPool::connect(&self.url).await?;
                let sql = sql.replace("x'01ff'", "'\\x01ff'::bytea");
                sqlx::query(AssertSqlSafe(sql)).execute(&pool).await?.rows_affected()
            }
        };
        assert_eq!(changed, 1, "{sql}");
        Ok(())
    }
}

async fn until<W: Workflow>(
    run: &RunHandle<W>,
    mut is_wanted: impl FnMut(&RunRecord) -> bool,
) -> Result<RunRecord, Failed> {
    loop {
        let record = run.status().await?;
        if is_wanted(&record) {
            return Ok(record);
        }
        tokio::task::yield_now().await;
    }
}

/// The condition that a row belongs to the run with this workflow id.
fn of(workflow_id: &str) -> String {
    format!("run_id = (SELECT run_id FROM piton_runs WHERE workflow_id = '{workflow_id}')")
}

fn approve(by: &str) -> Approve {
    Approve { by: by.to_owned() }
}

async fn an_arrival_blocks_its_run(scene: Scene) -> Result<(), Failed> {
    let client = scene.client().await?;
    let bad = client.start(damaged_approval()).id("bad").await?;
    let good = client.start(damaged_approval()).id("good").await?;
    bad.signal(approve("ann")).await?;
    good.signal(approve("bob")).await?;
    scene.damage(&format!("UPDATE piton_inbox SET arrival = x'01ff' WHERE {}", of("bad"))).await?;

    let worker = Worker::new(&client).poll_interval(Duration::from_millis(20)).start().await?;
    assert_eq!(good.result().await?, "bob");
    // The worker can read the state, so it takes the blocked run over and tries once more.
    let is_settled =
        |record: &RunRecord| record.status == RunStatus::Blocked && record.step_no == StepNo(2);
    let blocked = until(&bad, is_settled).await?;
    let reason = blocked.blocked.expect("it says why").to_string();
    assert!(reason.contains("arrival 1 of its inbox cannot be read"), "{reason}");
    assert_eq!(client.inspect("bad").await?.blocked, Some(reason));

    bad.set_aside(1).by("ann").because("damaged").await?;
    bad.signal(approve("eve")).await?;
    assert_eq!(bad.result().await?, "eve");
    let letters = client.dead_letters(&DeadLetterFilter::default(), 10).await?;
    assert_eq!(
        letters.iter().map(|letter| letter.arrival.word()).collect::<Vec<_>>(),
        ["unreadable"]
    );
    worker.shutdown().await?;
    Ok(())
}

#[workflow]
async fn damaged_promise(cx: &Context) -> u32 {
    cx.promise::<u32, Never>("number").await.unwrap_or_default()
}

async fn an_outcome_blocks_those_who_await_it(scene: Scene) -> Result<(), Failed> {
    let client = scene.client().await?;
    let worker = Worker::new(&client).poll_interval(Duration::from_millis(20)).start().await?;
    let (bad, good) = (client.start(damaged_promise()).id("bad"), client.start(damaged_promise()));
    let (bad, good) = (bad.await?, good.id("good").await?);
    let promises = async || client.promises(&PromiseFilter::default(), None, 10).await;
    while promises().await?.len() < 2 {
        tokio::task::yield_now().await;
    }
    worker.shutdown().await?;

    // Both are due in one batch: an outcome that cannot be read, and an expiry.
    let sql = format!(
        "UPDATE piton_promises SET outcome = x'01ff', completed_at = 1, due_at = 1 WHERE {}",
        of("bad")
    );
    scene.damage(&sql).await?;
    let sql = "UPDATE piton_promises SET expires_at = 2, due_at = 2 WHERE";
    scene.damage(&format!("{sql} {}", of("good"))).await?;
    let worker = Worker::new(&client).poll_interval(Duration::from_millis(20)).start().await?;
    assert_eq!(good.result().await?, 0);
    let blocked = until(&bad, |record| record.status == RunStatus::Blocked).await?;
    let reason = blocked.blocked.expect("it says why").to_string();
    assert!(reason.contains("arrival 1 of its inbox cannot be read"), "{reason}");

    // It is listed among the others, is not completed again, and blocks a run that awaits it later.
    let promise = client.promise(&promises().await?[0].token);
    let Completed::Already(known) = promise.resolve(&7_u32).await? else { panic!("it has one") };
    assert_eq!(known.outcome().as_str(), "unreadable");
    known.read::<u32, Never>().expect_err("it cannot be read");
    worker.shutdown().await?;
    Ok(())
}

async fn terms_leave_their_run_open(scene: Scene) -> Result<(), Failed> {
    let client = scene.client().await?;
    let limit = Duration::from_millis(1);
    let bad = client.start(damaged_approval()).id("bad").run_timeout(limit).await?;
    let good = client.start(damaged_approval()).id("good").run_timeout(limit).await?;
    scene.damage(&format!("UPDATE piton_terms SET terms = 'damaged' WHERE {}", of("bad"))).await?;

    let worker = Worker::new(&client).poll_interval(Duration::from_millis(20)).start().await?;
    assert!(matches!(good.result().await, Err(RunError::TimedOut { .. })));
    until(&bad, |record| record.status == RunStatus::Blocked).await?;
    let again = client.start(damaged_approval()).id("again").run_timeout(limit).await?;
    assert!(matches!(again.result().await, Err(RunError::TimedOut { .. })));
    assert!(bad.status().await?.status.is_open());
    worker.shutdown().await?;
    Ok(())
}

async fn a_reason_of_a_later_build_is_passed_over(scene: Scene) -> Result<(), Failed> {
    let client = scene.client().await?;
    let mut runs = Vec::new();
    for (id, reason) in [("bad", "unheard_of"), ("good", "undecodable")] {
        runs.push(client.start(damaged_approval()).id(id).await?);
        let sql = format!(
            "UPDATE piton_runs SET status = 'blocked', due_at = NULL, blocked_at = started_at, \
             blocked = '{{\"{reason}\":\"why\"}}' WHERE workflow_id = '{id}'"
        );
        scene.damage(&sql).await?;
    }
    let listed = client.list_runs("status = 'blocked'".parse::<piton::filter::Filter>()?).await?;
    let reasons = listed.runs.iter().map(|run| run.blocked.as_ref().map(ToString::to_string));
    let reasons: Vec<_> = reasons.map(Option::unwrap_or_default).collect();
    assert!(reasons[1].contains("unheard_of"), "{reasons:?}");

    let worker = Worker::new(&client).poll_interval(Duration::from_millis(20)).start().await?;
    for run in &runs {
        run.signal(approve("ann")).await?;
        assert_eq!(run.result().await?, "ann");
    }
    worker.shutdown().await?;
    Ok(())
}

async fn a_schedule_waits(scene: Scene) -> Result<(), Failed> {
    let client = scene.client().await?;
    for id in ["bad", "good"] {
        let spec = Spec::new().every(Duration::from_secs(1));
        client.schedule(id).create(spec, damaged_approval()).await?;
    }
    let sql = "UPDATE piton_schedules SET config = '{}' WHERE schedule_id = 'bad'";
    scene.damage(sql).await?;
    let worker = Worker::new(&client).start().await?;
    let is_there = async || Ok::<_, Failed>(client.count(piton::filter::Filter::all()).await? > 0);
    while !is_there().await? {
        tokio::task::yield_now().await;
    }
    let runs = client.list_runs(piton::filter::Filter::all()).await?.runs;
    assert!(runs.iter().all(|run| run.workflow_id.starts_with("good")), "{runs:?}");
    worker.shutdown().await?;
    Ok(())
}

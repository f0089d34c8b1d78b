//! The common parts of the tests.

use std::sync::Arc;
use std::time::Duration;

use piton::model::{DefinitionHash, Payload, RunId, StepNo};
use piton::prelude::*;
use piton::store::{CommitStep, Disposition, NewRun, NewWorker, Store, WorkerLease, connect};
use sqlx::{Connection as _, PgConnection};

/// Long enough for anything to happen on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn new_worker() -> NewWorker {
    NewWorker { host: "here".into(), pid: 1, lease: Duration::from_secs(3_600) }
}

pub(crate) fn new_run(owner: Option<WorkerLease>) -> NewRun {
    let run_id = RunId::new();
    NewRun {
        run_id,
        workflow_id: run_id.to_string(),
        workflow: "order".into(),
        arguments: Payload::default(),
        snapshot: vec![7; 300],
        state: "start".into(),
        definition: DefinitionHash(1),
        owner,
        start_at: None,
        first: None,
        attributes: Default::default(),
        memo: Default::default(),
        terms: None,
    }
}

pub(crate) async fn open(url: &str) -> Arc<dyn Store> {
    connect(url).await.expect("the server is there")
}

pub(crate) async fn start(store: &dyn Store, owner: Option<WorkerLease>) -> RunId {
    let run = new_run(owner);
    let run_id = run.run_id;
    store.start_runs(vec![run]).await.expect("runs can be started");
    run_id
}

/// Runs statements on a separate connection.
pub(crate) async fn execute(url: &str, sql: impl sqlx::SqlSafeStr) {
    let mut connection = PgConnection::connect(url).await.expect("the server is there");
    sqlx::raw_sql(sql).execute(&mut connection).await.expect("the statements are right");
}

/// Waits until this many statements in the database wait for locks.
pub(crate) async fn until_waiting(url: &str, count: i64) {
    let waiting = "SELECT count(*) FROM pg_stat_activity \
        WHERE wait_event_type = 'Lock' AND datname = current_database()";
    let mut observer = PgConnection::connect(url).await.expect("the server is there");
    while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut observer).await.expect("ok") < count
    {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) fn keep(run_id: RunId, expected: i64) -> CommitStep {
    let disposition = Disposition::Keep { snapshot: vec![8; 300], state: "one".into() };
    CommitStep::new(run_id, StepNo(expected), disposition)
}

#[workflow]
pub(crate) async fn fails_with(text: String) -> piton::Result<()> {
    Err(piton::Error::msg(text))
}

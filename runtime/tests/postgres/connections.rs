//! Broken connections, and networks that fail.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use piton::error::StoreError;
use piton::machine::OperationOutcome;
use piton::model::{Handle, Payload, StepNo};
use piton::prelude::*;
use piton::store::{ArrivalKind, CommitOutcome, CommitStep, Disposition, NewArrival};
use sqlx::{Connection as _, PgConnection};

use crate::fixture::{PATIENCE, execute, fails_with, new_run, new_worker, open, start};
use crate::way::Way;

pub(crate) async fn connections_that_are_cut_are_made_again(url: String) {
    let (here, there) = (open(&url).await, open(&url).await);
    let worker = here.register_worker(new_worker()).await.expect("a worker can register");
    let run_id = start(&*here, Some(worker)).await;
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE application_name = 'piton' AND datname = current_database()";
    execute(&url, cut).await;
    let keep = Disposition::Keep { snapshot: Vec::new(), state: "one".into() };
    let step = || CommitStep::new(run_id, StepNo(0), keep.clone());
    let started = Instant::now();
    let outcome = loop {
        match here.commit_steps(worker, &[&step()]).await {
            Ok(outcome) => break outcome,
            Err(error) => assert!(error.is_retryable() && started.elapsed() < PATIENCE, "{error}"),
        }
    };
    assert_eq!(outcome, [CommitOutcome::Committed]);
    // Both get each other's notifications again, which also shows that the lock is held again.
    let heard = async {
        loop {
            let due = there.hub().due();
            tokio::pin!(due);
            if let Err(error) = here.start_runs(vec![new_run(None)]).await {
                assert!(error.is_retryable(), "{error}");
            }
            if tokio::time::timeout(Duration::from_millis(50), due).await.is_ok() {
                break;
            }
        }
    };
    tokio::time::timeout(PATIENCE, heard).await.expect("in time");
    here.renew_lease(worker, PATIENCE).await.expect("the worker lives on");
}

pub(crate) async fn a_look_outlasts_a_way_without_a_server(url: String) {
    let way = Way::to(&url);
    let client = Client::connect(&way.url).await.expect("the way is open");
    let run =
        client.start(fails_with("later".into())).id("there").await.expect("it can be started");
    way.is_open.store(false, Ordering::SeqCst);
    let looks = tokio::spawn({
        let client = client.clone();
        async move { client.find("there").await }
    });
    while way.hung_up.load(Ordering::SeqCst) < 2 && !looks.is_finished() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    way.is_open.store(true, Ordering::SeqCst);
    let found = looks.await.expect("no panic").expect("it is asked for again");
    assert_eq!(found.map(|found| found.run_id), Some(run.run_id()));
    client.close().await;
}

pub(crate) async fn an_idle_transaction_is_retried(url: String) {
    ends_by(&url, "SET LOCAL idle_in_transaction_session_timeout = '1ms'", "25P03").await;
}

pub(crate) async fn a_timed_out_transaction_is_retried(url: String) {
    let mut observer = PgConnection::connect(&url).await.expect("the server is there");
    let version = "SELECT current_setting('server_version_num')::integer";
    let version: i32 = sqlx::query_scalar(version).fetch_one(&mut observer).await.expect("ok");
    // Older servers have no such limit.
    if version >= 170_000 {
        ends_by(&url, "SET LOCAL transaction_timeout = '1ms'", "25P04").await;
    }
}

/// Makes the server end a session in the middle of a transaction, by one of its own timeouts.
async fn ends_by(url: &str, limit: &'static str, state: &str) {
    // On a Unix socket, the last message of the server would be lost.
    let way = Way::to(url);
    let store = open(&way.url).await;
    let worker = store.register_worker(new_worker()).await.expect("a worker can register");
    let run_id = start(&*store, Some(worker)).await;
    let mut transaction = store.begin_activity().await.expect("it can be begun");
    let connection = transaction.connection();
    let connection: &mut PgConnection = connection.downcast_mut().expect("it is Postgres");
    let process = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut *connection).await;
    let process: i32 = process.expect("the server says it");
    sqlx::raw_sql(limit).execute(connection).await.expect("it can be set");
    let is_there = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = $1)";
    let mut observer = PgConnection::connect(url).await.expect("the server is there");
    let mut is_there = async || {
        let asked = sqlx::query_scalar::<_, bool>(is_there).bind(process);
        asked.fetch_one(&mut observer).await.expect("the statement is right")
    };
    while is_there().await {}

    let kind = ArrivalKind::Outcome {
        handle: Handle(0),
        outcome: OperationOutcome::Returned(Payload::default()),
    };
    let arrival = NewArrival { run_id, kind, dedup_key: None, owner: Some(worker) };
    let error = transaction.commit(arrival).await.expect_err("the session has ended");
    let StoreError::Database { source, .. } = &error else { panic!("{error:?}") };
    let source: &sqlx::Error = source.downcast_ref().expect("it is the driver's");
    let code = source.as_database_error().and_then(|error| error.code());
    assert_eq!(code.as_deref(), Some(state), "{error:?}");
    assert!(error.is_retryable(), "{error:?}");
    store.close().await;
}

//! The cases for every database, and those for Postgres only.

use std::time::Duration;

use piton::client::Client;
use piton::filter::{Column, Filter};
use piton::machine::OperationOutcome;
use piton::model::{DefinitionHash, Handle, Payload, RunId};
use piton::sqlx;
use piton::store::{ArrivalKind, ArrivalOutcome, NewArrival, NewRun, NewWorker, RunCount};
use tokio::time::timeout;

use crate::books::Books;

/// Long enough for anything to happen on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

pub async fn every_entry_is_made_once(books: Books) {
    let worker = books.worker().start().await.unwrap();
    let texts: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert_eq!(books.enter(&texts).await, Ok(20));
    assert_eq!((books.count().await, books.desk.attempts()), (20, 20));
    worker.shutdown().await.unwrap();
}

pub async fn the_writes_of_a_failed_attempt_are_rolled_back(books: Books) {
    let worker = books.worker().start().await.unwrap();
    assert_eq!(books.enter(&["first", "fails twice", "last"]).await, Ok(1 + 3 + 1));
    assert_eq!((books.count().await, books.desk.attempts()), (3, 5));
    assert_eq!(books.enter(&["fails"]).await, Err("it always fails".to_owned()));
    assert_eq!((books.count().await, books.desk.attempts()), (3, 9));
    worker.shutdown().await.unwrap();
}

pub async fn a_panic_rolls_back(books: Books) {
    let worker = books.worker().start().await.unwrap();
    let ended = books.enter(&["first", "panics"]).await;
    assert_eq!(ended, Err("the activity panicked: as asked".to_owned()));
    assert_eq!(books.enter(&["after"]).await, Ok(1));
    assert_eq!(books.count().await, 2);
    worker.shutdown().await.unwrap();
}

pub async fn an_attempt_that_takes_too_long_rolls_back(books: Books) {
    let worker = books.worker().start().await.unwrap();
    assert_eq!(books.enter(&["hangs once"]).await, Ok(2));
    assert_eq!(books.count().await, 1);
    // The time limit begins before the transaction, so on a busy machine the first attempt may not write anything.
    assert!((1..=2).contains(&books.desk.attempts()));
    worker.shutdown().await.unwrap();
}

pub async fn outcomes_that_wait_for_others_are_kept(books: Books) {
    let worker = books.worker().start().await.unwrap();
    let ended = (books.kind.side_by_side)(&books.client, 12).await;
    assert_eq!(ended.unwrap(), 12);
    assert_eq!((books.count().await, books.desk.attempts()), (12, 12));
    worker.shutdown().await.unwrap();
}

pub async fn a_worker_that_has_lost_its_run_writes_nothing(books: Books) {
    let first = books.worker().start().await.unwrap();
    let store = books.client.store().clone();
    let (old, _) = store.list_workers().await.unwrap()[0].clone();
    let run = tokio::spawn((books.kind.entries)(&books.client, vec!["waits".to_owned()]));
    until(|| books.desk.attempts() == 1).await;
    // On SQLite the activity holds the write lock, so fencing waits for its time limit.
    store.fence_workers(&[old.worker_id]).await.unwrap();
    // Enough for a late attempt, if there is one, and for the next.
    books.desk.open_gate();
    books.desk.open_gate();
    assert!(run.await.unwrap().is_ok());
    assert_eq!(books.count().await, 1);
    assert!(books.desk.attempts() >= 2);
    first.shutdown().await.unwrap();
}

/// Even if the worker believes that the attempt is its own: another worker may be making it by then.
pub async fn a_refused_outcome_rolls_the_writes_back(books: Books) {
    let store = books.client.store();
    let lease = Duration::from_secs(600);
    let worker = NewWorker { host: "here".into(), pid: 1, lease };
    let worker = store.register_worker(worker).await.unwrap();
    let run_id = RunId::new();
    let run = NewRun {
        run_id,
        workflow_id: run_id.to_string(),
        workflow: "order".into(),
        arguments: Payload::default(),
        snapshot: vec![7],
        state: "start".into(),
        definition: DefinitionHash(1),
        owner: Some(worker),
        start_at: None,
        first: None,
        attributes: Default::default(),
        memo: Default::default(),
        terms: None,
    };
    store.start_runs(vec![run]).await.unwrap();
    store.fence_workers(&[worker.worker_id]).await.unwrap();

    let mut transaction = store.begin_activity().await.unwrap();
    let connection = transaction.connection();
    let insert = "INSERT INTO entries (run, text) VALUES ('run', 'too late')";
    if let Some(connection) = connection.downcast_mut::<sqlx::SqliteConnection>() {
        sqlx::raw_sql(insert).execute(connection).await.unwrap();
    } else {
        let connection = connection.downcast_mut::<sqlx::PgConnection>().unwrap();
        sqlx::raw_sql(insert).execute(connection).await.unwrap();
    }
    let outcome = OperationOutcome::Returned(Payload::default());
    let kind = ArrivalKind::Outcome { handle: Handle(0), outcome };
    let arrival = NewArrival { run_id, kind, dedup_key: None, owner: Some(worker) };
    assert_eq!(transaction.commit(arrival).await.unwrap(), ArrivalOutcome::NotOwner);
    assert_eq!(books.count().await, 0);
}

pub async fn the_wrong_database_is_named(books: Books) {
    let worker = books.worker().start().await.unwrap();
    let error = (books.kind.elsewhere)(&books.client).await.unwrap_err().to_string();
    assert!(error.contains("enter") && error.contains("Connection"), "{error}");
    assert!(error.contains("another kind"), "{error}");
    assert_eq!(books.enter(&["after"]).await, Ok(1));
    worker.shutdown().await.unwrap();
}

pub async fn a_client_that_is_closed_at_work_says_so_and_loses_nothing(books: Books) {
    let closed = Client::connect(&books.url).await.unwrap();
    let lease = Duration::from_millis(500);
    let worker = books.worker_of(&closed).lease(lease).start().await.unwrap();
    let texts: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    let run = tokio::spawn((books.kind.entries)(&closed, texts));
    until(|| books.desk.attempts() >= 3).await;
    timeout(PATIENCE, closed.clone().close()).await.expect("closing does not hang");
    let ended = timeout(PATIENCE, run).await.expect("waiting for a result does not hang");
    let error = format!("{:#}", piton::Error::from(ended.unwrap().unwrap_err()));
    assert!(error.contains("closed"), "{error}");
    // The worker may or may not have runs to release.
    let _ = timeout(PATIENCE, worker.shutdown()).await.expect("the shutdown does not hang");

    let other = books.worker().start().await.unwrap();
    let completed = async || {
        let counted = books.client.count(Filter::all()).group_by(Column::Status).await.unwrap();
        matches!(&counted[..], [RunCount { key: Some(key), runs: 1 }] if key == "completed")
    };
    while !timeout(PATIENCE, completed()).await.expect("the run does not hang") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(books.count().await, 100);
    other.shutdown().await.unwrap();
}

async fn execute(books: &Books, sql: &'static str) {
    sqlx::raw_sql(sql).execute(&books.pool).await.unwrap();
}

pub async fn a_constraint_that_is_looked_at_last_fails_the_activity(books: Books) {
    execute(&books, "ALTER TABLE entries ADD UNIQUE (text) DEFERRABLE INITIALLY DEFERRED").await;
    let worker = books.worker().start().await.unwrap();
    let error = books.enter(&["same", "same"]).await.unwrap_err();
    assert!(error.contains("could not be committed"), "{error}");
    assert!(error.contains("duplicate key"), "{error}");
    assert_eq!(books.count().await, 1);
    worker.shutdown().await.unwrap();
}

/// The server ends the session in the middle of the first commit.
pub async fn a_connection_lost_in_the_commit_is_found_out_about(books: Books) {
    execute(
        &books,
        "CREATE SEQUENCE commits;
         CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF nextval('commits') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
             RETURN NULL;
         END $$;
         CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED
             FOR EACH ROW EXECUTE FUNCTION cut()",
    )
    .await;
    let worker = books.worker().start().await.unwrap();
    // The first attempt was interrupted. That is no failure, but its number is used.
    assert_eq!(books.enter(&["first", "second"]).await, Ok(2 + 1));
    assert_eq!((books.count().await, books.desk.attempts()), (2, 3));
    worker.shutdown().await.unwrap();
}

pub async fn a_swallowed_error_fails_the_activity(books: Books) {
    execute(&books, "ALTER TABLE entries ADD CHECK (text <> 'swallows errors')").await;
    let worker = books.worker().start().await.unwrap();
    let error = books.enter(&["swallows errors"]).await.unwrap_err();
    assert!(error.contains("could not be committed"), "{error}");
    assert_eq!(books.count().await, 0);
    // A separate client sees the same.
    let other = Client::connect(&books.url).await.unwrap();
    assert_eq!(other.count(piton::filter::Filter::default()).await.unwrap(), 1);
    worker.shutdown().await.unwrap();
}

/// On SQLite the activity holds the write lock, so dropping it waits for its time limit.
pub async fn an_entry_dropped_before_its_commit_is_not_made(books: Books) {
    let worker = books.worker().start().await.unwrap();
    let run = tokio::spawn((books.kind.either)(&books.client, "hangs once".to_owned()));
    until(|| books.desk.attempts() == 1).await;
    books.desk.open_gate();
    assert_eq!(run.await.unwrap().unwrap_err().to_string(), "gave up");
    assert_eq!((books.count().await, books.desk.attempts()), (0, 1));
    assert_eq!(books.enter(&["after"]).await, Ok(1));
    worker.shutdown().await.unwrap();
}

/// The commit locks the run, so the step that drops the call comes after it.
pub async fn an_entry_dropped_during_its_commit_is_made_once(books: Books) {
    execute(
        &books,
        "CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             PERFORM pg_advisory_xact_lock_shared(7);
             RETURN NULL;
         END $$;
         CREATE CONSTRAINT TRIGGER linger AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED
             FOR EACH ROW EXECUTE FUNCTION linger()",
    )
    .await;
    let waiting = async |kind: &str| {
        let sql = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = $1 \
            AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())";
        for _ in 0..10_000 {
            let count = sqlx::query_scalar::<_, i64>(sql).bind(kind.to_owned());
            if count.fetch_one(&books.pool).await.unwrap() > 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("nobody waits for a lock of the kind {kind}");
    };
    execute(&books, "SELECT pg_advisory_lock(7)").await;
    let worker = books.worker().start().await.unwrap();
    let run = tokio::spawn((books.kind.either)(&books.client, "first".to_owned()));
    waiting("advisory").await;
    books.desk.open_gate();
    waiting("transactionid").await;
    execute(&books, "SELECT pg_advisory_unlock(7)").await;
    assert_eq!(run.await.unwrap().unwrap_err().to_string(), "gave up");
    assert_eq!((books.count().await, books.desk.attempts()), (1, 1), "it was too late");
    assert_eq!(books.enter(&["after"]).await, Ok(1));
    worker.shutdown().await.unwrap();
}

/// Checks repeatedly, because the awaited event happens in another task.
async fn until(mut holds: impl FnMut() -> bool) {
    for _ in 0..10_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("waited in vain");
}

//! Refused databases, and many processes that open one at the same time.

use std::process::Child;

use piton::error::ConnectError;
use piton::store::connect;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::child::{start_child, worker_of};
use crate::fixture::{PATIENCE, execute, keep, new_worker, open, start};

pub(crate) async fn a_database_that_is_not_there_is_named(url: String) {
    let (server, parameters) = url.split_once('?').expect("it has parameters");
    let (server, _) = server.rsplit_once('/').expect("it has a path");
    let error = connect(&format!("{server}/nowhere?{parameters}")).await.expect_err("refused");
    assert!(
        matches!(&error, ConnectError::Unreachable { reason, .. } if reason.contains("database")),
        "{error:?}"
    );
}

pub(crate) async fn a_server_that_is_not_there_is_unreachable(_: String) {
    let error = connect("postgres://ann:secret@127.0.0.1:1/orders").await.expect_err("refused");
    assert!(matches!(error, ConnectError::Unreachable { .. }), "{error:?}");
    assert!(!error.to_string().contains("secret"));
}

pub(crate) async fn a_schema_of_a_newer_piton_is_refused(url: String) {
    open(&url).await.close().await;
    let newer = "INSERT INTO piton_migrations \
        (version, description, success, checksum, execution_time) \
        VALUES (9000, 'from the future', TRUE, '', 0)";
    execute(&url, newer).await;
    let error = connect(&url).await.expect_err("refused");
    assert!(matches!(error, ConnectError::NewerSchema { found: 9_000, .. }), "{error:?}");
}

/// The statement in the error creates a suitable database.
pub(crate) async fn a_database_that_does_not_keep_every_text_is_refused(url: String) {
    for encoding in ["LATIN1", "SQL_ASCII"] {
        let name = format!("\"odd {encoding}\"");
        let make = format!("CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0");
        execute(&url, AssertSqlSafe(make)).await;
        let (server, parameters) = url.split_once('?').expect("it has parameters");
        let (server, _) = server.rsplit_once('/').expect("it has a path");
        let url_of = |name: &str| format!("{server}/odd%20{name}?{parameters}");
        let error = connect(&url_of(encoding)).await.expect_err("refused");
        let ConnectError::Encoding { encoding: found, command, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!(found, encoding);
        execute(&url, AssertSqlSafe(command)).await;
        open(&url_of(&format!("{encoding}_utf8"))).await.close().await;
        let mut other = PgConnection::connect(&url_of(encoding)).await.expect("it is there");
        let tables = "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'piton%'";
        let tables: i64 = sqlx::query_scalar(tables).fetch_one(&mut other).await.expect("ok");
        assert_eq!(tables, 0, "nothing was made in it");
    }
}

/// Records `synchronous_commit` of the sessions that write runs and workers.
const NOTE_SETTING: &str = "CREATE TABLE seen (setting text); \
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
    INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$; \
    CREATE TRIGGER note AFTER INSERT OR UPDATE ON piton_runs EXECUTE FUNCTION note(); \
    CREATE TRIGGER note AFTER INSERT OR UPDATE ON piton_workers EXECUTE FUNCTION note()";

/// Every kind of connection that writes.
async fn write_everywhere(url: &str) {
    let store = open(url).await;
    let worker = store.register_worker(new_worker()).await.expect("it can register");
    let run_id = start(&*store, Some(worker)).await;
    store.commit_steps(worker, &[&keep(run_id, 0)]).await.expect("it can commit");
    store.renew_lease(worker, PATIENCE).await.expect("it can renew");
    store.release_worker(worker).await.expect("it can be released");
    store.close().await;
}

/// With the values that an administrator or a URL may set: the store changes only those that would lose acknowledged
/// steps.
pub(crate) async fn commits_are_durable_whatever_the_settings_of_the_user(url: String) {
    open(&url).await.close().await;
    execute(&url, NOTE_SETTING).await;
    for (given, expected) in
        [("off", "on"), ("on", "on"), ("local", "local"), ("remote_write", "remote_write")]
    {
        let by_url = format!("{url}&options=-c%20synchronous_commit%3D{given}");
        write_everywhere(&by_url).await;
        let set = |to: &str| {
            AssertSqlSafe(format!(
                "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = {to}', \
                 current_database()); END $$"
            ))
        };
        execute(&url, set(given)).await;
        write_everywhere(&url).await;
        execute(&url, set("DEFAULT")).await;
        let mut observer = PgConnection::connect(&url).await.expect("the server is there");
        let seen =
            "WITH seen AS (DELETE FROM seen RETURNING setting) SELECT DISTINCT setting FROM seen";
        let seen: Vec<String> =
            sqlx::query_scalar(seen).fetch_all(&mut observer).await.expect("it can be read");
        assert_eq!(seen, [expected], "{given}");
    }
}

pub(crate) async fn ten_processes_may_start_on_an_empty_database(url: String) {
    let mut children: Vec<Child> = (0..10).map(|_| start_child(&url)).collect();
    let mut workers: Vec<i64> = children.iter_mut().map(worker_of).collect();
    workers.sort_unstable();
    assert_eq!(workers, (1..=10).collect::<Vec<_>>());
    for mut child in children {
        drop(child.stdin.take());
        assert!(child.wait().expect("it ends").success());
    }
}

//! What is refused and why, and what many may open at once.

use std::process::Child;

use piton::error::ConnectError;
use piton::store::connect;

use crate::child::{start_child, worker_of};
use crate::fixture::{execute, open};

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

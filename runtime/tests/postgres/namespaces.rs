//! Schemas of one database as namespaces.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use piton::error::ConnectError;
use piton::store::{Store, StoreOptions, namespaces};
use tokio::time::timeout;

use crate::fixture::{PATIENCE, execute, new_worker, open, start};

async fn enter(url: &str, name: &str) -> Arc<dyn Store> {
    StoreOptions::default().namespace(name).connect(url).await.expect("it can be made")
}

pub(crate) async fn ten_processes_may_open_a_new_namespace(url: String) {
    let options = StoreOptions::default().connections(5).namespace("a-b");
    for opened in join_all((0..10).map(|_| options.connect(&url))).await {
        opened.expect("it is made once");
    }
    assert_eq!(namespaces(&url).await.expect("they can be read"), ["a-b"]);
}

pub(crate) async fn a_user_who_may_not_create_a_namespace_gets_an_error(url: String) {
    execute(
        &url,
        "DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN; CREATE SCHEMA theirs AUTHORIZATION reader",
    )
    .await;
    let theirs = url.replace("user=piton", "user=reader");
    let options = |name: &str| StoreOptions::default().namespace(name);
    let error = options("other").connect(&theirs).await.expect_err("it may not");
    let ConnectError::Unreachable { reason, source: Some(source), .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!(reason, "this user may not do that");
    assert!(source.to_string().contains("permission denied for database"), "{source}");
    // An existing schema is sufficient.
    options("theirs").connect(&theirs).await.expect("it may");
}

pub(crate) async fn a_namespace_gets_no_notifications_of_another(url: String) {
    let (here, near, far) =
        (enter(&url, "a").await, enter(&url, "a").await, enter(&url, "b").await);
    let far_is_due = far.hub().due();
    let far_of_its_own = open(&url).await;
    let outside_is_due = far_of_its_own.hub().due();
    start(&*here, None).await;
    timeout(PATIENCE, near.hub().due()).await.expect("a run of the same namespace is due");
    assert!(far_is_due.now_or_never().is_none());
    assert!(outside_is_due.now_or_never().is_none());
}

pub(crate) async fn a_worker_of_one_namespace_says_nothing_of_those_of_another(url: String) {
    let (here, there) = (enter(&url, "a").await, enter(&url, "b").await);
    let first = here.register_worker(new_worker()).await.expect("a worker can register");
    let second = there.register_worker(new_worker()).await.expect("a worker can register");
    assert_eq!(first.worker_id, second.worker_id);
    here.close().await;
    drop(here);
    assert_eq!(there.find_dead_workers().await.expect("the dead can be looked for"), []);
    let again = enter(&url, "a").await;
    let dead = again.find_dead_workers().await.expect("the dead can be looked for");
    assert_eq!(dead, [first.worker_id]);
}

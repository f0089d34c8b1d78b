//! A switchover: a new server replaces the old one, which keeps serving its open connections.

use std::sync::Arc;
use std::time::Instant;

use piton::error::StoreError;
use piton::filter::Filter;
use piton::prelude::*;
use piton::store::{Renewal, Store, WorkerLease};
use piton_postgres_cluster::Cluster;
use serde_json::json;
use sqlx::{Connection as _, PgConnection};

use crate::fixture::{PATIENCE, execute, fails_with, new_worker, open};
use crate::way::Way;

/// Retries a call as long as its error is retryable.
async fn at_last<T, A>(ask: impl Fn() -> A) -> T
where
    A: Future<Output = Result<T, StoreError>>,
{
    let began = Instant::now();
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(error) => assert!(error.is_retryable() && began.elapsed() < PATIENCE, "{error:?}"),
        }
    }
}

/// All clients see writes that the new server has acknowledged, and no worker is taken for dead.
pub(crate) async fn writes_survive_a_switchover(_: String) {
    let old = Cluster::start_with("", &[]).expect("it starts");
    let way = Way::to(&old.url("postgres"));
    let client = Client::connect(&way.url).await.expect("the way is open");
    let follower = old.start_follower().await.expect("it follows");
    let stores: [Arc<dyn Store>; 2] = [open(&way.url).await, open(&way.url).await];
    let mut workers: Vec<WorkerLease> = Vec::new();
    for store in &stores {
        workers.push(store.register_worker(new_worker()).await.expect("a worker can register"));
    }
    client.start(fails_with("later".into())).id("before").await.expect("it can be started");
    client.find("before").await.expect("the server is there").expect("so is the run");

    // All sessions end at the same time.
    let mut witness = PgConnection::connect(&old.url("postgres")).await.expect("it is there");
    execute(&old.url("postgres"), "ALTER SYSTEM SET default_transaction_read_only = on").await;
    execute(&old.url("postgres"), "SELECT pg_reload_conf()").await;
    let is_told = "SELECT current_setting('default_transaction_read_only')";
    while sqlx::query_scalar::<_, String>(is_told).fetch_one(&mut witness).await.expect("ok")
        != "on"
    {
        tokio::task::yield_now().await;
    }
    follower.promote();
    *way.server.lock().expect("no panic") = follower.socket();
    let there = Client::connect(&follower.url("postgres")).await.expect("it takes writes");
    there.start(fails_with("later".into())).id("after").await.expect("it can be started");

    for id in ["after", "before"] {
        assert!(client.find(id).await.expect("it is asked again").is_some(), "{id}");
    }
    let count = client.count(Filter::all()).await.expect("it is asked again");
    assert_eq!(count, 2);
    client.signal_json("after", "hello", &json!(1)).unchecked().await.expect("the run is there");

    for (store, worker) in stores.iter().zip(&workers) {
        let renewed = at_last(|| store.renew_lease(*worker, PATIENCE)).await;
        assert!(matches!(renewed, Renewal::Renewed(_)), "{renewed:?}");
    }
    let locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted";
    let mut witness = PgConnection::connect(&follower.url("postgres")).await.expect("it is there");
    let began = Instant::now();
    while sqlx::query_scalar::<_, i64>(locks).fetch_one(&mut witness).await.expect("ok") < 2 {
        assert!(began.elapsed() < PATIENCE, "the locks have stayed on the old server");
        tokio::task::yield_now().await;
    }
    for store in stores.iter().chain([there.store()]) {
        assert_eq!(at_last(|| store.find_dead_workers()).await, []);
    }

    // The proxy leads back to the old server for a moment, which must serve nobody.
    *way.server.lock().expect("no panic") = old.socket();
    let late = open(&follower.url("postgres")).await;
    let error = piton::store::connect(&way.url).await.expect_err("it takes no writes");
    assert!(error.to_string().contains("read-only"), "{error}");
    late.close().await;
}

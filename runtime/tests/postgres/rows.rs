//! The size of rows, and values that rows cannot hold.

use std::sync::Arc;
use std::time::Duration;

use piton::prelude::*;
use piton::store::{Clock, ManualClock, StoreOptions};
use piton_postgres_cluster::Cluster;
use sqlx::{Connection as _, PgConnection};

use crate::fixture::{fails_with, keep, new_worker, open, start};

/// Kept so that people can see what happened to it.
pub(crate) async fn a_fenced_worker_is_kept_for_a_week(url: String) {
    const DAY: Duration = Duration::from_secs(86_400);
    let clock = ManualClock::new(Timestamp::now());
    let options = StoreOptions::default().clock(Clock::Manual(Arc::clone(&clock)));
    let store = options.connect(&url).await.expect("the server is there");
    let register = async || store.register_worker(new_worker()).await.expect("it can register");
    let fenced = register().await.worker_id;
    store.fence_workers(&[fenced]).await.expect("it can be fenced");
    let mut connection = PgConnection::connect(&url).await.expect("the server is there");
    for (wait, kept) in [(7 * DAY, 1), (Duration::from_secs(1), 0)] {
        clock.advance(wait);
        register().await;
        let rows = "SELECT count(*) FROM piton_workers WHERE worker_id = $1";
        let rows = sqlx::query_scalar::<_, i64>(rows).bind(fenced.0).fetch_one(&mut connection);
        assert_eq!(rows.await.expect("they can be counted"), kept);
    }
}

/// Checks heap-only updates, which keep the table from growing under a steady load: a new version of a row replaces a
/// dead one in the same page, without a change of any index.
///
/// Uses its own server, because an open snapshot keeps old versions, for a while also in other databases.
pub(crate) async fn a_kept_run_stays_in_its_page(_: String) {
    const RUNS: u64 = 50;
    const WARM_UP: i64 = 50;
    const STEPS: i64 = 250;
    let cluster = Cluster::start_with("autovacuum = off\n", &[]).expect("there is another");
    let url = cluster.new_database().await.expect("databases can be made");
    let store = open(&url).await;
    let worker = store.register_worker(new_worker()).await.expect("a worker can register");
    let mut run_ids = Vec::new();
    for _ in 0..RUNS {
        run_ids.push(start(&*store, Some(worker)).await);
    }
    let mut sizes = Vec::new();
    for expected in 0..STEPS {
        let steps: Vec<_> = run_ids.iter().map(|run_id| keep(*run_id, expected)).collect();
        let steps: Vec<_> = steps.iter().collect();
        store.commit_steps(worker, &steps).await.expect("a valid worker can commit");
        if [WARM_UP, STEPS - 1].contains(&expected) {
            const SIZE: &str = "SELECT pg_relation_size('piton_runs')";
            let mut connection = PgConnection::connect(&url).await.expect("the server is there");
            let size: i64 = sqlx::query_scalar(SIZE).fetch_one(&mut connection).await.expect("ok");
            sizes.push(size);
        }
    }
    // Two hundred more versions of each row; a reader may keep some for a moment.
    assert!(sizes[1] * 4 <= sizes[0] * 5, "the table has grown: {sizes:?} bytes");
    store.close().await;
    let mut connection = PgConnection::connect(&url).await.expect("the server is there");
    let counts = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables \
        WHERE relname = 'piton_runs'";
    let (mut updated, mut hot) = (0_i64, 0_i64);
    let expected = RUNS.cast_signed() * STEPS;
    // The server's statistics are delayed.
    for _ in 0..200 {
        sqlx::raw_sql("SELECT pg_stat_clear_snapshot()")
            .execute(&mut connection)
            .await
            .expect("ok");
        (updated, hot) = sqlx::query_as(counts).fetch_one(&mut connection).await.expect("ok");
        if updated == expected {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(updated, expected);
    println!("{hot} of {updated} updates stayed in their page; {} bytes", sizes[1]);
    assert!(hot * 100 >= updated * 99, "{hot} of {updated}");
}

#[activity]
async fn stamp(cx: &ActivityContext) -> piton::Result<String> {
    Ok(cx.idempotency_key())
}

#[workflow]
async fn asks_queue(queue: String) -> piton::Result<String> {
    let first = stamp().await?;
    let second = stamp().queue(queue).await?;
    Ok(first + &second)
}

pub(crate) async fn a_failure_with_nul_is_kept_without_it(url: String) {
    let client = Client::connect(&url).await.expect("the server is here");
    let worker = Worker::new(&client).start().await.expect("it can be started");
    let failed = client.start(fails_with("bad \0 byte".into())).await.expect("it can be started");
    failed.result().await.expect_err("it fails");
    let failure = failed.status().await.expect("it is known").failure;
    assert_eq!(failure.as_deref(), Some("bad \u{FFFD} byte"));
    let ended = client.start(asks_queue("nobody's".into())).await.expect("it can be started");
    for time in ["first", "second"] {
        assert!(ended.terminate("no \0 more").await.expect("it can be terminated"), "{time} time");
    }
    let failure = ended.status().await.expect("it is known").failure;
    assert_eq!(failure.as_deref(), Some("no \u{FFFD} more"));
    worker.shutdown().await.expect("it ends");
    client.close().await;
}

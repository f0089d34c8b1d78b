//! Hanging calls do not delay others.

use std::sync::Arc;
use std::time::Duration;

use piton::model::DefinitionHash;
use piton::store::{ClaimRequest, CommitOutcome, Renewal};
use sqlx::{Connection as _, PgConnection};

use crate::fixture::{PATIENCE, keep, new_worker, open, start, until_waiting};

/// All reading connections hang, more callers wait for one, and the worker continues as usual.
pub(crate) async fn hanging_reads_delay_no_commit_and_no_renewal(url: String) {
    let store = open(&url).await;
    let worker = store.register_worker(new_worker()).await.expect("a worker can register");
    let run_id = start(&*store, Some(worker)).await;
    let mut lock = PgConnection::connect(&url).await.expect("the server is there");
    let locked = "BEGIN; LOCK TABLE piton_definitions IN ACCESS EXCLUSIVE MODE";
    sqlx::raw_sql(locked).execute(&mut lock).await.expect("nobody else has it");
    let mut reads = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let store = Arc::clone(&store);
        reads.spawn(async move { store.find_definition("order", DefinitionHash(1)).await });
    }
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted";
    let mut observer = PgConnection::connect(&url).await.expect("the server is there");
    while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut observer).await.expect("ok") < 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let own = async {
        let request = ClaimRequest { worker, workflows: &["order"], limit: 1, inbox_limit: 1 };
        let outcome = store.commit_steps(worker, &[&keep(run_id, 0)]).await;
        assert_eq!(outcome.expect("it can commit"), [CommitOutcome::Committed]);
        store.renew_lease(worker, PATIENCE).await.expect("it can renew");
        store.claim_runs(request).await.expect("it can claim");
    };
    tokio::time::timeout(PATIENCE / 2, own).await.expect("they wait for nobody");
    assert!(reads.try_join_next().is_none(), "none of them has got through");
    sqlx::raw_sql("ROLLBACK").execute(&mut lock).await.expect("it has begun");
    while let Some(read) = reads.join_next().await {
        assert!(read.expect("no panic").expect("it can be read").is_none());
    }
}

/// Commits hang on all connections for commits, each with its worker's row locked, and the lease is renewed
/// nevertheless. Fencing the worker waits for them.
pub(crate) async fn hanging_commits_delay_no_renewal(url: String) {
    const LANES: i64 = 3;
    let (store, other) = (open(&url).await, open(&url).await);
    let worker = store.register_worker(new_worker()).await.expect("a worker can register");
    let mut lock = PgConnection::connect(&url).await.expect("the server is there");
    sqlx::raw_sql("BEGIN").execute(&mut lock).await.expect("ok");
    let mut commits = tokio::task::JoinSet::new();
    for _ in 0..LANES {
        let run_id = start(&*store, Some(worker)).await;
        let locked = sqlx::query("SELECT 1 FROM piton_runs WHERE run_id = $1 FOR UPDATE");
        let locked = locked.bind(run_id.as_uuid()).execute(&mut lock).await;
        locked.expect("nobody else has it");
        let store = Arc::clone(&store);
        commits.spawn(async move { store.commit_steps(worker, &[&keep(run_id, 0)]).await });
    }
    until_waiting(&url, LANES).await;
    let renewal = tokio::time::timeout(PATIENCE / 2, store.renew_lease(worker, PATIENCE)).await;
    let renewal = renewal.expect("it waits for nobody").expect("it can renew");
    assert!(matches!(renewal, Renewal::Renewed(_)), "{renewal:?}");
    let fenced = tokio::spawn(async move { other.fence_workers(&[worker.worker_id]).await });
    until_waiting(&url, LANES + 1).await;
    sqlx::raw_sql("ROLLBACK").execute(&mut lock).await.expect("it has begun");
    let let_go = fenced.await.expect("no panic").expect("it can be fenced");
    assert_eq!(let_go, LANES.cast_unsigned());
    while let Some(outcome) = commits.join_next().await {
        // They came first.
        assert_eq!(outcome.expect("no panic").expect("it can commit"), [CommitOutcome::Committed]);
    }
}

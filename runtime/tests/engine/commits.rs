//! The number of writes of a run.

use piton::store::memory::WriteCounts;

use crate::rig::Rig;
use crate::workflows::{chain, fan_out, naps};

#[tokio::test(start_paused = true)]
async fn a_run_of_ten_activities_is_one_insert_and_one_update_per_further_step() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(chain(10)).id("ten").await.unwrap();
    assert_eq!(run.result().await.unwrap(), 45);
    let expected = WriteCounts {
        transactions: 11,
        run_inserts: 1,
        step_updates: 10,
        ..WriteCounts::default()
    };
    assert_eq!(rig.store.counts(), expected);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_started_elsewhere_costs_a_claim_more() {
    let rig = Rig::new();
    let worker = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(chain(1)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 0);
    let expected =
        WriteCounts { transactions: 4, run_inserts: 1, step_updates: 2, ..WriteCounts::default() };
    assert_eq!(rig.store.counts(), expected);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_join_over_n_activities_writes_each_result_once() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(fan_out(100)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 4_950);
    let counts = rig.store.counts();
    assert_eq!((counts.run_inserts, counts.step_updates), (1, 1));
    assert!(counts.arrivals < 100, "the last result makes the run ready: {counts:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn steps_that_need_not_wait_share_a_commit() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(naps(50, 0)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 50);
    assert_eq!(rig.store.counts().step_updates, 1);
    // At most 64 steps share a commit; the first ones are part of the insert.
    let run = rig.client.start(naps(200, 0)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 200);
    assert_eq!(rig.store.counts().step_updates, 1 + 3);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn many_runs_share_transactions() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let starts = (0..100).map(|_| {
        let client = rig.client.clone();
        tokio::spawn(async move { client.start(chain(10)).await.unwrap().result().await.unwrap() })
    });
    for run in starts.collect::<Vec<_>>() {
        assert_eq!(run.await.unwrap(), 45);
    }
    let counts = rig.store.counts();
    assert_eq!((counts.run_inserts, counts.step_updates), (100, 1_000));
    assert!(counts.transactions < 400, "{counts:?}");
    worker.shutdown().await.unwrap();
}

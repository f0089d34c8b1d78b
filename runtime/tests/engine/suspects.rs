//! Runs whose workers die, and other runs of these workers.

use std::time::Duration;

use futures_util::future::join_all;
use piton::filter::Filter;
use piton::model::BlockedReason;
use piton::prelude::*;
use piton::store::contract::*;
use piton::store::{ClaimRequest, NewWorker};
use tokio::time::{Instant, sleep};

use crate::rig::Rig;
use crate::workflows::{naps, work};

impl Rig {
    /// Lets workers claim everything that is due and die, one after the other.
    async fn lose_workers(&self, count: usize) {
        for _ in 0..count {
            let lease = Duration::from_secs(10);
            let worker = NewWorker { host: "here".into(), pid: 1, lease };
            let worker = self.store.register_worker(worker).await.unwrap();
            let workflows = &["naps"];
            let request = ClaimRequest { worker, workflows, limit: 100, inbox_limit: 100 };
            self.store.claim_runs(request).await.unwrap();
            self.store.fence_workers(&[worker.worker_id]).await.unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_workers_died_is_blocked_until_somebody_unblocks_it() {
    let rig = Rig::new();
    let run = rig.client.start(naps(2, 10)).await.unwrap();
    rig.lose_workers(16).await;
    let worker = rig.worker().start().await.unwrap();
    let reason = rig.until_blocked(&run).await.blocked.unwrap();
    let BlockedReason::WorkersDied(why) = &reason else { panic!("{reason:?}") };
    assert!(why.contains("16 workers"), "{why}");
    worker.shutdown().await.unwrap();

    // A supervisor starts the next worker, and nobody has examined the run.
    let worker = rig.worker().start().await.unwrap();
    sleep(minutes(5)).await;
    assert_eq!(run.status().await.unwrap().blocked, Some(reason));
    rig.client.unblock(run.run_id()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 2);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_few_dead_workers_block_nothing() {
    let rig = Rig::new();
    let mut runs = Vec::new();
    for _ in 0..20 {
        runs.push(rig.client.start(naps(2, 10)).await.unwrap());
    }
    rig.lose_workers(15).await;
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let results = join_all(runs.iter().map(|run| run.result())).await;
    assert!(results.iter().all(|result| matches!(result, Ok(2))), "{results:?}");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    worker.shutdown().await.unwrap();
}

/// A worker that dies with the first suspect has not touched the others.
#[tokio::test(start_paused = true)]
async fn suspects_are_driven_one_at_a_time() {
    let rig = Rig::new();
    for _ in 0..20 {
        rig.client.start(naps(2, 3_600_000)).await.unwrap();
    }
    rig.lose_workers(5).await;
    let worker = rig.worker().start().await.unwrap();
    let untouched = async || {
        let runs = rig.client.list_runs(Filter::all()).limit(100).await.unwrap().runs;
        runs.iter().filter(|run| run.step_no.0 == 0).count()
    };
    let mut before = untouched().await;
    assert_eq!(before, 20);
    let mut rounds = 0;
    while before > 0 {
        sleep(Duration::from_millis(1)).await;
        let now = untouched().await;
        rounds += usize::from(now < before);
        before = now;
    }
    assert!(rounds > 10, "they commit one after the other: {rounds}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn attempts_that_are_cut_off_again_and_again_wait_longer() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(work("hang".to_owned())).await.unwrap();
    let mut attempts = vec![1];
    rig.until_begun("hang", &attempts).await;
    for pause in [0.0, 1.0, 2.0, 4.0] {
        let (owner, _) = rig.store.list_workers().await.unwrap()[0].clone();
        rig.store.fence_workers(&[owner.worker_id]).await.unwrap();
        let cut_off = Instant::now();
        attempts.push(attempts.len() as u32 + 1);
        rig.until_begun("hang", &attempts).await;
        let waited = cut_off.elapsed().as_secs_f64();
        assert!((pause..pause + 0.9).contains(&waited), "{waited} for {attempts:?}");
    }
    rig.lab.open_gate();
    assert_eq!(run.result().await.unwrap(), "hang done");
    worker.shutdown().await.unwrap();
}

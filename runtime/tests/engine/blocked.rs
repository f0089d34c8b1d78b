//! The cost of blocked runs for workers that cannot continue them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use piton::error::StoreError;
use piton::model::BlockedReason;
use piton::prelude::*;
use piton::store::memory::Hook;

use crate::activities::Approve;
use crate::rig::Rig;
use crate::workflows::collect;

/// Counts the calls of each method.
#[derive(Default)]
struct Counting(Mutex<BTreeMap<&'static str, u32>>);

#[async_trait::async_trait]
impl Hook for Counting {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        *self.0.lock().unwrap().entry(operation).or_default() += 1;
        Ok(())
    }
}

impl Counting {
    fn take(&self, operation: &'static str) -> u32 {
        self.0.lock().unwrap().remove(operation).unwrap_or(0)
    }
}

/// More than one page of runs, which another worker has already examined.
#[tokio::test(start_paused = true)]
async fn an_idle_worker_reads_the_state_of_a_blocked_run_once() {
    const RUNS: u32 = 120;
    const POLL: Duration = Duration::from_secs(1);
    let rig = Rig::new();
    let worker = rig.worker().poll_interval(POLL).start().await.unwrap();
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let run = rig.client.start(collect(1)).await.unwrap();
        rig.until_parked(&run).await;
        runs.push((rig.spoil(&run), run));
    }
    for (_, run) in &runs {
        run.signal(Approve { by: "ada".into() }).await.unwrap();
        rig.until_blocked(run).await;
    }
    let other = rig.store.connect();
    let counting = Arc::new(Counting::default());
    other.set_hook(counting.clone());
    let other = rig.worker_of(&Client::new(other)).poll_interval(POLL);
    // It tries them again when it starts.
    let other = other.start().await.unwrap();
    for (_, run) in &runs {
        rig.until_blocked(run).await;
    }
    tokio::time::sleep(20 * POLL).await;
    assert!(counting.take("find_snapshot") <= 2 * RUNS);
    counting.take("find_blocked");
    tokio::time::sleep(60 * POLL).await;
    assert_eq!(counting.take("find_snapshot"), 0);
    let looks = counting.take("find_blocked");
    assert!((59..=61).contains(&looks), "one at each poll: {looks}");

    // A further step makes another state.
    let (whole, run) = &runs[usize::try_from(RUNS).unwrap() - 1];
    rig.store.overwrite_snapshot(run.run_id(), whole.clone());
    rig.client.unblock(run.run_id()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), ["ada"]);
    worker.shutdown().await.unwrap();
    other.shutdown().await.unwrap();
}

/// Finds the terms of runs unreadable.
struct Unreadable;

#[async_trait::async_trait]
impl Hook for Unreadable {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        match operation {
            "find_terms" => Err(StoreError::Corrupt { what: "terms", reason: "a null".into() }),
            _ => Ok(()),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_terms_cannot_be_read_is_blocked_and_its_worker_is_not() {
    let rig = Rig::new();
    let broken = rig.store.connect();
    broken.set_hook(Arc::new(Unreadable));
    let worker = rig.worker_of(&Client::new(broken)).start().await.unwrap();
    let run = rig.client.start(collect(1)).run_timeout(Duration::from_secs(600)).await.unwrap();
    let blocked = rig.until_blocked(&run).await.blocked;
    let Some(BlockedReason::Undecodable(why)) = &blocked else { panic!("{blocked:?}") };
    assert!(why.contains("the database holds an unreadable terms: a null"), "{why}");
    worker.shutdown().await.unwrap();
    let worker = rig.worker().start().await.unwrap();
    run.signal(Approve { by: "ada".into() }).await.unwrap();
    run.result().await.unwrap();
    worker.shutdown().await.unwrap();
}

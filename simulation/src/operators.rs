//! Simulated people who pause runs and resume them, and put failed calls on their queues again.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use piton::client::Client;
use piton::filter;
use piton::machine::Activity as _;
use piton::model::{RunId, RunStatus};
use piton::store::{MemoryStore, RunQuery, Visibility};
use tokio::time::sleep;

use crate::program::QUEUES;
use crate::runs::ask;
use crate::workflows::perform;
use crate::world::{Phase, World};

/// One in this many runs is paused.
const ONE_OF: u32 = 5;

/// The longest wait before a run is paused, and the longest pause, in milliseconds.
const LONGEST: u64 = 15_000;

/// Pauses some runs, and resumes them. A pause whose response was lost may take effect afterwards; then [`resume_all`]
/// resumes the run.
pub(crate) async fn pause(world: &Arc<World>, number: usize, run_id: RunId) {
    let mut rng = Rng::with_seed(world.plan.seed.rotate_left(8) ^ number as u64);
    if rng.u32(0..ONE_OF) != 0 {
        return;
    }
    // Half of them before they have begun.
    let after = if rng.bool() { 0 } else { rng.u64(0..LONGEST) };
    sleep(Duration::from_millis(after)).await;
    ask(world, |client| async move { client.by_id(run_id).pause("a break").await.ok() }).await;
    sleep(Duration::from_millis(rng.u64(0..LONGEST))).await;
    ask(world, |client| async move { client.by_id(run_id).resume().await.ok() }).await;
}

/// How often somebody looks for failed calls, at most, in milliseconds.
const ROUND: u64 = 4_000;

/// Puts failed calls on their queues again, as long as things go wrong. Several do so at a time. The calls of items are left
/// out, since their runs may be told the failure before or after.
pub(crate) async fn redrive(world: Arc<World>, number: u64) {
    let mut rng = Rng::with_seed(world.plan.seed.rotate_left(16) ^ number);
    while world.phase() == Phase::Faulty {
        sleep(Duration::from_millis(rng.u64(0..ROUND))).await;
        for queue in QUEUES {
            ask(&world, |client| async move {
                let queue = client.queue(queue);
                let mut calls = queue.failed(None, 20).await.ok()?;
                calls.retain(|call| call.key.is_none() && call.activity == perform::NAME);
                let ids: Vec<_> = calls.iter().map(|call| call.id).collect();
                queue.redrive(&ids).await.ok()
            })
            .await;
        }
    }
}

/// Resumes all runs that are paused.
pub(crate) async fn resume_all(database: &MemoryStore, client: &Client) {
    let filter = filter::status().equals(RunStatus::Paused);
    let paused = database.list_runs(RunQuery::of(&filter)).await.unwrap_or_default();
    for run in paused {
        // The request is repeated later.
        let _ = client.by_id(run.run_id).resume().await;
    }
}

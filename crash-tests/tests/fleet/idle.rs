//! An idle fleet.

use std::time::{Duration, Instant};

use piton_crash_tests::gate::{Gate, gated};

use crate::scene::Scene;

const WORKERS: u32 = 3;

/// Statements per second of one idle process: some three looks for dead workers, and now and then a
/// look for due runs, one each for expired leases, deadlines and what else a sweep looks for, and a renewal.
const AT_MOST: f64 = 8.5;

/// How long the fleet is watched. There is no event to wait for when nothing happens.
const WATCHED: Duration = Duration::from_secs(4);

pub(crate) async fn an_idle_process_asks_a_few_times_a_second(mut scene: Scene) {
    scene.log_statements().await;
    let mut workers = Vec::new();
    for number in 0..WORKERS {
        workers.push(scene.worker(&format!("idler_{number}"), Duration::from_secs(15)).await);
    }
    // The workers have been busy, and hold runs.
    Gate::new(scene.folder.path()).open().expect("it can be written");
    let run = scene.client.start(gated(1)).await.expect("it can be started");
    assert_eq!(run.result().await.expect("it completes"), 3);
    let (before, watched) = (scene.statements(), Instant::now());
    tokio::time::sleep(WATCHED).await;
    let statements = scene.statements().split_off(before.len());
    let rate = statements.len() as f64 / watched.elapsed().as_secs_f64() / f64::from(WORKERS);
    println!("{rate:.1} statements/s of each idle process");
    assert!(rate <= AT_MOST, "{rate:.1} statements/s: {statements:#?}");
    for worker in workers {
        worker.leave().await;
    }
}

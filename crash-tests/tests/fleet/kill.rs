//! Workers that are killed.

use std::time::Duration;

use piton_crash_tests::gate::{Gate, gated};

use crate::scene::{Scene, wait_until};

/// Longer than any test, so that no takeover is due to an expired lease.
const LEASE: Duration = Duration::from_secs(600);

const RUNS: u64 = 20;

/// Each worker in turn is killed while it holds all runs, and the next must take them over at once.
pub(crate) async fn runs_of_a_killed_worker_go_on_within_a_second(mut scene: Scene) {
    const KILLS: usize = 5;
    let mut worker = scene.worker("first", LEASE).await;
    let mut runs = Vec::new();
    for number in 0..RUNS {
        runs.push(scene.client.start(gated(number)).await.expect("it can be started"));
    }
    let mut name = "first".to_owned();
    let audit = &mut scene.audit;
    wait_until("they are owned", async || audit.owned_by(&name).await == RUNS.cast_signed()).await;
    let mut latencies = Vec::new();
    for number in 0..KILLS {
        let heir_name = format!("heir_{number}");
        let heir = scene.worker(&heir_name, LEASE).await;
        let audit = &mut scene.audit;
        let killed_at = audit.now().await;
        worker.kill().await;
        wait_until("they are taken over", async || {
            audit.owned_by(&heir_name).await == RUNS.cast_signed()
        })
        .await;
        latencies.push(audit.last_claim(&heir_name, killed_at).await);
        (worker, name) = (heir, heir_name);
    }
    Gate::new(scene.folder.path()).open().expect("it can be written");
    for (number, run) in (0..).zip(runs) {
        assert_eq!(run.result().await.expect("it completes"), 2 * number + 1);
    }
    scene.audit.check_steps().await;
    worker.leave().await;
    latencies.sort_unstable();
    println!("taken over after {latencies:?}, {name} was last");
    assert!(latencies[KILLS / 2] < Duration::from_secs(1), "{latencies:?}");
}

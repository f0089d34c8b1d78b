//! Workers that are stopped for longer than their lease and then go on.

use std::time::Duration;

use piton_crash_tests::gate::{Gate, gated};

use crate::scene::{Scene, wait_until};

const LEASE: Duration = Duration::from_millis(1_500);

const RUNS: u64 = 30;

pub(crate) async fn a_worker_that_was_paused_for_too_long_commits_nothing(mut scene: Scene) {
    let sleeper = scene.worker("sleeper", LEASE).await;
    let mut runs = Vec::new();
    for number in 0..RUNS {
        runs.push(scene.client.start(gated(number)).await.expect("it can be started"));
    }
    let audit = &mut scene.audit;
    wait_until("they wait at the gate", async || {
        audit.count("SELECT count(*) FROM piton_runs WHERE step_no > 0").await == RUNS.cast_signed()
    })
    .await;
    assert_eq!(audit.owned_by("sleeper").await, RUNS.cast_signed());
    sleeper.pause();
    let heir = scene.worker("heir", LEASE).await;
    let audit = &mut scene.audit;
    wait_until("they are taken over", async || audit.owned_by("heir").await == RUNS.cast_signed())
        .await;
    let old = "SELECT max(worker_id) FROM audit_claims WHERE who = 'sleeper'";
    let old = audit.count(old).await;
    // Both have every activity at its end now, and commit what comes of it if they can.
    Gate::new(scene.folder.path()).open().expect("it can be written");
    sleeper.resume();
    for (number, run) in (0..).zip(runs) {
        assert_eq!(run.result().await.expect("it completes"), 2 * number + 1);
    }
    let audit = &mut scene.audit;
    // The revived worker must have had its try before the books are closed.
    wait_until("it has found out", async || {
        audit
            .count(&format!(
                "SELECT count(*) FROM piton_workers WHERE fenced_at IS NULL AND worker_id > {old} \
                 AND worker_id NOT IN (SELECT worker_id FROM audit_claims WHERE who = 'heir')"
            ))
            .await
            == 1
    })
    .await;
    audit.check_steps().await;
    let late = format!(
        "SELECT count(*) FROM audit_steps WHERE who = 'sleeper' AND worker_id = {old} AND at > \
         (SELECT min(at) FROM audit_claims WHERE who = 'heir')"
    );
    assert_eq!(audit.count(&late).await, 0, "steps of a worker that had lost its runs");
    sleeper.leave().await;
    heir.leave().await;
}

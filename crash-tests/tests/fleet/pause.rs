//! Workers that are stopped for longer than their lease and then continue.

use std::time::Duration;

use piton_crash_tests::gate::{Gate, gated};
use piton_crash_tests::ledger;

use crate::member::Member;
use crate::scene::{PATIENCE, Scene, wait_until};

/// Short enough to wait for, too long to be lost on a busy machine.
const LEASE: Duration = Duration::from_secs(3);

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
            && audit.owned_by("sleeper").await == RUNS.cast_signed()
    })
    .await;
    sleeper.pause();
    let heir = scene.worker("heir", LEASE).await;
    let audit = &mut scene.audit;
    wait_until("they are taken over", async || audit.owned_by("heir").await == RUNS.cast_signed())
        .await;
    let old = "SELECT max(worker_id) FROM audit_claims WHERE who = 'sleeper'";
    let old = audit.count(old).await;
    // Now all activities of both end, and both try to commit the outcomes.
    Gate::new(scene.folder.path()).open().expect("it can be written");
    sleeper.resume();
    for (number, run) in (0..).zip(runs) {
        assert_eq!(run.result().await.expect("it completes"), 2 * number + 1);
    }
    let audit = &mut scene.audit;
    // Wait until the revived worker has tried. It then registers again, as the other may have done meanwhile.
    let anew = format!(
        "SELECT count(*) FROM piton_workers WHERE pid = {} AND worker_id > {old}",
        sleeper.id()
    );
    wait_until("it has found out", async || audit.count(&anew).await > 0).await;
    audit.check_steps().await;
    let late = format!(
        "SELECT count(*) FROM audit_steps WHERE who = 'sleeper' AND worker_id = {old} AND at > \
         (SELECT min(at) FROM audit_claims WHERE who = 'heir')"
    );
    assert_eq!(audit.count(&late).await, 0, "steps of a worker that had lost its runs");
    sleeper.leave().await;
    heir.leave().await;
}

/// The worker is stopped just before a commit. When it continues, only its expired lease prevents the commit: no other
/// worker has taken the run or fenced it.
pub(crate) async fn a_commit_that_comes_after_the_lease_is_refused(mut scene: Scene) {
    let sleeper = stopped_before_its_second_commit(&mut scene).await;
    let valid = "SELECT count(*) FROM piton_workers WHERE lease_expires_at > \
        extract(epoch FROM clock_timestamp()) * 1000000";
    let audit = &mut scene.audit;
    wait_until("its lease has run out", async || audit.count(valid).await == 0).await;
    goes_on_in_vain(scene, sleeper).await;
}

/// The same, but another process has fenced the worker, without continuing the run.
pub(crate) async fn a_commit_of_a_fenced_worker_is_refused(mut scene: Scene) {
    let sleeper = stopped_before_its_second_commit(&mut scene).await;
    let (url, queue) = (scene.url.clone(), [("PITON_QUEUE", "idle")]);
    let bystander = scene.worker_at("bystander", &url, Duration::from_secs(600), &queue).await;
    let owned = "SELECT count(*) FROM piton_runs WHERE worker_id IS NOT NULL";
    let audit = &mut scene.audit;
    wait_until("its run is taken away", async || audit.count(owned).await == 0).await;
    goes_on_in_vain(scene, sleeper).await;
    bystander.leave().await;
}

async fn stopped_before_its_second_commit(scene: &mut Scene) -> Member {
    Gate::new(scene.folder.path()).open().expect("it can be written");
    let (url, stop) = (scene.url.clone(), [("PITON_FAILPOINT", "before_commit:2=stop")]);
    let sleeper = scene.worker_at("sleeper", &url, LEASE, &stop).await;
    scene.client.start(gated(7)).id("held up").await.expect("it can be started");
    wait_until("it stands still", async || sleeper.is_paused()).await;
    sleeper
}

async fn goes_on_in_vain(mut scene: Scene, sleeper: Member) {
    sleeper.resume();
    let run = scene.client.run::<gated>("held up").await.expect("it was started");
    // A wrong commit could leave a run that no worker continues.
    let result = tokio::time::timeout(PATIENCE, run.result()).await.expect("somebody goes on");
    assert_eq!(result.expect("it completes"), 15);
    scene.audit.check_steps().await;
    // The run continued after the worker had registered again.
    let by_the_first = "SELECT count(*) FROM audit_steps WHERE worker_id = \
        (SELECT min(worker_id) FROM audit_claims)";
    assert_eq!(scene.audit.count(by_the_first).await, 1);
    // The outcome of the first activity is lost with its commit.
    let calls = ledger::read(scene.folder.path()).expect("a readable ledger");
    let returned: Vec<_> = calls.values().map(|call| call.returned.len()).collect();
    assert_eq!(returned, [2, 1]);
    sleeper.leave().await;
}

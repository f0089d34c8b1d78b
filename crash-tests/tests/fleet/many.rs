//! Many runs, several workers, random kills.

use std::time::Duration;

use piton_crash_tests::environment::number;
use piton_crash_tests::ledger;
use piton_crash_tests::random::Random;
use piton_crash_tests::workload::{CALLS_PER_RUN, Proceed, Tally, tally};

use crate::scene::{Scene, wait_until};

const LEASE: Duration = Duration::from_secs(15);

const WORKERS: u64 = 4;

/// The prefix of the names of the first workers.
const MEMBER: &str = "member_";

/// The default numbers of runs and kills.
const RUNS: u64 = 1_000;
const KILLS: u64 = 10;

/// Every run completes with the expected result, every step is committed once, and every attempt of an activity has
/// failed, has returned, or was interrupted by a kill. `PITON_FLEET_RUNS` and `PITON_FLEET_KILLS` set the size.
pub(crate) async fn random_kills_lose_nothing(mut scene: Scene) {
    let (run_count, kills) = (number("PITON_FLEET_RUNS", RUNS), number("PITON_FLEET_KILLS", KILLS));
    let mut random = Random::from_environment();
    // Limits the runs of one worker, so that the others get some.
    let most = (run_count / 10).max(1).to_string();
    let limits = [("PITON_MAX_RUNS", most.as_str())];
    let url = scene.url.clone();
    let mut members = Vec::new();
    for number in 0..WORKERS {
        let name = format!("{MEMBER}{number}");
        members.push(scene.worker_at(&name, &url, LEASE, &limits).await);
    }
    let mut results = tokio::task::JoinSet::new();
    for number in 0..run_count {
        let client = scene.client.clone();
        results.spawn(async move {
            let run = client.start(tally(number)).await.expect("it can be started");
            let signal = run.signal(Proceed { by: "the test".into() }).dedup_key("proceed");
            signal.await.expect("it can be sent");
            (number, run.result().await.expect("it completes"))
        });
    }
    let spread =
        format!("SELECT count(DISTINCT who) FROM audit_claims WHERE starts_with(who, '{MEMBER}')");
    let audit = &mut scene.audit;
    wait_until("everybody has runs", async || audit.count(&spread).await == WORKERS.cast_signed())
        .await;
    // Spreads the kills over the whole work, which has some 13 steps per run.
    let whole = run_count * 12;
    let mut killed = Vec::new();
    for kill in 0..kills {
        let goal = (whole * kill + random.below(whole)) / kills;
        scene.audit.until_steps(goal.cast_signed()).await;
        let victim = random.below(WORKERS) as usize;
        killed.push(members.swap_remove(victim).kill().await);
        let name = format!("successor_{kill}");
        members.push(scene.worker_at(&name, &url, LEASE, &limits).await);
    }
    while let Some(ended) = results.join_next().await {
        let (number, tally) = ended.expect("no panic");
        assert_eq!(tally, Tally::expected(number));
    }
    scene.audit.check_steps().await;
    let calls = ledger::read(scene.folder.path()).expect("a readable ledger");
    assert_eq!(calls.len(), run_count as usize * CALLS_PER_RUN);
    let interrupted: usize = calls.iter().map(|(key, call)| call.check(key, &killed)).sum();
    assert!(kills == 0 || interrupted > 0, "nobody was killed at work");
    println!("{run_count} runs, {kills} kills, {interrupted} attempts were interrupted");
    for member in members {
        member.leave().await;
    }
}

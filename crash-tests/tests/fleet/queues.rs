//! Activities on queues, attempted by processes that serve no workflows.

use std::time::{Duration, Instant};

use piton::store::QueueLimits;
use piton_crash_tests::gate::Gate;
use piton_crash_tests::ledger;
use piton_crash_tests::relay::{edition, relay};

use crate::member::Member;
use crate::scene::{Scene, pause_after, wait_until};

/// Longer than any test, so that no takeover is due to an expired lease.
const LEASE: Duration = Duration::from_secs(600);

/// Short enough to wait for.
const SHORT_LEASE: Duration = Duration::from_millis(1_500);

const RUNS: u64 = 20;

/// The number of attempts that a worker is making, by the database.
const MADE_BY: &str = "SELECT count(*) FROM piton_activities JOIN piton_workers USING (worker_id) \
    WHERE fenced_at IS NULL AND pid = ";

const ROWS: &str = "SELECT count(*) FROM piton_activities";

async fn server(scene: &mut Scene, name: &str, queue: &str, lease: Duration) -> Member {
    let url = scene.url.clone();
    scene.worker_at(name, &url, lease, &[("PITON_QUEUE", queue)]).await
}

/// Waits until a process makes an attempt for every run.
async fn until_made_by(scene: &mut Scene, member: &Member) {
    let sql = format!("{MADE_BY}{}", member.id());
    let audit = &mut scene.audit;
    wait_until("it makes the attempts", async || audit.count(&sql).await == RUNS.cast_signed())
        .await;
}

/// The process of a queue is killed, and another process of the queue continues at once; then that one is killed.
pub(crate) async fn activities_of_a_killed_worker_go_on_elsewhere(mut scene: Scene) {
    const KILLS: usize = 3;
    let owner = scene.worker("owner", LEASE).await;
    let mail = server(&mut scene, "mail", "mail", LEASE).await;
    let mut gpu = server(&mut scene, "gpu_first", "gpu", LEASE).await;
    let mut runs = Vec::new();
    for number in 0..RUNS {
        runs.push(scene.client.start(relay(number)).await.expect("it can be started"));
    }
    until_made_by(&mut scene, &gpu).await;
    let mut latencies = Vec::new();
    for number in 0..KILLS {
        let heir = server(&mut scene, &format!("gpu_heir_{number}"), "gpu", LEASE).await;
        let killed_at = Instant::now();
        gpu.kill().await;
        until_made_by(&mut scene, &heir).await;
        latencies.push(killed_at.elapsed().saturating_sub(pause_after(number)));
        gpu = heir;
    }
    Gate::new(scene.folder.path()).open().expect("it can be written");
    for (number, run) in (0..).zip(runs) {
        let result = run.result().await.expect("it completes");
        assert_eq!(result, (2 * number + 1, gpu.id(), mail.id()));
    }
    latencies.sort_unstable();
    println!("taken over after {latencies:?}");
    assert!(latencies[KILLS / 2] < Duration::from_secs(1), "{latencies:?}");
    let every: Vec<u32> = (1..=KILLS as u32 + 1).collect();
    let calls = ledger::read(scene.folder.path()).expect("a readable ledger");
    assert_eq!(calls.len() as u64, 2 * RUNS);
    for (key, call) in calls {
        let expected: &[u32] = if key.ends_with("/0") { &every } else { &[1] };
        assert_eq!(call.began, expected, "{key}");
        assert_eq!(call.returned.len(), 1, "{key}");
    }
    assert_eq!(scene.audit.count(ROWS).await, 0, "rows are left behind");
    scene.audit.check_steps().await;
    for member in [owner, mail, gpu] {
        member.leave().await;
    }
}

/// A worker that is stopped for longer than its lease reports without effect when it continues.
pub(crate) async fn a_worker_that_was_paused_for_too_long_ends_no_attempt(mut scene: Scene) {
    let owner = scene.worker("owner", LEASE).await;
    let mail = server(&mut scene, "mail", "mail", LEASE).await;
    let sleeper = server(&mut scene, "gpu_sleeper", "gpu", SHORT_LEASE).await;
    let mut runs = Vec::new();
    for number in 0..RUNS {
        runs.push(scene.client.start(relay(number)).await.expect("it can be started"));
    }
    until_made_by(&mut scene, &sleeper).await;
    sleeper.pause();
    let heir = server(&mut scene, "gpu_heir", "gpu", LEASE).await;
    until_made_by(&mut scene, &heir).await;
    // Now the attempts of both end; the report of the stopped one must be refused.
    Gate::new(scene.folder.path()).open().expect("it can be written");
    sleeper.resume();
    for (number, run) in (0..).zip(runs) {
        let result = run.result().await.expect("it completes");
        assert_eq!(result, (2 * number + 1, heir.id(), mail.id()));
    }
    assert_eq!(scene.audit.count(ROWS).await, 0, "rows are left behind");
    scene.audit.check_steps().await;
    for member in [owner, mail, sleeper, heir] {
        member.leave().await;
    }
}

/// Attempts under way on the queue with partitions: all of them, and the most of one partition.
const UNDER_WAY: &str =
    "SELECT count(*) FROM piton_activities WHERE queue = 'press' AND worker_id IS NOT NULL";
const OF_ONE: &str = "SELECT coalesce(max(made), 0) FROM (SELECT count(*) AS made FROM piton_activities \
    WHERE queue = 'press' AND worker_id IS NOT NULL GROUP BY partition) AS counted";

const OPEN: &str = "SELECT count(*) FROM piton_runs WHERE closed_at IS NULL";

/// Three processes serve a queue, and one after the other is killed and replaced. However that goes, no more attempts are
/// under way than the limits allow, and every call has its turn.
pub(crate) async fn limits_hold_while_workers_are_killed(mut scene: Scene) {
    const EDITIONS: u64 = 200;
    const KILLS: usize = 4;
    const LIMITS: (i64, i64) = (4, 2);
    let limits = QueueLimits::default().max_concurrent(4).partition_concurrent(2);
    scene.client.queue("press").limit(limits).await.expect("it can be limited");
    let owner = scene.worker("owner", LEASE).await;
    let mut runs = Vec::new();
    for number in 0..EDITIONS {
        runs.push(scene.client.start(edition(number)).await.expect("it can be started"));
    }
    let mut servers = std::collections::VecDeque::new();
    for number in 0..3 {
        servers.push_back(server(&mut scene, &format!("press_{number}"), "press", LEASE).await);
    }
    let (mut looks, mut busy) = (0, 0);
    let mut killed = Vec::new();
    while scene.audit.count(OPEN).await > 0 {
        let (all, of_one) = (scene.audit.count(UNDER_WAY).await, scene.audit.count(OF_ONE).await);
        assert!(all <= LIMITS.0 && of_one <= LIMITS.1, "{all} are under way, {of_one} of one");
        (looks, busy) = (looks + 1, busy + u64::from(all > 0));
        if all > 0 && killed.len() < KILLS && looks % 25 == 0 {
            let victim = servers.pop_front().expect("there are three");
            killed.push(victim.id());
            victim.kill().await;
            let heir = format!("press_heir_{}", killed.len());
            servers.push_back(server(&mut scene, &heir, "press", LEASE).await);
        }
    }
    println!("{looks} looks, {busy} of them at attempts, {} kills", killed.len());
    assert!(busy > 0, "nothing was seen");
    for (number, run) in (0..).zip(runs) {
        assert_eq!(run.result().await.expect("it completes"), 2 * number);
    }
    let calls = ledger::read(scene.folder.path()).expect("a readable ledger");
    assert_eq!(calls.len() as u64, EDITIONS);
    for (key, call) in calls {
        call.check(&key, &killed);
    }
    scene.audit.check_steps().await;
    for member in servers.into_iter().chain([owner]) {
        member.leave().await;
    }
}

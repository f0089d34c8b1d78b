//! A server that dies, and a standby that replaces it at another address.

use std::time::{Duration, Instant};

use piton::prelude::*;
use piton_crash_tests::ledger;
use piton_crash_tests::workload::{Proceed, Tally, tally};

use crate::member::Member;
use crate::proxy::Proxy;
use crate::scene::{Scene, wait_until};

const RUNS: u64 = 60;

/// Longer than the failover may take on a busy machine: the test is about lost work and restarts, not about takeovers.
const LEASE: Duration = Duration::from_secs(60);

/// Workers and clients know one address. The server behind it dies during their work; later the address leads to its
/// standby.
pub(crate) async fn another_server_takes_over(_: Scene) {
    let mut scene = Scene::on_a_server_of_its_own().await;
    let proxy = Proxy::start(&scene.socket()).await;
    let url = proxy.url(&scene.url);
    let client = Client::connect(&url).await.expect("the way is open");
    let workers = [
        scene.worker_at("one", &url, LEASE, &[]).await,
        scene.worker_at("two", &url, LEASE, &[]).await,
    ];
    let follower = scene.start_follower().await;
    let mut runs = Vec::new();
    let mut results = tokio::task::JoinSet::new();
    for number in 0..RUNS {
        let run = client.start(tally(number)).id(format!("tally-{number}")).await;
        let run = run.expect("it can be started");
        runs.push(run.clone());
        results.spawn(async move { (number, run.result().await) });
    }
    // Each run makes eight steps before it waits for the signal.
    let goal = RUNS.cast_signed() * 4;
    scene.audit.until_steps(goal).await;
    let new_address = follower.socket();
    scene.fail_over(follower).await;
    let audit = &mut scene.audit;
    let before = audit.steps().await;
    assert!(before >= goal, "the other server has missed commits");
    // All processes have tried to connect: two workers, and the clients that wait for results.
    wait_until("they have asked in vain", async || proxy.refused() >= 30).await;
    let led_on = Instant::now();
    proxy.lead_to(&new_address);
    for run in runs {
        let signal = run.signal(Proceed { by: "the test".into() }).dedup_key("proceed");
        signal.await.expect("it reaches the other server");
    }
    // By then all runs may wait for the signal.
    wait_until("the work goes on", async || audit.steps().await > before).await;
    println!("the work went on after {:?}", led_on.elapsed());
    while let Some(ended) = results.join_next().await {
        let (number, result) = ended.expect("no panic");
        assert_eq!(result.expect("it completes"), Tally::expected(number));
    }
    scene.audit.check_steps().await;
    // No worker has lost its lease. An attempt whose claim response was lost counts as interrupted once.
    let calls = ledger::read(scene.folder.path()).expect("a readable ledger");
    let crashes = workers.each_ref().map(Member::id);
    let interrupted: Vec<usize> =
        calls.iter().map(|(key, call)| call.check(key, &crashes)).collect();
    assert!(interrupted.iter().all(|count| *count <= 1), "{calls:?}");
    let interrupted: usize = interrupted.iter().sum();
    println!("{interrupted} attempts were interrupted");
    for worker in workers {
        worker.leave().await;
    }
    client.close().await;
}

//! Relaxed runs, which continue while the database writes.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use piton::error::StoreError;
use piton::store::memory::Hook;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::activities::Approve;
use crate::rig::Rig;
use crate::workflows::{
    HASTY_BREAKS, hasty, hasty_break, hasty_by_default, hasty_join, hasty_risk,
};

/// Delays each commit of steps, and blocks all of them while it is closed.
struct Barrier {
    open: watch::Sender<bool>,
    delay: Duration,
}

impl Barrier {
    fn install(rig: &Rig, delay: Duration) -> Arc<Self> {
        let barrier = Arc::new(Self { open: watch::channel(true).0, delay });
        rig.store.set_hook(barrier.clone());
        barrier
    }

    fn set(&self, open: bool) {
        self.open.send_replace(open);
    }
}

#[async_trait::async_trait]
impl Hook for Barrier {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        if operation == "commit_steps" {
            tokio::time::sleep(self.delay).await;
            let _ = self.open.subscribe().wait_for(|open| *open).await;
        }
        Ok(())
    }
}

const AT_ONCE: Duration = Duration::ZERO;

/// How many of the first `count` echoes have begun.
fn begun(rig: &Rig, count: u32) -> u32 {
    (0..count).map(|n| rig.lab.begun(&format!("echo {n}")).len() as u32).sum()
}

#[tokio::test(start_paused = true)]
async fn it_does_not_wait_for_the_database() {
    let rig = Rig::new();
    Barrier::install(&rig, Duration::from_millis(100));
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(hasty_by_default(100)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 100);
    let took = began.elapsed();
    assert!(took < Duration::from_millis(100 * 20), "strict takes 10 s, this took {took:?}");
    let writes = rig.store.counts().step_updates;
    assert!(writes <= 20, "{writes} states were written");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn it_runs_ahead_by_so_many_steps_and_no_more() {
    let rig = Rig::new();
    let barrier = Barrier::install(&rig, AT_ONCE);
    barrier.set(false);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(hasty(20, 0)).await.unwrap();
    // The first of these steps is durable: the start has written it.
    rig.until_true(|| begun(&rig, 20) >= 6).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(begun(&rig, 20), 6);
    assert_eq!(run.status().await.unwrap().step_no.0, 0);
    barrier.set(true);
    assert_eq!(run.result().await.unwrap().len(), 20);
    assert_eq!(begun(&rig, 20), 20);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_crash_repeats_so_many_steps_and_no_more() {
    for crash_at in 1..12 {
        let rig = Rig::new();
        let barrier = Barrier::install(&rig, AT_ONCE);
        let doomed = rig.worker().start().await.unwrap();
        let run = rig.client.start(hasty(12, 0)).await.unwrap();
        rig.until_true(|| begun(&rig, 12) >= crash_at).await;
        barrier.set(false);
        tokio::time::sleep(Duration::from_millis(50)).await;
        let before = begun(&rig, 12);
        drop(doomed);
        barrier.set(true);
        let worker = rig.worker().start().await.unwrap();
        let texts: Vec<String> = (0..12).map(|n| format!("echo {n}")).collect();
        assert_eq!(run.result().await.unwrap(), texts);
        // Five steps that were not durable, and the running attempt.
        let repeated = begun(&rig, 12) - 12;
        assert!(repeated <= 5 + 1, "{repeated} of {before} steps were made again");
        worker.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn signals_are_taken_once_and_in_order_over_a_crash() {
    let rig = Rig::new();
    let barrier = Barrier::install(&rig, AT_ONCE);
    barrier.set(false);
    let run = rig.client.start(hasty(0, 6)).await.unwrap();
    for name in ["a", "b", "c", "d", "e"] {
        run.signal(Approve { by: name.into() }).await.unwrap();
    }
    let doomed = rig.worker().start().await.unwrap();
    rig.until_true(|| rig.lab.begun("signal 1").len() == 1).await;
    assert_eq!(run.status().await.unwrap().step_no.0, 0);
    drop(doomed);
    barrier.set(true);
    let worker = rig.worker().start().await.unwrap();
    run.signal(Approve { by: "f".into() }).await.unwrap();
    let all = run.result().await.unwrap();
    let names: Vec<&str> = all.iter().step_by(2).map(String::as_str).collect();
    assert_eq!(names, ["a", "b", "c", "d", "e", "f"]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_at_most_once_activity_waits_for_the_database() {
    let rig = Rig::new();
    let barrier = Barrier::install(&rig, AT_ONCE);
    barrier.set(false);
    let doomed = rig.worker().start().await.unwrap();
    let run = rig.client.start(hasty_risk()).await.unwrap();
    rig.until_true(|| rig.lab.begun("2").len() == 1).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(rig.lab.begun("risk"), [0; 0], "its state is not durable");
    barrier.set(true);
    rig.until_true(|| rig.lab.begun("5").len() == 1).await;
    // The outcome is durable, whether or not the rest is.
    drop(doomed);
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), "risk done");
    assert_eq!(rig.lab.begun("risk"), [1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_result_is_seen_when_it_is_durable() {
    let rig = Rig::new();
    let barrier = Barrier::install(&rig, AT_ONCE);
    barrier.set(false);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(hasty_by_default(3)).await.unwrap();
    rig.until_true(|| rig.lab.begun("2").len() == 1).await;
    let early = tokio::time::timeout(Duration::from_secs(60), run.result()).await;
    assert!(early.is_err(), "{early:?}");
    barrier.set(true);
    assert_eq!(run.result().await.unwrap(), 3);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_repeats_nothing() {
    let rig = Rig::new();
    Barrier::install(&rig, Duration::from_millis(20));
    let first = rig.worker().start().await.unwrap();
    let run = rig.client.start(hasty(30, 0)).await.unwrap();
    rig.until_true(|| begun(&rig, 30) >= 10).await;
    first.shutdown().await.unwrap();
    let second = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap().len(), 30);
    assert_eq!(begun(&rig, 30), 30);
    second.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_step_that_panics_keeps_those_before_it() {
    let rig = Rig::new();
    Barrier::install(&rig, Duration::from_millis(20));
    HASTY_BREAKS.store(true, Ordering::SeqCst);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(hasty_break()).await.unwrap();
    rig.until_blocked(&run).await;
    HASTY_BREAKS.store(false, Ordering::SeqCst);
    rig.client.unblock(run.run_id()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 3);
    for number in ["0", "1", "2"] {
        assert_eq!(rig.lab.begun(number), [1]);
    }
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_outcome_that_makes_no_step_follows_its_state() {
    let rig = Rig::new();
    Barrier::install(&rig, Duration::from_millis(20));
    let doomed = rig.worker().start().await.unwrap();
    let run = rig.client.start(hasty_join()).await.unwrap();
    rig.until_true(|| rig.store.counts().arrivals == 1).await;
    drop(doomed);
    let worker = rig.worker().start().await.unwrap();
    rig.until_true(|| rig.lab.begun("hang").len() == 2).await;
    rig.lab.open_gate();
    assert_eq!(run.result().await.unwrap(), "hang done");
    assert_eq!((rig.lab.begun("first"), rig.lab.begun("second")), (vec![1], vec![1]));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_fenced_worker_runs_ahead_no_further() {
    let rig = Rig::new();
    let barrier = Barrier::install(&rig, AT_ONCE);
    let slow = rig.worker().start().await.unwrap();
    let run = rig.client.start(hasty(20, 0)).await.unwrap();
    rig.until_true(|| begun(&rig, 20) >= 3).await;
    barrier.set(false);
    let workers = piton::store::Workers::list_workers(&*rig.store).await.unwrap();
    let workers: Vec<_> = workers.iter().map(|(lease, _)| lease.worker_id).collect();
    piton::store::Workers::fence_workers(&*rig.store, &workers).await.unwrap();
    barrier.set(true);
    // It registers again and continues from the state in the database.
    assert_eq!(run.result().await.unwrap().len(), 20);
    assert!(begun(&rig, 20) <= 20 + 6, "{}", begun(&rig, 20));
    slow.shutdown().await.unwrap();
}

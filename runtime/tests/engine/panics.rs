//! Panics in unexpected places: they affect only the run, the attempt or the call in which they happen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use piton::error::StoreError;
use piton::model::BlockedReason;
use piton::prelude::*;
use piton::store::memory::Hook;
use serde_json::json;
use tokio::time::timeout;

use crate::activities::Lab;
use crate::rig::Rig;
use crate::workflows::{chain, work};

/// Panics in the first `left` calls of one method.
struct Breaking {
    operation: &'static str,
    left: AtomicU32,
}

impl Breaking {
    fn new(operation: &'static str, times: u32) -> Arc<Self> {
        Arc::new(Self { operation, left: AtomicU32::new(times) })
    }
}

#[async_trait::async_trait]
impl Hook for Breaking {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        let one_less = |left: u32| left.checked_sub(1);
        let is_meant = operation == self.operation
            && self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok();
        assert!(!is_meant, "{operation} breaks");
        Ok(())
    }
}

/// Sooner than any poll for lost work would find it.
const AT_ONCE: Duration = Duration::from_millis(500);

/// The data that has made the driver panic would do so again, so the run is blocked until somebody examines it. The
/// running attempt counts as interrupted.
#[tokio::test(start_paused = true)]
async fn a_driver_that_panics_blocks_its_run_and_no_other() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let other = rig.client.start(work("hang".to_owned())).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    let run = rig.client.start(work("hang".to_owned())).await.unwrap();
    rig.until_begun("hang", &[1, 1]).await;
    rig.store.set_hook(Breaking::new("read_inbox", 1));
    let signal = rig.client.signal_json(run.run_id(), "Approve", &json!({ "by": "ada" }));
    signal.unchecked().await.unwrap();
    let record = timeout(AT_ONCE, rig.until_blocked(&run)).await.expect("it is blocked at once");
    let Some(BlockedReason::Panicked(message)) = record.blocked else { panic!("{record:?}") };
    assert_eq!(message, "read_inbox breaks");
    rig.lab.open_gate();
    assert_eq!(other.result().await.unwrap(), "hang done");

    rig.client.unblock(run.run_id()).await.unwrap();
    rig.until_begun("hang", &[1, 1, 2]).await;
    rig.lab.open_gate();
    assert_eq!(run.result().await.unwrap(), "hang done");
    worker.shutdown().await.unwrap();
}

/// A call that panics counts as failed, and no caller waits for a task that has ended.
#[tokio::test(start_paused = true)]
async fn a_store_that_panics_costs_neither_worker_nor_runs() {
    for operation in ["claim_runs", "commit_steps", "deliver", "review_runs", "find_dead_workers"] {
        let rig = Rig::new();
        let worker = rig.worker().commit_lanes(1).start().await.unwrap();
        rig.store.set_hook(Breaking::new(operation, 1));
        let elsewhere = Client::new(rig.store.connect());
        let run = elsewhere.start(chain(3)).await.unwrap();
        let long = timeout(Duration::from_secs(60), run.result()).await;
        assert_eq!(long.expect(operation).unwrap(), 3, "{operation}");
        let next = rig.client.start(chain(3)).await.unwrap();
        assert_eq!(next.result().await.unwrap(), 3, "{operation}");
        worker.shutdown().await.unwrap();
    }
}

/// Panics if it is dropped before its end.
struct Fragile(bool);

impl Drop for Fragile {
    fn drop(&mut self) {
        assert!(self.0, "it was dropped too soon");
    }
}

async fn break_when_dropped(cx: &ActivityContext, name: &str) {
    let lab = cx.dependency::<Lab>();
    lab.begin(cx, name);
    let mut fragile = Fragile(false);
    lab.pass_gate().await;
    fragile.0 = true;
}

#[activity(start_to_close = "1s", retry(max_attempts = 1))]
async fn fragile(cx: &ActivityContext, name: &str) -> bool {
    break_when_dropped(cx, name).await;
    true
}

#[activity(queue = "gpu", start_to_close = "1s", retry(max_attempts = 1))]
async fn fragile_on_a_queue(cx: &ActivityContext, name: &str) -> bool {
    break_when_dropped(cx, name).await;
    true
}

#[workflow]
async fn drops_late(on_a_queue: bool) -> bool {
    if on_a_queue { fragile_on_a_queue("fragile").await } else { fragile("fragile").await }
}

/// The time limit ends the attempt by dropping its future.
#[tokio::test(start_paused = true)]
async fn an_attempt_that_panics_when_it_is_cut_off_has_ended() {
    for on_a_queue in [false, true] {
        let rig = Rig::new();
        let worker = rig.worker().queue("gpu").start().await.unwrap();
        let run = rig.client.start(drops_late(on_a_queue)).await.unwrap();
        let error = timeout(Duration::from_secs(2), run.result()).await.expect("it ends");
        let error = error.expect_err("it has panicked").to_string();
        assert!(error.contains("it was dropped too soon"), "{error}");
        assert_eq!(rig.lab.begun("fragile"), [1]);
        worker.shutdown().await.unwrap();
    }
}

//! Events at the single moment at which they could be missed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use piton::error::StoreError;
use piton::model::Timestamp;
use piton::prelude::*;
use piton::store::memory::{Hook, Write};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::activities::{Approve, Lab, echo};
use crate::rig::{Rig, cut_off};
use crate::workflows::hasty_join;

/// Delays one call: the first of the method once this is armed, before or after its effect.
struct Kept {
    operation: &'static str,
    is_after: bool,
    is_armed: AtomicBool,
    is_kept: AtomicBool,
    go_on: Notify,
    delivered: AtomicU32,
}

impl Kept {
    fn new(operation: &'static str, is_after: bool, is_armed: bool) -> Arc<Self> {
        let (is_armed, is_kept) = (AtomicBool::new(is_armed), AtomicBool::new(false));
        let (go_on, delivered) = (Notify::new(), AtomicU32::new(0));
        Arc::new(Self { operation, is_after, is_armed, is_kept, go_on, delivered })
    }

    async fn keep(&self, operation: &'static str, is_after: bool) {
        if (operation, is_after) == (self.operation, self.is_after)
            && self.is_armed.swap(false, Ordering::SeqCst)
        {
            self.is_kept.store(true, Ordering::SeqCst);
            self.go_on.notified().await;
        }
    }

    fn is_kept(&self) -> bool {
        self.is_kept.load(Ordering::SeqCst)
    }
}

#[async_trait::async_trait]
impl Hook for Kept {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        self.delivered.fetch_add(u32::from(operation == "deliver"), Ordering::SeqCst);
        self.keep(operation, false).await;
        Ok(())
    }

    async fn after(&self, operation: &'static str) -> Result<(), StoreError> {
        self.keep(operation, true).await;
        Ok(())
    }

    fn wrote(&self, _: Timestamp, write: &Write<'_>) {
        if self.operation == "claim_runs" && matches!(write, Write::Claimed { .. }) {
            self.is_armed.store(true, Ordering::SeqCst);
        }
    }
}

fn approve() -> Approve {
    Approve { by: "ada".into() }
}

/// Longer than everything in these tests that does not wait for it.
#[activity]
async fn nap(cx: &ActivityContext) -> u32 {
    cx.dependency::<Lab>().begin(cx, "nap");
    tokio::time::sleep(Duration::from_secs(300)).await;
    300
}

#[workflow]
async fn naps_once_approved(cx: &Context) -> u32 {
    cx.signal::<Approve>().await;
    nap().await
}

/// The driver that has parked the run learns that only when the run already has another driver.
#[tokio::test(start_paused = true)]
async fn a_driver_that_ends_late_lets_go_of_its_own_place_alone() {
    let rig = Rig::new();
    let (connection, kept) = (rig.store.connect(), Kept::new("commit_steps", true, true));
    connection.set_hook(kept.clone());
    let worker = rig.worker_of(&Client::new(connection)).commit_lanes(2).start().await.unwrap();
    let run = rig.client.start(naps_once_approved()).await.unwrap();
    rig.until_parked(&run).await;
    assert!(kept.is_kept());
    run.signal(approve()).await.unwrap();
    rig.until_begun("nap", &[1]).await;
    kept.go_on.notify_one();
    // Meanwhile the worker has looked for runs that it owns without knowing.
    assert_eq!(run.result().await.unwrap(), 300);
    assert_eq!(rig.lab.begun("nap"), [1]);
    worker.shutdown().await.unwrap();
}

#[workflow]
async fn approved_or_rested(cx: &Context) -> u32 {
    select! {
        _ = cx.signal::<Approve>() => 0,
        slept = nap() => slept,
    }
}

/// The notification comes before the run has a driver, and there is no poll.
#[tokio::test(start_paused = true)]
async fn an_arrival_between_a_claim_and_its_driver_is_read() {
    let rig = Rig::new();
    let (connection, kept) = (rig.store.connect(), Kept::new("claim_runs", true, false));
    connection.set_hook(kept.clone());
    let worker = rig.worker_of(&Client::new(connection)).poll_interval(hours(1)).lease(hours(1));
    let worker = worker.start().await.unwrap();
    let run = rig.client.start(approved_or_rested()).await.unwrap();
    rig.until_true(|| kept.is_kept()).await;
    run.signal(approve()).await.unwrap();
    kept.go_on.notify_one();
    let soon = timeout(Duration::from_secs(10), run.result()).await;
    assert_eq!(soon.expect("it is approved").unwrap(), 0);
    worker.shutdown().await.unwrap();
}

/// Otherwise the inbox could have the outcome of an operation that is not in the stored state.
#[tokio::test(start_paused = true)]
async fn a_relaxed_run_saves_nothing_before_the_state_that_it_is_about() {
    let rig = Rig::new();
    let kept = Kept::new("commit_steps", false, true);
    rig.store.set_hook(kept.clone());
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(hasty_join()).await.unwrap();
    rig.until_begun("second", &[1]).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(kept.is_kept());
    assert_eq!(kept.delivered.load(Ordering::SeqCst), 0);
    kept.go_on.notify_one();
    rig.until_true(|| kept.delivered.load(Ordering::SeqCst) > 0).await;
    rig.lab.open_gate();
    assert_eq!(run.result().await.unwrap(), "hang done");
    worker.shutdown().await.unwrap();
}

/// Whether [`guarded_nap`] was interrupted.
static CUT_OFF: AtomicBool = AtomicBool::new(false);

struct NotesItsEnd;

impl Drop for NotesItsEnd {
    fn drop(&mut self) {
        CUT_OFF.store(true, Ordering::SeqCst);
    }
}

#[activity]
async fn guarded_nap(cx: &ActivityContext) -> u32 {
    let _end = NotesItsEnd;
    nap::call(cx).await
}

#[workflow]
async fn rests() -> u32 {
    guarded_nap().await
}

/// Gets no notifications of other workers, and cannot fence them.
struct Deaf;

#[async_trait::async_trait]
impl Hook for Deaf {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        match operation {
            "fence_expired_workers" => Err(cut_off(operation)),
            _ => Ok(()),
        }
    }

    fn news_delay(&self) -> Option<Duration> {
        None
    }
}

/// Even if another part of the sweep fails.
#[tokio::test(start_paused = true)]
async fn the_sweep_finds_a_run_that_was_taken_away_unheard() {
    let rig = Rig::new();
    let connection = rig.store.connect();
    let worker = rig.worker_of(&Client::new(connection.clone())).start().await.unwrap();
    connection.set_hook(Arc::new(Deaf));
    let run = rig.client.start(rests()).await.unwrap();
    rig.until_begun("nap", &[1]).await;
    assert!(run.terminate("enough").await.unwrap());
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(CUT_OFF.load(Ordering::SeqCst), "nobody waits for it");
    worker.shutdown().await.unwrap();
}

/// Whether steps of [`breaks_late`] and [`breaks_after`] panic.
static BREAKS: [AtomicBool; 2] = [AtomicBool::new(true), AtomicBool::new(true)];

#[workflow(allow(shared_state))]
async fn breaks_late(cx: &Context) -> u32 {
    cx.signal::<Approve>().await;
    cx.signal::<Approve>().await;
    assert!(!BREAKS[0].load(Ordering::SeqCst), "as asked");
    2
}

/// Both signals have arrived, so both steps are made before the commit.
#[tokio::test(start_paused = true)]
async fn steps_before_one_that_panics_are_kept() {
    let rig = Rig::new();
    let run = rig.client.start(breaks_late()).await.unwrap();
    run.signal(approve()).await.unwrap();
    run.signal(approve()).await.unwrap();
    let worker = rig.worker().start().await.unwrap();
    let record = rig.until_blocked(&run).await;
    assert_eq!(record.state, "signal<Approve>#2");
    BREAKS[0].store(false, Ordering::SeqCst);
    rig.client.unblock(run.run_id()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 2);
    worker.shutdown().await.unwrap();
}

#[workflow(allow(shared_state))]
async fn breaks_after() -> String {
    let text = echo("brittle").await;
    assert!(!BREAKS[1].load(Ordering::SeqCst), "as asked");
    text
}

#[tokio::test(start_paused = true)]
async fn arrivals_of_a_panicked_step_are_saved() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(breaks_after()).await.unwrap();
    rig.until_blocked(&run).await;
    BREAKS[1].store(false, Ordering::SeqCst);
    rig.client.unblock(run.run_id()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "brittle");
    assert_eq!(rig.lab.begun("brittle"), [1]);
    worker.shutdown().await.unwrap();
}

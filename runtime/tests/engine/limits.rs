//! Limits of concurrent attempts of activities.

use std::sync::{Mutex, mpsc};
use std::time::Duration;

use piton::error::RunError;
use piton::prelude::*;
use tokio::time::Instant;

use crate::rig::Rig;
use crate::workflows::{crowd, crunch_all, crunch_one};

#[tokio::test(start_paused = true)]
async fn an_activity_has_a_limit_of_its_own() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    // Two runs share the limit, which is the worker's.
    let one = rig.client.start(crowd(5)).await.unwrap();
    let two = rig.client.start(crowd(4)).await.unwrap();
    assert_eq!((one.result().await.unwrap(), two.result().await.unwrap()), (5, 4));
    assert_eq!(rig.lab.most(), 3);
    assert_eq!(began.elapsed().as_millis() / 100, 3, "nine at three at a time");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_worker_has_a_limit_over_all() {
    let rig = Rig::new();
    let worker = rig.worker().max_activities(2).start().await.unwrap();
    let run = rig.client.start(crowd(6)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 6);
    assert_eq!(rig.lab.most(), 2);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn blocking_activities_have_threads_and_a_limit() {
    let rig = Rig::new();
    let worker = rig.worker().max_blocking(2).start().await.unwrap();
    let run = rig.client.start(crunch_all(6)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 6 * 7);
    assert!(rig.lab.most() <= 2, "{}", rig.lab.most());
    worker.shutdown().await.unwrap();
}

/// A condition that one activity waits for on its thread and another sets.
struct Word {
    says: mpsc::Sender<u32>,
    hears: Mutex<mpsc::Receiver<u32>>,
}

/// Does not wait forever, so that the test can fail.
#[activity(blocking)]
fn hear(cx: &ActivityContext) -> Option<u32> {
    let word = cx.dependency::<Word>();
    word.hears.lock().unwrap().recv_timeout(Duration::from_secs(10)).ok()
}

#[activity]
async fn say(cx: &ActivityContext, number: u32) -> bool {
    cx.dependency::<Word>().says.send(number).is_ok()
}

#[workflow]
async fn talk() -> (Option<u32>, bool) {
    join!(hear(), say(7))
}

/// The only other thread must be able to continue with everything else.
#[tokio::test(start_paused = true)]
async fn a_blocking_activity_delays_no_other() {
    let rig = Rig::new();
    let (says, hears) = mpsc::channel();
    let word = Word { says, hears: Mutex::new(hears) };
    let worker = rig.worker().provide(word).start().await.unwrap();
    let run = rig.client.start(talk()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), (Some(7), true));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_blocking_activity_that_panics_spoils_no_other() {
    let rig = Rig::new();
    let worker = rig.worker().max_blocking(1).start().await.unwrap();
    let run = rig.client.start(crunch_one("panic".to_owned())).await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(matches!(error, RunError::Uncaught { .. }), "{error:?}");
    assert!(error.to_string().contains("as asked"), "{error}");
    let run = rig.client.start(crunch_one("fine".to_owned())).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 7);
    worker.shutdown().await.unwrap();
}

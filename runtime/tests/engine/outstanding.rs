//! The outstanding activities of a run, read from any process.

use piton::error::LookupError;
use piton::model::{AttemptFailure, RunId};
use piton::prelude::*;

use crate::queues::study;
use crate::rig::Rig;
use crate::workflows::work;

fn failed(attempt: u32, error: &str) -> Option<AttemptFailure> {
    Some(AttemptFailure::new(attempt, error.to_owned()))
}

#[tokio::test(start_paused = true)]
async fn an_activity_that_is_being_retried_tells_its_last_error_attempt_and_next_time() {
    let rig = Rig::new();
    rig.lab.fail("broken", 3);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(work("broken".to_owned())).await.unwrap();
    rig.until_begun("broken", &[1, 2]).await;
    let elsewhere = Client::new(rig.store.connect());
    let shown = loop {
        let shown = elsewhere.activities(run.run_id()).await.unwrap();
        if shown[0].last_failure == failed(2, "broken failed") {
            break shown;
        }
        tokio::task::yield_now().await;
    };
    let [activity] = &shown[..] else { panic!("{shown:?}") };
    assert_eq!((activity.name.as_str(), &activity.queue, activity.attempt), ("perform", &None, 3));
    let waits = activity.next_attempt_at.unwrap().saturating_since(activity.scheduled_at);
    assert_eq!(waits.as_secs(), 1 + 2);

    // It is also in the state, once that is written for another reason.
    worker.shutdown().await.unwrap();
    let worker = rig.remote_worker().start().await.unwrap();
    assert_eq!(run.activities().await.unwrap(), shown);
    assert_eq!(run.result().await.unwrap(), "broken done");
    assert_eq!(run.activities().await.unwrap(), []);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_activity_on_a_queue_tells_its_last_error_attempt_and_next_time() {
    let rig = Rig::new();
    rig.lab.fail("flaky", 1);
    let owner = rig.worker().start().await.unwrap();
    let run = rig.client.start(study("flaky".to_owned())).await.unwrap();
    rig.until_parked(&run).await;
    let [waiting] = &run.activities().await.unwrap()[..] else { panic!("it waits for one") };
    assert_eq!((waiting.queue.as_deref(), waiting.attempt), (Some("gpu"), 1));
    let server = rig.server("gpu").start().await.unwrap();
    rig.until_begun("flaky", &[1]).await;
    let [retried] = &run.activities().await.unwrap()[..] else { panic!("it is tried again") };
    assert_eq!((retried.name.as_str(), retried.attempt), ("train", 2));
    assert!(retried.next_attempt_at > waiting.next_attempt_at, "{retried:?}");
    assert_eq!((&waiting.last_failure, &retried.last_failure), (&None, &failed(1, "flaky failed")));
    assert_eq!(run.result().await.unwrap(), "flaky done");
    assert_eq!(run.activities().await.unwrap(), []);
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[tokio::test]
async fn a_run_that_is_not_there_is_told() {
    let rig = Rig::new();
    let error = rig.client.activities(RunId::new()).await.unwrap_err();
    assert!(matches!(error, LookupError::Unknown(_)), "{error:?}");
}

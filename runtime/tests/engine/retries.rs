//! Attempts of activities: retries, time limits, panics, crashes.

use std::sync::Arc;
use std::time::Duration;

use piton::error::RunError;
use piton::prelude::*;
use piton::store::contract::*;
use piton::store::memory::Hook;
use serde_json::json;
use tokio::time::Instant;

use crate::activities::{Lab, PickError, perform};
use crate::queues::{study, wide};
use crate::rig::Rig;
use crate::workflows::{fetching, picking, steadfast, work};

fn text(name: &str) -> String {
    name.to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_failed_activity_is_tried_again_after_the_policy_s_waits() {
    let rig = Rig::new();
    rig.lab.fail("flaky", 2);
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(work(text("flaky"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "flaky done");
    assert_eq!(rig.lab.begun("flaky"), [1, 2, 3]);
    let waited = began.elapsed();
    assert!((3.0..3.1).contains(&waited.as_secs_f64()), "1 s and 2 s: {waited:?}");
    // Two failed attempts are two arrivals, and no step.
    assert_eq!((rig.store.counts().step_updates, rig.store.counts().arrivals), (1, 2));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_last_error_is_the_workflow_s() {
    let rig = Rig::new();
    rig.lab.fail("broken", 10);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(work(text("broken"))).await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(matches!(&error, RunError::Failed(text) if text == "broken failed"), "{error:?}");
    assert_eq!(rig.lab.begun("broken"), [1, 2, 3, 4]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_takes_too_long_is_tried_again() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(work(text("hang"))).await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(error.to_string().contains("start_to_close"), "{error}");
    assert_eq!(rig.lab.begun("hang"), [1, 2, 3, 4]);
    assert_eq!(began.elapsed().as_secs(), 4 * 10 + 1 + 2 + 4);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_tried_again_by_the_policy_and_costs_nothing_else() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(work(text("panic"))).await.unwrap();
    let error = run.result().await.unwrap_err();
    assert_eq!(error.to_string(), "the activity panicked: as asked");
    assert_eq!(rig.lab.begun("panic"), [1, 2, 3, 4]);
    assert_eq!(began.elapsed().as_secs(), 1 + 2 + 4);
    let run = rig.client.start(work(text("fine"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "fine done");
    worker.shutdown().await.unwrap();
}

#[activity(retry(initial = "1s", panics = false))]
async fn fall(cx: &ActivityContext, what: &str) -> Result<(), String> {
    let lab = cx.dependency::<Lab>();
    lab.begin(cx, what);
    panic!("once is enough")
}

#[activity(queue = "gpu", retry(initial = "1s", jitter = 0.0, max_attempts = 2))]
async fn stumble(cx: &ActivityContext, what: &str) -> Result<(), String> {
    cx.dependency::<Lab>().begin(cx, what);
    panic!("twice is enough")
}

#[activity(blocking, retry(initial = "1s", jitter = 0.0))]
fn slip(cx: &ActivityContext, what: &str) -> Result<String, String> {
    cx.dependency::<Lab>().begin(cx, what);
    assert!(cx.info().attempt > 2, "not yet");
    Ok("up again".to_owned())
}

#[workflow]
async fn falls(what: String) -> String {
    match what.as_str() {
        "final" => {
            fall(&what).await.map(|()| String::new()).unwrap_or_else(|error| error.to_string())
        }
        "queued" => {
            stumble(&what).await.map(|()| String::new()).unwrap_or_else(|error| error.to_string())
        }
        _ => slip(&what).await.unwrap_or_else(|error| error.to_string()),
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_final_where_the_activity_says_so() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(falls(text("final"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "the activity panicked: once is enough");
    assert_eq!(rig.lab.begun("final"), [1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn panics_on_queues_and_on_threads_are_tried_again() {
    let rig = Rig::new();
    let worker = rig.worker().queue(wide("gpu")).start().await.unwrap();
    let run = rig.client.start(falls(text("queued"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "the activity panicked: twice is enough");
    assert_eq!(rig.lab.begun("queued"), [1, 2]);
    let run = rig.client.start(falls(text("thread"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "up again");
    assert_eq!(rig.lab.begun("thread"), [1, 2, 3]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_the_code_cannot_see_ends_the_run() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(steadfast(5_000)).await.unwrap();
    let error = run.result().await.unwrap_err();
    let RunError::Uncaught { reason } = error else { panic!("{error:?}") };
    assert!(reason.contains("activity `slow` failed"), "{reason}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_long_wait_for_a_retry_is_spent_in_the_database() {
    let rig = Rig::new();
    rig.lab.fail("flaky", 3);
    let worker = rig.worker().park_after(Duration::from_secs(3)).start().await.unwrap();
    let run = rig.client.start(work(text("flaky"))).await.unwrap();
    let parked = rig.until_parked(&run).await;
    assert!(parked.due_at.is_some());
    assert_eq!(rig.lab.begun("flaky"), [1, 2, 3]);
    assert_eq!(run.result().await.unwrap(), "flaky done");
    assert_eq!(rig.lab.begun("flaky"), [1, 2, 3, 4]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn attempts_are_counted_across_a_crash() {
    let rig = Rig::new();
    rig.lab.fail("hang", 1);
    let doomed = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(work(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1, 2]).await;
    // As if the process had been killed: nothing is handed back.
    drop(doomed);
    let worker = rig.worker().start().await.unwrap();
    // Attempt 2 was interrupted.
    rig.until_begun("hang", &[1, 2, 3]).await;
    rig.lab.open_gate();
    assert_eq!(run.result().await.unwrap(), "hang done");
    worker.shutdown().await.unwrap();
}

/// Gets no notifications of other processes.
struct Deaf;

impl Hook for Deaf {
    fn news_delay(&self) -> Option<Duration> {
        None
    }
}

/// A worker that counts as dead, but is alive, continues for a while with its last information.
#[tokio::test(start_paused = true)]
async fn a_retry_that_two_workers_wait_for_has_two_numbers() {
    // With more arrivals than are loaded with a run, the failure of the first attempt is not loaded.
    for signals in [0, 250] {
        let rig = Rig::new();
        rig.lab.fail("flaky", 1);
        let run = rig.client.start(work(text("flaky"))).await.unwrap();
        for _ in 0..signals {
            let unread = json!({ "by": "anybody" });
            rig.client.signal_json(run.run_id(), "Approve", &unread).unchecked().await.unwrap();
        }
        let connection = rig.store.connect();
        connection.set_hook(Arc::new(Deaf));
        let fenced = Worker::new(&Client::new(connection.clone())).provide(rig.lab.clone());
        let fenced = fenced.start().await.unwrap();
        rig.until_true(|| rig.store.counts().arrivals > signals).await;
        connection.disconnect();
        let successor = rig.worker().start().await.unwrap();
        assert_eq!(run.result().await.unwrap(), "flaky done");
        let mut begun = rig.lab.begun("flaky");
        begun.sort_unstable();
        assert_eq!(begun, [1, 2, 3], "{signals} signals");
        fenced.shutdown().await.unwrap();
        successor.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_number_is_given_once_though_the_clock_is_set_back() {
    let rig = Rig::new();
    rig.lab.fail("hang", 1);
    let doomed = rig.remote_worker().start().await.unwrap();
    rig.client.start(work(text("hang"))).await.unwrap();
    rig.until_true(|| rig.lab.begun("hang") == [1, 2]).await;
    rig.store.move_clock(-60_000_000);
    drop(doomed);
    let worker = rig.worker().start().await.unwrap();
    rig.until_true(|| rig.lab.begun("hang").len() > 2).await;
    assert_eq!(rig.lab.begun("hang"), [1, 2, 3]);
    worker.shutdown().await.unwrap();
}

/// No worker has taken over the runs of a worker with an expired lease, so it can still release them.
#[tokio::test(start_paused = true)]
async fn a_shutdown_after_the_end_of_the_lease_hands_nothing_back() {
    let rig = Rig::new();
    let late = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(work(text("hang"))).await.unwrap();
    rig.until_true(|| rig.lab.begun("hang") == [1]).await;
    let shutdown = tokio::spawn(late.shutdown());
    tokio::time::sleep(Duration::from_millis(1)).await;
    rig.store.move_clock(60_000_000);
    rig.lab.open_gate();
    shutdown.await.unwrap().unwrap();
    let worker = rig.worker().start().await.unwrap();
    rig.lab.open_gate();
    assert_eq!(run.result().await.unwrap(), "hang done");
    assert_eq!(rig.lab.begun("hang"), [1, 2]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_activity_that_kills_its_worker_is_given_up() {
    let rig = Rig::new();
    let run = rig.client.start(work(text("hang"))).await.unwrap();
    for attempt in 1..=10 {
        let doomed = rig.remote_worker().start().await.unwrap();
        let lab = rig.lab.clone();
        rig.until_true(|| lab.begun("hang").last() == Some(&attempt)).await;
        drop(doomed);
        let workers = rig.store.list_workers().await.unwrap();
        let workers: Vec<_> = workers.iter().map(|(lease, _)| lease.worker_id).collect();
        rig.store.fence_workers(&workers).await.unwrap();
    }
    let worker = rig.worker().start().await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(error.to_string().contains("cut off"), "{error}");
    assert_eq!(rig.lab.begun("hang").len(), 10);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_error_decides_whether_and_when() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let took = async |error: PickError| {
        let began = Instant::now();
        let ended = rig.client.start(picking(error)).await.unwrap().result().await;
        (ended.map_err(|error| format!("{error:?}")), began.elapsed().as_secs())
    };
    assert_eq!(took(PickError::Busy).await, (Ok(3), 1 + 2));
    assert_eq!(took(PickError::Later(60)).await, (Ok(3), 60 + 60));
    // An error that matches the attribute's pattern, and one that does not.
    let (refused, waited) = took(PickError::Gone { shelf: 4 }).await;
    assert!(refused.is_err());
    assert_eq!((waited, rig.lab.begun("Gone { shelf: 4 }").len()), (0, 1));
    assert_eq!(took(PickError::Gone { shelf: 40 }).await, (Ok(3), 1 + 2));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_general_error_speaks_for_itself() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let took = async |how: &str| {
        let began = Instant::now();
        let ended = rig.client.start(fetching(text(how))).await.unwrap().result().await;
        (ended.map_err(|error| error.to_string()), began.elapsed().as_secs())
    };
    assert_eq!(took("plain").await, (Ok(2), 1));
    assert_eq!(took("minute").await, (Ok(2), 60));
    assert_eq!(took("permanent").await, (Err(text("not now")), 0));
    worker.shutdown().await.unwrap();
}

#[workflow]
async fn jittery(what: String, queue: Option<String>) -> Result<String, String> {
    let wait = Duration::from_secs(10);
    let policy = RetryPolicy { initial_interval: wait, jitter: 0.5, ..RetryPolicy::DEFAULT };
    let call = perform(&what).retry(policy);
    let call = match queue {
        Some(queue) => call.queue(queue),
        None => call,
    };
    call.await.map_err(|error| error.to_string())
}

/// So attempts that failed together are not retried together.
#[tokio::test(start_paused = true)]
async fn a_wait_is_shortened_by_chance_within_its_jitter() {
    for queue in [None, Some(text("far"))] {
        let rig = Rig::new();
        rig.store.repeat_run_ids(7);
        rig.lab.fail("flaky", 8);
        let worker = rig.worker().queue(wide("far")).start().await.unwrap();
        let began = Instant::now();
        let mut runs = Vec::new();
        for _ in 0..8 {
            runs.push(rig.client.start(jittery(text("flaky"), queue.clone())).await.unwrap());
        }
        let ended = runs.iter().map(async |run| {
            run.result().await.unwrap();
            began.elapsed().as_secs_f64()
        });
        let mut waits = futures_util::future::join_all(ended).await;
        waits.sort_by(f64::total_cmp);
        assert!(waits.iter().all(|wait| (5.0..10.05).contains(wait)), "{waits:?}");
        assert!(waits[7] - waits[0] > 1.0, "{waits:?}");
        worker.shutdown().await.unwrap();
    }
}

/// The lease was expired by the database's clock for a moment, and no worker has noticed.
#[tokio::test(start_paused = true)]
async fn an_attempt_on_a_queue_is_not_begun_again_when_the_clock_comes_back() {
    let rig = Rig::new();
    let worker = rig.worker().queue(wide("gpu")).start().await.unwrap();
    let run = rig.client.start(study(text("hang"))).await.unwrap();
    rig.until_true(|| rig.lab.begun("hang") == [1]).await;
    rig.store.move_clock(60_000_000);
    rig.lab.open_gate();
    tokio::time::sleep(Duration::from_millis(10)).await;
    rig.store.move_clock(-60_000_000);
    rig.until_true(|| rig.store.activities() == 0).await;
    assert_eq!(run.result().await.unwrap(), "hang done");
    assert_eq!(rig.lab.begun("hang"), [1]);
    worker.shutdown().await.unwrap();
}

//! Many activities of one run: limits, crashes, dropped calls.

use std::time::Duration;

use piton::machine::{MapCounts, PollPolicy, TooManyFailures};
use piton::prelude::*;
use tokio::time::Instant;

use crate::activities::{Lab, once, perform, slow};
use crate::rig::Rig;

type Failures = TooManyFailures<ActivityError<String>>;

/// Counts concurrent attempts.
#[activity]
async fn pass(cx: &ActivityContext, millis: u64) -> Result<u64, String> {
    let lab = cx.dependency::<Lab>();
    lab.within(Duration::from_millis(millis)).await;
    Ok(millis)
}

#[activity(queue = "far")]
async fn pass_far(cx: &ActivityContext, millis: u64) -> Result<u64, String> {
    pass::call(cx, millis).await
}

#[workflow]
pub async fn passes(cx: &Context, count: u64, limit: u32) -> MapCounts {
    cx.map(0..count, |item| pass(item % 7 + 1)).concurrency(limit).discard().await
}

#[workflow]
async fn passes_far(cx: &Context, count: u64, limit: u32) -> MapCounts {
    cx.map(0..count, |item| pass_far(item % 7 + 1)).concurrency(limit).discard().await
}

#[workflow]
async fn performances(cx: &Context, names: Vec<String>, failures: u32) -> Result<u32, Failures> {
    let names = names.iter();
    let done = cx.map(names, |name| perform(name)).concurrency(2).tolerate(failures).await?;
    Ok(done.iter().filter(|done| done.is_ok()).count() as u32)
}

#[workflow]
async fn many_risks(cx: &Context, names: Vec<String>) -> Vec<bool> {
    let risks = cx.map(names, |name| once(&name)).concurrency(2).await;
    risks.into_iter().map(|risk| risk.is_ok()).collect()
}

#[workflow]
async fn beside_others(cx: &Context, name: String) -> Result<String, String> {
    let kept = cx.spawn(perform(&name));
    let lost = cx.spawn(perform("hang"));
    cx.sleep(seconds(2)).await;
    lost.cancel();
    cx.sleep(seconds(3)).await;
    kept.await.map_err(|error| error.to_string())
}

#[workflow]
async fn pressed(cx: &Context, limit: u64) -> Result<u32, Elapsed> {
    cx.timeout(Duration::from_millis(limit), async { slow(300).await + slow(300).await }).await
}

#[workflow]
async fn polls_thrice(cx: &Context, name: String) -> Result<(), String> {
    let policy = PollPolicy::every(minutes(1)).backoff(2.0, minutes(5));
    cx.poll_until(third_time(name), policy).await;
    Ok(())
}

#[activity]
async fn third_time(cx: &ActivityContext, name: String) -> bool {
    let lab = cx.dependency::<Lab>();
    lab.begin(cx, &name);
    lab.begun(&name).len() == 3
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn no_more_than_the_limit_are_under_way() {
    for (count, limit) in [(1, 5), (30, 1), (200, 7), (1_000, 20)] {
        let rig = Rig::new();
        let worker = rig.worker().start().await.unwrap();
        let run = rig.client.start(passes(count, limit)).await.unwrap();
        let counts = run.result().await.unwrap();
        assert_eq!((u64::from(counts.succeeded), counts.failed), (count, 0));
        assert_eq!(rig.lab.most(), limit.min(count as u32));
        // Each outcome is written, and few steps handle many of them.
        let writes = rig.store.counts();
        assert!(writes.step_updates < 150, "{} steps for {count} items", writes.step_updates);
        assert!(writes.arrivals <= count, "{} arrivals for {count}", writes.arrivals);
        worker.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn so_it_is_on_a_queue() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let far = rig.remote_worker().without_workflows().queue("far").start().await.unwrap();
    let run = rig.client.start(passes_far(100, 8)).await.unwrap();
    assert_eq!(run.result().await.unwrap().succeeded, 100);
    assert!(rig.lab.most() <= 8, "{}", rig.lab.most());
    assert_eq!(rig.store.activities(), 0);
    far.shutdown().await.unwrap();
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn one_failure_too_many_ends_it_at_once() {
    let rig = Rig::new();
    rig.lab.fail("bad", 100);
    rig.lab.fail("worse", 100);
    let worker = rig.worker().start().await.unwrap();
    let names = texts(&["bad", "one", "worse", "hang", "never"]);
    let run = rig.client.start(performances(names, 2)).await.unwrap();
    rig.until_begun("never", &[1]).await;
    rig.lab.open_gate();
    assert_eq!(run.result().await.unwrap(), 3);
    worker.shutdown().await.unwrap();
    // The hanging activity is aborted, and the last one does not begin.
    let rig = Rig::new();
    rig.lab.fail("bad", 100);
    rig.lab.fail("worse", 100);
    let worker = rig.worker().start().await.unwrap();
    let names = texts(&["bad", "hang", "worse", "never"]);
    let run = rig.client.start(performances(names, 1)).await.unwrap();
    let error = run.result().await.unwrap_err().to_string();
    assert_eq!(error, "2 of 4 items have failed, first item 0: bad failed");
    let begun = rig.lab.begun("hang").len();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(rig.lab.begun("hang").len(), begun);
    assert_eq!(rig.lab.begun("never"), [0_u32; 0]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_item_that_is_tried_again_stays_under_way() {
    let rig = Rig::new();
    rig.lab.fail("flaky", 3);
    rig.lab.fail("shaky", 3);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(performances(texts(&["flaky", "shaky", "late"]), 0)).await.unwrap();
    rig.until_begun("flaky", &[1, 2, 3]).await;
    assert!(rig.lab.begun("late").is_empty(), "two are under way");
    assert_eq!(run.result().await.unwrap(), 3);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_the_limit_holds_and_nothing_is_begun_twice_unnoticed() {
    let rig = Rig::new();
    let doomed = rig.remote_worker().start().await.unwrap();
    let names = texts(&["one", "hang", "hang", "two", "three", "four"]);
    let run = rig.client.start(many_risks(names)).await.unwrap();
    rig.until_begun("hang", &[1, 1]).await;
    drop(doomed);
    let worker = rig.worker().start().await.unwrap();
    // Only the two interrupted activities had begun.
    assert_eq!(run.result().await.unwrap(), [true, false, false, true, true, true]);
    for name in ["one", "two", "three", "four"] {
        assert_eq!(rig.lab.begun(name), [1], "{name}");
    }
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn items_go_on_with_another_worker() {
    let rig = Rig::new();
    let first = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(passes(500, 10)).await.unwrap();
    rig.until_true(|| rig.store.counts().arrivals > 100).await;
    first.shutdown().await.unwrap();
    let second = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap().succeeded, 500);
    assert_eq!(rig.lab.most(), 10);
    second.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_spawned_operation_runs_until_it_is_dropped() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(beside_others("kept".to_owned())).await.unwrap();
    rig.until_begun("kept", &[1]).await;
    rig.until_begun("hang", &[1]).await;
    assert!(began.elapsed() < Duration::from_secs(1), "neither waits for the sleep");
    assert_eq!(run.result().await.unwrap(), "kept done");
    // Without the abort, it would have timed out after ten seconds and been retried.
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(rig.lab.begun("hang"), [1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_block_has_a_limited_time() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(pressed(1_000)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 600);
    let run = rig.client.start(pressed(500)).await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), "the time limit has passed");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn polling_continues_after_a_crash() {
    let rig = Rig::new();
    let doomed = rig.remote_worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(polls_thrice("poll".to_owned())).await.unwrap();
    rig.until_parked(&run).await;
    drop(doomed);
    let worker = rig.worker().start().await.unwrap();
    run.result().await.unwrap();
    assert_eq!(rig.lab.begun("poll"), [1, 1, 1]);
    let minutes = began.elapsed().as_secs() / 60;
    assert_eq!(minutes, 3, "pauses of one and two minutes");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn outstanding_activities_are_shown() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let names = texts(&["one", "hang", "hang", "two"]);
    let run = rig.client.start(performances(names, 0)).await.unwrap();
    rig.until_begun("hang", &[1, 1]).await;
    let inspection = rig.client.inspect(run.run_id()).await.unwrap();
    let shown = serde_json::to_value(&inspection.position.unwrap().waits[0]).unwrap();
    assert_eq!((&shown["for"], &shown["total"]), (&"each".into(), &4.into()), "{shown:#}");
    let asked = shown["asked"].as_array().unwrap();
    assert_eq!(asked[1]["name"], "perform[1]", "{shown:#}");
    drop(worker);
}

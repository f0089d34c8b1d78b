//! Extreme values and amounts.

use std::time::Duration;

use piton::error::{KeyError, SignalError, StartError};
use piton::model::{BlockedReason, RetryPolicy, Timestamp, hours};
use piton::prelude::*;
use piton::worker::Queue;
use serde::{Deserialize, Serialize};

use crate::activities::{add, echo};
use crate::rig::Rig;

/// A signal without a byte.
#[derive(Debug, PartialEq, Signal, Serialize, Deserialize)]
struct Go;

#[workflow]
async fn wait_to_go(cx: &Context) -> u32 {
    cx.signal::<Go>().await;
    let Go = cx.signal::<Go>().await;
    2
}

#[derive(Signal, Serialize, Deserialize)]
struct Text(String);

#[workflow]
async fn lengths(cx: &Context, text: String, count: usize) -> Vec<usize> {
    let mut lengths = Vec::new();
    for _ in 0..count {
        let Text(text) = cx.signal::<Text>().await;
        lengths.push(text.len());
    }
    lengths.push(text.len());
    lengths
}

#[workflow]
async fn sum_of(count: u32) -> u32 {
    join_all((0..count).map(|number| add(number, 1))).await.into_iter().sum()
}

#[workflow]
async fn endless(begin: u32) {
    for number in (begin..).map(|number| number / 2) {
        add(number, 1).await;
    }
}

#[workflow]
async fn say(text: String) -> usize {
    let said = echo(&text).await;
    let again = echo(&said).await;
    said.len() + again.len()
}

#[workflow]
async fn sleep_for(cx: &Context, wait: Duration) -> u64 {
    let began = cx.now();
    cx.sleep(wait).await;
    cx.now().saturating_since(began).as_secs()
}

#[workflow]
async fn sleep_to(cx: &Context, until: Timestamp) -> u64 {
    let began = cx.now();
    cx.sleep_until(until).await;
    cx.now().saturating_since(began).as_secs()
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_activities_at_once() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(sum_of(10_000)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 50_005_000);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_loop_over_more_than_can_be_kept() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(endless(0)).await.unwrap();
    let other = rig.client.start(sum_of(3)).await.unwrap();
    let Some(BlockedReason::Panicked(why)) = rig.until_blocked(&run).await.blocked else {
        panic!("it is blocked for another reason");
    };
    assert!(why.contains("runs over more than 1000000 items"), "{why}");
    assert_eq!(other.result().await.unwrap(), 6);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn ten_megabytes_in_every_state() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let text = "ö".repeat(5_000_000);
    let run = rig.client.start(say(text)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 20_000_000);
    worker.shutdown().await.unwrap();
}

/// A claim returns only one of these states, and only a part of an inbox.
#[tokio::test(start_paused = true)]
async fn data_beyond_one_response() {
    const LENGTH: usize = piton::store::MAX_ANSWER_BYTES / 2;
    let rig = Rig::new();
    let mut runs = Vec::new();
    for _ in 0..2 {
        let run = rig.client.start(lengths("ö".repeat(LENGTH), 3)).await.unwrap();
        for number in 0..3 {
            run.signal(Text("x".repeat(LENGTH + number))).await.unwrap();
        }
        runs.push(run);
    }
    // Neither a notification nor a poll brings the second run.
    let worker = rig.worker().poll_interval(hours(1)).start().await.unwrap();
    for run in runs {
        let expected = [LENGTH, LENGTH + 1, LENGTH + 2, 2 * LENGTH];
        assert_eq!(run.result().await.unwrap(), expected);
    }
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn signals_without_a_byte() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(wait_to_go()).await.unwrap();
    run.signal(Go).await.unwrap();
    run.signal(Go).dedup_key(" ").await.unwrap();
    run.signal(Go).dedup_key(" ").await.unwrap();
    assert_eq!(run.result().await.unwrap(), 2);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_sleep_of_three_hundred_years() {
    let rig = Rig::new();
    let years = Duration::from_secs(300 * 365 * 86_400);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(sleep_for(years)).await.unwrap();
    rig.until_parked(&run).await;
    rig.store.move_clock(years.as_micros() as i64);
    assert!(run.result().await.unwrap() >= years.as_secs());
    worker.shutdown().await.unwrap();
}

/// The deadline is beyond any clock: the run parks, and no addition overflows.
#[tokio::test(start_paused = true)]
async fn the_longest_sleep() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(sleep_for(Duration::MAX)).await.unwrap();
    rig.until_parked(&run).await;
    run.terminate("enough").await.unwrap();
    let until = rig.client.start(sleep_to(Timestamp(i64::MAX))).await.unwrap();
    rig.until_parked(&until).await;
    until.terminate("enough").await.unwrap();
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn timers_in_the_past_fire_at_once() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    for until in [Timestamp(0), Timestamp(-1), Timestamp::MIN] {
        let run = rig.client.start(sleep_to(until)).await.unwrap();
        assert_eq!(run.result().await.unwrap(), 0);
    }
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn ids_with_odd_characters() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let longest = "x".repeat(1_000);
    for id in [" ", "'; DROP TABLE piton_runs; --", "a\nb\t\u{7f}", "🧗🏽\u{202e}", "%_\\", &longest]
    {
        let run = rig.client.start(sum_of(2)).id(id).await.unwrap();
        assert_eq!(run.result().await.unwrap(), 3, "{id:?}");
    }
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn ids_and_keys_that_no_database_could_look_up_are_refused() {
    let rig = Rig::new();
    let too_long = "x".repeat(1_001);
    for (id, expected) in [
        (too_long.as_str(), KeyError::TooLong { length: 1_001 }),
        ("a\0b", KeyError::Nul),
        ("", KeyError::Empty),
    ] {
        let refused = rig.client.start(wait_to_go()).id(id).await.unwrap_err();
        assert!(matches!(refused, StartError::WorkflowId(why) if why == expected), "{refused}");
        // What a handler answers with says why.
        assert!(refused.to_string().ends_with(&expected.to_string()), "{refused}");
        let run = rig.client.start(wait_to_go()).await.unwrap();
        let refused = run.signal(Go).dedup_key(id).await.unwrap_err();
        assert!(matches!(refused, SignalError::DedupKey(why) if why == expected), "{refused}");
        assert!(refused.to_string().ends_with(&expected.to_string()), "{refused}");
        let refused = rig.client.signal_or_start(Go, wait_to_go()).id(id).await;
        assert!(matches!(refused, Err(StartError::WorkflowId(why)) if why == expected));
        let refused = rig.client.signal_or_start(Go, wait_to_go()).id("a").dedup_key(id).await;
        assert!(matches!(refused, Err(StartError::Signal(SignalError::DedupKey(_)))));
    }
}

#[activity(retry(initial = "1s", jitter = 0.0))]
async fn patient(cx: &ActivityContext, number: u32) -> Result<u32, String> {
    cx.heartbeat(&number).map_err(|error| error.to_string())?;
    Ok(number + 1)
}

/// Calls an activity with every kind of limit, on a queue or not, and waits with limits.
#[workflow]
async fn without_haste(cx: &Context, queue: Option<String>) -> (u32, bool) {
    let policy = RetryPolicy {
        initial_interval: Duration::MAX,
        max_interval: Some(Duration::MAX),
        backoff: f64::INFINITY,
        ..RetryPolicy::DEFAULT
    };
    let call = patient(1)
        .retry(policy)
        .start_to_close(Duration::MAX)
        .schedule_to_close(Duration::MAX)
        .schedule_to_start(Duration::MAX)
        .heartbeat(Duration::MAX);
    let called = match queue {
        Some(queue) => call.queue(queue).await,
        None => call.await,
    };
    let heard = cx.signal::<Go>().timeout(Duration::MAX).await.is_some();
    (called.unwrap_or(0), heard)
}

/// A worker with the maximum of every duration and count.
fn boundless(worker: Worker) -> Worker {
    let queue = Queue::new("slow").max_concurrent(usize::MAX).max_per_second(f64::MAX);
    worker
        .lease(Duration::MAX)
        .max_standstill(Duration::MAX)
        .poll_interval(Duration::MAX)
        .park_after(Duration::MAX)
        .shutdown_grace(Duration::MAX)
        .max_runs(usize::MAX)
        .max_activities(usize::MAX)
        .max_blocking(usize::MAX)
        .max_claim_rate(u32::MAX)
        .commit_lanes(usize::MAX)
        .queue(queue)
}

async fn is_carried_out(client: &Client) {
    for queue in [None, Some("slow".to_owned())] {
        let run = client.start(without_haste(queue)).await.unwrap();
        run.signal(Go).await.unwrap();
        assert_eq!(run.result().await.unwrap(), (2, true));
    }
}

#[tokio::test(start_paused = true)]
async fn settings_and_limits_without_end_are_as_good_as_long_ones() {
    let rig = Rig::new();
    let worker = boundless(rig.worker()).start().await.unwrap();
    is_carried_out(&rig.client).await;
    worker.shutdown().await.unwrap();
}

/// A database adds limits and leases to its time, in a column of 64 bits.
#[tokio::test]
async fn a_database_can_add_every_limit_to_its_time() {
    let client = Client::connect("sqlite::memory:").await.unwrap();
    let worker = boundless(Worker::new(&client)).start().await.unwrap();
    is_carried_out(&client).await;
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_rate_that_is_no_rate_is_refused() {
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = std::panic::catch_unwind(|| Queue::new("slow").max_per_second(rate));
        let why = *refused.unwrap_err().downcast::<String>().unwrap();
        assert!(why.contains("max_per_second") && why.contains(&rate.to_string()), "{why}");
    }
}

#[workflow]
async fn fail_at_length(text: String) -> piton::Result<()> {
    Err(piton::Error::msg(text))
}

#[workflow]
async fn panic_at_length(length: usize) {
    panic!("{}", "x".repeat(length));
}

/// Only the text for users is cut; the program gets the whole error.
#[tokio::test(start_paused = true)]
async fn a_long_failure_is_cut_off() {
    const LENGTH: usize = 3 << 20;
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let text = "x".repeat(LENGTH);
    let run = rig.client.start(fail_at_length(text.clone())).await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), text);
    let failed = run.status().await.unwrap().failure.unwrap();
    let run = rig.client.start(panic_at_length(LENGTH)).await.unwrap();
    let blocked = rig.until_blocked(&run).await.blocked.unwrap().to_string();
    assert!(run.terminate(&text).await.unwrap() && run.terminate(&text).await.unwrap());
    let terminated = run.status().await.unwrap().failure.unwrap();
    for recorded in [failed, blocked, terminated] {
        assert!(recorded.len() < LENGTH / 2, "{}", recorded.len());
        assert!(recorded.ends_with("(cut: the whole text has 3145728 bytes)"));
    }
    worker.shutdown().await.unwrap();
}

#[workflow]
async fn length_of(text: String) -> usize {
    text.len()
}

/// The first state contains the arguments a second time, which must not lower the limit.
#[tokio::test(start_paused = true)]
async fn arguments_may_be_as_long_as_it_says() {
    const MIB: usize = 1 << 20;
    let rig = Rig::new();
    rig.client.start(length_of("x".repeat(255 * MIB))).await.unwrap();
    let refused = rig.client.start(length_of("x".repeat(256 * MIB))).await.unwrap_err();
    let refused = format!("{:#}", piton::Error::from(refused));
    assert!(refused.contains("bytes; the limit is 268435456"), "{refused}");
    let size = refused.split("it has ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(size.parse::<usize>().unwrap() > 256 * MIB, "{refused}");
}

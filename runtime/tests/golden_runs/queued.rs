//! Calls on queues: items with their outcomes, failed calls, attempts that have failed or await their tokens, and limits.

use std::time::Duration;

use libtest_mimic::Failed;
use piton::activities::ActivityContext;
use piton::client::Client;
use piton::prelude::*;
use piton::store::QueueLimits;
use serde_json::json;

use crate::parked::{LOOK, until_parked};
use crate::shop::Parks;

/// Gives another number once the runs are parked, and fails for 13 until then.
#[activity(queue = "bench", key = "{number}", retry(max_attempts = 1))]
async fn stamp(cx: &ActivityContext, number: u64) -> Result<u64, String> {
    match *cx.dependency() {
        Parks(true) if number == 13 => Err("no 13".to_owned()),
        Parks(true) => Ok(number * 10),
        Parks(false) => Ok(number * 100),
    }
}

#[activity(queue = "bench", partition = "{tenant}", priority = 3, retry(max_attempts = 1))]
async fn cut(cx: &ActivityContext, tenant: &str, cents: u64) -> Result<u64, String> {
    match *cx.dependency() {
        Parks(true) => Err(format!("{tenant} has no {cents}")),
        Parks(false) => Ok(cents),
    }
}

/// Fails in the first attempt and leaves a number; the second one waits for somebody with its token, and the third one
/// adds up the numbers of the others.
#[activity(queue = "bench", retry(initial = "1ms", max_interval = "1ms"))]
async fn dry(cx: &ActivityContext, days: u64) -> Result<u64, String> {
    match cx.info().attempt {
        1 => {
            cx.heartbeat(&(2 * days)).map_err(|error| error.to_string())?;
            Err("wet".to_owned())
        }
        2 => cx.complete_later().await,
        _ => Ok(cx.last_heartbeat::<u64>().unwrap_or_default() + days),
    }
}

/// Nobody serves its queue while the runs are to be parked.
#[activity(
    queue = "desk",
    schedule_to_start = "36500days",
    schedule_to_close = "36500days",
    start_to_close = "1h",
    heartbeat = "10m"
)]
async fn pile(number: u64) -> Result<u64, String> {
    Ok(number * 1_000)
}

#[workflow]
async fn piles() -> Result<u64, String> {
    let (one, other) = join!(pile(1), pile(2).key("the second"));
    let error = |error: ActivityError<String>| error.to_string();
    Ok(one.map_err(error)? + other.map_err(error)?)
}

#[workflow]
async fn has_stamped(number: u64) -> Result<u64, String> {
    stamp(number).key_retention(days(36_500)).await.map_err(|error| error.to_string())
}

#[workflow]
async fn has_cut() -> Result<u64, String> {
    cut("acme", 500).await.map_err(|error| error.to_string())
}

#[workflow]
async fn dries() -> Result<u64, String> {
    dry(7).await.map_err(|error| error.to_string())
}

fn limits() -> QueueLimits {
    let period = Duration::from_secs(60);
    QueueLimits::default().max_concurrent(9).partition_concurrent(5).partition_rate(100, period)
}

pub(crate) async fn park_runs(client: &Client) -> Result<(), Failed> {
    assert_eq!(client.start(has_stamped(1)).id("stamped").await?.result().await?, 10);
    assert!(client.start(has_stamped(13)).id("not stamped").await?.result().await.is_err());
    assert!(client.start(has_cut()).id("not cut").await?.result().await.is_err());
    client.queue("bench").limit(limits()).await?;
    client.queue("bench").weigh("acme", 3).await?;
    client.start(piles()).id("piles").await?;
    until_parked(client, "piles", "join").await?;
    let run = client.start(dries()).id("dries").await?.run_id();
    while !matches!(&client.activities(run).await?[..], [call] if call.attempt == 2) {
        tokio::time::sleep(LOOK).await;
    }
    while client.queue("bench").status().await?.awaiting_token == 0 {
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

/// What a worker removes after a while is read before one starts.
pub(crate) async fn redrive(client: &Client) -> Result<(), Failed> {
    let bench = client.queue("bench");
    assert_eq!(bench.status().await?.limits, limits());
    let partitions = bench.partitions(None, 10).await?;
    assert!(partitions.iter().any(|found| found.partition == "acme" && found.weight == 3));
    let failed = bench.failed(None, 10).await?;
    let [stamp, cut] = &failed[..] else { panic!("{failed:?}") };
    assert_eq!((&*stamp.failure, stamp.key.as_deref()), ("no 13", Some("13")));
    assert_eq!(client.payload_json(&stamp.arguments).await?, json!([13]));
    assert_eq!((&*cut.failure, cut.attempts), ("acme has no 500", 1));
    let arguments = json!(["acme", 500]);
    assert_eq!(client.payload_json(&cut.arguments).await?, arguments);
    assert_eq!(bench.redrive(&[stamp.id, cut.id]).await?, 2);
    Ok(())
}

pub(crate) async fn finish_runs(client: &Client) -> Result<(), Failed> {
    let error = client.run::<has_cut>("not cut").await?.result().await.expect_err("it was not cut");
    assert!(error.to_string().contains("acme has no 500"), "{error}");
    // The outcome of the old build, and that of the call that was put on the queue again.
    assert_eq!(client.start(has_stamped(1)).await?.result().await?, 10);
    assert_eq!(client.start(has_stamped(13)).await?.result().await?, 1300);

    assert_eq!(client.run::<piles>("piles").await?.result().await?, 3_000);

    let run = client.run::<dries>("dries").await?;
    let calls = run.activities().await?;
    let failure = calls[0].last_failure.as_ref().map(|failure| (failure.attempt, &*failure.error));
    assert_eq!(failure, Some((1, "wet")));
    let (id, handle) = (run.run_id().as_uuid().simple(), calls[0].handle.0);
    let token = format!("piton1-{id}-{handle:x}-2").parse()?;
    client.fail_activity::<dry>(token, "still wet".to_owned()).retryable().await?;
    assert_eq!(run.result().await?, 21);
    Ok(())
}

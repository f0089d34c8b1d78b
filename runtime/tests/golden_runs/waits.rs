//! Runs that wait for children, promises, calls and requests, and whatever else has rows of its own. This file may only
//! be added to, because the runs in the database files continue in this code.

use std::time::Duration;

use libtest_mimic::Failed;
use piton::Attributes;
use piton::activities::ActivityContext;
use piton::client::Client;
use piton::filter;
use piton::machine::{PollPolicy, Workflow};
use piton::model::{AttributeChanges, Memo};
use piton::prelude::*;
use piton::schedule::Spec;
use serde::{Deserialize, Serialize};

use crate::shop::{Go, Parks};

#[derive(Update, Serialize, Deserialize)]
#[update(reply = u64)]
struct Count {
    by: u64,
}

#[derive(Attributes)]
struct Parcel {
    customer: String,
    cents: i64,
    kilos: f64,
    is_fragile: bool,
    due: Timestamp,
    tags: Vec<String>,
    #[attribute(text)]
    note: String,
}

fn parcel() -> Parcel {
    Parcel {
        customer: "c-17".to_owned(),
        cents: 900,
        kilos: 1.5,
        is_fragile: true,
        due: Timestamp(1_700_000_000_000_000),
        tags: vec!["red".to_owned(), "small".to_owned()],
        note: "Höhe".to_owned(),
    }
}

/// Nobody serves its queue while the runs are to be parked.
#[activity(queue = "desk")]
async fn pack(number: u64) -> u64 {
    number * 10
}

/// Fails while the runs are to be parked.
#[activity(retry(initial = "1ms", max_interval = "1ms"))]
async fn weigh(cx: &ActivityContext, number: u64) -> Result<u64, String> {
    match *cx.dependency() {
        Parks(true) => Err("not now".to_owned()),
        Parks(false) => Ok(number + 1),
    }
}

/// Finds nothing while the runs are to be parked.
#[activity]
async fn trace(cx: &ActivityContext, number: u64) -> Option<u64> {
    match *cx.dependency() {
        Parks(true) => None,
        Parks(false) => Some(number + 2),
    }
}

#[workflow]
pub(crate) async fn delivers(cx: &Context) -> String {
    cx.signal::<Go>().await.by
}

#[workflow(history = 3)]
async fn has_handles(cx: &Context) -> String {
    let child = cx.start_child(delivers()).id("child");
    let call = cx.spawn(pack(7));
    let approval: Promise<String> = cx.promise("approval");
    cx.on_failure(pack(99));
    let go = cx.signal::<Go>().await;
    let approved = approval.await.unwrap_or_default();
    let delivered = child.await.unwrap_or_default();
    format!("{} {approved} {delivered} {}", go.by, call.await)
}

#[workflow]
async fn waits_for_a_child(cx: &Context) -> String {
    let child = cx.start_child(delivers()).id("awaited child");
    child.await.unwrap_or_default()
}

#[workflow]
async fn waits_for_a_promise(cx: &Context) -> String {
    let approval: Promise<String> = cx.promise("approval");
    approval.await.unwrap_or_default()
}

#[workflow]
async fn maps(cx: &Context) -> Vec<u64> {
    cx.map(vec![1, 2, 3], pack).concurrency(1).await
}

#[workflow]
async fn is_limited(cx: &Context) -> Option<u64> {
    cx.timeout(days(36_500), weigh(1)).await.ok().and_then(Result::ok)
}

#[workflow]
async fn polls(cx: &Context) -> u64 {
    cx.poll_until(trace(3), PollPolicy::every(Duration::from_millis(10))).await
}

#[workflow]
async fn answers(cx: &Context) -> u64 {
    #[expose]
    let mut sum = 0;
    let count = cx.update::<Count>().await;
    sum += count.by;
    cx.signal::<Go>().await;
    count.reply(sum);
    let count = cx.update::<Count>().await;
    sum += count.by;
    count.reply(sum);
    sum
}

/// Starts the runs, and gives the ids of those that come as far as a state of some name.
pub(crate) async fn start_runs(
    client: &Client,
) -> Result<Vec<(&'static str, &'static str)>, Failed> {
    client.queue("desk").pause("for a while").await?;
    client
        .start(has_handles())
        .id("handles")
        .attributes(parcel())
        .memo([("made", "by hand")].into_iter().collect::<Memo>())
        .await?;
    client.start(waits_for_a_child()).id("parent").await?;
    client.start(waits_for_a_promise()).id("promise").await?;
    client.start(maps()).id("map").await?;
    client.start(is_limited()).id("limited").await?;
    client.start(polls()).id("polled").await?;
    client.start(delivers()).id("yearly").cron("@yearly").cron_at_once().await?;
    let answering = client.start(answers()).id("answers").await?;
    for (id, by) in [("first", 1), ("second", 2)] {
        drop(answering.update(Count { by }).id(id).accepted().await?);
    }
    let spec = Spec::new().cron("0 0 1 1 *");
    client.schedule("yearly").create(spec, delivers()).await?;
    Ok(vec![
        ("handles", "signal<Go>"),
        ("child", "signal<Go>"),
        ("awaited child", "signal<Go>"),
        ("parent", "child"),
        ("promise", "approval"),
        ("map", "map"),
        ("limited", "weigh"),
        ("polled", "poll_until"),
        ("answers", "signal<Go>"),
    ])
}

/// Finishes the runs with the build of today.
pub(crate) async fn finish_runs(client: &Client) -> Result<(), Failed> {
    let go = || Go { by: "Ann".to_owned() };
    let found = filter::attribute("customer").equals("c-17");
    let runs = client.list_runs(&found).await?.runs;
    assert_eq!(runs.len(), 1);
    let attributes = AttributeChanges::from(runs[0].attributes.clone());
    assert_eq!(attributes, parcel().into_changes());
    client.queue("desk").resume().await?;
    for child in ["child", "awaited child"] {
        client.run::<delivers>(child).await?.signal(go()).await?;
    }
    let run = client.run::<has_handles>("handles").await?;
    run.signal(go()).await?;
    let token = PromiseToken::of_run(has_handles::NAME, run.run_id(), "approval");
    let _ = client.promise(&token).resolve(&"yes".to_owned()).await?;
    assert_eq!(run.result().await?, "Ann yes Ann 70");
    assert_eq!(client.run::<waits_for_a_child>("parent").await?.result().await?, "Ann");
    let run = client.run::<waits_for_a_promise>("promise").await?;
    let token = PromiseToken::of_run(waits_for_a_promise::NAME, run.run_id(), "approval");
    let _ = client.promise(&token).resolve(&"yes".to_owned()).await?;
    assert_eq!(run.result().await?, "yes");
    assert_eq!(client.run::<maps>("map").await?.result().await?, [10, 20, 30]);
    assert_eq!(client.run::<is_limited>("limited").await?.result().await?, Some(2));
    assert_eq!(client.run::<polls>("polled").await?.result().await?, 5);
    let run = client.run::<answers>("answers").await?;
    run.signal(go()).await?;
    assert_eq!(run.result().await?, 3);
    for (id, sum) in [("first", 1), ("second", 3)] {
        assert_eq!(run.update_by_id::<Count>(id).reply().await?, sum);
    }
    let schedule = client.schedule("yearly");
    assert_eq!(schedule.describe().await?.workflow.as_deref(), Some("delivers"));
    schedule.trigger().await?;
    while schedule.describe().await?.counts.started == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(client.find("yearly").await?.is_some_and(|run| run.status.is_open()));
    Ok(())
}

//! The workflows of the runs. Only add to this file: the runs in the files continue in this code.

use std::collections::BTreeMap;
use std::time::Duration;

use libtest_mimic::Failed;
use piton::activities::ActivityContext;
use piton::client::Client;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{blocked, chains, closed, kept, messages, promised, queued, waits};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Order {
    id: u64,
    name: String,
    lines: Vec<(String, u32)>,
    note: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Payment {
    Card { last: [u8; 4] },
    Invoice(u16),
    Free,
}

#[derive(Signal, Serialize, Deserialize)]
pub(crate) struct Go {
    pub(crate) by: String,
}

#[derive(Signal, Serialize, Deserialize)]
struct Never;

/// A type that is saved in the tagged form.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Amount {
    Cents(u64),
    Text(String),
}

#[activity]
async fn price(order: &Order) -> u64 {
    order.lines.iter().map(|(_, count)| u64::from(*count) * 100).sum()
}

/// Whether the runs are to be parked.
pub(crate) struct Parks(pub(crate) bool);

/// Fails while the runs are being parked.
#[activity(retry(initial = "1ms", max_interval = "1ms"))]
async fn charge(cx: &ActivityContext, cents: u64, payment: Payment) -> Result<String, String> {
    match *cx.dependency() {
        Parks(true) => Err("not now".to_owned()),
        Parks(false) => Ok(format!("{cents} by {payment:?}")),
    }
}

#[workflow]
async fn waits_for_a_signal(cx: &Context, order: Order, amount: Amount) -> String {
    let cents = price(&order).await;
    let table = BTreeMap::from([(order.id, order.name.clone())]);
    let go = cx.signal::<Go>().await;
    format!("{} {cents} {table:?} {amount:?} {:?}", go.by, order.note)
}

#[workflow]
async fn is_in_a_loop(cx: &Context, order: Order) -> Vec<String> {
    let mut seen = Vec::new();
    for (name, count) in order.lines {
        seen.push(format!("{name} {count}"));
        cx.signal::<Go>().await;
    }
    seen
}

#[workflow]
async fn nests(order: Order) -> String {
    let before = order.id + 1;
    let inner = waits_for_a_signal(order, Amount::Text("seven".into())).await;
    format!("{before} {inner}")
}

#[workflow]
async fn waits_for_all(cx: &Context, order: Order) -> (u64, String, u64) {
    join!(
        price(&order),
        async {
            let go = cx.signal::<Go>().await;
            go.by
        },
        async { price(&order).await + order.id },
    )
}

#[workflow]
async fn waits_for_one(cx: &Context, order: Order) -> String {
    select! {
        go = cx.signal::<Go>() => format!("{} for {}", go.by, order.name),
        _ = cx.signal::<Never>() => "never".to_owned(),
        _ = cx.sleep(days(36_500)) => "late".to_owned(),
    }
}

#[workflow]
async fn is_retried(order: Order) -> piton::Result<String> {
    let payment = if order.id == 7 { Payment::Card { last: [1, 2, 3, 4] } } else { Payment::Free };
    Ok(charge(order.id, payment).await?)
}

fn order() -> Order {
    let lines = vec![("nail".to_owned(), 3), ("rope".to_owned(), 1)];
    Order { id: 7, name: "Höhe".to_owned(), lines, note: Some("soon".to_owned()) }
}

/// Starts the runs and lets them run until they wait.
pub(crate) async fn park_runs(client: &Client, url: &str) -> Result<(), Failed> {
    let worker = blocked::edited(client).queue("bench").provide(Parks(true)).start().await?;
    let amount = Amount::Cents(500);
    client.start(waits_for_a_signal(order(), amount.clone())).id("signal").await?;
    client.start(is_in_a_loop(order())).id("loop").await?;
    client.start(nests(order())).id("nested").await?;
    client.start(waits_for_all(order())).id("all").await?;
    client.start(waits_for_one(order())).id("one").await?;
    client.start(is_retried(order())).id("retried").await?;
    let paused = client.start(waits_for_one(order())).id("paused").run_timeout(days(36_500));
    let paused = paused.timeout_clock(TimeoutClock::Attended).await?;
    let over = client.start(waits_for_one(order())).id("over").await?;
    over.signal(Go { by: "early".to_owned() }).await?;
    over.result().await?;
    let parked = [
        ("signal", "signal<Go>"),
        ("loop", "signal<Go>"),
        ("nested", "waits_for_a_signal"),
        ("all", "join"),
        ("one", "select"),
        ("retried", "charge"),
        ("paused", "select"),
    ];
    for (id, state) in parked.into_iter().chain(waits::start_runs(client).await?) {
        while client.find(id).await?.is_none_or(|run| run.state != state) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    closed::park_runs(client).await?;
    chains::park_runs(client).await?;
    promised::park_runs(client).await?;
    queued::park_runs(client).await?;
    kept::park_runs(client).await?;
    messages::park_runs(client).await?;
    // Half of the outcomes of the join have arrived by then.
    tokio::time::sleep(Duration::from_secs(1)).await;
    worker.shutdown().await?;
    assert!(paused.pause("for a while").by("Ann").await?, "it is open");
    kept::edit(client).await?;
    messages::fill_the_outbox(client, url).await?;
    blocked::block_runs(client).await
}

/// Finishes the runs with the current build.
pub(crate) async fn finish_runs(client: &Client) -> Result<(), Failed> {
    blocked::finish_runs(client).await?;
    queued::redrive(client).await?;
    let undone = kept::Undone::default();
    let worker = blocked::edited(client).queue("desk").queue("bench").provide(Parks(false));
    let worker = worker.provide(undone.clone()).start().await?;
    let go = || Go { by: "Ann".to_owned() };
    let order = "{7: \"Höhe\"}";
    let run = client.run::<waits_for_a_signal>("signal").await?;
    run.signal(go()).await?;
    assert_eq!(run.result().await?, format!("Ann 400 {order} Cents(500) Some(\"soon\")"));
    let run = client.run::<is_in_a_loop>("loop").await?;
    run.signal(go()).await?;
    run.signal(go()).await?;
    assert_eq!(run.result().await?, ["nail 3", "rope 1"]);
    let run = client.run::<nests>("nested").await?;
    run.signal(go()).await?;
    assert_eq!(run.result().await?, format!("8 Ann 400 {order} Text(\"seven\") Some(\"soon\")"));
    let run = client.run::<waits_for_all>("all").await?;
    run.signal(go()).await?;
    assert_eq!(run.result().await?, (400, "Ann".to_owned(), 407));
    let run = client.run::<waits_for_one>("one").await?;
    run.signal(go()).await?;
    assert_eq!(run.result().await?, "Ann for Höhe");
    let run = client.run::<is_retried>("retried").await?;
    assert_eq!(run.result().await?, "7 by Card { last: [1, 2, 3, 4] }");
    let run = client.run::<waits_for_one>("paused").await?;
    run.signal(go()).await?;
    assert!(run.resume().by("Ann").await?, "it is paused");
    assert_eq!(run.result().await?, "Ann for Höhe");
    let run = client.run::<waits_for_one>("over").await?;
    assert_eq!(run.result().await?, "early for Höhe");
    waits::finish_runs(client).await?;
    closed::finish_runs(client).await?;
    chains::finish_runs(client).await?;
    promised::finish_runs(client).await?;
    queued::finish_runs(client).await?;
    kept::finish_runs(client, &undone).await?;
    messages::finish_runs(client).await?;
    worker.shutdown().await?;
    Ok(())
}

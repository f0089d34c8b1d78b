//! Inspecting runs without their code: branches, lists and blocks, and unreadable values.

#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use piton::client::inspect::{Inspection, Position, Wait, WaitFor};
use piton::codec::{decode_snapshot, encode_snapshot};
use piton::error::{EditError, LookupError};
use piton::filter::Filter;
use piton::model::{Payload, RunId, RunStatus};
use piton::prelude::*;
use piton::store::{ArrivalKind, MemoryStore, Messages as _, NewArrival};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, Signal, Serialize, Deserialize)]
struct Go {
    by: String,
}

#[activity]
async fn weigh(grams: u32) -> u32 {
    grams * 2
}

#[activity(queue = "nobody")]
async fn carry(parcel: u32) -> u32 {
    parcel
}

#[workflow]
async fn inner(cx: &Context, parcel: u32) -> u32 {
    let doubled = parcel * 2;
    cx.signal::<Go>().await;
    doubled
}

#[workflow]
async fn outer(cx: &Context, parcels: Vec<u32>) -> u32 {
    let name = format!("{} parcels", parcels.len());
    let (weight, waited, carried, called) = join!(
        weigh(7),
        async {
            let before = weigh(1).await;
            cx.sleep(hours(2)).await;
            before
        },
        join_all(parcels.iter().map(|parcel| carry(*parcel)).collect::<Vec<_>>()),
        inner(21),
    );
    weight + waited + called + carried.len() as u32 + name.len() as u32
}

#[workflow]
async fn hides(cx: &Context, total: u32) -> u32 {
    let total = total * 2;
    cx.signal::<Go>().await;
    total
}

#[workflow]
async fn limited(cx: &Context) -> bool {
    cx.signal::<Go>().timeout(hours(1)).await.is_some()
}

/// Runs a workflow until it waits, and inspects it.
async fn parked<W: piton::machine::Workflow>(
    call: piton::machine::WorkflowCall<W>,
    is_there: impl Fn(&Inspection) -> bool,
) -> (Arc<MemoryStore>, Client, Inspection) {
    let store = MemoryStore::new();
    let client = Client::new(store.clone());
    let worker = Worker::new(&client).start().await.unwrap();
    let run = client.start(call).await.unwrap();
    // Like another process.
    let elsewhere = Client::new(store.connect());
    let mut looks = 0;
    let shown = loop {
        let shown = elsewhere.inspect(run.run_id()).await.unwrap();
        if shown.owner.is_none() && is_there(&shown) {
            break shown;
        }
        looks += 1;
        assert!(looks < 10_000, "it never gets there: {shown:#?}");
        // On virtual time.
        tokio::time::sleep(seconds(1) / 1_000).await;
    };
    worker.shutdown().await.unwrap();
    (store, elsewhere, shown)
}

fn position(run: &Inspection) -> &Position {
    run.position.as_ref().unwrap()
}

fn variables(position: &Position) -> serde_json::Value {
    let variables = position.variables.iter();
    variables.map(|variable| (variable.name.clone(), variable.value.value.clone())).collect()
}

/// Whether the block is at its second wait, and the first branch has ended.
fn is_far(run: &Inspection) -> bool {
    let waits = run.position.iter().flat_map(|position| &position.waits);
    let mut waits = waits.map(|wait| &wait.on);
    matches!(waits.next(), Some(WaitFor::Done(_)))
        && matches!(waits.next(), Some(WaitFor::Block { position }) if position.waits.iter().any(
            |wait| matches!(wait.on, WaitFor::Timer { .. })
        ))
}

#[tokio::test(start_paused = true)]
async fn each_branch_is_shown_with_its_progress() {
    let (_, _, run) = parked(outer(vec![3, 4]), is_far).await;
    let outer = position(&run);
    assert_eq!((outer.workflow.as_str(), outer.state.as_str()), ("outer", "join"));
    assert_eq!(variables(outer), json!({ "name": "2 parcels" }));
    let names: Vec<_> = outer.waits.iter().map(|wait| wait.name.as_str()).collect();
    assert_eq!(names, ["weigh", "async", "join_all", "inner"]);
    let [weighed, block, list, called] = &outer.waits[..] else { panic!("{outer:?}") };
    assert!(matches!(&weighed.on, WaitFor::Done(value) if value.value == 14), "{weighed:?}");
    assert_eq!(weighed.since, None);

    let WaitFor::Block { position: block } = &block.on else { panic!("{block:?}") };
    assert_eq!(variables(block), json!({ "before": 2 }));
    let WaitFor::Timer { fires_at } = block.waits[0].on else { panic!("{block:?}") };
    assert!(fires_at > run.started_at + hours(1));

    let WaitFor::All { items } = &list.on else { panic!("{list:?}") };
    let carried = items.iter().map(|item: &Wait| match &item.on {
        WaitFor::Activity(activity) => {
            (item.name.as_str(), activity.queue.as_deref(), activity.attempt)
        }
        other => panic!("{other:?}"),
    });
    let expected = [("carry[0]", Some("nobody"), 1), ("carry[1]", Some("nobody"), 1)];
    assert!(carried.eq(expected), "{items:?}");

    let WaitFor::Workflow { position: inner } = &called.on else { panic!("{called:?}") };
    assert_eq!((inner.workflow.as_str(), inner.kind), ("inner", piton::model::AwaitKind::Signal));
    assert_eq!(variables(inner), json!({ "doubled": 42 }));
    assert!(
        matches!(&inner.waits[0].on, WaitFor::Signal { signal, until: None } if signal == "Go")
    );
    assert_ne!(inner.definition, outer.definition);
    assert_eq!(run.arguments.as_ref().unwrap().value, json!([[3, 4]]));
}

#[tokio::test(start_paused = true)]
async fn a_list_is_ended_item_by_item() {
    let (_, client, run) = parked(outer(vec![3, 4]), is_far).await;
    let edit = client
        .edit(run.run_id)
        .complete("carry[1]", json!(40))
        .complete("inner/signal<Go>", json!({ "by": "me" }));
    edit.by("me").because("test").await.unwrap();
    let worker = Worker::new(&client).start().await.unwrap();
    let run = loop {
        let shown = client.inspect(run.run_id).await.unwrap();
        if shown.owner.is_none() && shown.unread_count == 0 {
            break shown;
        }
        // On virtual time.
        tokio::time::sleep(seconds(1) / 1_000).await;
    };
    worker.shutdown().await.unwrap();
    let [_, _, list, called] = &position(&run).waits[..] else { panic!("{run:?}") };
    let WaitFor::All { items } = &list.on else { panic!("{list:?}") };
    assert!(matches!(&items[1].on, WaitFor::Done(value) if value.value == 40), "{items:?}");
    assert!(matches!(&called.on, WaitFor::Done(value) if value.value == 42), "{called:?}");
    let ambiguous =
        client.edit(run.run_id).complete("carry", json!(1)).by("me").because("test").await;
    assert!(matches!(ambiguous, Err(EditError::NoAwait { .. })), "{ambiguous:?}");
}

#[tokio::test(start_paused = true)]
async fn a_signal_that_has_arrived_is_taken_first() {
    let (_, client, run) = parked(outer(vec![3, 4]), is_far).await;
    let signal = client.by_id(run.run_id).signal("Go", &json!({ "by": "you" })).await;
    signal.unwrap();
    let give = || client.edit(run.run_id).complete("inner/signal<Go>", json!({ "by": "me" }));
    let refused = give().by("me").because("test").await;
    let Err(EditError::Arrived { name, seq }) = refused else { panic!("{refused:?}") };
    assert_eq!(name, "inner/signal<Go>");
    client.by_id(run.run_id).set_aside(seq).by("me").because("test").await.unwrap();
    give().by("me").because("test").await.unwrap();
    let twice = give().by("me").because("test").await;
    assert!(matches!(twice, Err(EditError::Arrived { .. })), "{twice:?}");
}

#[tokio::test(start_paused = true)]
async fn a_variable_that_hides_a_parameter_is_found_by_its_name() {
    let (_, client, run) = parked(hides(21), |run| run.step_no.0 > 0).await;
    assert_eq!(variables(position(&run)), json!({ "total#2": 42 }));
    let filter: Filter = "var.total = 42".parse().unwrap();
    assert_eq!(client.list_runs(&filter).await.unwrap().runs.len(), 1);
    let edit = client.edit(run.run_id).set("total", json!(50)).by("me").because("test");
    edit.await.unwrap();
    let filter: Filter = "var.total = 50 and var.\"total#2\" = 50".parse().unwrap();
    assert_eq!(client.list_runs(&filter).await.unwrap().runs.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_limited_wait_tells_its_end_and_when_the_run_wakes() {
    let (_, _, run) = parked(limited(), |run| run.wakes_at.is_some() && run.step_no.0 > 0).await;
    let [wait] = &position(&run).waits[..] else { panic!("{run:?}") };
    let WaitFor::Signal { until, .. } = wait.on else { panic!("{wait:?}") };
    assert_eq!((until, until.is_some()), (run.wakes_at, true));
    assert!(wait.since >= Some(run.started_at));
}

#[tokio::test(start_paused = true)]
async fn a_note_names_missing_schemas() {
    let (store, client, run) = parked(limited(), |run| run.step_no.0 > 0).await;
    let mut snapshot = decode_snapshot(&store.snapshot(run.run_id).unwrap()).unwrap();
    snapshot.frame[..8].copy_from_slice(&7_u64.to_le_bytes());
    store.overwrite_snapshot(run.run_id, encode_snapshot(&snapshot).unwrap());
    // Like a value whose schema is not recorded.
    let mut unknown = vec![3];
    unknown.extend(9_u64.to_le_bytes());
    let kind = ArrivalKind::Signal { name: "Go".to_owned(), payload: Payload(unknown.clone()) };
    let arrival = NewArrival { run_id: run.run_id, kind, dedup_key: None, owner: None };
    store.deliver(vec![arrival]).await.unwrap();

    let shown = client.inspect(run.run_id).await.unwrap();
    let place = position(&shown);
    assert!(place.note.as_ref().unwrap().contains("no definition 0000000000000007"), "{place:?}");
    assert_eq!((place.state.as_str(), place.variables.len()), (run.state.as_str(), 0));
    assert!(place.waits.iter().any(|wait| matches!(wait.on, WaitFor::Signal { .. })), "{place:?}");
    assert_eq!(shown.unread[0].value.value, json!(null));
    let note = shown.unread[0].value.note.as_ref().unwrap();
    assert!(note.contains("0000000000000009"), "{note}");
    let error = client.payload_json(&Payload(unknown)).await.unwrap_err();
    assert!(error.to_string().contains("0000000000000009"), "{error}");
    let change = client.edit(run.run_id).set("x", json!(1)).by("me").because("test").await;
    assert!(matches!(change, Err(EditError::Unreadable { .. })), "{change:?}");

    store.overwrite_snapshot(run.run_id, vec![0xff; 20]);
    let shown = client.inspect(run.run_id).await.unwrap();
    assert!(shown.note.as_ref().unwrap().contains("snapshot format 255"), "{shown:?}");
    assert_eq!((shown.position.is_none(), shown.status), (true, RunStatus::Running));
}

#[tokio::test]
async fn a_run_that_is_not_there_is_told() {
    let client = Client::new(MemoryStore::new());
    let error = client.inspect(RunId::new()).await.unwrap_err();
    assert!(matches!(error, LookupError::Unknown(_)), "{error:?}");
    let unsigned = client.edit("order").set("a", json!(1)).await.unwrap_err();
    assert!(matches!(unsigned, EditError::Unsigned), "{unsigned:?}");
}

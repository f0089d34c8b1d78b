//! The names of a definition.

use std::time::Duration;

use piton::machine::{States, Workflow as _, WorkflowEntry};
use piton::prelude::*;

#[workflow(name = "parcel.deliver", formerly = "ship", formerly = "parcel.ship", version = 3)]
async fn deliver(parcel: u64) -> u64 {
    parcel
}

#[workflow]
async fn fetch(parcel: u64) -> u64 {
    parcel
}

#[test]
fn an_entry_knows_former_names_and_the_version() {
    let entry = WorkflowEntry::find("parcel.deliver").expect("it is registered");
    assert_eq!((entry.formerly, entry.version), (&["ship", "parcel.ship"][..], 3));
    assert!(WorkflowEntry::find("ship").is_none());
    let entry = fetch::entry();
    assert_eq!((entry.name, entry.formerly, entry.version), ("fetch", &[][..], 1));
}

#[activity]
async fn output(number: u64) -> u64 {
    number
}

#[activity]
async fn fetch_2(number: u64) -> u64 {
    number
}

#[workflow]
async fn travel(cx: &Context) -> u64 {
    let one = fetch(1).await;
    let two = fetch(one).await;
    let three = fetch_2(two).await;
    let (four, _) = join!(output(three), async { fetch(3).await });
    #[state("…")]
    cx.sleep(Duration::from_secs(four)).await;
    four
}

#[test]
fn states_are_values_that_know_their_stored_names() {
    let nodes = travel::GRAPH.nodes();
    let names: Vec<_> = nodes.iter().map(|node| node.name).collect();
    assert!(travel::ALL.iter().map(|(_, name)| *name).eq(names));
    for (state, name) in [
        (travel::Start, "start"),
        (travel::Fetch, "fetch"),
        (travel::Fetch2, "fetch#2"),
        (travel::Fetch22, "fetch_2"),
        (travel::Join, "join"),
        (travel::Join1, "join.1"),
        (travel::Join1Fetch, "join.1.fetch"),
        (travel::State, "…"),
    ] {
        assert_eq!(state.name(), name);
        assert_eq!(travel::from_name(name).map(States::name), Ok(name));
    }
    let unknown = travel::from_name("charge").map(States::name).expect_err("there is none");
    assert_eq!(unknown.to_string(), "the workflow has no state `charge`");
}

/// Its states have the names of other items of the type.
#[workflow]
async fn confusing() -> u64 {
    let one = output(1).await;
    #[state("GRAPH")]
    let two = output(one).await;
    one + two
}

#[test]
fn no_state_hides_another_item_of_the_type() {
    assert_eq!(confusing::GRAPH.nodes().len(), 3);
    assert_eq!((confusing::StateOutput.name(), confusing::StateGRAPH.name()), ("output", "GRAPH"));
}

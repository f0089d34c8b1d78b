//! What a definition says of its names.

use piton::machine::{Workflow as _, WorkflowEntry};
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

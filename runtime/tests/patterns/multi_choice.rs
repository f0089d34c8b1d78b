//! Pattern 6, *Multi-Choice*: any number of several branches are taken.

use piton::prelude::*;

use crate::desk::{Desk, task};

#[workflow]
async fn emergency(_cx: &Context, needed: Vec<String>) {
    let mut called = Vec::new();
    for service in needed {
        called.push(task(&service, 2));
    }
    join_all(called).await;
}

#[tokio::test(start_paused = true)]
async fn the_branches_that_are_chosen_are_taken() {
    let choices: [&[&str]; 3] =
        [&["police"], &["ambulance", "fire brigade"], &["ambulance", "fire brigade", "police"]];
    for needed in choices {
        let desk = Desk::open().await;
        let names = needed.iter().map(|name| (*name).to_owned()).collect();
        desk.client.start(emergency(names)).await.unwrap().result().await.unwrap();
        assert_eq!(desk.begun_in_any_order(), needed);
        desk.close().await;
    }
}

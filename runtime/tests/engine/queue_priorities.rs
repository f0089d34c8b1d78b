//! The order in which calls on a queue are attempted.

use std::sync::Mutex;

use piton::prelude::*;
use piton::worker::Queue;

use crate::queues::text;
use crate::rig::Rig;

/// The attempts, in order.
static ORDER: Mutex<Vec<String>> = Mutex::new(Vec::new());

#[activity(queue = "print", priority = 3)]
async fn print_page(what: &str) {
    ORDER.lock().unwrap().push(what.to_owned());
}

#[workflow]
async fn print_first(what: String) {
    print_page(&what).await;
}

#[workflow]
async fn print_with(what: String, priority: i16) {
    print_page(&what).priority(priority).await;
}

#[workflow]
async fn print_once(what: String, priority: i16) {
    print_page(&what).key(what.clone()).priority(priority).await;
}

#[tokio::test(start_paused = true)]
async fn a_higher_priority_is_attempted_first() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    for (name, priority) in [("low", -1), ("default", 0), ("lowest", i16::MIN), ("high", 4)] {
        let run = rig.client.start(print_with(text(name), priority)).await.unwrap();
        rig.until_parked(&run).await;
    }
    let run = rig.client.start(print_first(text("of the activity"))).await.unwrap();
    rig.until_parked(&run).await;
    let item = rig.client.start(print_once(text("item"), 9)).await.unwrap();
    rig.until_parked(&item).await;
    while rig.client.queue("print").status().await.unwrap().waiting < 6 {
        tokio::task::yield_now().await;
    }
    let queue = Queue::new("print").max_concurrent(1);
    let server = rig.worker().queue(queue).without_workflows().start().await.unwrap();
    while ORDER.lock().unwrap().len() < 6 {
        tokio::task::yield_now().await;
    }
    let order = ORDER.lock().unwrap().clone();
    assert_eq!(order, ["item", "high", "of the activity", "default", "low", "lowest"]);
    server.shutdown().await.unwrap();
    owner.shutdown().await.unwrap();
}

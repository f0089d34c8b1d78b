//! Partitions of a queue take turns, within the limits of the queue.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use piton::error::StoreError;
use piton::prelude::*;
use piton::store::QueueLimits;
use piton::worker::Queue;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::queues::{text, wide};
use crate::rig::Rig;

/// What was attempted, in order.
static ORDER: Mutex<Vec<String>> = Mutex::new(Vec::new());

#[derive(Serialize, Deserialize)]
struct Customer {
    tenant: String,
}

#[activity(queue = "letters", partition = "{customer.tenant}")]
async fn write_letter(customer: &Customer, number: u32) {
    ORDER.lock().unwrap().push(format!("{}{number}", customer.tenant));
}

#[workflow]
async fn correspond(tenant: String, number: u32) {
    let customer = Customer { tenant };
    write_letter(&customer, number).await;
}

#[workflow]
async fn correspond_for(tenant: String, number: u32, partition: String) {
    let customer = Customer { tenant };
    write_letter(&customer, number).partition(partition).await;
}

#[tokio::test(start_paused = true)]
async fn one_tenant_with_many_calls_does_not_delay_the_others() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    for number in 0..5 {
        let run = rig.client.start(correspond(text("big"), number)).await.unwrap();
        rig.until_parked(&run).await;
    }
    let others = [("a", "a"), ("c", "c"), ("d", "c")];
    for (tenant, partition) in others {
        let call = correspond_for(text(tenant), 0, text(partition));
        rig.until_parked(&rig.client.start(call).await.unwrap()).await;
    }
    let letters = rig.client.queue("letters");
    letters.weigh("c", 2).await.unwrap();
    // A name comes from users: what cannot be one is an error.
    for (partition, reason) in [("c\0", "NUL"), (&*"c".repeat(1_001), "1001 bytes")] {
        let refused = letters.weigh(partition, 2).await.unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
    let nameless = rig.client.queue("").limit(QueueLimits::default()).await.unwrap_err();
    assert!(matches!(nameless, StoreError::QueueName { .. }), "{nameless}");
    let listed = letters.partitions(None, 9).await.unwrap();
    let waiting: Vec<_> =
        listed.iter().map(|one| (&*one.partition, one.waiting, one.weight)).collect();
    assert_eq!(waiting, [("a", 1, 1), ("big", 5, 1), ("c", 2, 2)]);
    let queue = Queue::new("letters").max_concurrent(1);
    let server = rig.worker().queue(queue).without_workflows().start().await.unwrap();
    rig.until_true(|| ORDER.lock().unwrap().len() == 8).await;
    let order = ORDER.lock().unwrap().join(" ");
    assert_eq!(order, "a0 big0 c0 d0 big1 big2 big3 big4");
    server.shutdown().await.unwrap();
    owner.shutdown().await.unwrap();
}

/// How many attempts are under way for each tenant, and the most there ever were.
static UNDER_WAY: Mutex<BTreeMap<String, (u32, u32)>> = Mutex::new(BTreeMap::new());

#[activity(queue = "renders", partition = "{tenant}")]
async fn render(tenant: &str) {
    let count = |by: i32| {
        let mut all = UNDER_WAY.lock().unwrap();
        for name in [tenant, "all"] {
            let (now, most) = all.entry(name.to_owned()).or_default();
            *now = now.checked_add_signed(by).unwrap();
            *most = (*most).max(*now);
        }
    };
    count(1);
    tokio::time::sleep(Duration::from_secs(1)).await;
    count(-1);
}

#[workflow]
async fn render_all(tenant: String, times: u32) {
    let calls: Vec<_> = (0..times).map(|_| render(&tenant)).collect();
    join_all(calls).await;
}

#[tokio::test(start_paused = true)]
async fn limits_hold_over_all_workers() {
    let rig = Rig::new();
    let limits = QueueLimits::default().partition_concurrent(2).max_concurrent(5);
    rig.client.queue("renders").limit(limits).await.unwrap();
    let mut workers = vec![rig.worker().queue(wide("renders")).start().await.unwrap()];
    for _ in 0..2 {
        workers.push(rig.remote_worker().queue(wide("renders")).start().await.unwrap());
    }
    let began = Instant::now();
    let mut runs = Vec::new();
    for (tenant, times) in [("a", 20), ("b", 10), ("c", 1), ("d", 1)] {
        runs.push(rig.client.start(render_all(text(tenant), times)).await.unwrap());
    }
    for run in runs {
        run.result().await.unwrap();
    }
    let most: Vec<_> = UNDER_WAY.lock().unwrap().values().map(|(_, most)| *most).collect();
    assert_eq!(most, [2, 5, 2, 1, 1], "of a, all, b, c and d");
    // The next attempt begins when one ends, and not at the next poll.
    let seconds = began.elapsed().as_secs_f64();
    assert!((10.0..12.1).contains(&seconds), "10 × 1 s for the 20 calls of a: {seconds}");
    for worker in workers {
        worker.shutdown().await.unwrap();
    }
}

#[activity(queue = "requests", partition = "{tenant}")]
async fn request(tenant: &str) -> String {
    tenant.to_owned()
}

#[workflow]
async fn request_all(tenant: String, times: u32) {
    let calls: Vec<_> = (0..times).map(|_| request(&tenant)).collect();
    join_all(calls).await;
}

#[tokio::test(start_paused = true)]
async fn each_partition_has_a_rate() {
    let rig = Rig::new();
    let limits = QueueLimits::default().partition_rate(4, Duration::from_secs(2));
    rig.client.queue("requests").limit(limits).await.unwrap();
    let worker = rig.worker().queue(wide("requests")).start().await.unwrap();
    let began = Instant::now();
    let many = rig.client.start(request_all(text("a"), 24)).await.unwrap();
    let few = rig.client.start(request_all(text("b"), 4)).await.unwrap();
    few.result().await.unwrap();
    assert!(began.elapsed() < Duration::from_millis(200), "those of one period at once");
    many.result().await.unwrap();
    let seconds = began.elapsed().as_secs_f64();
    assert!(
        (9.9..10.2).contains(&seconds),
        "four at once, and 20 more every half second: {seconds}"
    );
    worker.shutdown().await.unwrap();
}

#[workflow]
async fn request_for(tenant: String, partition: String) -> String {
    request(&tenant).partition(partition).await
}

#[tokio::test(start_paused = true)]
async fn a_partition_that_no_database_can_store_fails_the_run() {
    let rig = Rig::new();
    let worker = rig.worker().queue(wide("requests")).start().await.unwrap();
    let none = rig.client.start(request_for(text("a"), String::new())).await.unwrap();
    assert_eq!(none.result().await.unwrap(), "a");
    let run = rig.client.start(request_for(text("a"), text("a\0b"))).await.unwrap();
    let error = run.result().await.unwrap_err().to_string();
    assert!(error.contains("cannot have the partition"), "{error}");
    worker.shutdown().await.unwrap();
}

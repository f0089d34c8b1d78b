//! The bills of some months, on virtual time.

#![allow(missing_docs, clippy::unwrap_used)]

use std::time::Duration;

use piton::prelude::*;
use piton::store::MemoryStore;
use piton_examples::billing::{BILLS, Office, open};

const DAY: Duration = Duration::from_secs(86_400);

#[tokio::test(start_paused = true)]
async fn each_month_is_billed_once_and_a_failure_pauses_the_rest() {
    // The clock of the store begins on 2026-01-01.
    let client = Client::new(MemoryStore::new());
    let office = Office::default();
    office.add("ada", 1_900);
    let worker = Worker::new(&client).provide(office.clone()).start().await.unwrap();
    open(&client).await.unwrap();
    // A program that starts again finds it.
    open(&client).await.unwrap();
    let bills = client.schedule(BILLS);
    let next = bills.describe().await.unwrap().next;
    // The clocks go forward at the end of March.
    assert_eq!(next[0].to_string(), "2026-01-01T05:00:00Z");
    assert_eq!(next[3].to_string(), "2026-04-01T04:00:00Z");
    tokio::time::sleep(DAY * 40).await;
    office.add("ben", 2_900);
    tokio::time::sleep(DAY * 30).await;
    let numbers = || office.sent().into_iter().map(|one| one.number).collect::<Vec<_>>();
    let billed = ["ada 2026-01", "ada 2026-02", "ada 2026-03", "ben 2026-03"];
    assert_eq!(numbers(), billed);

    office.add("carl", 0);
    tokio::time::sleep(DAY * 60).await;
    assert!(bills.describe().await.unwrap().paused);
    assert_eq!(numbers()[4..], ["ada 2026-04", "ben 2026-04"]);
    office.add("carl", 900);
    bills.unpause("carl pays after all").await.unwrap();
    bills.backfill(next[3], next[3]).await.unwrap();
    tokio::time::sleep(DAY).await;
    assert_eq!(numbers().last().unwrap(), "carl 2026-04");
    worker.shutdown().await.unwrap();
}

//! The check before a deploy also reads the arguments of calls that are under way.

#![allow(missing_docs, clippy::unwrap_used)]

use std::future::pending;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use piton::client::ParkedReport;
use piton::machine::Workflow;
use piton::model::BlockedReason;
use piton::prelude::*;
use piton::store::MemoryStore;
use serde::{Deserialize, Serialize};

/// The largest weight that this build accepts.
static LARGEST: AtomicU64 = AtomicU64::new(u64::MAX);

/// A type that refuses in the new build what the old one has written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
struct Weight(u64);

impl TryFrom<u64> for Weight {
    type Error = String;

    fn try_from(grams: u64) -> Result<Self, String> {
        match LARGEST.load(Ordering::SeqCst) {
            0 => panic!("there is no limit"),
            largest if grams > largest => Err(format!("{grams} g are too heavy")),
            _ => Ok(Self(grams)),
        }
    }
}

impl From<Weight> for u64 {
    fn from(Weight(grams): Weight) -> Self {
        grams
    }
}

/// Never returns.
#[activity]
async fn carry(weight: Weight) -> u64 {
    pending::<()>().await;
    weight.0
}

#[workflow]
async fn delivers(grams: u64) -> u64 {
    carry(Weight(grams)).await
}

/// Checks the runs with a build that accepts this weight.
async fn checked(client: &Client, largest: u64) -> ParkedReport {
    LARGEST.store(largest, Ordering::SeqCst);
    client.check_parked([delivers::entry()]).await.unwrap()
}

#[tokio::test]
async fn arguments_that_cannot_be_read_are_reported() {
    let client = Client::new(MemoryStore::new());
    let worker = Worker::new(&client).shutdown_grace(Duration::ZERO).start().await.unwrap();
    let light = client.start(delivers(2)).await.unwrap().run_id();
    let heavy = client.start(delivers(7)).await.unwrap().run_id();
    for run_id in [light, heavy] {
        while client.find(run_id).await.unwrap().unwrap().state != "carry" {
            tokio::task::yield_now().await;
        }
    }
    worker.shutdown().await.unwrap();

    let report = checked(&client, 7).await;
    assert_eq!((report.runs, report.unfit.len()), (2, 0), "{report:?}");

    let report = checked(&client, 6).await;
    let [unfit] = &report.unfit[..] else { panic!("one of them is refused: {report:?}") };
    let BlockedReason::Undecodable(reason) = &unfit.reason else { panic!("{report:?}") };
    assert!(reason.starts_with("the arguments of the activity `carry`: "), "{reason}");
    assert!(reason.contains("7 g are too heavy"), "{reason}");
    assert_eq!((report.runs, unfit.runs, unfit.example), (2, 1, heavy));
    assert!(!unfit.is_certain && report.is_ok(), "another build may accept the call");

    // Code of a type that panics is reported, too.
    let report = checked(&client, 0).await;
    let [unfit] = &report.unfit[..] else { panic!("both are for the same reason: {report:?}") };
    let reason = unfit.reason.to_string();
    assert!(reason.contains("`carry`") && reason.contains("there is no limit"), "{reason}");
    assert_eq!(unfit.runs, 2);
}

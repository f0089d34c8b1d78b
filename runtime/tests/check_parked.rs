//! The checks before a deploy: arguments of calls that are under way, compensations, generic workflows, and workflows that
//! are gone.

#![allow(missing_docs, clippy::unwrap_used)]

use std::future::pending;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use piton::client::ParkedReport;
use piton::lock::Lock;
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
    let worker = Worker::new(&client).serving(vec![delivers::entry()], activities());
    let worker = worker.shutdown_grace(Duration::ZERO).start().await.unwrap();
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

#[derive(Signal, Serialize, Deserialize)]
struct Go;

/// Never returns.
#[activity]
async fn take_back() {
    pending::<()>().await;
}

mod old {
    use super::*;

    #[workflow]
    pub async fn fails(cx: &Context) -> Result<(), String> {
        cx.on_failure(take_back());
        cx.signal::<Go>().await;
        Err("no".to_owned())
    }

    #[workflow]
    pub async fn held<T: Durable>(cx: &Context, value: T) -> T {
        cx.signal::<Go>().await;
        value
    }

    #[workflow]
    pub async fn holds(cx: &Context) -> String {
        let text = held("text".to_owned()).await;
        let number = held(7_u8).await;
        format!("{text} {number}")
    }
}

mod new {
    use super::*;

    /// No longer waits for the signal.
    #[workflow]
    pub async fn fails(cx: &Context) -> Result<(), String> {
        cx.on_failure(take_back());
        Err("no".to_owned())
    }

    /// The number is another one, and is held first.
    #[workflow]
    pub async fn holds(cx: &Context) -> String {
        #[state("number")]
        let number = old::held(7_u64).await;
        let text = old::held("text".to_owned()).await;
        format!("{text} {number}")
    }
}

/// Waits until a run has made this number of steps.
async fn parked(client: &Client, run_id: piton::model::RunId, steps: i64) {
    while client.find(run_id).await.unwrap().unwrap().step_no.0 < steps {
        tokio::task::yield_now().await;
    }
}

/// The report about the runs of a database by the lock file of these workflows.
async fn by_lock(
    client: &Client,
    workflows: &[&'static piton::machine::WorkflowEntry],
) -> ParkedReport {
    let mut lock = Lock::default();
    lock.record(workflows.iter().copied());
    client.check_parked_by(&lock).await.unwrap()
}

#[tokio::test]
async fn the_state_of_a_run_that_makes_its_compensations_does_not_matter() {
    let client = Client::new(MemoryStore::new());
    let worker = Worker::new(&client).serving(vec![old::fails::entry()], activities());
    let worker = worker.shutdown_grace(Duration::ZERO).start().await.unwrap();
    let waits = client.start(old::fails()).await.unwrap();
    let ends = client.start(old::fails()).await.unwrap();
    ends.signal(Go).await.unwrap();
    while client.inspect(ends.run_id()).await.unwrap().ending.is_none() {
        tokio::task::yield_now().await;
    }
    parked(&client, waits.run_id(), 1).await;
    worker.shutdown().await.unwrap();

    for report in [
        client.check_parked([new::fails::entry()]).await.unwrap(),
        by_lock(&client, &[new::fails::entry()]).await,
    ] {
        let [unfit] = &report.unfit[..] else { panic!("one of them waits: {report:?}") };
        assert_eq!((report.runs, unfit.runs, unfit.example), (2, 1, waits.run_id()), "{report:?}");
        assert!(unfit.is_certain);
    }
}

#[tokio::test]
async fn a_run_in_an_instance_of_a_generic_workflow_is_compared_with_that() {
    let client = Client::new(MemoryStore::new());
    let worker = Worker::new(&client).serving(vec![old::holds::entry()], Vec::new());
    let worker = worker.start().await.unwrap();
    let text = client.start(old::holds()).await.unwrap();
    let number = client.start(old::holds()).await.unwrap();
    number.signal(Go).await.unwrap();
    parked(&client, text.run_id(), 1).await;
    parked(&client, number.run_id(), 2).await;
    worker.shutdown().await.unwrap();

    let report = by_lock(&client, &[old::holds::entry()]).await;
    assert_eq!((report.runs, report.unfit.len()), (2, 0), "{report:?}");
    let report = by_lock(&client, &[new::holds::entry()]).await;
    let by_code = client.check_parked([new::holds::entry()]).await.unwrap();
    let reasons = |report: &ParkedReport| {
        let reasons = report.unfit.iter().map(|unfit| (unfit.runs, unfit.reason.to_string()));
        reasons.collect::<Vec<_>>()
    };
    assert_eq!(reasons(&report), reasons(&by_code));
}

#[tokio::test]
async fn runs_of_workflows_that_the_lock_file_does_not_have_are_counted() {
    let client = Client::new(MemoryStore::new());
    client.start(old::fails()).await.unwrap();
    client.start(old::fails()).await.unwrap();
    let report = by_lock(&client, &[new::holds::entry()]).await;
    assert_eq!((report.runs, report.is_ok()), (0, true), "{report:?}");
    assert_eq!(report.unchecked.into_iter().collect::<Vec<_>>(), [("fails".to_owned(), 2)]);
}

/// The activities of this program.
fn activities() -> Vec<&'static piton::activities::ActivityEntry> {
    piton::activities::ActivityEntry::all().collect()
}

//! Runs with every kind of wait that a crash could affect, and predictable results.

use std::path::Path;

use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::ledger::{self, Event, Ledger};

/// The number of concurrent runs.
pub const RUNS: u64 = 12;

/// The number of items of each run.
pub const ITEMS: u64 = 5;

/// The calls that one run makes: one per item, one that fails at first, two at once, and the last.
pub const CALLS_PER_RUN: usize = ITEMS as usize + 4;

/// Lets a run continue after its middle. Sent to every run at each start of the program, always with the same dedup
/// key.
#[derive(Debug, Signal, Serialize, Deserialize)]
pub struct Proceed {
    /// The sender.
    pub by: String,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The doubled items, in order.
    pub doubled: Vec<u64>,
    /// The sum of everything that activities returned.
    pub sum: u64,
    /// The number of signals.
    pub signals: u32,
}

impl Tally {
    /// The expected result of run number `number`.
    pub fn expected(number: u64) -> Self {
        let items: Vec<u64> = (0..ITEMS).map(|item| number * 100 + item).collect();
        let doubled: Vec<u64> = items.iter().map(|item| item * 2).collect();
        let sum = doubled.iter().sum::<u64>() + number + (number + 1) * 2 + (number + 2) * 2;
        Self { doubled, sum: sum + (sum * 2), signals: 1 }
    }
}

/// Compares the results and the ledger in `folder` with the expectation after these processes were killed.
///
/// # Panics
/// If they differ.
pub fn check(folder: &Path, killed: &[u32]) {
    let results = std::fs::read_to_string(folder.join("results.txt")).expect("it finished");
    let expected: Vec<String> =
        (0..RUNS).map(|number| format!("{:?}", Tally::expected(number))).collect();
    assert_eq!(results.lines().collect::<Vec<_>>(), expected);
    let calls = ledger::read(folder).expect("a readable ledger");
    assert_eq!(calls.len(), RUNS as usize * CALLS_PER_RUN, "calls that nobody asked for, or none");
    for (key, call) in calls {
        call.check(&key, killed);
    }
}

/// Doubles a number.
#[activity(retry(initial = "1ms", max_interval = "5ms"))]
pub async fn double(cx: &ActivityContext, number: u64) -> piton::Result<u64> {
    let (ledger, key, attempt) = begin(cx)?;
    ledger.note(Event::Returned, &key, attempt)?;
    Ok(number * 2)
}

/// Returns the number at the second attempt.
#[activity(retry(initial = "1ms", max_interval = "5ms"))]
pub async fn stumble(cx: &ActivityContext, number: u64) -> piton::Result<u64> {
    let (ledger, key, attempt) = begin(cx)?;
    if attempt == 1 {
        ledger.note(Event::Failed, &key, attempt)?;
        bail!("the first attempt always fails");
    }
    ledger.note(Event::Returned, &key, attempt)?;
    Ok(number)
}

fn begin(cx: &ActivityContext) -> piton::Result<(std::sync::Arc<Ledger>, String, u32)> {
    let ledger = cx.dependency::<Ledger>();
    let key = cx.idempotency_key();
    let attempt = cx.info().attempt;
    ledger.note(Event::Began, &key, attempt)?;
    Ok((ledger, key, attempt))
}

/// Works through its items, waits for a signal and a timer, and sums up.
#[workflow]
pub async fn tally(cx: &Context, number: u64) -> piton::Result<Tally> {
    let mut doubled = Vec::new();
    for item in 0..ITEMS {
        doubled.push(double(number * 100 + item).await?);
    }
    let mut sum = doubled.iter().sum::<u64>() + stumble(number).await?;
    let (one, two) = try_join!(double(number + 1), double(number + 2))?;
    sum += one + two;
    let mut signals = 0;
    let allowed = cx.signal::<Proceed>().await;
    if allowed.by == "the test" {
        signals += 1;
    }
    cx.sleep(std::time::Duration::from_millis(2)).await;
    select! {
        _ = cx.signal::<Proceed>() => signals += 1,
        _ = cx.sleep(std::time::Duration::from_millis(2)) => {}
    }
    // On a queue that the same worker serves.
    sum += double(sum).queue("near").await?;
    Ok(Tally { doubled, sum, signals })
}

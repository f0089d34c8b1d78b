//! A run with every kind of operation: an inline workflow, activities with and without queues, signals, timers, and a
//! request to cancel for some of the runs.

use std::time::Duration;

use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::workload::{CALLS_PER_RUN, Tally, double, tally};

/// The calls of a run that is not cancelled.
pub const CALLS: usize = CALLS_PER_RUN + 3;

/// The minimum number of steps of such a run.
pub const STEPS: u64 = 14;

/// Allows a run to end.
#[derive(Debug, Signal, Serialize, Deserialize)]
pub struct Finish;

/// The result of run number `number` if it is not cancelled.
pub fn expected(number: u64) -> (Tally, u64) {
    let tally = Tally::expected(number);
    let rest = (tally.sum * 2 + (tally.sum + 1) * 2) * 2;
    (tally, rest)
}

/// A tally, and then two activities on different queues at once, a nap, a signal and one more.
#[workflow]
pub async fn errand(cx: &Context, number: u64) -> piton::Result<(Tally, u64)> {
    let tally = tally(number).await?;
    let (near, far) =
        try_join!(double(tally.sum).queue("near"), double(tally.sum + 1).queue("far"))?;
    cx.sleep(Duration::from_millis(number % 20)).await;
    cx.signal::<Finish>().await;
    let rest = double(near + far).await?;
    Ok((tally, rest))
}

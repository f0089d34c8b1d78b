//! A run with everything that can be spoilt at once: another workflow within it, activities here and on
//! queues, signals, timers, and a request to cancel that some of the runs get.

use std::time::Duration;

use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::workload::{CALLS_PER_RUN, Tally, double, tally};

/// The calls of a run that nobody cancels.
pub const CALLS: usize = CALLS_PER_RUN + 3;

/// The steps that such a run makes at least.
pub const STEPS: u64 = 14;

/// Allows a run to end.
#[derive(Debug, Signal, Serialize, Deserialize)]
pub struct Finish;

/// What run number `number` comes to if nobody cancels it.
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

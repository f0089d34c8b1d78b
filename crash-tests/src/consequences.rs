//! Runs with a step whose commit writes more than the run's own row.

use piton::prelude::*;

use crate::workload::{Proceed, double};

/// Waits for a signal, then calls an activity. The step between takes the signal from the inbox.
#[workflow]
pub async fn takes_a_signal(cx: &Context, number: u64) -> piton::Result<u64> {
    let allowed = cx.signal::<Proceed>().await;
    ensure!(allowed.by == "the test", "it was {} who allowed it", allowed.by);
    Ok(double(number).await?)
}

/// Calls an activity, then another one on a queue. The step between puts the second on the queue.
#[workflow]
pub async fn asks_a_queue(number: u64) -> piton::Result<u64> {
    let doubled = double(number).await?;
    Ok(double(doubled).queue("near").await?)
}

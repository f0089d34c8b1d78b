//! Runs that only sleep.

use std::time::Duration;

use piton::prelude::*;

/// Sleeps for `nap`, `count` times.
#[workflow]
pub async fn naps(cx: &Context, nap: Duration, count: u32) {
    for _ in 0..count {
        cx.sleep(nap).await;
    }
}

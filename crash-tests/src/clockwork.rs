//! The workflows that schedules start and signal.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

/// Started once per time.
#[workflow]
pub async fn beat() -> u64 {
    1
}

/// Sent once per time.
#[derive(Signal, Debug, Serialize, Deserialize)]
pub struct Strike {
    /// Whether it is the last.
    pub is_last: bool,
}

/// Counts the strikes before the last.
#[workflow]
pub async fn listen(cx: &Context) -> u64 {
    let mut count = 0;
    while !cx.signal::<Strike>().await.is_last {
        count += 1;
    }
    count
}

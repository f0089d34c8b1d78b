//! Waiting longer and longer while the database does not answer.

use std::time::Duration;

/// The wait after the first failure: a dropped connection is replaced at once.
const FIRST: Duration = Duration::from_millis(10);
/// The longest wait: short enough for a lease of a few seconds to survive a database restart.
const LONGEST: Duration = Duration::from_secs(1);

/// Waits that double from 10 ms to 1 s.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// How often there was a wait.
    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    /// Waits. Cancellation safe; a cancelled wait counts.
    pub(crate) async fn wait(&mut self) {
        let wait = FIRST.saturating_mul(1 << self.failures.min(10)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        tokio::time::sleep(wait).await;
    }
}

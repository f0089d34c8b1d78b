//! Waiting longer and longer while the database does not answer.

use std::time::Duration;

use tracing::warn;

use crate::error::{StoreError, with_causes};

/// How often a request of a program is tried before it hears of the error: about 5 s in all, so a
/// restart of the database goes unnoticed.
pub(crate) const CLIENT_TRIES: u32 = 12;

/// Asks the database for what may be asked for more than once, again while it cannot be reached.
pub(crate) async fn patiently<T, A>(ask: impl Fn() -> A) -> Result<T, StoreError>
where
    A: Future<Output = Result<T, StoreError>>,
{
    let mut backoff = Backoff::default();
    loop {
        match ask().await {
            Err(error) if error.is_retryable() && backoff.failures() + 1 < CLIENT_TRIES => {
                warn!(
                    error = %with_causes(&error),
                    failures = backoff.failures() + 1,
                    "the database will be tried again"
                );
                backoff.wait().await;
            }
            answered => return answered,
        }
    }
}

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

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waits_double_up_to_a_second_for_as_long_as_it_takes() {
        let mut backoff = Backoff::default();
        let mut expected = Duration::from_millis(10);
        for failures in 0..1_000 {
            assert_eq!(backoff.failures(), failures);
            let began = Instant::now();
            backoff.wait().await;
            assert_eq!(began.elapsed(), expected, "after {failures} failures");
            expected = (2 * expected).min(Duration::from_secs(1));
        }
        // So many that a shift by their number would overflow.
        backoff.failures = u32::MAX;
        let began = Instant::now();
        backoff.wait().await;
        assert_eq!(began.elapsed(), Duration::from_secs(1));
    }
}

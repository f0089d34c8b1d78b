//! Increasing delays while the database does not answer.

use std::time::Duration;

use super::outage::{self, tried_again};
use crate::error::StoreError;
use tokio::time::Instant;

/// How long a client's request is retried before it returns the error. Long enough to hide a restart of the
/// database.
pub(crate) const CLIENT_PATIENCE: Duration = Duration::from_secs(5);

/// Calls `ask`, which must be repeatable, and retries while the database cannot be reached.
pub(crate) async fn patiently<T, A>(ask: impl Fn() -> A) -> Result<T, StoreError>
where
    A: Future<Output = Result<T, StoreError>>,
{
    let mut backoff = Backoff::default();
    loop {
        match ask().await {
            Err(error) if error.is_retryable() && backoff.has_time(CLIENT_PATIENCE) => {
                let failures = backoff.failures() + 1;
                tried_again!(&error, failures, "the database will be tried again");
                backoff.wait().await;
            }
            answered => {
                outage::note(&answered);
                return answered;
            }
        }
    }
}

/// Calls `ask` until the database answers, however long that takes. `what` is the log message for each failure.
pub(crate) async fn until_answered<T, A>(what: &str, ask: impl Fn() -> A) -> T
where
    A: Future<Output = Result<T, StoreError>>,
{
    let mut backoff = Backoff::default();
    loop {
        match ask().await {
            Ok(answer) => {
                outage::answered();
                return answer;
            }
            Err(error) => tried_again!(&error, "{what}"),
        }
        backoff.wait().await;
    }
}

/// The wait after the first failure: a dropped connection is replaced at once.
const FIRST: Duration = Duration::from_millis(10);
/// The longest wait: short enough for a lease of a few seconds to survive a restart of the database.
const LONGEST: Duration = Duration::from_secs(1);

/// Waits that double from 10 ms to 1 s.
#[derive(Debug)]
pub(crate) struct Backoff {
    failures: u32,
    began: Instant,
    /// When the current try began.
    tried_at: Instant,
}

impl Default for Backoff {
    fn default() -> Self {
        let now = Instant::now();
        Self { failures: 0, began: now, tried_at: now }
    }
}

impl Backoff {
    /// The number of waits so far.
    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    /// Whether another try ends within `patience`, if it takes as long as the last one.
    pub(crate) fn has_time(&self, patience: Duration) -> bool {
        self.began.elapsed() + self.last_try() < patience
    }

    /// How long the last try took.
    pub(crate) fn last_try(&self) -> Duration {
        self.tried_at.elapsed()
    }

    /// Waits. Cancellation safe; a cancelled wait counts.
    pub(crate) async fn wait(&mut self) {
        let wait = FIRST.saturating_mul(1 << self.failures.min(10)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        tokio::time::sleep(wait).await;
        self.tried_at = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn away<T>() -> Result<T, StoreError> {
        let source = std::io::Error::from(std::io::ErrorKind::ConnectionRefused).into();
        Err(StoreError::Database { operation: "find_run", retryable: true, source })
    }

    #[tokio::test(start_paused = true)]
    async fn a_program_hears_within_five_seconds_or_so_however_long_a_try_takes() {
        for (try_takes, tries, within) in [(0, 12, 5_500), (300, 9, 5_500), (4_500, 1, 4_500)] {
            let (began, asked) = (Instant::now(), Cell::new(0));
            let answer = patiently(|| async {
                asked.set(asked.get() + 1);
                tokio::time::sleep(Duration::from_millis(try_takes)).await;
                away::<()>()
            });
            answer.await.expect_err("the database is away");
            assert_eq!(asked.get(), tries, "of {try_takes} ms");
            assert!(began.elapsed() <= Duration::from_millis(within), "{:?}", began.elapsed());
        }
    }

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

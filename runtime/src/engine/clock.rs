//! The database's time without asking the database.
//!
//! The database's clock is the only one that deadlines are measured by; this keeps its offset to
//! the monotonic clock, so a host whose wall clock jumps fires no timer early.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use crate::model::Timestamp;

/// The longest wait: 30 years, which every platform's monotonic clock can add to the present, as tokio's own
/// timers do. Nobody sees the difference to "never".
const LONGEST_WAIT: Duration = Duration::from_secs(30 * 365 * 86_400);

/// The time `wait` after `from`; a wait without end is as good as [`LONGEST_WAIT`].
pub(crate) fn after(from: Instant, wait: Duration) -> Instant {
    from + wait.min(LONGEST_WAIT)
}

/// Reads the database's time off the monotonic clock.
#[derive(Debug)]
pub(crate) struct Clock {
    /// Zero of the monotonic clock.
    origin: Instant,
    /// The database's time at `origin`, in microseconds.
    offset: AtomicI64,
}

impl Clock {
    /// A clock set by an answer of the database that has just come.
    pub(crate) fn new(database: Timestamp) -> Self {
        Self { origin: Instant::now(), offset: AtomicI64::new(database.0) }
    }

    /// The database's time, as far as is known never later than that.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp(self.offset.load(Ordering::Relaxed).saturating_add(self.elapsed()))
    }

    /// Takes into account that the database, asked at `asked_at`, has told its time.
    pub(crate) fn observe(&self, database: Timestamp, asked_at: Instant) {
        // It now is there between the time told and that plus the time the question took. A
        // reading in between is as good as any; one outside is wrong, and the earlier end is safe.
        let now = self.now();
        if now < database || now > database + asked_at.elapsed() {
            self.offset.store(database.0.saturating_sub(self.elapsed()), Ordering::Relaxed);
        }
    }

    /// When the database's clock will show `at`, on the monotonic clock.
    pub(crate) fn instant_of(&self, at: Timestamp) -> Instant {
        after(Instant::now(), at.saturating_since(self.now()))
    }

    fn elapsed(&self) -> i64 {
        i64::try_from(self.origin.elapsed().as_micros()).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn readings_follow_the_database_and_not_the_round_trip() {
        let clock = Clock::new(Timestamp(1_000_000));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(clock.now(), Timestamp(2_000_000));

        let asked_at = Instant::now();
        tokio::time::advance(Duration::from_secs(1)).await;
        // A slow answer that allows for the present reading changes nothing.
        clock.observe(Timestamp(2_500_000), asked_at);
        assert_eq!(clock.now(), Timestamp(3_000_000));
        // The database's clock was set forward, then back.
        clock.observe(Timestamp(9_000_000), Instant::now());
        assert_eq!(clock.now(), Timestamp(9_000_000));
        clock.observe(Timestamp(4_000_000), Instant::now());
        assert_eq!(clock.now(), Timestamp(4_000_000));
    }
}

//! An estimate of the database's time that needs no query.
//!
//! All deadlines are measured by the database's clock. This type keeps its offset to the monotonic clock, so a host
//! whose wall clock jumps fires no timer early. If the database's clock is set back, the time of runs does not go
//! back; while it is ahead of the database, the difference is subtracted from written times.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use crate::model::Timestamp;

/// The longest wait: 30 years, which every platform's monotonic clock can represent, as in tokio's own timers. It
/// stands for "never".
const LONGEST_WAIT: Duration = Duration::from_secs(30 * 365 * 86_400);

/// The time `wait` after `from`, with at most [`LONGEST_WAIT`].
pub(crate) fn after(from: Instant, wait: Duration) -> Instant {
    from + wait.min(LONGEST_WAIT)
}

/// How fast the time of runs approaches the database's after its clock was set back: by a tenth of the elapsed
/// time. Timers are late by as much meanwhile.
const SLEW: i64 = 10;

/// Computes the database's time from the monotonic clock.
#[derive(Debug)]
pub(crate) struct Clock {
    /// Zero of the monotonic clock.
    origin: Instant,
    /// The database's time at `origin`, in microseconds.
    offset: AtomicI64,
    /// How far the time of runs is ahead of the database's, in microseconds.
    lead: AtomicI64,
    /// When the lead was last updated, in microseconds after `origin`.
    slewed_at: AtomicI64,
    /// The latest reading.
    latest: AtomicI64,
}

impl Clock {
    /// A clock set by a response of the database that has just arrived.
    pub(crate) fn new(database: Timestamp) -> Self {
        Self {
            origin: Instant::now(),
            offset: AtomicI64::new(database.0),
            lead: AtomicI64::new(0),
            slewed_at: AtomicI64::new(0),
            latest: AtomicI64::new(i64::MIN),
        }
    }

    /// The clock of the worker's next session, set by a response of the database that has just arrived. The time of
    /// the worker's runs does not go back.
    pub(crate) fn followed_by(&self, database: Timestamp) -> Self {
        let next = Self::new(database);
        let lead = self.now().0.saturating_sub(database.0).max(0);
        next.lead.store(lead, Ordering::Relaxed);
        next
    }

    /// The time of runs. It is the database's time, estimated not to be ahead of it. If the database's clock is set
    /// back, it continues from its last reading. It never goes back.
    pub(crate) fn now(&self) -> Timestamp {
        let lead = self.lead.load(Ordering::Relaxed);
        let reading = self.database().0.saturating_add(lead);
        Timestamp(self.latest.fetch_max(reading, Ordering::Relaxed).max(reading))
    }

    /// The database's time.
    fn database(&self) -> Timestamp {
        Timestamp(self.offset.load(Ordering::Relaxed).saturating_add(self.elapsed()))
    }

    /// Updates the offset: the database, queried at `asked_at`, has returned its time.
    pub(crate) fn observe(&self, database: Timestamp, asked_at: Instant) {
        // The database's time is now between the returned time and that plus the duration of the query. A reading
        // in this range is kept; otherwise the lower end is the safe choice.
        let known = self.database();
        let mut lead = self.lead.load(Ordering::Relaxed);
        if known < database || known > database + asked_at.elapsed() {
            self.offset.store(database.0.saturating_sub(self.elapsed()), Ordering::Relaxed);
            // The time of runs stands still until the database's time is later.
            lead = lead.saturating_add(known.0.saturating_sub(database.0)).max(0);
        }
        let elapsed = self.elapsed();
        let passed = elapsed - self.slewed_at.swap(elapsed, Ordering::Relaxed);
        self.lead.store((lead - passed / SLEW).max(0), Ordering::Relaxed);
    }

    /// When runs will see `at`, on the monotonic clock.
    pub(crate) fn instant_of(&self, at: Timestamp) -> Instant {
        after(Instant::now(), at.saturating_since(self.now()))
    }

    /// When the database's clock will show `at`, on the monotonic clock.
    pub(crate) fn instant_of_database(&self, at: Timestamp) -> Instant {
        after(Instant::now(), at.saturating_since(self.database()))
    }

    /// What the database's clock will show when runs see `at`.
    pub(crate) fn on_database(&self, at: Timestamp) -> Timestamp {
        match at {
            // Whatever the clocks show.
            Timestamp::MAX => at,
            at => Timestamp(at.0.saturating_sub(self.lead.load(Ordering::Relaxed))),
        }
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
        // A slow response that is consistent with the present reading changes nothing.
        clock.observe(Timestamp(2_500_000), asked_at);
        assert_eq!(clock.now(), Timestamp(3_000_000));
        // The database's clock was set forward.
        clock.observe(Timestamp(9_000_000), Instant::now());
        assert_eq!(clock.now(), Timestamp(9_000_000));
    }

    #[tokio::test(start_paused = true)]
    async fn time_goes_on_where_the_database_s_clock_is_set_back() {
        const HOUR: i64 = 3_600_000_000;
        let clock = Clock::new(Timestamp(2 * HOUR));
        clock.observe(Timestamp(HOUR), Instant::now());
        assert_eq!(clock.now(), Timestamp(2 * HOUR));
        // A timer of one second takes one second, here and in the database.
        let at = clock.now() + Duration::from_secs(1);
        assert_eq!(clock.instant_of(at), Instant::now() + Duration::from_secs(1));
        assert_eq!(clock.on_database(at), Timestamp(HOUR + 1_000_000));
        assert_eq!(
            clock.instant_of_database(Timestamp(HOUR + 1_000_000)),
            Instant::now() + Duration::from_secs(1)
        );
        let next = clock.followed_by(Timestamp(HOUR));
        assert_eq!(next.now(), clock.now());

        // It approaches the database's time gradually, and never goes back.
        let mut before = clock.now();
        for second in 1..=10 * 3_600 {
            tokio::time::advance(Duration::from_secs(1)).await;
            clock.observe(Timestamp(HOUR + second * 1_000_000), Instant::now());
            assert!(clock.now() > before, "after {second} s");
            before = clock.now();
        }
        assert_eq!(clock.now(), Timestamp(11 * HOUR));
    }
}

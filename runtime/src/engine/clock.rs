//! An estimate of the database's time that needs no query.
//!
//! The database's clock is the only one that deadlines are measured by; this keeps its offset to
//! the monotonic clock, so a host whose wall clock jumps fires no timer early. Where the database's own clock
//! is set back, the time that runs see goes on, and the lead that it has then is taken off what is written.

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

/// How fast runs come back to the database's time after its clock was set back: a tenth of the time that passes.
/// Their timers are so much late meanwhile.
const SLEW: i64 = 10;

/// Reads the database's time off the monotonic clock.
#[derive(Debug)]
pub(crate) struct Clock {
    /// Zero of the monotonic clock.
    origin: Instant,
    /// The database's time at `origin`, in microseconds.
    offset: AtomicI64,
    /// How far the time of runs is ahead of the database's, in microseconds.
    lead: AtomicI64,
    /// When the lead was looked at last, in microseconds after `origin`.
    slewed_at: AtomicI64,
    /// The latest time that was read.
    latest: AtomicI64,
}

impl Clock {
    /// A clock set by an answer of the database that has just come.
    pub(crate) fn new(database: Timestamp) -> Self {
        Self {
            origin: Instant::now(),
            offset: AtomicI64::new(database.0),
            lead: AtomicI64::new(0),
            slewed_at: AtomicI64::new(0),
            latest: AtomicI64::new(i64::MIN),
        }
    }

    /// The clock of a session after this one's, set by an answer of the database that has just come. For the runs
    /// of the worker time does not go back.
    pub(crate) fn followed_by(&self, database: Timestamp) -> Self {
        let next = Self::new(database);
        let lead = self.now().0.saturating_sub(database.0).max(0);
        next.lead.store(lead, Ordering::Relaxed);
        next
    }

    /// The time that runs go by: the database's, as far as is known never later than that, unless the database's
    /// clock was set back. Then it goes on from where it was. It never goes back.
    pub(crate) fn now(&self) -> Timestamp {
        let lead = self.lead.load(Ordering::Relaxed);
        let reading = self.database().0.saturating_add(lead);
        Timestamp(self.latest.fetch_max(reading, Ordering::Relaxed).max(reading))
    }

    /// The database's time.
    fn database(&self) -> Timestamp {
        Timestamp(self.offset.load(Ordering::Relaxed).saturating_add(self.elapsed()))
    }

    /// Takes into account that the database, asked at `asked_at`, has told its time.
    pub(crate) fn observe(&self, database: Timestamp, asked_at: Instant) {
        // It now is there between the time told and that plus the time the question took. A
        // reading in between is as good as any; one outside is wrong, and the earlier end is safe.
        let known = self.database();
        let mut lead = self.lead.load(Ordering::Relaxed);
        if known < database || known > database + asked_at.elapsed() {
            self.offset.store(database.0.saturating_sub(self.elapsed()), Ordering::Relaxed);
            // The time of runs stays as it is, until the database's is later.
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
        // A slow answer that allows for the present reading changes nothing.
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
        // What is to happen in a second happens in a second, here and in the database.
        let at = clock.now() + Duration::from_secs(1);
        assert_eq!(clock.instant_of(at), Instant::now() + Duration::from_secs(1));
        assert_eq!(clock.on_database(at), Timestamp(HOUR + 1_000_000));
        assert_eq!(
            clock.instant_of_database(Timestamp(HOUR + 1_000_000)),
            Instant::now() + Duration::from_secs(1)
        );
        let next = clock.followed_by(Timestamp(HOUR));
        assert_eq!(next.now(), clock.now());

        // It comes back to the database's time bit by bit, and never goes back.
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

//! The queues that a worker serves, with their limits.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// The longest wait in seconds: a year, which can be added to any time.
const LONGEST_WAIT: f64 = 31_536_000.0;

/// A queue that a worker serves.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) name: String,
    permits: Arc<Semaphore>,
    rate: Option<Rate>,
}

/// The queues, in the order in which they were named.
pub(crate) type Queues = Vec<Served>;

impl Served {
    /// A queue with at most `max_concurrent` running attempts, of which at most `per_second` begin in a second.
    pub(crate) fn new(name: String, max_concurrent: usize, per_second: Option<f64>) -> Self {
        let permits = Arc::new(Semaphore::new(max_concurrent.min(Semaphore::MAX_PERMITS)));
        Self { name, permits, rate: per_second.map(Rate::new) }
    }

    /// The number of attempts that may begin now; if the rate allows none, when the next one may.
    pub(crate) fn room(&self) -> Result<usize, Option<Instant>> {
        let permits = self.permits.available_permits();
        if permits == 0 {
            return Err(None);
        }
        let Some(rate) = &self.rate else { return Ok(permits) };
        rate.left().map(|left| left.min(permits)).map_err(Some)
    }

    /// Takes a slot, if an attempt may begin now.
    pub(crate) fn enter(&self) -> Option<OwnedSemaphorePermit> {
        self.room().ok()?;
        let permit = Arc::clone(&self.permits).try_acquire_owned().ok()?;
        self.rate.iter().for_each(Rate::spend);
        Some(permit)
    }
}

/// A token bucket that fills at a steady rate and holds one second's worth, at least one.
#[derive(Debug)]
struct Rate {
    per_second: f64,
    /// Its level, and when it was computed.
    level: Mutex<(f64, Instant)>,
}

impl Rate {
    fn new(per_second: f64) -> Self {
        Self { per_second, level: Mutex::new((per_second.max(1.0), Instant::now())) }
    }

    fn level(&self) -> f64 {
        let (level, at) = *self.level.lock().unwrap_or_else(PoisonError::into_inner);
        (level + at.elapsed().as_secs_f64() * self.per_second).min(self.per_second.max(1.0))
    }

    fn left(&self) -> Result<usize, Instant> {
        let level = self.level();
        if level >= 1.0 {
            // Whole and not negative; larger numbers are saturated.
            return Ok(level as usize);
        }
        // For a very low rate, the caller asks again after a year.
        let wait = ((1.0 - level) / self.per_second).min(LONGEST_WAIT);
        // One nanosecond more, so that rounding does not end the wait too early.
        Err(Instant::now() + Duration::from_secs_f64(wait) + Duration::from_nanos(1))
    }

    fn spend(&self) {
        let level = self.level() - 1.0;
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = (level, Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn places_come_back() {
        let queue = Served::new("gpu".into(), 2, None);
        assert_eq!(queue.room(), Ok(2));
        let places = (queue.enter(), queue.enter());
        assert!(places.0.is_some() && places.1.is_some() && queue.enter().is_none());
        assert_eq!(queue.room(), Err(None));
        drop(places);
        assert_eq!(queue.room(), Ok(2));
    }

    #[tokio::test(start_paused = true)]
    async fn the_least_rate_gives_one_and_a_wait() {
        let queue = Served::new("mail".into(), 1_000, Some(f64::MIN_POSITIVE));
        assert!(queue.enter().is_some());
        let Err(Some(at)) = queue.room() else { panic!("there is no more") };
        assert!(at > Instant::now() + Duration::from_secs(1_000_000));
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_is_kept_on_average() {
        let queue = Served::new("mail".into(), 1_000, Some(4.0));
        let began = Instant::now();
        let mut begun = 0;
        while begun < 44 {
            match queue.room() {
                Ok(room) => begun += (0..room).filter_map(|_| queue.enter()).count(),
                Err(Some(at)) => tokio::time::sleep_until(at).await,
                Err(None) => panic!("there are places enough"),
            }
        }
        // The first four at once, then one every quarter of a second.
        let seconds = began.elapsed().as_secs_f64();
        assert!((9.9..10.1).contains(&seconds), "{seconds}");
    }
}

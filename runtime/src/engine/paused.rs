//! Tests in virtual time.
//!
//! While every task waits, a paused clock jumps to the next timer. On such a clock, clients and workers therefore
//! poll less often than every two seconds: otherwise a test that sleeps for a month would wake up a million times.

use std::hint::spin_loop;
use std::time::{Duration, Instant};

use crate::store::Store;

/// The poll interval on a paused clock: 8,640 polls a month.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_secs(300);

/// Longer than the resolution of any monotonic clock that tokio uses.
const SHORT: Duration = Duration::from_micros(50);

/// Whether tokio's clock is paused, as in a `#[tokio::test(start_paused = true)]` and after `tokio::time::pause()`.
/// Does not await, since tokio advances a paused clock only while every task waits.
pub(crate) fn tokio_clock_is_paused() -> bool {
    let (real, of_tokio) = (Instant::now(), tokio::time::Instant::now());
    while real.elapsed() < SHORT {
        spin_loop();
    }
    of_tokio.elapsed().is_zero()
}

/// How often a client polls for lost notifications; `interval` unless the clock is paused.
pub(crate) fn poll_interval(store: &dyn Store, interval: Duration) -> Duration {
    match store.has_virtual_clock() && tokio_clock_is_paused() {
        true => POLL_INTERVAL,
        false => interval,
    }
}

#[cfg(test)]
mod tests {
    use super::tokio_clock_is_paused;

    #[tokio::test]
    async fn a_clock_is_paused_until_it_is_resumed() {
        assert!(!tokio_clock_is_paused());
        tokio::time::pause();
        assert!(tokio_clock_is_paused());
        tokio::time::resume();
        assert!(!tokio_clock_is_paused());
    }
}

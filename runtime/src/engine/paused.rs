//! Tests in virtual time.
//!
//! While every task waits, a paused clock jumps to the next timer, whatever that is for. So on such a clock nobody looks
//! every two seconds for what news may have been lost of: a test that sleeps for a month would have a million stops.

use std::hint::spin_loop;
use std::time::{Duration, Instant};

use crate::store::Store;

/// How often somebody looks for what no news has told of, on a clock that is paused: 8,640 times a month.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_secs(300);

/// Longer than the resolution of any monotonic clock that tokio runs on.
const SHORT: Duration = Duration::from_micros(50);

/// Whether tokio's clock stands still while time passes, as it does in a `#[tokio::test(start_paused = true)]` and
/// after `tokio::time::pause()`. Asks without an await, since tokio moves a paused clock on only while every task
/// waits.
pub(crate) fn tokio_clock_is_paused() -> bool {
    let (real, of_tokio) = (Instant::now(), tokio::time::Instant::now());
    while real.elapsed() < SHORT {
        spin_loop();
    }
    of_tokio.elapsed().is_zero()
}

/// How often a client looks for what no news has told of, which it does every `interval` otherwise.
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

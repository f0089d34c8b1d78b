//! Whether timers can fire.

use std::hint::spin_loop;
use std::time::{Duration, Instant};

/// Longer than the resolution of any monotonic clock that tokio runs on.
const SHORT: Duration = Duration::from_micros(50);

/// Whether tokio's clock stands still while time passes, as it does in a `#[tokio::test(start_paused = true)]` and
/// after `tokio::time::pause()`. Asks without an await, since tokio moves a paused clock on only while every task
/// waits.
pub(super) fn tokio_clock_is_paused() -> bool {
    let (real, of_tokio) = (Instant::now(), tokio::time::Instant::now());
    while real.elapsed() < SHORT {
        spin_loop();
    }
    of_tokio.elapsed().is_zero()
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

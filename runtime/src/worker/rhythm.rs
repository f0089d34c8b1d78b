//! The intervals of a worker.

use std::time::Duration;

use crate::engine::paused;
use crate::engine::session::Intervals;

const LEASE: Duration = Duration::from_secs(15);

/// The longest lease: a year, which can be added to the time of any database.
pub(super) const LONGEST_LEASE: Duration = Duration::from_secs(365 * 86_400);

const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// How often it looks for dead workers. Together with the time that a store needs to be sure and a claim, their runs
/// continue well within a second.
const WATCH_INTERVAL: Duration = Duration::from_millis(300);

/// The intervals that the program has set.
#[derive(Debug, Default)]
pub(super) struct Rhythm {
    pub(super) lease: Option<Duration>,
    pub(super) poll_interval: Option<Duration>,
}

impl Rhythm {
    /// The intervals. Those that the program has not set are long if tokio's clock is paused: in such tests no process
    /// dies, and no notification is lost.
    pub(super) fn intervals(&self, is_paused: bool) -> Intervals {
        let (lease, poll_interval) = match is_paused {
            true => (LONGEST_LEASE, paused::POLL_INTERVAL),
            false => (LEASE, POLL_INTERVAL),
        };
        let poll = self.poll_interval.unwrap_or(poll_interval);
        let watch = match is_paused && self.poll_interval.is_none() {
            true => poll,
            false => WATCH_INTERVAL.min(poll),
        };
        Intervals { lease: self.lease.unwrap_or(lease), poll, watch }
    }
}

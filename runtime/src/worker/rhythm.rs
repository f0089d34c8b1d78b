//! The intervals of a worker.

use std::time::Duration;

use crate::engine::paused;
use crate::engine::session::Settings;

pub(super) const LEASE: Duration = Duration::from_secs(15);

/// The longest lease: a year, which can be added to the time of any database.
pub(super) const LONGEST_LEASE: Duration = Duration::from_secs(365 * 86_400);

pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// How often it looks for dead workers. Together with the time that a store needs to be sure and a claim, their
/// runs continue well within a second.
pub(super) const WATCH_INTERVAL: Duration = Duration::from_millis(300);

/// The intervals that the program has set.
#[derive(Debug, Default)]
pub(super) struct Rhythm {
    pub(super) lease: Option<Duration>,
    pub(super) poll_interval: Option<Duration>,
}

impl Rhythm {
    /// Sets the other intervals. If tokio's clock is paused, they are long: in such tests no process dies, and no
    /// notification is lost.
    pub(super) fn set(&self, settings: &mut Settings, is_paused: bool) {
        let (lease, poll_interval) = match is_paused {
            true => (LONGEST_LEASE, paused::POLL_INTERVAL),
            false => (LEASE, POLL_INTERVAL),
        };
        settings.lease = self.lease.unwrap_or(lease);
        settings.poll_interval = self.poll_interval.unwrap_or(poll_interval);
        settings.watch_interval = match is_paused && self.poll_interval.is_none() {
            true => settings.poll_interval,
            false => WATCH_INTERVAL.min(settings.poll_interval),
        };
    }
}

//! How often a worker does what it does again and again.

use std::time::Duration;

use crate::engine::paused;
use crate::engine::session::Settings;

pub(super) const LEASE: Duration = Duration::from_secs(15);

/// The longest lease: a year, which can be added to the time of every database.
pub(super) const LONGEST_LEASE: Duration = Duration::from_secs(365 * 86_400);

pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// How often it looks for workers that have died. With the time that a store takes to be sure and a claim, their runs go
/// on well within a second.
pub(super) const WATCH_INTERVAL: Duration = Duration::from_millis(300);

/// What the program has set.
#[derive(Debug, Default)]
pub(super) struct Rhythm {
    pub(super) lease: Option<Duration>,
    pub(super) poll_interval: Option<Duration>,
}

impl Rhythm {
    /// Sets what the program has left open by whether tokio's clock is paused: nobody dies unseen there, and all news is
    /// heard.
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

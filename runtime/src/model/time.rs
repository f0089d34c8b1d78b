//! Points in time as stores keep them, and the duration words of the user API.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A point in time: microseconds since the Unix epoch, UTC. Arithmetic saturates, so a deadline a
/// million years away is "never" and not a panic.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The latest time that can be told.
    pub const MAX: Self = Self(i64::MAX);

    /// The earliest time that can be told.
    pub const MIN: Self = Self(i64::MIN);

    /// The machine's wall clock.
    pub fn now() -> Self {
        match std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH) {
            Ok(since) => Self(i64::try_from(since.as_micros()).unwrap_or(i64::MAX)),
            Err(before) => Self(-i64::try_from(before.duration().as_micros()).unwrap_or(i64::MAX)),
        }
    }

    /// Microseconds since the Unix epoch.
    pub fn as_micros(self) -> i64 {
        self.0
    }

    /// How long after `earlier` this is; zero if it is not after it.
    pub fn saturating_since(self, earlier: Self) -> Duration {
        let micros = self.0.saturating_sub(earlier.0);
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    }
}

impl std::ops::Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, by: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(by.as_micros()).unwrap_or(i64::MAX)))
    }
}

impl std::ops::Sub<Duration> for Timestamp {
    type Output = Self;

    fn sub(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(by.as_micros()).unwrap_or(i64::MAX)))
    }
}

impl std::ops::Sub for Timestamp {
    type Output = Duration;

    /// As [`saturating_since`](Self::saturating_since).
    fn sub(self, earlier: Self) -> Duration {
        self.saturating_since(earlier)
    }
}

impl std::ops::AddAssign<Duration> for Timestamp {
    fn add_assign(&mut self, by: Duration) {
        *self = *self + by;
    }
}

impl std::ops::SubAssign<Duration> for Timestamp {
    fn sub_assign(&mut self, by: Duration) {
        *self = *self - by;
    }
}

impl From<jiff::Timestamp> for Timestamp {
    fn from(at: jiff::Timestamp) -> Self {
        Self(at.as_microsecond())
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(at) => fmt::Display::fmt(&at, f),
            Err(_) => write!(f, "{} µs after 1970", self.0),
        }
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// `count` seconds.
pub const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// `count` minutes.
pub const fn minutes(count: u64) -> Duration {
    Duration::from_secs(count.saturating_mul(60))
}

/// `count` hours.
pub const fn hours(count: u64) -> Duration {
    Duration::from_secs(count.saturating_mul(3_600))
}

/// `count` days of 24 hours.
pub const fn days(count: u64) -> Duration {
    Duration::from_secs(count.saturating_mul(86_400))
}

/// Reads a duration such as `30s`, `1m`, `250ms` or `1h 30m`, in the friendly format of `jiff`.
///
/// # Errors
/// The text is not a duration, is negative, or uses calendar units (months, years).
pub fn parse_duration(text: &str) -> Result<Duration, jiff::Error> {
    let signed: jiff::SignedDuration = text.parse()?;
    Duration::try_from(signed)
}

//! Timestamps, as stored, and the duration functions of the user API.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A point in time: microseconds since the Unix epoch, UTC. Arithmetic saturates, so a deadline a million years
/// away means "never" and does not panic.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The latest representable time.
    pub const MAX: Self = Self(i64::MAX);

    /// The earliest representable time.
    pub const MIN: Self = Self(i64::MIN);

    /// The machine's wall clock.
    pub fn now() -> Self {
        SystemTime::now().into()
    }

    /// Microseconds since the Unix epoch.
    pub fn as_micros(self) -> i64 {
        self.0
    }

    /// The time since `earlier`; zero if this is before `earlier`.
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

    /// See [`saturating_since`](Self::saturating_since).
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

impl From<SystemTime> for Timestamp {
    fn from(at: SystemTime) -> Self {
        match at.duration_since(UNIX_EPOCH) {
            Ok(since) => Self(i64::try_from(since.as_micros()).unwrap_or(i64::MAX)),
            Err(before) => Self(-i64::try_from(before.duration().as_micros()).unwrap_or(i64::MAX)),
        }
    }
}

#[cfg(feature = "jiff")]
impl From<jiff::Timestamp> for Timestamp {
    fn from(at: jiff::Timestamp) -> Self {
        Self(at.as_microsecond())
    }
}

/// A text that is not a time: see [`Timestamp`'s `FromStr`](Timestamp#impl-FromStr-for-Timestamp).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a time in UTC, such as 2026-01-31 or 2026-01-31T12:00:00Z")]
pub struct ParseTimestampError {
    text: String,
}

impl FromStr for Timestamp {
    type Err = ParseTimestampError;

    /// Parses a time in UTC from 1970 on: `2026-01-31`, `2026-01-31 12:00:00` or `2026-01-31T12:00:00.5Z`.
    fn from_str(text: &str) -> Result<Self, ParseTimestampError> {
        let error = || ParseTimestampError { text: text.to_owned() };
        let at = match text.len() {
            10 => humantime::parse_rfc3339_weak(&format!("{text} 00:00:00")),
            _ => humantime::parse_rfc3339_weak(text),
        };
        let at = at.map_err(|_| error())?;
        if at < UNIX_EPOCH {
            return Err(error());
        }
        Ok(at.into())
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339, in UTC. Times before 1970 or after 9999 are shown as numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The end of the year 9999.
        const END: i64 = 253_402_300_800_000_000;
        match u64::try_from(self.0).map(Duration::from_micros) {
            Ok(since) if self.0 < END => {
                let at = UNIX_EPOCH + since;
                match self.0 {
                    whole if whole % 1_000_000 == 0 => humantime::format_rfc3339_seconds(at).fmt(f),
                    whole if whole % 1_000 == 0 => humantime::format_rfc3339_millis(at).fmt(f),
                    _ => humantime::format_rfc3339_micros(at).fmt(f),
                }
            }
            _ => write!(f, "{} µs after 1970", self.0),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_as_exactly_as_it_is_known() {
        let told = |micros| Timestamp(micros).to_string();
        assert_eq!(told(0), "1970-01-01T00:00:00Z");
        assert_eq!(told(1_709_208_000_000_000), "2024-02-29T12:00:00Z");
        assert_eq!(told(1_709_208_000_250_000), "2024-02-29T12:00:00.250Z");
        assert_eq!(told(1_709_208_000_000_001), "2024-02-29T12:00:00.000001Z");
        assert_eq!(told(253_402_300_799_999_999), "9999-12-31T23:59:59.999999Z");
    }

    #[test]
    fn a_time_out_of_range_is_told_by_its_number() {
        assert_eq!(Timestamp(-1).to_string(), "-1 µs after 1970");
        assert_eq!(
            Timestamp(253_402_300_800_000_000).to_string(),
            "253402300800000000 µs after 1970"
        );
        assert_eq!(Timestamp::MAX.to_string(), format!("{} µs after 1970", i64::MAX));
        assert_eq!(Timestamp::MIN.to_string(), format!("{} µs after 1970", i64::MIN));
    }

    #[test]
    fn texts_are_times_in_utc() {
        let noon = Ok(Timestamp(1_709_208_000_000_000));
        assert_eq!("2024-02-29T12:00:00Z".parse(), noon);
        assert_eq!("2024-02-29 12:00:00".parse(), noon);
        assert_eq!("2024-02-29".parse().map(|at: Timestamp| at + hours(12)), noon);
        for micros in [0, 1_709_208_000_250_000, 1_709_208_000_000_001, 253_402_300_799_999_999] {
            assert_eq!(Timestamp(micros).to_string().parse(), Ok(Timestamp(micros)));
        }
        for wrong in ["", "yesterday", "2024-02-30", "2024-02-29T12:00:00+01:00", "1969-12-31"] {
            let error = wrong.parse::<Timestamp>().expect_err(wrong).to_string();
            assert!(error.starts_with(&format!("`{wrong}` is not a time in UTC")), "{error}");
        }
    }

    #[cfg(feature = "jiff")]
    #[test]
    fn a_time_of_jiff_is_the_same_time() {
        let at: jiff::Timestamp = "2024-02-29T12:00:00.25Z".parse().expect("a time");
        assert_eq!(Timestamp::from(at), Timestamp(1_709_208_000_250_000));
    }
}

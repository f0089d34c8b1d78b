//! Points in time, in whole seconds.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Whole seconds since 1970-01-01T00:00:00Z. As text it is RFC 3339 in UTC, such as `2026-11-26T12:00:00Z`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnixSeconds(pub i64);

impl UnixSeconds {
    /// The last possible due time, at the end of the year 9999.
    pub const MAX: Self = Self(253_402_207_200);

    /// The first representable time, at the beginning of the year -9999.
    pub const MIN: Self = Self(-377_705_023_201);

    /// The last whole second that is not after a time in microseconds since 1970.
    pub fn from_micros(micros: i64) -> Self {
        Self(micros.div_euclid(1_000_000))
    }

    /// The time in microseconds since 1970.
    pub fn as_micros(self) -> i64 {
        self.0.saturating_mul(1_000_000)
    }

    pub(crate) fn to_jiff(self) -> jiff::Timestamp {
        let second = self.0.clamp(Self::MIN.0, Self::MAX.0);
        jiff::Timestamp::from_second(second).unwrap_or_default()
    }
}

/// Why a text is not a point in time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a time: write it as RFC 3339 has it, such as `2026-11-26T12:00:00Z` or `2026-11-26T13:00:00+01:00`"
)]
pub struct ParseTimeError {
    text: String,
}

impl FromStr for UnixSeconds {
    type Err = ParseTimeError;

    /// Reads RFC 3339. A fraction of a second is dropped, so that the result is never after the time.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let at: jiff::Timestamp =
            text.trim().parse().map_err(|_| ParseTimeError { text: text.to_owned() })?;
        let whole = at.as_second() - i64::from(at.subsec_nanosecond() < 0);
        Ok(Self(whole))
    }
}

impl fmt::Display for UnixSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_jiff().fmt(f)
    }
}

impl Serialize for UnixSeconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for UnixSeconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_is_dropped_on_both_sides_of_1970() {
        let at = |text: &str| text.parse::<UnixSeconds>();
        assert_eq!(at("1970-01-01T00:00:01.9Z"), Ok(UnixSeconds(1)));
        assert_eq!(at("1969-12-31T23:59:58.5Z"), Ok(UnixSeconds(-2)));
        assert_eq!(at("1970-01-01T01:00:00+01:00"), Ok(UnixSeconds(0)));
        assert!(at("yesterday").is_err());
    }

    #[test]
    fn the_ends_of_time_can_be_told() {
        assert_eq!(UnixSeconds::MAX.to_string(), "9999-12-30T22:00:00Z");
        assert_eq!(UnixSeconds(i64::MAX).to_string(), "9999-12-30T22:00:00Z");
        assert_eq!(UnixSeconds::MIN.to_string(), "-009999-01-02T01:59:59Z");
    }
}

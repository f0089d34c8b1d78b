//! Time zones, as periods with a constant offset from UTC.

use std::sync::LazyLock;

use jiff::tz::{TimeZone, TimeZoneDatabase};

use crate::error::SpecError;
use crate::time::UnixSeconds;

static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// The zone of that name, by the data of this crate.
pub(crate) fn named(name: &str) -> Result<TimeZone, SpecError> {
    DATABASE.get(name).map_err(|_| SpecError::Zone { name: name.to_owned() })
}

/// A stretch between two changes of a zone. All in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// Its first instant.
    pub(crate) start: i64,
    /// The first instant behind it.
    pub(crate) end: i64,
    /// The offset that is added to an instant to get the local time.
    pub(crate) offset: i64,
    /// The offset before it.
    pub(crate) before: i64,
    /// The offset behind it.
    pub(crate) after: i64,
}

impl Stretch {
    /// The stretch that an instant lies in.
    pub(crate) fn at(zone: &TimeZone, at: i64) -> Self {
        let offset_at = |at: i64| i64::from(zone.to_offset(UnixSeconds(at).to_jiff()).seconds());
        let offset = offset_at(at);
        let start = zone.preceding(UnixSeconds(at + 1).to_jiff()).next();
        let end = zone.following(UnixSeconds(at).to_jiff()).next();
        let start = start.map(|change| change.timestamp().as_second());
        let end = end.map(|change| change.timestamp().as_second());
        Self {
            start: start.unwrap_or(UnixSeconds::MIN.0),
            end: end.unwrap_or(UnixSeconds::MAX.0 + 1),
            offset,
            before: start.map_or(offset, |start| offset_at(start - 1)),
            after: end.map_or(offset, offset_at),
        }
    }

    /// The local time at which the clock was put forward or back at the start.
    pub(crate) fn local_before_start(&self) -> i64 {
        self.start + self.before
    }

    pub(crate) fn local_start(&self) -> i64 {
        self.start + self.offset
    }

    pub(crate) fn local_end(&self) -> i64 {
        self.end + self.offset
    }

    pub(crate) fn local_after_end(&self) -> i64 {
        self.end + self.after
    }
}

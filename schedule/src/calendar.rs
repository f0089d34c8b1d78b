//! Calendars: sets of local times.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::{Offset, TimeZone};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::SpecError;
use crate::field::{
    DAY_OF_MONTH, DAY_OF_WEEK, Field, FieldKind, HOUR, MINUTE, MONTH, SECOND, YEAR,
};
use crate::zone;

/// The seconds of a local day.
pub(crate) const DAY: i64 = 86_400;

/// Local times, by their fields. A time is in the calendar if each field contains its part of it.
///
/// A field is a list of ranges: `1,15`, `11-14`, `*`, each with an optional step, `*/5` or `10-50/10`. `5/15`
/// extends from 5 to the end of the field, and a range whose end is before its start wraps around, such as `22-4`
/// for hours. Months and days of the week have names, in upper or lower case, whole or abbreviated to three
/// letters: `Jan`, `MON-FRI`. Sunday is 0 and 7.
///
/// Hour, minute and second default to 0, the other fields to `*`. So an exclusion of a whole day needs `*` for all
/// three of them, see [`whole_day`](Self::whole_day).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Calendar {
    #[serde(default, deserialize_with = "text_or_number", skip_serializing_if = "Option::is_none")]
    year: Option<String>,
    #[serde(default, deserialize_with = "text_or_number", skip_serializing_if = "Option::is_none")]
    month: Option<String>,
    #[serde(default, alias = "day_of_month", deserialize_with = "text_or_number")]
    #[serde(skip_serializing_if = "Option::is_none")]
    day_of_month: Option<String>,
    #[serde(default, alias = "day_of_week", deserialize_with = "text_or_number")]
    #[serde(skip_serializing_if = "Option::is_none")]
    day_of_week: Option<String>,
    #[serde(default, deserialize_with = "text_or_number", skip_serializing_if = "Option::is_none")]
    hour: Option<String>,
    #[serde(default, deserialize_with = "text_or_number", skip_serializing_if = "Option::is_none")]
    minute: Option<String>,
    #[serde(default, deserialize_with = "text_or_number", skip_serializing_if = "Option::is_none")]
    second: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    #[serde(default, alias = "timeZone", alias = "time_zone")]
    #[serde(skip_serializing_if = "Option::is_none")]
    zone: Option<String>,
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: impl fmt::Display) -> Self {
            self.$name = Some($name.to_string());
            self
        }
    )*};
}

impl Calendar {
    /// Midnight of each day.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// The years, from 1970 to 9999.
        year
        /// The months, from 1 to 12, or their names.
        month
        /// The days of the month, from 1 to 31.
        day_of_month
        /// The days of the week, from 0 for Sunday to 6, 7 for Sunday again, or their names.
        day_of_week
        /// The hours, from 0 to 23.
        hour
        /// The minutes, from 0 to 59.
        minute
        /// The seconds, from 0 to 59.
        second
        /// A comment, for people.
        comment
        /// The time zone of this calendar, if it differs from that of the spec.
        zone
    }

    /// All times of the days, for exclusions.
    #[must_use]
    pub fn whole_day(self) -> Self {
        self.hour("*").minute("*").second("*")
    }

    /// Reads the fields; `zone` is that of the spec.
    pub(crate) fn compile(&self, zone: &TimeZone) -> Result<Compiled, SpecError> {
        let field = |kind: &FieldKind, text: &Option<String>, default| {
            Field::parse(kind, text.as_deref().unwrap_or(default))
        };
        Ok(Compiled {
            year: field(&YEAR, &self.year, "*")?,
            month: field(&MONTH, &self.month, "*")?,
            day_of_month: field(&DAY_OF_MONTH, &self.day_of_month, "*")?,
            day_of_week: field(&DAY_OF_WEEK, &self.day_of_week, "*")?,
            hour: field(&HOUR, &self.hour, "0")?,
            minute: field(&MINUTE, &self.minute, "0")?,
            second: field(&SECOND, &self.second, "0")?,
            zone: match &self.zone {
                Some(name) => zone::named(name)?,
                None => zone.clone(),
            },
            bits: Bits::default(),
            unit: 1,
        }
        .with_bits())
    }

    /// The same calendar with each field in its canonical text.
    pub(crate) fn canonical(&self, compiled: &Compiled) -> Self {
        let field = |field: &Field| Some(field.canonical());
        Self {
            year: field(&compiled.year),
            month: field(&compiled.month),
            day_of_month: field(&compiled.day_of_month),
            day_of_week: field(&compiled.day_of_week),
            hour: field(&compiled.hour),
            minute: field(&compiled.minute),
            second: field(&compiled.second),
            comment: self.comment.clone(),
            zone: self.zone.clone(),
        }
    }
}

/// A calendar as given: by fields, or as a cron string. In JSON, an object or a string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum CalendarForm {
    /// By fields.
    Fields(Calendar),
    /// As a cron string.
    Cron(String),
}

impl From<Calendar> for CalendarForm {
    fn from(calendar: Calendar) -> Self {
        Self::Fields(calendar)
    }
}

impl From<&str> for CalendarForm {
    fn from(cron: &str) -> Self {
        Self::Cron(cron.to_owned())
    }
}

impl<'de> Deserialize<'de> for CalendarForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Form;
        impl<'de> Visitor<'de> for Form {
            type Value = CalendarForm;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a calendar with named fields, or a cron string")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<CalendarForm, E> {
                Ok(CalendarForm::Cron(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<CalendarForm, A::Error> {
                Calendar::deserialize(MapAccessDeserializer::new(map)).map(CalendarForm::Fields)
            }
        }
        deserializer.deserialize_any(Form)
    }
}

/// Reads a field, which may be a number alone.
fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    struct Text;
    impl Visitor<'_> for Text {
        type Value = Option<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("ranges as text, such as \"1,15\" or \"*/5\", or one number")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Option<String>, E> {
            Ok(Some(text.to_owned()))
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<Option<String>, E> {
            Ok(Some(number.to_string()))
        }

        fn visit_i64<E: Error>(self, number: i64) -> Result<Option<String>, E> {
            Ok(Some(number.to_string()))
        }

        fn visit_unit<E: Error>(self) -> Result<Option<String>, E> {
            Ok(None)
        }
    }
    deserializer.deserialize_any(Text)
}

/// A calendar whose fields are read.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    year: Field,
    month: Field,
    day_of_month: Field,
    day_of_week: Field,
    hour: Field,
    minute: Field,
    second: Field,
    pub(crate) zone: TimeZone,
    bits: Bits,
    /// The longest unit of time of which it contains all or nothing, in seconds.
    unit: i64,
}

/// The fields as bits, by value.
#[derive(Clone, Copy, Debug, Default)]
struct Bits {
    month: u64,
    day_of_month: u64,
    day_of_week: u64,
    hour: u64,
    minute: u64,
    second: u64,
}

impl Compiled {
    fn with_bits(mut self) -> Self {
        self.bits = Bits {
            month: self.month.bits(),
            day_of_month: self.day_of_month.bits(),
            day_of_week: self.day_of_week.bits(),
            hour: self.hour.bits(),
            minute: self.minute.bits(),
            second: self.second.bits(),
        };
        self.unit = self.unit();
        self
    }

    /// Whether it is due whenever the local clock shows one of its times; see the [crate](crate).
    pub(crate) fn is_periodic(&self) -> bool {
        self.hour.is_periodic() || self.minute.is_periodic() || self.second.is_periodic()
    }

    /// The first of its local times from `from` on. A local time is told as seconds, as if it were UTC.
    pub(crate) fn next_local(&self, from: i64) -> Option<i64> {
        let from = from.max(0);
        let date = date_of(from)?;
        if self.days(date.year(), date.month()) & (1 << date.day()) != 0
            && let Some(time) = self.next_time(from.rem_euclid(DAY))
        {
            return Some(from - from.rem_euclid(DAY) + time);
        }
        let day = self.next_day(date.tomorrow().ok()?)?;
        Some(start_of(day)? + self.next_time(0)?)
    }

    /// Whether a local time is in it.
    pub(crate) fn contains(&self, local: i64) -> bool {
        let Some(date) = date_of(local) else { return false };
        self.year.contains(date.year().unsigned_abs())
            && self.days(date.year(), date.month()) & (1 << date.day()) != 0
            && self.next_time(local.rem_euclid(DAY)) == Some(local.rem_euclid(DAY))
    }

    /// If it contains the local time `local`: a number of seconds from there on that it contains without a gap.
    pub(crate) fn stretch(&self, local: i64) -> i64 {
        match self.unit {
            i64::MAX => i64::MAX - local.max(0),
            unit => unit - local.rem_euclid(unit),
        }
    }

    /// The longest unit of time of which it contains all or nothing, in seconds.
    fn unit(&self) -> i64 {
        if !self.second.is_full() {
            1
        } else if !self.minute.is_full() {
            60
        } else if !self.hour.is_full() {
            3_600
        } else if [&self.day_of_month, &self.day_of_week, &self.month, &self.year]
            .iter()
            .all(|field| field.is_full())
        {
            i64::MAX
        } else {
            DAY
        }
    }

    /// Its days in a month of a year it may have, as bits by day.
    fn days(&self, year: i16, month: i8) -> u64 {
        let Ok(first) = Date::new(year, month, 1) else { return 0 };
        if self.bits.month & (1 << month) == 0 || !self.year.contains(year.unsigned_abs()) {
            return 0;
        }
        let first_weekday = first.weekday().to_sunday_zero_offset();
        let length = first.days_in_month();
        (1..=length)
            .filter(|day| self.bits.day_of_week & (1 << ((first_weekday + day - 1) % 7)) != 0)
            .fold(0, |days, day| days | 1 << day)
            & self.bits.day_of_month
    }

    /// The first of its days from `from` on.
    fn next_day(&self, from: Date) -> Option<Date> {
        let mut year = self.year.next(from.year().unsigned_abs())?;
        let (mut month, mut day) = (from.month(), from.day());
        loop {
            let calendar_year = year as i16;
            if calendar_year != from.year() {
                (month, day) = (1, 1);
            }
            while month <= 12 {
                let days = self.days(calendar_year, month) & (!0 << day);
                if days != 0 {
                    return Date::new(calendar_year, month, days.trailing_zeros() as i8).ok();
                }
                (month, day) = (month + 1, 1);
            }
            year = self.year.next(year + 1)?;
        }
    }

    /// The first of its times of day from `from` on, in seconds.
    fn next_time(&self, from: i64) -> Option<i64> {
        let (hour, minute, second) = (from / 3_600, from / 60 % 60, from % 60);
        let first_minute = next_bit(self.bits.minute, 0)?;
        let first_second = next_bit(self.bits.second, 0)?;
        let found = next_bit(self.bits.hour, hour)?;
        if found > hour {
            return Some(found * 3_600 + first_minute * 60 + first_second);
        }
        if let Some(found) = next_bit(self.bits.minute, minute) {
            if found > minute {
                return Some(hour * 3_600 + found * 60 + first_second);
            }
            if let Some(found) = next_bit(self.bits.second, second) {
                return Some(hour * 3_600 + minute * 60 + found);
            }
            if let Some(found) = next_bit(self.bits.minute, minute + 1) {
                return Some(hour * 3_600 + found * 60 + first_second);
            }
        }
        let found = next_bit(self.bits.hour, hour + 1)?;
        Some(found * 3_600 + first_minute * 60 + first_second)
    }
}

/// The lowest bit from `from` on.
fn next_bit(bits: u64, from: i64) -> Option<i64> {
    let rest = bits.checked_shr(from as u32).unwrap_or(0);
    (rest != 0).then(|| from + i64::from(rest.trailing_zeros()))
}

fn date_of(local: i64) -> Option<Date> {
    let at = Timestamp::from_second(local).ok()?;
    Some(Offset::UTC.to_datetime(at).date())
}

fn start_of(date: Date) -> Option<i64> {
    let midnight = date.to_datetime(Time::midnight());
    Offset::UTC.to_timestamp(midnight).ok().map(|at| at.as_second())
}

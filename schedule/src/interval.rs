//! Intervals of elapsed time.

use std::fmt;
use std::time::Duration;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::duration::{parse_seconds, seconds_text};
use crate::error::SpecError;

/// A fixed interval, counted from 1970-01-01T00:00:00Z, plus an offset. In JSON it is an object, such as
/// `{"interval": "90m", "offset": "5m"}`, or a string, such as `"6h/5h"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interval {
    interval: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<String>,
}

impl Interval {
    /// Due at this interval: at least one second, in whole seconds.
    pub fn every(interval: Duration) -> Self {
        Self { interval: text(interval), offset: None }
    }

    /// Delayed by `offset`, which must be shorter than the interval.
    #[must_use]
    pub fn offset(mut self, offset: Duration) -> Self {
        self.offset = Some(text(offset));
        self
    }

    /// Parses `6h` or `6h/5h`. The durations are parsed by [`compile`](Self::compile).
    pub(crate) fn parse(text: &str) -> Result<Self, SpecError> {
        let interval = match text.split_once('/') {
            Some((interval, offset)) => Self {
                interval: interval.trim().to_owned(),
                offset: Some(offset.trim().to_owned()),
            },
            None => Self { interval: text.trim().to_owned(), offset: None },
        };
        interval.compile().map(|_| interval)
    }

    pub(crate) fn compile(&self) -> Result<Compiled, SpecError> {
        let refused = |field, text: &str, problem| SpecError::Duration {
            field,
            text: text.to_owned(),
            problem,
        };
        let every = parse_seconds(&self.interval, 1)
            .map_err(|problem| refused("interval", &self.interval, problem))?;
        let Some(offset) = &self.offset else { return Ok(Compiled { every, offset: 0 }) };
        let seconds =
            parse_seconds(offset, 0).map_err(|problem| refused("offset", offset, problem))?;
        if seconds >= every {
            let problem = format!("is not shorter than the interval `{}`", self.interval);
            return Err(refused("offset", offset, problem));
        }
        Ok(Compiled { every, offset: seconds })
    }
}

/// An interval in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compiled {
    every: i64,
    offset: i64,
}

impl Compiled {
    /// The first of its times from `from` on, which is not before 1970.
    pub(crate) fn next(self, from: i64) -> Option<i64> {
        let count =
            from.saturating_sub(self.offset).saturating_add(self.every - 1).div_euclid(self.every);
        count.max(0).checked_mul(self.every)?.checked_add(self.offset)
    }

    pub(crate) fn canonical(self) -> Interval {
        let offset = (self.offset != 0).then(|| seconds_text(self.offset));
        Interval { interval: seconds_text(self.every), offset }
    }
}

/// A duration as text that loses nothing.
pub(crate) fn text(duration: Duration) -> String {
    match duration.subsec_nanos() {
        0 => seconds_text(i64::try_from(duration.as_secs()).unwrap_or(i64::MAX)),
        _ => format!("{}ns", duration.as_nanos()),
    }
}

impl<'de> Deserialize<'de> for Interval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            #[serde(alias = "every")]
            interval: String,
            #[serde(default, alias = "phase")]
            offset: Option<String>,
        }
        struct Form;
        impl<'de> Visitor<'de> for Form {
            type Value = Interval;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an interval such as \"6h\", \"6h/5h\" or {\"interval\": \"6h\", \"offset\": \"5h\"}")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Interval, E> {
                Interval::parse(text).map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Interval, A::Error> {
                let Fields { interval, offset } =
                    Fields::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Interval { interval, offset })
            }
        }
        deserializer.deserialize_any(Form)
    }
}

//! Specs as users write them.

use std::fmt;
use std::time::Duration;

use jiff::tz::TimeZone;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::calendar::{Calendar, CalendarForm};
use crate::clock_changes::ClockChanges;
use crate::cron::{self, Cron};
use crate::duration::parse_duration;
use crate::error::SpecError;
use crate::interval::{self, Interval};
use crate::time::UnixSeconds;
use crate::times::Times;
use crate::{calendar, zone};

/// When something is due: at the times of all calendars, intervals and cron strings, except those of the
/// exclusions, between the start and the end. Texts are kept as given; [`compile`](Self::compile) checks them, and
/// [`canonical`](Self::canonical) returns the canonical form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Spec {
    #[serde(alias = "calendar", skip_serializing_if = "Vec::is_empty")]
    calendars: Vec<CalendarForm>,
    #[serde(alias = "interval", skip_serializing_if = "Vec::is_empty")]
    intervals: Vec<Interval>,
    #[serde(alias = "crons", alias = "cronStrings", alias = "cron_strings")]
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    cron: Vec<String>,
    #[serde(alias = "excludes", alias = "exclusions", skip_serializing_if = "Vec::is_empty")]
    exclude: Vec<CalendarForm>,
    #[serde(alias = "startTime", alias = "start_time", alias = "startAt", alias = "start_at")]
    #[serde(deserialize_with = "start", skip_serializing_if = "Option::is_none")]
    start: Option<UnixSeconds>,
    #[serde(alias = "endTime", alias = "end_time", alias = "endAt", alias = "end_at")]
    #[serde(deserialize_with = "end", skip_serializing_if = "Option::is_none")]
    end: Option<UnixSeconds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jitter: Option<String>,
    #[serde(alias = "timeZone", alias = "time_zone", alias = "timezone")]
    #[serde(alias = "timezoneName", alias = "timezone_name")]
    #[serde(skip_serializing_if = "Option::is_none")]
    zone: Option<String>,
    #[serde(alias = "clock_changes", skip_serializing_if = "is_default")]
    clock_changes: ClockChanges,
}

/// A spec that is read, with its cron strings as calendars.
struct Read {
    times: Times,
    zone: TimeZone,
    calendars: Vec<Calendar>,
    excludes: Vec<Calendar>,
}

impl Spec {
    /// An empty spec, which is never due.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the times of a calendar.
    #[must_use]
    pub fn calendar(mut self, calendar: impl Into<CalendarForm>) -> Self {
        self.calendars.push(calendar.into());
        self
    }

    /// Adds a fixed interval: whole seconds, counted from 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn every(self, interval: Duration) -> Self {
        self.interval(Interval::every(interval))
    }

    /// Adds the times of an interval.
    #[must_use]
    pub fn interval(mut self, interval: Interval) -> Self {
        self.intervals.push(interval);
        self
    }

    /// Adds the times of a cron string:
    ///
    /// - five fields: minute, hour, day of the month, month, day of the week;
    /// - six: these and the year;
    /// - seven: the second, these and the year;
    /// - `@yearly`, `@annually`, `@monthly`, `@weekly`, `@daily`, `@midnight`, `@hourly`;
    /// - `@every 90s`, and with an offset `@every 6h/5h`.
    ///
    /// `CRON_TZ=Europe/Berlin` or `TZ=Europe/Berlin` may stand before it, and a comment after ` #` behind it. If
    /// neither day field begins with `*`, a day is due that fits one of them.
    #[must_use]
    pub fn cron(mut self, cron: impl Into<String>) -> Self {
        self.cron.push(cron.into());
        self
    }

    /// Excludes the times of a calendar.
    #[must_use]
    pub fn exclude(mut self, calendar: impl Into<CalendarForm>) -> Self {
        self.exclude.push(calendar.into());
        self
    }

    /// Removes all calendars, intervals and cron strings; the exclusions and the other settings stay.
    #[must_use]
    pub fn without_times(self) -> Self {
        Self { calendars: Vec::new(), intervals: Vec::new(), cron: Vec::new(), ..self }
    }

    /// Removes all exclusions.
    #[must_use]
    pub fn without_exclusions(self) -> Self {
        Self { exclude: Vec::new(), ..self }
    }

    /// Excludes times before `start`. Default: none.
    #[must_use]
    pub fn start(mut self, start: UnixSeconds) -> Self {
        self.start = Some(start);
        self
    }

    /// Excludes times after `end`. Default: none.
    #[must_use]
    pub fn end(mut self, end: UnixSeconds) -> Self {
        self.end = Some(end);
        self
    }

    /// Delays each time by up to `jitter`, but to before the next time; see [`jitter`](crate::jitter()). Default:
    /// none.
    #[must_use]
    pub fn jitter(mut self, jitter: Duration) -> Self {
        self.jitter = Some(interval::text(jitter));
        self
    }

    /// Sets the time zone of calendars and cron strings without their own: a name in the IANA database. Default:
    /// UTC.
    #[must_use]
    pub fn zone(mut self, zone: impl Into<String>) -> Self {
        self.zone = Some(zone.into());
        self
    }

    /// Sets the policy for fixed times at clock changes.
    #[must_use]
    pub fn clock_changes(mut self, policy: ClockChanges) -> Self {
        self.clock_changes = policy;
        self
    }

    /// Checks the spec and returns its times.
    ///
    /// # Errors
    /// A [`SpecError`] that names the field, its text, and how to fix it. A spec that is never due is refused.
    pub fn compile(&self) -> Result<Times, SpecError> {
        self.read().map(|read| read.times)
    }

    /// The same spec in its canonical form: names as numbers, cron strings as calendars and intervals, all fields
    /// explicit.
    ///
    /// # Errors
    /// Those of [`compile`](Self::compile).
    pub fn canonical(&self) -> Result<Self, SpecError> {
        let Read { times, zone, calendars, excludes } = self.read()?;
        let canonical = |written: &[Calendar], compiled: &[calendar::Compiled]| {
            let both = written.iter().zip(compiled);
            both.map(|(written, compiled)| written.canonical(compiled).into()).collect()
        };
        Ok(Self {
            calendars: canonical(&calendars, &times.calendars),
            intervals: times.intervals.iter().map(|interval| interval.canonical()).collect(),
            cron: Vec::new(),
            exclude: canonical(&excludes, &times.excludes),
            start: self.start,
            end: self.end,
            jitter: (!times.jitter.is_zero()).then(|| interval::text(times.jitter)),
            zone: zone.iana_name().filter(|name| *name != "UTC").map(str::to_owned),
            clock_changes: self.clock_changes,
        })
    }

    fn read(&self) -> Result<Read, SpecError> {
        let zone = match &self.zone {
            Some(name) => zone::named(name)?,
            None => TimeZone::UTC,
        };
        let mut intervals = self.intervals.clone();
        let mut calendars = Vec::new();
        let crons = self.cron.iter().map(|text| CalendarForm::Cron(text.clone()));
        for form in self.calendars.iter().cloned().chain(crons) {
            match form {
                CalendarForm::Fields(calendar) => calendars.push(calendar),
                CalendarForm::Cron(text) => match cron::parse(&text)? {
                    Cron::Calendars(read) => calendars.extend(read),
                    Cron::Interval(read) => intervals.push(read),
                },
            }
        }
        if calendars.is_empty() && intervals.is_empty() {
            return Err(SpecError::Empty);
        }
        let mut excludes = Vec::new();
        for form in &self.exclude {
            match form {
                CalendarForm::Fields(calendar) => excludes.push(calendar.clone()),
                CalendarForm::Cron(text) => match cron::parse(text)? {
                    Cron::Calendars(read) => excludes.extend(read),
                    Cron::Interval(_) => {
                        let problem = "an exclusion is a calendar: write its fields".to_owned();
                        return Err(SpecError::Cron { text: text.clone(), problem });
                    }
                },
            }
        }
        if let (Some(start), Some(end)) = (self.start, self.end)
            && end < start
        {
            return Err(SpecError::Bounds { start, end });
        }
        let jitter = match &self.jitter {
            None => Duration::ZERO,
            Some(text) => parse_duration(text).map_err(|problem| SpecError::Duration {
                field: "jitter",
                text: text.clone(),
                problem,
            })?,
        };
        let compile = |calendars: &[Calendar]| {
            calendars.iter().map(|calendar| calendar.compile(&zone)).collect::<Result<Vec<_>, _>>()
        };
        let times = Times {
            calendars: compile(&calendars)?,
            intervals: intervals.iter().map(Interval::compile).collect::<Result<_, _>>()?,
            excludes: compile(&excludes)?,
            start: self.start,
            end: self.end,
            clock_changes: self.clock_changes,
            jitter,
        };
        match times.next(UnixSeconds::MIN) {
            Some(_) => Ok(Read { times, zone, calendars, excludes }),
            None => Err(SpecError::NeverDue),
        }
    }
}

/// The next `count` times after `from`, without jitter; fewer if there are no more.
///
/// # Errors
/// Those of [`Spec::compile`].
pub fn next_times(
    spec: &Spec,
    from: UnixSeconds,
    count: usize,
) -> Result<Vec<UnixSeconds>, SpecError> {
    Ok(spec.compile()?.after(from).take(count).collect())
}

fn is_default(policy: &ClockChanges) -> bool {
    *policy == ClockChanges::default()
}

/// The first whole second that is not before the time.
fn start<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<UnixSeconds>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    let whole: UnixSeconds =
        text.parse().map_err(|error| D::Error::custom(format!("start: {error}")))?;
    let has_fraction = text.parse().is_ok_and(|at: jiff::Timestamp| at.subsec_nanosecond() != 0);
    Ok(Some(UnixSeconds(whole.0 + i64::from(has_fraction))))
}

fn end<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<UnixSeconds>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    text.parse().map(Some).map_err(|error| D::Error::custom(format!("end: {error}")))
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Texts;
    impl<'de> Visitor<'de> for Texts {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a cron string or a list of them")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Vec<String>, E> {
            Ok(vec![text.to_owned()])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<String>, A::Error> {
            let mut texts = Vec::new();
            while let Some(text) = seq.next_element()? {
                texts.push(text);
            }
            Ok(texts)
        }
    }
    deserializer.deserialize_any(Texts)
}

//! When a schedule is due: calendars, intervals and cron strings, in any time zone.
//!
//! A [`Spec`] is the form in which a person writes a schedule. [`Spec::compile`] checks it and returns [`Times`],
//! which computes the due times. Everything here is a function of its arguments: there is no clock, and the time
//! zone database is part of the crate.
//!
//! ```
//! use piton_schedule::{Spec, next_times};
//!
//! let spec = Spec::new().cron("CRON_TZ=Europe/Berlin 30 12 * * MON-FRI");
//! let next = next_times(&spec, "2026-03-27T12:00:00Z".parse()?, 2)?;
//! let next: Vec<String> = next.iter().map(ToString::to_string).collect();
//! // The clocks go forward on the Sunday between.
//! assert_eq!(next, ["2026-03-30T10:30:00Z", "2026-03-31T10:30:00Z"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Clock changes
//!
//! A calendar is *fixed* if it names its hours and its minutes, and *periodic* if the text of its hour, minute
//! or second begins with `*` or allows every value.
//!
//! - A periodic calendar is due at each instant at which the local clock shows one of its times: in the hour
//!   that the clock skips it is not due, and in the hour that the clock repeats it is due in both passes. So
//!   `*/15 * * * *` is due every 15 minutes.
//! - A fixed calendar is due once for each of its local times. What happens to a time that the clock skips
//!   ([`Gap`]) or shows twice ([`Fold`]) is an option of the spec, see [`ClockChanges`].
//!
//! Intervals count elapsed time from 1970-01-01T00:00:00Z and do not depend on local clocks.

mod calendar;
mod clock_changes;
mod cron;
mod duration;
mod error;
mod field;
mod interval;
mod jitter;
mod spec;
mod time;
mod times;
mod zone;

pub use self::calendar::{Calendar, CalendarForm};
pub use self::clock_changes::{ClockChanges, Fold, Gap};
pub use self::duration::parse_duration;
pub use self::error::SpecError;
pub use self::interval::Interval;
pub use self::jitter::jitter;
pub use self::spec::{Spec, next_times};
pub use self::time::{ParseTimeError, UnixSeconds};
pub use self::times::{Times, TimesAfter};

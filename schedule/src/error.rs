//! Errors in a spec.

use crate::time::UnixSeconds;

/// Why a spec is refused. The message names the field, its text, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// A field of a calendar or cron string is not valid.
    #[error("{field} `{text}`: {problem}")]
    Field {
        /// The field, such as `minute` or `dayOfWeek`.
        field: &'static str,
        /// The whole text of the field.
        text: String,
        /// What is wrong, and how to fix it.
        problem: String,
    },
    /// A cron string is not valid.
    #[error("cron string `{text}`: {problem}")]
    Cron {
        /// The cron string.
        text: String,
        /// What is wrong, and how to fix it.
        problem: String,
    },
    /// A duration is not valid.
    #[error("{field} `{text}`: {problem}")]
    Duration {
        /// Where it stands: `interval`, `offset` or `jitter`.
        field: &'static str,
        /// The text.
        text: String,
        /// What is wrong, and how to fix it.
        problem: String,
    },
    /// A name that is not in the time zone database.
    #[error(
        "there is no time zone `{name}`: write a name of the IANA database, such as `Europe/Berlin`"
    )]
    Zone {
        /// The name.
        name: String,
    },
    /// The spec has no times.
    #[error("the spec is empty: give it a calendar, an interval or a cron string")]
    Empty,
    /// The spec ends before it starts.
    #[error("the spec ends at {end}, before it starts at {start}")]
    Bounds {
        /// Its start.
        start: UnixSeconds,
        /// Its end.
        end: UnixSeconds,
    },
    /// No time matches all parts of the spec.
    #[error(
        "the spec is never due: no date fits it, or all are excluded or lie outside of start and end"
    )]
    NeverDue,
}

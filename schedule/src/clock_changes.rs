//! The treatment of fixed times when the local clock changes.

use serde::{Deserialize, Serialize};

/// The policy for fixed times at clock changes; the [crate](crate) documentation defines fixed times.
///
/// The default is that of Vixie cron: a fixed time is due once a day, whatever the clock does.
/// [`ClockChanges::literal`] is the behavior of libraries that search for instants at which the clock shows the
/// time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct ClockChanges {
    /// A time that the clock skips.
    pub gap: Gap,
    /// A time that the clock shows twice.
    pub fold: Fold,
}

impl ClockChanges {
    /// Due at each instant at which the local clock shows the time: never in a gap, twice in a fold.
    pub fn literal() -> Self {
        Self { gap: Gap::Skip, fold: Fold::Both }
    }
}

/// The policy for a fixed time that the local clock skips, such as 02:30 when it changes from 02:00 to 03:00.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gap {
    /// It is due at the first instant after the gap, 03:00 in the example. Several skipped times are due
    /// once, together.
    #[default]
    After,
    /// It is due as long after the gap began as it would have been, at 03:30 in the example.
    Shift,
    /// It is not due.
    Skip,
}

/// The policy for a fixed time that the local clock shows twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fold {
    /// It is due the first time.
    #[default]
    First,
    /// It is due the second time.
    Last,
    /// It is due both times.
    Both,
}

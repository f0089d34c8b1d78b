//! Filters: conditions on the columns, attributes and variables of runs.
//!
//! A [`Filter`] is parsed from text, in the syntax of SQL's conditions, or built in Rust; each form can be
//! converted to the other. The guide page on finding runs describes the language.
//!
//! ```
//! use piton::filter::{self, Filter, FilterTime};
//! use piton::model::{RunStatus, days};
//!
//! let written: Filter = "status in ('running', 'blocked') and customer = 'c-17' \
//!     and since < now() - interval '3 days'".parse()?;
//! let made = filter::status().one_of([RunStatus::Running, RunStatus::Blocked])
//!     & filter::attribute("customer").equals("c-17")
//!     & filter::since().below(FilterTime::ago(days(3)));
//! assert_eq!(written, made);
//! assert_eq!(written.to_string().parse(), Ok(made));
//! # Ok::<_, piton::filter::FilterError>(())
//! ```
//!
//! A condition on a missing value is neither true nor false, and neither is its negation: `customer != 'c-17'` is
//! not true of runs without a customer. `customer is null` finds these.
//!
//! Invariant: a filter matches the same runs whether it is evaluated here or by a database. This module knows no
//! store.

mod alternatives;
mod column;
mod display;
mod error;
pub(crate) mod evaluate;
mod field;
pub(crate) mod literal;
mod parse;
pub(crate) mod sql;
pub(crate) mod tree;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

pub use self::column::Column;
pub(crate) use self::column::near;
pub use self::error::FilterError;
pub use self::field::{
    Comparable, Field, FilterTime, FilterValue, Ordered, attribute, blocked_at, closed_at,
    definition, due_at, run_id, since, started_at, state, status, variable, workflow, workflow_id,
};
use self::tree::{Condition, Scalar, Subject};
use crate::model::Timestamp;

/// Selects runs. The default matches all.
///
/// Combine filters with `&` and `|`, and negate them with `!`.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    condition: Condition,
}

impl Filter {
    /// All runs.
    pub fn all() -> Self {
        Self::of(Condition::always())
    }

    pub(crate) fn of(condition: Condition) -> Self {
        Self { condition }
    }

    /// Whether it refers to variables, which are not columns of the database:
    /// [`list_runs`](crate::client::Client::list_runs) then reads runs one by one.
    pub fn asks_for_variables(&self) -> bool {
        self.condition.tests().iter().any(|test| matches!(test.subject, Subject::Variable(_)))
    }

    /// Whether it has relative times.
    pub fn is_relative(&self) -> bool {
        let tests = self.condition.tests();
        tests.iter().any(|test| test.check.values().iter().any(Scalar::is_relative))
    }

    /// The names of the attributes that it refers to, each once.
    pub(crate) fn attributes(&self) -> BTreeSet<&str> {
        let names = self.condition.tests().into_iter().filter_map(|test| match &test.subject {
            Subject::Attribute(name) => Some(&**name),
            _ => None,
        });
        names.collect()
    }

    /// The filter with times relative to `now` made absolute.
    #[must_use]
    pub fn at(&self, now: Timestamp) -> Self {
        let condition = self.condition.clone().map(&mut |mut test| {
            test.check = test.check.map(|value| value.at(now));
            Condition::Test(test)
        });
        Self { condition }
    }

    /// The filter for a store: with absolute times, and every condition on a variable replaced by true.
    pub(crate) fn for_store(&self, now: Timestamp) -> Condition {
        self.at(now).condition.map(&mut |test| match test.subject {
            Subject::Variable(_) => Condition::always(),
            _ => Condition::Test(test),
        })
    }

    pub(crate) fn condition(&self) -> &Condition {
        &self.condition
    }

    /// Whether it matches all runs, as far as its form shows.
    pub fn is_all(&self) -> bool {
        self.condition.is_always()
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::all()
    }
}

impl From<&Filter> for Filter {
    fn from(filter: &Filter) -> Self {
        filter.clone()
    }
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        parse::parse(text).map(Self::of)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condition.fmt(f)
    }
}

impl std::ops::BitAnd for Filter {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self::of(self.condition.and(other.condition))
    }
}

impl std::ops::BitOr for Filter {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self::of(self.condition.or(other.condition))
    }
}

impl std::ops::Not for Filter {
    type Output = Self;

    fn not(self) -> Self {
        Self::of(self.condition.negated())
    }
}

#[cfg(test)]
mod tests;

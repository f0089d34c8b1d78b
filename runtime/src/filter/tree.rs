//! The syntax tree of a filter.
//!
//! Negations are at the leaves. A test of a missing value is neither true nor false, as in SQL. With negations at
//! the leaves it may count as false everywhere: `and` and `or` are then true in the same cases.

use std::time::Duration;

use super::column::Column;
use crate::model::{DefinitionHash, RunId, Timestamp};

/// A filter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    /// All of these are true; an empty list is true.
    All(Vec<Condition>),
    /// At least one of these is true; an empty list is false.
    Any(Vec<Condition>),
    /// This test is true.
    Test(Test),
}

/// One comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Test {
    /// The subject.
    pub(crate) subject: Subject,
    /// The check.
    pub(crate) check: Check,
    /// Whether the check is negated; a negated check still needs a value. For [`Check::Unset`], whether a value is
    /// needed.
    pub(crate) negated: bool,
}

/// The subject of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A column of every run.
    Column(Column),
    /// An attribute by its name.
    Attribute(String),
    /// A variable by name, or a part of one by its path.
    Variable(Vec<String>),
}

/// A check. For a list, it applies to the entries.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Check {
    /// It compares like this with a value.
    Compare(Comparison, Scalar),
    /// It is one of these.
    In(Vec<Scalar>),
    /// It has this prefix.
    StartsWith(String),
    /// It is not set.
    Unset,
}

/// Kinds of comparisons. Inequality is a negated [`Comparison::Equal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The value of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Text(String),
    Integer(i64),
    /// A finite number.
    Float(f64),
    Bool(bool),
    Time(Moment),
    RunId(RunId),
    Definition(DefinitionHash),
}

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A fixed time.
    At(Timestamp),
    /// This duration before the evaluation of the filter.
    Ago(Duration),
    /// This duration after the evaluation of the filter.
    In(Duration),
}

impl Condition {
    /// A condition that is always true.
    pub(crate) const fn always() -> Self {
        Self::All(Vec::new())
    }

    /// Whether it is always true, as far as its form shows.
    pub(crate) fn is_always(&self) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(Self::is_always),
            Self::Any(parts) => parts.iter().any(Self::is_always),
            Self::Test(_) => false,
        }
    }

    /// Both; nested `and`s are flattened.
    pub(crate) fn and(self, other: Self) -> Self {
        let parts = |condition| match condition {
            Self::All(parts) => parts,
            other => vec![other],
        };
        let mut all = parts(self);
        all.extend(parts(other));
        match <[Self; 1]>::try_from(all) {
            Ok([one]) => one,
            Err(all) => Self::All(all),
        }
    }

    /// At least one of the two.
    pub(crate) fn or(self, other: Self) -> Self {
        let parts = |condition| match condition {
            Self::Any(parts) => parts,
            other => vec![other],
        };
        let mut any = parts(self);
        any.extend(parts(other));
        match <[Self; 1]>::try_from(any) {
            Ok([one]) => one,
            Err(any) => Self::Any(any),
        }
    }

    /// The negation.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::All(parts) => Self::Any(parts.into_iter().map(Self::negated).collect()),
            Self::Any(parts) => Self::All(parts.into_iter().map(Self::negated).collect()),
            Self::Test(test) => Self::Test(Test { negated: !test.negated, ..test }),
        }
    }

    /// Replaces each test.
    pub(crate) fn map(self, change: &mut impl FnMut(Test) -> Self) -> Self {
        let each = |parts: Vec<Self>, change: &mut _| {
            parts.into_iter().map(|part| part.map(change)).collect()
        };
        match self {
            Self::All(parts) => Self::All(each(parts, change)),
            Self::Any(parts) => Self::Any(each(parts, change)),
            Self::Test(test) => change(test),
        }
    }

    /// Its tests, from left to right.
    pub(crate) fn tests(&self) -> Vec<&Test> {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::tests).collect(),
            Self::Test(test) => vec![test],
        }
    }
}

impl Test {
    pub(crate) fn of(subject: Subject, check: Check) -> Self {
        Self { subject, check, negated: false }
    }
}

impl Check {
    /// Replaces each value.
    pub(crate) fn map(self, change: impl Fn(Scalar) -> Scalar) -> Self {
        match self {
            Self::Compare(comparison, value) => Self::Compare(comparison, change(value)),
            Self::In(values) => Self::In(values.into_iter().map(change).collect()),
            other => other,
        }
    }

    /// The values in it.
    pub(crate) fn values(&self) -> &[Scalar] {
        match self {
            Self::Compare(_, value) => std::slice::from_ref(value),
            Self::In(values) => values,
            Self::StartsWith(_) | Self::Unset => &[],
        }
    }
}

impl Comparison {
    pub(crate) fn as_sql(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// Whether a value that compares like this meets the comparison.
    pub(crate) fn is_met(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

impl Scalar {
    /// With a relative time made absolute.
    pub(crate) fn at(self, now: Timestamp) -> Self {
        match self {
            Self::Time(Moment::Ago(by)) => Self::Time(Moment::At(now - by)),
            Self::Time(Moment::In(by)) => Self::Time(Moment::At(now + by)),
            other => other,
        }
    }

    pub(crate) fn is_relative(&self) -> bool {
        matches!(self, Self::Time(Moment::Ago(_) | Moment::In(_)))
    }
}

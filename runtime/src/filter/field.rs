//! Building filters in Rust.

use std::marker::PhantomData;
use std::time::Duration;

use super::Filter;
use super::column::Column;
use super::tree::{Check, Comparison, Condition, Moment, Scalar, Subject, Test};
use crate::model::{DefinitionHash, RunId, RunStatus, Timestamp};

/// A property of runs in a comparison; `T` is the type of the other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field<T> {
    subject: Subject,
    compares_with: PhantomData<fn(T)>,
}

/// The other side of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterValue(Scalar);

/// A time in a filter: a fixed one, or one relative to the evaluation of the filter, by the database's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterTime(Moment);

/// A value for one kind of field.
pub trait Comparable {
    #[doc(hidden)]
    fn into_value(self) -> FilterValue;
}

/// A value with an order: text, number, time.
pub trait Ordered: Comparable {}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident: $ty:ty = $column:ident;)*) => {
        $($(#[$doc])*
        pub fn $name() -> Field<$ty> {
            Field::of(Subject::Column(Column::$column))
        })*
    };
}

fields! {
    /// [`Column::Workflow`].
    workflow: String = Workflow;
    /// [`Column::WorkflowId`].
    workflow_id: String = WorkflowId;
    /// [`Column::RunId`].
    run_id: RunId = RunId;
    /// [`Column::Status`].
    status: RunStatus = Status;
    /// [`Column::State`].
    state: String = State;
    /// [`Column::Definition`].
    definition: DefinitionHash = Definition;
    /// [`Column::StartedAt`].
    started_at: FilterTime = StartedAt;
    /// [`Column::ClosedAt`].
    closed_at: FilterTime = ClosedAt;
    /// [`Column::DueAt`].
    due_at: FilterTime = DueAt;
    /// [`Column::BlockedAt`].
    blocked_at: FilterTime = BlockedAt;
    /// [`Column::Since`].
    since: FilterTime = Since;
}

/// An attribute, by its name.
pub fn attribute(name: impl Into<String>) -> Field<FilterValue> {
    Field::of(Subject::Attribute(name.into()))
}

/// A variable of a run, or a part of one, as a path with dots: `order.cents`.
pub fn variable(path: &str) -> Field<FilterValue> {
    Field::of(Subject::Variable(path.split('.').map(str::to_owned).collect()))
}

impl<T: Comparable> Field<T> {
    fn of(subject: Subject) -> Self {
        Self { subject, compares_with: PhantomData }
    }

    fn check(self, check: Check) -> Filter {
        Filter::of(Condition::Test(Test::of(self.subject, check)))
    }

    fn compare(self, comparison: Comparison, value: impl Into<T>) -> Filter {
        let FilterValue(value) = value.into().into_value();
        self.check(Check::Compare(comparison, value))
    }

    /// Equal to this; for a list, one of its entries is.
    pub fn equals(self, value: impl Into<T>) -> Filter {
        self.compare(Comparison::Equal, value)
    }

    /// Set and not equal to this.
    pub fn differs_from(self, value: impl Into<T>) -> Filter {
        !self.equals(value)
    }

    /// Equal to one of these.
    pub fn one_of<V: Into<T>>(self, values: impl IntoIterator<Item = V>) -> Filter {
        let values = values.into_iter().map(|value| value.into().into_value().0);
        let values = values.collect();
        self.check(Check::In(values))
    }

    /// Not set.
    pub fn is_unset(self) -> Filter {
        self.check(Check::Unset)
    }

    /// Set.
    pub fn is_set(self) -> Filter {
        !self.is_unset()
    }
}

impl<T: Ordered> Field<T> {
    /// Less than this; for times, earlier.
    pub fn below(self, value: impl Into<T>) -> Filter {
        self.compare(Comparison::Less, value)
    }

    /// Less than or equal to this.
    pub fn at_most(self, value: impl Into<T>) -> Filter {
        self.compare(Comparison::LessOrEqual, value)
    }

    /// Greater than this; for times, later.
    pub fn above(self, value: impl Into<T>) -> Filter {
        self.compare(Comparison::Greater, value)
    }

    /// Greater than or equal to this.
    pub fn at_least(self, value: impl Into<T>) -> Filter {
        self.compare(Comparison::GreaterOrEqual, value)
    }
}

impl Field<String> {
    /// A text with this prefix.
    pub fn starts_with(self, prefix: impl Into<String>) -> Filter {
        self.check(Check::StartsWith(prefix.into()))
    }
}

impl Field<FilterValue> {
    /// A text with this prefix; for a list, one of its entries is.
    pub fn starts_with(self, prefix: impl Into<String>) -> Filter {
        self.check(Check::StartsWith(prefix.into()))
    }
}

impl FilterTime {
    /// This duration before the evaluation of the filter.
    pub fn ago(by: Duration) -> Self {
        Self(Moment::Ago(whole_millis(by)))
    }

    /// This duration after the evaluation of the filter.
    pub fn ahead(by: Duration) -> Self {
        Self(Moment::In(whole_millis(by)))
    }
}

/// Durations in filters have a resolution of milliseconds.
fn whole_millis(by: Duration) -> Duration {
    Duration::from_millis(u64::try_from(by.as_millis()).unwrap_or(u64::MAX))
}

impl From<Timestamp> for FilterTime {
    fn from(at: Timestamp) -> Self {
        Self(Moment::At(at))
    }
}

impl Comparable for FilterValue {
    fn into_value(self) -> FilterValue {
        self
    }
}

impl Ordered for FilterValue {}

macro_rules! comparable {
    ($($ty:ty: $value:ident => $scalar:expr;)*) => {
        $(impl Comparable for $ty {
            fn into_value(self) -> FilterValue {
                let $value = self;
                FilterValue($scalar)
            }
        })*
    };
}

comparable! {
    String: text => Scalar::Text(text);
    RunId: run_id => Scalar::RunId(run_id);
    RunStatus: status => Scalar::Text(status.as_str().to_owned());
    DefinitionHash: hash => Scalar::Definition(hash);
    FilterTime: at => Scalar::Time(at.0);
}

impl Ordered for String {}
impl Ordered for RunId {}
impl Ordered for FilterTime {}

macro_rules! value_from {
    ($($ty:ty: $value:ident => $scalar:expr;)*) => {
        $(impl From<$ty> for FilterValue {
            fn from($value: $ty) -> Self {
                Self($scalar)
            }
        })*
    };
}

value_from! {
    &str: text => Scalar::Text(text.to_owned());
    String: text => Scalar::Text(text);
    i32: number => Scalar::Integer(number.into());
    i64: number => Scalar::Integer(number);
    u32: number => Scalar::Integer(number.into());
    bool: truth => Scalar::Bool(truth);
    Timestamp: at => Scalar::Time(Moment::At(at));
    FilterTime: at => Scalar::Time(at.0);
}

impl From<f64> for FilterValue {
    /// An infinity becomes the nearest finite number, and NaN becomes zero; no attribute has either.
    fn from(number: f64) -> Self {
        let finite = if number.is_nan() { 0.0 } else { number.clamp(f64::MIN, f64::MAX) };
        Self(Scalar::Float(finite))
    }
}

//! Building filters in Rust.

use std::marker::PhantomData;
use std::time::Duration;

use super::Filter;
use super::column::Column;
use super::tree::{Check, Comparison, Condition, Moment, Scalar, Subject, Test};
use crate::model::{DefinitionHash, RunId, RunStatus, Timestamp};

/// Something that runs are compared by; `T` is what it is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field<T> {
    subject: Subject,
    compares_with: PhantomData<fn(T)>,
}

/// What something of a run is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterValue(Scalar);

/// A time that a filter has: one that is fixed, or one that is counted from when the filter is applied, by the
/// database's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterTime(Moment);

/// A value that one kind of field is compared with.
pub trait Comparable {
    #[doc(hidden)]
    fn into_value(self) -> FilterValue;
}

/// One that has an order: text, numbers, times.
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

/// A variable of a run, or a part of one, by the names that lead there with points between them: `order.cents`.
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

    /// It equals this; of a list, one of its entries does.
    pub fn equals(self, value: impl Into<T>) -> Filter {
        self.compare(Comparison::Equal, value)
    }

    /// It is set and does not equal this.
    pub fn differs_from(self, value: impl Into<T>) -> Filter {
        !self.equals(value)
    }

    /// It equals one of these.
    pub fn one_of<V: Into<T>>(self, values: impl IntoIterator<Item = V>) -> Filter {
        let values = values.into_iter().map(|value| value.into().into_value().0);
        let values = values.collect();
        self.check(Check::In(values))
    }

    /// It is not set.
    pub fn is_unset(self) -> Filter {
        self.check(Check::Unset)
    }

    /// It is set.
    pub fn is_set(self) -> Filter {
        !self.is_unset()
    }
}

impl<T: Ordered> Field<T> {
    /// It is less than this; a time is before it.
    pub fn below(self, value: impl Into<T>) -> Filter {
        self.compare(Comparison::Less, value)
    }

    /// It is this or less.
    pub fn at_most(self, value: impl Into<T>) -> Filter {
        self.compare(Comparison::LessOrEqual, value)
    }

    /// It is more than this; a time is after it.
    pub fn above(self, value: impl Into<T>) -> Filter {
        self.compare(Comparison::Greater, value)
    }

    /// It is this or more.
    pub fn at_least(self, value: impl Into<T>) -> Filter {
        self.compare(Comparison::GreaterOrEqual, value)
    }
}

impl Field<String> {
    /// It is a text that begins so.
    pub fn starts_with(self, prefix: impl Into<String>) -> Filter {
        self.check(Check::StartsWith(prefix.into()))
    }
}

impl Field<FilterValue> {
    /// It is a text that begins so; of a list, one of its entries does.
    pub fn starts_with(self, prefix: impl Into<String>) -> Filter {
        self.check(Check::StartsWith(prefix.into()))
    }
}

impl FilterTime {
    /// So long before the filter is applied.
    pub fn ago(by: Duration) -> Self {
        Self(Moment::Ago(whole_millis(by)))
    }

    /// So long after the filter is applied.
    pub fn ahead(by: Duration) -> Self {
        Self(Moment::In(whole_millis(by)))
    }
}

/// Filters are told in milliseconds.
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
    /// What is no finite number is the finite one next to it, and what is none at all is zero: no attribute has it.
    fn from(number: f64) -> Self {
        let finite = if number.is_nan() { 0.0 } else { number.clamp(f64::MIN, f64::MAX) };
        Self(Scalar::Float(finite))
    }
}

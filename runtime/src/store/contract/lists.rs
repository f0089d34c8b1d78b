//! Lists and counts of runs.

use std::fmt;
use std::str::FromStr;

use super::visibility::RunRecord;
use crate::filter::tree::{Check, Comparison, Condition, Moment, Scalar, Subject, Test};
use crate::filter::{Column, Filter};
use crate::model::{RunId, Timestamp};

/// A query for runs: which, in which order, and how many.
#[derive(Clone, Copy, Debug)]
pub struct RunQuery<'a> {
    /// The runs to list. Conditions on variables count as true.
    pub filter: &'a Filter,
    /// The order.
    pub order: RunOrder,
    /// Only runs after this place. The run at the place need not exist.
    pub after: Option<RunCursor>,
    /// The maximum number.
    pub limit: u32,
}

/// The order of a list. Runs without the value come last. Runs with equal values are ordered by run id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOrder {
    by: OrderBy,
    ascending: bool,
}

/// The value to order by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OrderBy {
    /// The run id, which begins with the time at which a client created it. The cheapest order. The ids of runs that
    /// were started with a request id begin with no time: they are anywhere in the list.
    #[default]
    RunId,
    /// When the runs were started.
    StartedAt,
    /// When they closed.
    ClosedAt,
    /// When the runs become due.
    DueAt,
    /// When they were blocked.
    BlockedAt,
    /// When they reached their present state, see [`RunRecord::since`].
    Since,
}

/// A place in a list: the place after a run. Later starts and changes of runs do not move it.
///
/// As text it can be passed to clients and back. The text is neither secret nor signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunCursor {
    order: RunOrder,
    key: Option<Timestamp>,
    run_id: RunId,
}

/// The number of runs with one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCount {
    /// The value as filters write it; for a time, its day in UTC; `None` for runs without a value.
    pub key: Option<String>,
    /// The number of runs.
    pub runs: u64,
}

impl RunOrder {
    /// The newest or latest first.
    pub fn descending(by: OrderBy) -> Self {
        Self { by, ascending: false }
    }

    /// The oldest or earliest first.
    pub fn ascending(by: OrderBy) -> Self {
        Self { by, ascending: true }
    }

    /// The value that it orders by.
    pub fn by(self) -> OrderBy {
        self.by
    }

    /// Whether the oldest or earliest comes first.
    pub fn is_ascending(self) -> bool {
        self.ascending
    }

    /// The place after a run.
    pub fn behind(self, run: &RunRecord) -> RunCursor {
        RunCursor { order: self, key: self.key(run), run_id: run.run_id }
    }

    fn key(self, run: &RunRecord) -> Option<Timestamp> {
        match self.by {
            OrderBy::RunId => None,
            OrderBy::StartedAt => Some(run.started_at),
            OrderBy::ClosedAt => run.closed_at,
            OrderBy::DueAt => run.due_at,
            OrderBy::BlockedAt => run.blocked_at,
            OrderBy::Since => Some(run.since()),
        }
    }

    /// Which of two runs comes first.
    pub(crate) fn compare(self, one: &RunRecord, other: &RunRecord) -> std::cmp::Ordering {
        let (first, second) = (self.key(one), self.key(other));
        let turn = |order: std::cmp::Ordering| if self.ascending { order } else { order.reverse() };
        let by_key = match (first, second) {
            (Some(first), Some(second)) => turn(first.cmp(&second)),
            // Missing values come last in both directions.
            (first, second) => second.is_some().cmp(&first.is_some()),
        };
        by_key.then_with(|| turn(one.run_id.cmp(&other.run_id)))
    }
}

impl Default for RunOrder {
    /// By run id, the newest first, see [`OrderBy::RunId`].
    fn default() -> Self {
        Self::descending(OrderBy::RunId)
    }
}

impl OrderBy {
    const ALL: [Self; 6] =
        [Self::RunId, Self::StartedAt, Self::ClosedAt, Self::DueAt, Self::BlockedAt, Self::Since];

    pub(crate) fn column(self) -> Column {
        match self {
            Self::RunId => Column::RunId,
            Self::StartedAt => Column::StartedAt,
            Self::ClosedAt => Column::ClosedAt,
            Self::DueAt => Column::DueAt,
            Self::BlockedAt => Column::BlockedAt,
            Self::Since => Column::Since,
        }
    }
}

impl FromStr for RunOrder {
    type Err = InvalidOrder;

    /// `started_at`, or `-started_at` for the latest first.
    fn from_str(text: &str) -> Result<Self, InvalidOrder> {
        let (ascending, name) = match text.strip_prefix('-') {
            Some(name) => (false, name),
            None => (true, text),
        };
        let named = OrderBy::ALL.into_iter().find(|by| by.column().as_str() == name);
        let by = named.ok_or_else(|| InvalidOrder(text.to_owned()))?;
        Ok(Self { by, ascending })
    }
}

impl fmt::Display for RunOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.ascending { "" } else { "-" };
        write!(f, "{sign}{}", self.by.column())
    }
}

/// An error: the text is not an order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no order: it is one of run_id, started_at, closed_at, due_at, blocked_at, since, with `-` before it \
     for the latest first"
)]
pub struct InvalidOrder(String);

impl RunCursor {
    /// The order of the list.
    pub fn order(self) -> RunOrder {
        self.order
    }

    /// The run before the place.
    pub fn run_id(self) -> RunId {
        self.run_id
    }

    /// The condition that a run comes after this place.
    pub(crate) fn condition(self) -> Condition {
        let test = |column, check| Condition::Test(Test::of(Subject::Column(column), check));
        let behind = if self.order.ascending { Comparison::Greater } else { Comparison::Less };
        let by_id = test(Column::RunId, Check::Compare(behind, Scalar::RunId(self.run_id)));
        let column = self.order.by.column();
        if column == Column::RunId {
            return by_id;
        }
        match self.key {
            None => test(column, Check::Unset).and(by_id),
            Some(key) => {
                let key = || Scalar::Time(Moment::At(key));
                let alike = test(column, Check::Compare(Comparison::Equal, key()));
                test(column, Check::Compare(behind, key()))
                    .or(alike.and(by_id))
                    .or(test(column, Check::Unset))
            }
        }
    }
}

impl From<RunId> for RunCursor {
    /// The place after a run in the default order.
    fn from(run_id: RunId) -> Self {
        Self { order: RunOrder::default(), key: None, run_id }
    }
}

impl fmt::Display for RunCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { order, key, run_id } = self;
        match key {
            Some(Timestamp(micros)) => write!(f, "{order}:{micros}:{run_id}"),
            None => write!(f, "{order}::{run_id}"),
        }
    }
}

impl FromStr for RunCursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let invalid = || InvalidCursor(text.to_owned());
        let mut parts = text.split(':');
        let (Some(order), Some(key), Some(run_id), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(invalid());
        };
        let key = match key {
            "" => None,
            micros => Some(Timestamp(micros.parse().map_err(|_| invalid())?)),
        };
        let order = order.parse().map_err(|_| invalid())?;
        Ok(Self { order, key, run_id: run_id.parse().map_err(|_| invalid())? })
    }
}

/// An error: the text is not a place in a list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a page cursor: pass the `next` of the previous page")]
pub struct InvalidCursor(String);

impl<'a> RunQuery<'a> {
    /// All runs that match a filter, the newest first.
    pub fn of(filter: &'a Filter) -> Self {
        Self { filter, order: RunOrder::default(), after: None, limit: u32::MAX }
    }

    /// The condition for runs to be listed, at this time.
    pub(crate) fn condition(&self, now: Timestamp) -> Condition {
        let condition = self.filter.for_store(now);
        match self.after {
            Some(cursor) => condition.and(cursor.condition()),
            None => condition,
        }
    }
}

impl RunCount {
    /// Sorts counts by key, the missing key first.
    pub(crate) fn sorted(mut counts: Vec<Self>) -> Vec<Self> {
        counts.sort_by(|one, other| one.key.cmp(&other.key));
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_and_orders_are_read_as_they_are_written() {
        let run_id = RunId::new();
        for by in OrderBy::ALL {
            for order in [RunOrder::ascending(by), RunOrder::descending(by)] {
                assert_eq!(order.to_string().parse(), Ok(order));
                for key in [None, Some(Timestamp(-5)), Some(Timestamp::MAX)] {
                    let cursor = RunCursor { order, key, run_id };
                    assert_eq!(cursor.to_string().parse(), Ok(cursor));
                }
            }
        }
        for wrong in ["", "x", "started_at", "-since:1", "-since:x:y", "::"] {
            assert!(wrong.parse::<RunCursor>().is_err(), "{wrong}");
        }
    }
}

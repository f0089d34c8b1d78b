//! Evaluating filters on a run in memory.
//!
//! The SQL statements must have the same results, see [`sql`](super::sql).

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::alternatives::{Kind, Rendering, alternatives};
use super::column::Column;
use super::literal::{DAY, day};
use super::tree::{Check, Condition, Moment, Scalar, Subject, Test};
use crate::model::{AttributeValue, DefinitionHash, RunId, Timestamp};

/// A row to which a filter is applied.
pub(crate) trait Row {
    /// The value of a column; `None` if it is not set.
    fn column(&self, column: Column) -> Option<Cell<'_>>;

    /// An attribute; `None` if it is not set.
    fn attribute(&self, name: &str) -> Option<&AttributeValue>;

    /// A variable, or a part of one; `None` if it does not exist.
    fn variable(&self, path: &[String]) -> Option<Cow<'_, Value>>;
}

/// The value of a column of a run.
#[derive(Clone, Debug)]
pub(crate) enum Cell<'a> {
    Text(Cow<'a, str>),
    Time(Timestamp),
    RunId(RunId),
    Definition(DefinitionHash),
}

impl Condition {
    /// Whether it matches a run. Times are [relative](super::Filter::at) to the call.
    pub(crate) fn holds(&self, row: &impl Row) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(row)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(row)),
            Self::Test(test) => test.holds(row),
        }
    }
}

impl Test {
    fn holds(&self, row: &impl Row) -> bool {
        let Self { subject, check, negated } = self;
        let is_so = match subject {
            Subject::Column(column) => {
                let Some(cell) = row.column(*column) else { return self.holds_unset() };
                check.of(|scalar| cell.compare(scalar), cell.text())
            }
            Subject::Variable(path) => match row.variable(path).as_deref() {
                None | Some(Value::Null) => return self.holds_unset(),
                Some(value) => check.of(|scalar| compare_json(value, scalar), value.as_str()),
            },
            Subject::Attribute(name) => {
                let Some(value) = row.attribute(name) else { return self.holds_unset() };
                of_attribute(value, check)
            }
        };
        // What does not compare is neither so nor not so.
        is_so.is_some_and(|is_so| is_so != *negated)
    }

    /// For a missing value, only [`Check::Unset`] is true.
    fn holds_unset(&self) -> bool {
        self.check == Check::Unset && !self.negated
    }
}

impl Check {
    /// Whether the test is true for an existing value; `None` if they are not comparable.
    fn of(
        &self,
        compare: impl Fn(&Scalar) -> Option<Ordering>,
        text: Option<&str>,
    ) -> Option<bool> {
        match self {
            Self::Compare(comparison, value) => {
                compare(value).map(|order| comparison.is_met(order))
            }
            Self::In(values) => {
                let orders = values.iter().map(compare);
                let compared: Vec<Ordering> = orders.flatten().collect();
                (!compared.is_empty()).then(|| compared.into_iter().any(Ordering::is_eq))
            }
            Self::StartsWith(prefix) => text.map(|text| text.starts_with(&**prefix)),
            Self::Unset => Some(false),
        }
    }
}

impl Cell<'_> {
    fn compare(&self, value: &Scalar) -> Option<Ordering> {
        match (self, value) {
            (Self::Text(text), Scalar::Text(value)) => Some((**text).cmp(value.as_str())),
            (Self::Time(at), Scalar::Time(Moment::At(value))) => Some(at.cmp(value)),
            (Self::RunId(run_id), Scalar::RunId(value)) => Some(run_id.cmp(value)),
            (Self::Definition(hash), Scalar::Definition(value)) => Some(hash.0.cmp(&value.0)),
            _ => None,
        }
    }

    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value by which runs are counted; of a time, its day.
    pub(crate) fn group(&self) -> String {
        match self {
            Self::Text(text) => text.clone().into_owned(),
            Self::Time(at) => day(at.0 / DAY),
            Self::RunId(run_id) => run_id.to_string(),
            Self::Definition(hash) => hash.to_string(),
        }
    }
}

/// Of a list, one entry must match; for a negated test, none may.
fn of_attribute(value: &AttributeValue, check: &Check) -> Option<bool> {
    if *check == Check::Unset {
        return Some(false);
    }
    let mut alternatives = alternatives(check);
    alternatives.retain(|alternative| alternative.kind == Kind::of(value));
    if alternatives.is_empty() {
        return None;
    }
    let is_so = |entry: &Rendering| {
        alternatives.iter().any(|alternative| alternative.asks.iter().any(|ask| ask.is_met(entry)))
    };
    Some(match value {
        AttributeValue::Keyword(text) | AttributeValue::Text(text) => {
            is_so(&Rendering::Text(text.clone()))
        }
        AttributeValue::Keywords(keywords) => {
            keywords.iter().any(|keyword| is_so(&Rendering::Text(keyword.clone())))
        }
        AttributeValue::Integer(number) => is_so(&Rendering::Integer(*number)),
        AttributeValue::Float(number) => is_so(&Rendering::Float(*number)),
        AttributeValue::Bool(truth) => is_so(&Rendering::Integer((*truth).into())),
        AttributeValue::Time(at) => is_so(&Rendering::Integer(at.0)),
    })
}

fn compare_json(value: &Value, scalar: &Scalar) -> Option<Ordering> {
    match (value, scalar) {
        (Value::String(text), Scalar::Text(scalar)) => Some(text.as_str().cmp(scalar)),
        (Value::Bool(truth), Scalar::Bool(scalar)) => Some(truth.cmp(scalar)),
        (Value::Number(number), Scalar::Integer(scalar)) => match number.as_i64() {
            Some(number) => Some(number.cmp(scalar)),
            // Greater than any number with a sign.
            None if number.is_u64() => Some(Ordering::Greater),
            None => number.as_f64()?.partial_cmp(&(*scalar as f64)),
        },
        (Value::Number(number), Scalar::Float(scalar)) => number.as_f64()?.partial_cmp(scalar),
        _ => None,
    }
}

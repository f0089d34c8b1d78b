//! The tests of an attribute, one for each kind that it may have.
//!
//! A filter does not know the kinds of attributes, which depend on their values: a text in the filter may be
//! compared with a keyword or, if it is in the format of a time, with a time; a number with an integer or a float.
//! So a test is split into one test per kind. Both evaluators use the result.

use super::tree::{Check, Comparison, Moment, Scalar};
use crate::model::{AttributeValue, Timestamp};

/// Kinds of attributes that are compared in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Texts, keywords and lists of keywords.
    Text,
    Integer,
    Float,
    Bool,
    Time,
}

/// A value in stored form: a bool is 0 or 1, a time is microseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rendering {
    Text(String),
    Integer(i64),
    Float(f64),
}

/// The conditions of a test for attributes of one kind: one of these must be true.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Alternative {
    pub(crate) kind: Kind,
    pub(crate) asks: Vec<Ask>,
}

/// One condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ask {
    Compare(Comparison, Rendering),
    StartsWith(String),
}

impl Kind {
    pub(crate) fn of(value: &AttributeValue) -> Self {
        match value {
            AttributeValue::Keyword(_) | AttributeValue::Keywords(_) | AttributeValue::Text(_) => {
                Self::Text
            }
            AttributeValue::Integer(_) => Self::Integer,
            AttributeValue::Float(_) => Self::Float,
            AttributeValue::Bool(_) => Self::Bool,
            AttributeValue::Time(_) => Self::Time,
        }
    }
}

impl Ask {
    pub(crate) fn is_met(&self, entry: &Rendering) -> bool {
        match (self, entry) {
            (Self::Compare(comparison, Rendering::Text(value)), Rendering::Text(text)) => {
                comparison.is_met(text.cmp(value))
            }
            (Self::Compare(comparison, Rendering::Integer(value)), Rendering::Integer(number)) => {
                comparison.is_met(number.cmp(value))
            }
            (Self::Compare(comparison, Rendering::Float(value)), Rendering::Float(number)) => {
                number.partial_cmp(value).is_some_and(|order| comparison.is_met(order))
            }
            (Self::StartsWith(prefix), Rendering::Text(text)) => text.starts_with(&**prefix),
            _ => false,
        }
    }
}

/// The kinds to which a check applies, each once. An alternative may have no conditions: an attribute of its kind
/// is comparable and does not match.
pub(crate) fn alternatives(check: &Check) -> Vec<Alternative> {
    let mut found: Vec<Alternative> = Vec::new();
    let mut add = |kind, ask: Option<Ask>| {
        let known = found.iter().position(|alternative| alternative.kind == kind);
        let place = known.unwrap_or_else(|| {
            found.push(Alternative { kind, asks: Vec::new() });
            found.len() - 1
        });
        found[place].asks.extend(ask);
    };
    match check {
        Check::Compare(comparison, value) => compare(*comparison, value, &mut add),
        Check::In(values) => {
            values.iter().for_each(|value| compare(Comparison::Equal, value, &mut add));
        }
        Check::StartsWith(prefix) => add(Kind::Text, Some(Ask::StartsWith(prefix.clone()))),
        Check::Unset => {}
    }
    found
}

fn compare(comparison: Comparison, value: &Scalar, add: &mut impl FnMut(Kind, Option<Ask>)) {
    let ask = |rendering| Some(Ask::Compare(comparison, rendering));
    match value {
        Scalar::Text(text) => {
            add(Kind::Text, ask(Rendering::Text(text.clone())));
            if let Ok(at) = text.parse::<Timestamp>() {
                add(Kind::Time, ask(Rendering::Integer(at.0)));
            }
        }
        Scalar::RunId(run_id) => add(Kind::Text, ask(Rendering::Text(run_id.to_string()))),
        Scalar::Definition(hash) => add(Kind::Text, ask(Rendering::Text(hash.to_string()))),
        Scalar::Integer(number) => {
            add(Kind::Integer, ask(Rendering::Integer(*number)));
            add(Kind::Float, ask(Rendering::Float(*number as f64)));
        }
        Scalar::Float(number) => {
            add(Kind::Integer, with_integer(comparison, *number));
            add(Kind::Float, ask(Rendering::Float(*number)));
        }
        Scalar::Bool(truth) => add(Kind::Bool, ask(Rendering::Integer((*truth).into()))),
        Scalar::Time(Moment::At(at)) => add(Kind::Time, ask(Rendering::Integer(at.0))),
        // They have been counted before.
        Scalar::Time(Moment::Ago(_) | Moment::In(_)) => {}
    }
}

/// A comparison with a float as a condition on integers; `None` if no integer meets it.
fn with_integer(comparison: Comparison, number: f64) -> Option<Ask> {
    // Two to the power of 63, which no integer reaches.
    const END: f64 = 9_223_372_036_854_775_808.0;
    let whole = number.floor();
    let is_whole = whole == number;
    let all = Some(Ask::Compare(Comparison::GreaterOrEqual, Rendering::Integer(i64::MIN)));
    let (is_above, is_below) = (number >= END, number < -END);
    let ask = |comparison| Some(Ask::Compare(comparison, Rendering::Integer(whole as i64)));
    match comparison {
        Comparison::Equal if is_above || is_below || !is_whole => None,
        Comparison::Equal => ask(Comparison::Equal),
        Comparison::Less | Comparison::LessOrEqual if is_above => all,
        Comparison::Less | Comparison::LessOrEqual if is_below => None,
        Comparison::Less if is_whole => ask(Comparison::Less),
        Comparison::Less | Comparison::LessOrEqual => ask(Comparison::LessOrEqual),
        Comparison::Greater | Comparison::GreaterOrEqual if is_above => None,
        Comparison::Greater | Comparison::GreaterOrEqual if is_below => all,
        Comparison::GreaterOrEqual if is_whole => ask(Comparison::GreaterOrEqual),
        Comparison::Greater | Comparison::GreaterOrEqual => ask(Comparison::Greater),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_compare_with_floats_exactly() {
        let numbers = [i64::MIN, i64::MIN + 1, -3, -2, 0, 1, 2, 3, i64::MAX - 1, i64::MAX];
        let floats = [-1e300, -9_223_372_036_854_775_808.0, -2.5, -2.0, 0.0, 2.0, 2.5, 1e300];
        let all = [
            Comparison::Equal,
            Comparison::Less,
            Comparison::LessOrEqual,
            Comparison::Greater,
            Comparison::GreaterOrEqual,
        ];
        for (number, float) in numbers.iter().flat_map(|n| floats.iter().map(move |f| (*n, *f))) {
            // No float here has a part that is lost in so many bits.
            let exact = match float {
                1e300 => std::cmp::Ordering::Less,
                -1e300 => std::cmp::Ordering::Greater,
                float => (i128::from(number) * 2).cmp(&((float * 2.0) as i128)),
            };
            for comparison in all {
                let ask = with_integer(comparison, float);
                let is_met = ask.is_some_and(|ask| ask.is_met(&Rendering::Integer(number)));
                assert_eq!(is_met, comparison.is_met(exact), "{number} {comparison:?} {float}");
            }
        }
    }
}

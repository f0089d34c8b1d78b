//! Keeping the kind of a range that serde buffers.
//!
//! `Range` and `RangeInclusive` have the same fields. The kinds are told apart by their names, which serde drops where it
//! buffers a value: in untagged and internally tagged enums, and in flattened fields. So the type of a value that has
//! ranges reads and writes a copy of it, and a range in the copy must be of the kind that it was.

use super::arguments::Arguments;
use super::reader::Reader;
use super::schema::{Described, Form, Schema};
use super::value::{Number, Value};
use super::{CodecError, Given, by_schema, cannot_decode};

/// Returns the values if each of these types reads the ranges in its value as ranges of the same kind.
///
/// # Errors
/// [`CodecError::Decode`] if one does not.
pub(super) fn kept(
    values: Vec<Given>,
    types: impl IntoIterator<Item = Described>,
) -> Result<Vec<Given>, CodecError> {
    for (given, described) in values.iter().zip(types) {
        let mut before = Vec::new();
        find(&given.value, &mut before);
        if before.is_empty() {
            continue;
        }
        // Reading the value itself reports what does not fit.
        let Some(copy) = copy(given, described) else { continue };
        let mut after = Vec::new();
        find(&copy, &mut after);
        if let Some((was, is)) = exchanged(&before, &after) {
            let reason = format_args!("expected a `{is}`, found a `{was}`");
            return Err(cannot_decode(described.type_name(), &reason));
        }
    }
    Ok(values)
}

/// The value as the type writes it, if the type takes it.
fn copy(given: &Given, described: Described) -> Option<Value> {
    let mut reader = Reader::of_given(described.type_name(), vec![given.clone()]);
    let mut written = Arguments::plain(Form::Tagged);
    let is_copied = described.copying.copy(&mut reader, &mut written);
    let (written, read) = (written.finish(), reader.finish());
    let written = written.ok().filter(|_| is_copied && read.is_ok())?;
    // Behind the byte of the encoding.
    by_schema::read(&written.0[1..], &Schema::tagged()).ok()
}

/// A range: its name, and its fields.
type Range<'a> = (&'a str, &'a Value);

/// Adds the ranges in a value that may be taken for others.
fn find<'a>(value: &'a Value, found: &mut Vec<Range<'a>>) {
    match value {
        Value::Range(name, fields) => {
            if ["Range", "RangeInclusive"].contains(&&**name) {
                found.push((name, fields));
            }
            find(fields, found);
        }
        Value::Some(value) | Value::Secret(value) => find(value, found),
        Value::List(items) => items.iter().for_each(|item| find(item, found)),
        Value::Map(entries) => entries.iter().for_each(|(key, value)| {
            find(key, found);
            find(value, found);
        }),
        _ => {}
    }
}

/// The names before and after of a range that has become one of another kind with the same bounds.
fn exchanged<'a>(before: &[Range<'a>], after: &[Range<'a>]) -> Option<(&'a str, &'a str)> {
    let count = |ranges: &[Range<'_>], name: &str, fields: &Value| {
        ranges.iter().filter(|range| range.0 == name && is_same(range.1, fields)).count()
    };
    let is_fewer =
        |name: &str, fields: &Value| count(after, name, fields) < count(before, name, fields);
    let is_more =
        |name: &str, fields: &Value| count(after, name, fields) > count(before, name, fields);
    after.iter().filter(|(is, fields)| is_more(is, fields)).find_map(|(is, fields)| {
        let was = before.iter().find(|(was, _)| was != is && is_fewer(was, fields))?;
        Some((was.0, *is))
    })
}

/// Whether the two may be the same bounds: a number is the same in each type, and another value may be written in
/// another way.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one.inner(), other.inner()) {
        (Value::Map(one), Value::Map(other)) => one.iter().all(|(key, value)| {
            let it = other.iter().find(|(name, _)| name.text() == key.text());
            it.is_none_or(|(_, other)| is_same(value, other))
        }),
        (one, other) => match (one.number(), other.number()) {
            (Some(one), Some(other)) => text(&one) == text(&other),
            _ => one == other || std::mem::discriminant(one) != std::mem::discriminant(other),
        },
    }
}

fn text(number: &Number) -> String {
    match number {
        Number::Unsigned(number) => number.to_string(),
        Number::Signed(number) => number.to_string(),
        Number::BigUnsigned(number) => number.to_string(),
        Number::BigSigned(number) => number.to_string(),
        Number::Float(number) => number.to_string(),
    }
}

#[cfg(test)]
mod tests;

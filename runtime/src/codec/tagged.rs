//! The tagged form, in which each part of a value starts with a byte for its kind.
//!
//! Numbers, texts and bytes follow their tag in bincode's encoding. Lists and maps have no length; [`Tag::End`]
//! ends them. [`Sink`](super::sink::Sink) writes this form.

use serde::de::Error as _;

use super::binary::Bytes;
use super::depth::{Depth, TooDeep};
use super::schema::Form;
use super::sink::Sink;
use super::source::SourceError;
use super::value::Value;

/// The kind of a part. The numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Tag {
    /// No value, but the end of a list or map.
    End = 0,
    Null = 1,
    False = 2,
    True = 3,
    /// A `u64` follows.
    Unsigned = 4,
    /// An `i64` follows.
    Signed = 5,
    /// A `u128` follows.
    BigUnsigned = 6,
    /// An `i128` follows.
    BigSigned = 7,
    /// An `f64` follows.
    Float = 8,
    Char = 9,
    Text = 10,
    Bytes = 11,
    /// The content of the option follows.
    Some = 12,
    /// The content of the secret follows.
    Secret = 13,
    /// The items follow, and an end.
    List = 14,
    /// Keys, each with its value, follow, and an end.
    Map = 15,
    /// The name of a variant follows, as a text, and then its content.
    Variant = 16,
    /// The name of a range of std follows, as a text, and then its fields.
    Range = 17,
}

impl Tag {
    const ALL: [Self; 18] = [
        Self::End,
        Self::Null,
        Self::False,
        Self::True,
        Self::Unsigned,
        Self::Signed,
        Self::BigUnsigned,
        Self::BigSigned,
        Self::Float,
        Self::Char,
        Self::Text,
        Self::Bytes,
        Self::Some,
        Self::Secret,
        Self::List,
        Self::Map,
        Self::Variant,
        Self::Range,
    ];

    fn next(bytes: &Bytes<'_>) -> Result<Self, SourceError> {
        let tag: u8 = bytes.scalar()?;
        (Self::ALL.get(usize::from(tag)).copied())
            .ok_or_else(|| SourceError::custom(format_args!("there is no tag {tag}")))
    }
}

/// Begins a `Result`. The value or the error is written next.
pub(super) fn begin_result(out: &mut Vec<u8>, is_ok: bool) {
    Sink::new(out, Form::Tagged).begin_result(is_ok);
}

/// Reads the next value in `bytes`.
pub(super) fn next(bytes: &Bytes<'_>) -> Result<Value, SourceError> {
    value(bytes, Depth::READ)
}

fn value(bytes: &Bytes<'_>, depth: Depth) -> Result<Value, SourceError> {
    let unexpected_end = || SourceError::custom("a list or map ends before it begins");
    item(bytes, depth)?.ok_or_else(unexpected_end)
}

/// Reads an item; `None` at the end of the list or map.
fn item(bytes: &Bytes<'_>, depth: Depth) -> Result<Option<Value>, SourceError> {
    let inside = || depth.inside().ok_or_else(|| SourceError::custom(TooDeep::BINARY));
    Ok(Some(match Tag::next(bytes)? {
        Tag::End => return Ok(None),
        Tag::Null => Value::Null,
        Tag::False => Value::Bool(false),
        Tag::True => Value::Bool(true),
        Tag::Unsigned => Value::Unsigned(bytes.scalar()?),
        Tag::Signed => Value::Signed(bytes.scalar()?),
        Tag::BigUnsigned => Value::unsigned(bytes.scalar()?),
        Tag::BigSigned => Value::signed(bytes.scalar()?),
        Tag::Float => Value::Float(bytes.scalar()?),
        Tag::Char => Value::Char(bytes.scalar()?),
        Tag::Text => Value::Text(bytes.text()?.to_owned()),
        Tag::Bytes => Value::Bytes(bytes.bytes()?.to_owned()),
        Tag::Some => Value::Some(Box::new(value(bytes, inside()?)?)),
        Tag::Secret => Value::Secret(Box::new(value(bytes, inside()?)?)),
        Tag::List => {
            let mut list = Vec::new();
            while let Some(item) = item(bytes, inside()?)? {
                list.push(item);
            }
            Value::List(list)
        }
        Tag::Map => {
            let mut map = Vec::new();
            while let Some(key) = item(bytes, inside()?)? {
                map.push((key, value(bytes, inside()?)?));
            }
            Value::Map(map)
        }
        Tag::Variant => {
            let name = Value::Text(bytes.text()?.to_owned());
            Value::Map(vec![(name, value(bytes, inside()?)?)])
        }
        Tag::Range => {
            let name = bytes.text()?.to_owned();
            Value::Range(name, Box::new(value(bytes, inside()?)?))
        }
    }))
}

#[cfg(test)]
mod buffered;
#[cfg(test)]
mod tests;

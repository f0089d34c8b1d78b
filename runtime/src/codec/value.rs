//! A self-describing value: the decoded form of JSON, of the tagged form, and of bytes with the schema of another
//! build.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Unexpected, Visitor};

use super::schema::{Format, SECRET, is_range};

/// A self-describing value.
///
/// A struct is a map with its field names as keys. A variant without content is a text, its name; a variant with
/// content is a map with one entry. A newtype struct is its content.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// JSON's null, `()`, a unit struct, `None`.
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    /// A number above the range of `u64`.
    BigUnsigned(u128),
    /// A number below the range of `i64`.
    BigSigned(i128),
    Float(f64),
    Char(char),
    Text(String),
    /// The key of a JSON object, which may represent a number or a truth value.
    Key(String),
    Bytes(Vec<u8>),
    /// The content of an option. Formats that do not mark options have the bare value instead.
    Some(Box<Value>),
    /// The content of a [`Secret`](crate::Secret).
    Secret(Box<Value>),
    /// A range of std with its name.
    Range(String, Box<Value>),
    List(Vec<Value>),
    /// In the order of the source, including duplicate keys.
    Map(Vec<(Value, Value)>),
}

/// A number in a [`Value`].
pub(super) enum Number {
    Unsigned(u64),
    Signed(i64),
    BigUnsigned(u128),
    BigSigned(i128),
    Float(f64),
}

impl Number {
    /// Whether a value of this format holds the number: a float holds an integer exactly, and another float unless that
    /// is too large. Integers are compared with their types where they are read.
    pub(super) fn fits(&self, format: &Format) -> bool {
        match (self, format) {
            (Self::Unsigned(number), Format::F32) => *number as f32 as u128 == u128::from(*number),
            (Self::Unsigned(number), Format::F64) => *number as f64 as u128 == u128::from(*number),
            (Self::Signed(number), Format::F32) => *number as f32 as i128 == i128::from(*number),
            (Self::Signed(number), Format::F64) => *number as f64 as i128 == i128::from(*number),
            (Self::Float(number), Format::F32) => {
                !number.is_finite() || (*number as f32).is_finite()
            }
            _ => true,
        }
    }
}

impl Value {
    /// A number of any size.
    pub(super) fn unsigned(number: u128) -> Self {
        u64::try_from(number).map_or(Self::BigUnsigned(number), Self::Unsigned)
    }

    /// Like [`Value::unsigned`], with a sign.
    pub(super) fn signed(number: i128) -> Self {
        match i64::try_from(number) {
            Ok(number) => Self::Signed(number),
            Err(_) => u128::try_from(number).map_or(Self::BigSigned(number), Self::unsigned),
        }
    }

    /// The value of a struct with this name.
    pub(super) fn of_struct(name: &str, fields: Self) -> Self {
        match name {
            SECRET => Self::Secret(Box::new(fields)),
            name if is_range(name) => Self::Range(name.to_owned(), Box::new(fields)),
            _ => fields,
        }
    }

    /// The value without the options and secrets around it, and without the name of a range.
    pub(super) fn inner(&self) -> &Self {
        let mut value = self;
        while let Self::Some(inner) | Self::Secret(inner) | Self::Range(_, inner) = value {
            value = inner;
        }
        value
    }

    /// The value without the options around it.
    fn open_option(&self) -> &Self {
        let mut value = self;
        while let Self::Some(inner) = value {
            value = inner;
        }
        value
    }

    /// The value without the secrets around it, and without the name of a range.
    pub(super) fn open(&self) -> &Self {
        let mut value = self;
        while let Self::Secret(inner) | Self::Range(_, inner) = value {
            value = inner;
        }
        value
    }

    /// The name of a range, if it is another one than a struct of this name.
    pub(super) fn other_range(&self, name: &str) -> Option<&str> {
        let mut value = self;
        loop {
            match value {
                Self::Some(inner) | Self::Secret(inner) => value = inner,
                Self::Range(range, _) => return (is_range(name) && range != name).then_some(range),
                _ => return None,
            }
        }
    }

    /// The text, or a key or variant name as a text.
    pub(super) fn text(&self) -> Option<&str> {
        match self.inner() {
            Self::Text(text) | Self::Key(text) => Some(text),
            _ => None,
        }
    }

    /// Describes the value in errors.
    pub(super) fn unexpected(&self) -> Unexpected<'_> {
        match self.open_option() {
            Self::Secret(_) => Unexpected::Other("secret"),
            Self::Bool(value) => Unexpected::Bool(*value),
            Self::Unsigned(value) => Unexpected::Unsigned(*value),
            Self::Signed(value) => Unexpected::Signed(*value),
            Self::BigUnsigned(_) | Self::BigSigned(_) => Unexpected::Other("a large integer"),
            Self::Float(value) => Unexpected::Float(*value),
            Self::Char(value) => Unexpected::Char(*value),
            Self::Text(value) | Self::Key(value) => Unexpected::Str(value),
            Self::Bytes(value) => Unexpected::Bytes(value),
            Self::List(_) => Unexpected::Seq,
            Self::Map(_) | Self::Range(..) => Unexpected::Map,
            _ => Unexpected::Unit,
        }
    }

    /// Replaces the variant of an enum by its content.
    pub(super) fn become_content(&mut self) {
        *self = match std::mem::replace(self, Self::Null) {
            Self::Map(mut map) => map.pop().map_or(Self::Null, |(_, content)| content),
            _ => Self::Null,
        };
    }

    /// The number, or the one that a key represents.
    pub(super) fn number(&self) -> Option<Number> {
        match self.inner() {
            Self::Unsigned(value) => Some(Number::Unsigned(*value)),
            Self::Signed(value) => Some(Number::Signed(*value)),
            Self::BigUnsigned(value) => Some(Number::BigUnsigned(*value)),
            Self::BigSigned(value) => Some(Number::BigSigned(*value)),
            Self::Float(value) => Some(Number::Float(*value)),
            Self::Key(text) => (text.parse().map(Number::Unsigned))
                .or_else(|_| text.parse().map(Number::Signed))
                .or_else(|_| text.parse().map(Number::BigUnsigned))
                .or_else(|_| text.parse().map(Number::BigSigned))
                .or_else(|_| text.parse().map(Number::Float))
                .ok(),
            _ => None,
        }
    }

    /// The truth value, or the one that a key represents.
    pub(super) fn truth(&self) -> Option<bool> {
        match self.inner() {
            Self::Bool(value) => Some(*value),
            Self::Key(text) => text.parse().ok(),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Unsigned(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Signed(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Vec::new();
        while let Some((key, value)) = entries.next_entry()? {
            map.push((Value::Key(key), value));
        }
        Ok(Value::Map(map))
    }
}

//! A value that says of itself what it is: what JSON is read into.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Unexpected, Visitor};

/// A value that says of itself what it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    /// The key of a map, which may stand for a number or a truth value.
    Key(String),
    List(Vec<Value>),
    /// In the order of the source, and with keys that occur twice.
    Map(Vec<(Value, Value)>),
}

/// A number in a [`Value`].
pub(super) enum Number {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

impl Value {
    /// For messages.
    pub(super) fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Self::Null => Unexpected::Unit,
            Self::Bool(value) => Unexpected::Bool(*value),
            Self::Unsigned(value) => Unexpected::Unsigned(*value),
            Self::Signed(value) => Unexpected::Signed(*value),
            Self::Float(value) => Unexpected::Float(*value),
            Self::Text(value) | Self::Key(value) => Unexpected::Str(value),
            Self::List(_) => Unexpected::Seq,
            Self::Map(_) => Unexpected::Map,
        }
    }

    /// Becomes what is in the variant of an enum that it stands for.
    pub(super) fn become_content(&mut self) {
        *self = match std::mem::replace(self, Self::Null) {
            Self::Map(mut map) => map.pop().map_or(Self::Null, |(_, content)| content),
            _ => Self::Null,
        };
    }

    /// A number, or the one that a key stands for.
    pub(super) fn number(&self) -> Option<Number> {
        match self {
            Self::Unsigned(value) => Some(Number::Unsigned(*value)),
            Self::Signed(value) => Some(Number::Signed(*value)),
            Self::Float(value) => Some(Number::Float(*value)),
            Self::Key(text) => (text.parse().map(Number::Unsigned))
                .or_else(|_| text.parse().map(Number::Signed))
                .or_else(|_| text.parse().map(Number::Float))
                .ok(),
            _ => None,
        }
    }

    /// A truth value, or the one that a key stands for.
    pub(super) fn truth(&self) -> Option<bool> {
        match self {
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

//! What values are read from, other than the binary encoding: JSON, and a tracer that makes them up.
//!
//! One deserializer is both. What serde generates for a type is compiled once for every deserializer
//! that the type is read with, in the crate of the type; with one less of them a workflow compiles
//! sooner. For the same reason the functions here that know the type do as little as they can.

#![expect(clippy::question_mark, reason = "`?` is two more functions for each type to compile")]

mod deserialize;
mod parts;
#[cfg(test)]
mod tests;
mod variant;

use std::fmt::Display;

use serde::de::{self, Error as _, Expected};

pub(super) use self::parts::Entries;
use self::parts::{Items, Members, Newtype};
use self::variant::Variant;
use super::schema::{Format, Formats, Place};
use super::value::Value;

/// Why a value could not be read.
#[derive(Debug, thiserror::Error)]
pub(in crate::codec) enum SourceError {
    /// The tracer was asked what there is, which it cannot know.
    #[error("the type can only be read from a self-describing format")]
    SelfDescribing,
    /// The type does not take what there is.
    #[error("{0}")]
    Rejected(String),
}

impl de::Error for SourceError {
    fn custom<T: Display>(message: T) -> Self {
        Self::Rejected(message.to_string())
    }
}

/// Reads any value from JSON.
pub(super) fn value_from_json(json: &[u8]) -> Result<Value, SourceError> {
    serde_json::from_slice(json).map_err(SourceError::custom)
}

/// Reads a list of any values from JSON. The list of none may be written as `null`, as serde does.
pub(super) fn list_from_json(json: &[u8]) -> Result<Vec<Value>, SourceError> {
    match value_from_json(json) {
        Ok(Value::List(list)) => Ok(list),
        Ok(Value::Null) => Ok(Vec::new()),
        Ok(value) => Err(Source::wrong(&value, &"a list of arguments")),
        Err(error) => Err(error),
    }
}

/// Where one value comes from.
pub(super) enum Source<'a> {
    /// It is made up, as the tracer wants it.
    Made(Place<'a>),
    /// It is there.
    Read(Value),
}

impl<'a> Source<'a> {
    fn wrong(value: &Value, expected: &dyn Expected) -> SourceError {
        SourceError::invalid_type(value.unexpected(), expected)
    }

    fn text_of(value: Value, expected: &dyn Expected) -> Result<String, SourceError> {
        match value {
            Value::Text(text) | Value::Key(text) => Ok(text),
            value => Err(Self::wrong(&value, expected)),
        }
    }

    /// A value without parts. `made` is the one that the tracer makes up.
    fn scalar(self, format: Format, made: Value) -> Value {
        match self {
            Self::Made(place) => {
                *place.format = format;
                made
            }
            Self::Read(value) => value,
        }
    }

    fn text(self) -> Value {
        let made = match &self {
            Self::Made(place) => place.tracer.text.to_owned(),
            Self::Read(_) => String::new(),
        };
        self.scalar(Format::Str, Value::Text(made))
    }

    /// Lists of any length.
    fn list(self, expected: &dyn Expected) -> Result<Items<'a>, SourceError> {
        match self {
            Self::Made(place) => Ok(Items::Made(place.items())),
            Self::Read(Value::List(list)) => Ok(Items::Read(list.into_iter())),
            Self::Read(value) => Err(Self::wrong(&value, expected)),
        }
    }

    fn tuple(self, len: usize, expected: &dyn Expected) -> Result<Items<'a>, SourceError> {
        match self {
            Self::Made(place) => Ok(Items::Made(place.tuple(len))),
            read => read.list(expected),
        }
    }

    fn named_tuple(
        self,
        rust_name: &'static str,
        name: &'static str,
        len: usize,
        expected: &dyn Expected,
    ) -> Result<Items<'a>, SourceError> {
        match self {
            Self::Made(place) => {
                Ok(Items::Made(Formats::Taken(place.begin(rust_name, name)?.tuple(len))))
            }
            read => read.list(expected),
        }
    }

    fn members(
        self,
        rust_name: &'static str,
        name: &'static str,
        names: &'static [&'static str],
        expected: &dyn Expected,
    ) -> Result<Members<'a>, SourceError> {
        match self {
            Self::Made(place) => {
                let taken = place.begin(rust_name, name)?.named(names);
                Ok(Members::Items(Items::Made(Formats::Taken(taken))))
            }
            Self::Read(value) => Members::read(value, expected),
        }
    }

    fn entries(self, expected: &dyn Expected) -> Result<Entries<'a>, SourceError> {
        match self {
            Self::Made(place) => Ok(place.entries()),
            Self::Read(Value::Map(map)) => Ok(Entries::Read(map.into_iter(), None)),
            Self::Read(value) => Err(Self::wrong(&value, expected)),
        }
    }

    fn newtype(
        self,
        rust_name: &'static str,
        name: &'static str,
    ) -> Result<Newtype<'a>, SourceError> {
        match self {
            Self::Made(place) => Ok(Newtype::Made(place.begin(rust_name, name)?.newtype())),
            Self::Read(value) => Ok(Newtype::Read(value)),
        }
    }

    fn unit_struct(
        self,
        rust_name: &'static str,
        name: &'static str,
    ) -> Result<Value, SourceError> {
        match self {
            Self::Made(place) => {
                place.begin(rust_name, name)?.unit().finish();
                Ok(Value::Null)
            }
            Self::Read(value) => Ok(value),
        }
    }

    fn variant(
        self,
        rust_name: &'static str,
        name: &'static str,
        variants: &'static [&'static str],
        expected: &dyn Expected,
    ) -> Result<Variant<'a>, SourceError> {
        match self {
            Self::Made(place) => Ok(Variant::Made(place.variant(rust_name, name, variants)?)),
            Self::Read(Value::Text(name) | Value::Key(name)) => Ok(Variant::Read(name, None)),
            Self::Read(Value::Map(mut map)) if map.len() == 1 => match map.pop() {
                Some((name, content)) => Ok(Variant::Read(name, Some(content))),
                None => Err(Self::wrong(&Value::Map(map), expected)),
            },
            Self::Read(value) => Err(Self::wrong(&value, expected)),
        }
    }
}

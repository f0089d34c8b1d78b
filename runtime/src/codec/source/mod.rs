//! The sources of values: the binary encoding, JSON, and a tracer that makes values up.
//!
//! One deserializer is all three. What serde generates for a type is compiled once for every deserializer
//! that the type is read with, in the crate of the type; with one less of them a workflow compiles
//! sooner. For the same reason the functions here that know the type do as little as they can, and those
//! that each value goes through are put into them only with optimization.

mod deserialize;
mod parts;
#[cfg(test)]
mod tests;
mod variant;

use std::fmt::{self, Display};

use bincode::error::DecodeError;
use serde::de::{self, Error as _, Expected};

use self::parts::{Entries, Items, Members, Newtype};
use self::variant::Variant;
use super::binary::Bytes;
use super::depth::{Depth, TooDeep};
use super::schema::{Fields, Form, Format, Place};
use super::value::{Number, Value};

/// Why a value could not be read. It is a pointer for the reason that a [`SinkError`](super::sink::SinkError) is one.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(in crate::codec) struct SourceError(Box<Refusal>);

#[derive(Debug, thiserror::Error)]
enum Refusal {
    /// The tracer was asked what there is, which it cannot know.
    #[error("the type can only be read from a self-describing format")]
    SelfDescribing,
    /// The type does not take what there is, or there is nothing to take.
    #[error("{}{reason}", Path(path))]
    Rejected {
        reason: String,
        /// The part that is refused: what it is in comes after it.
        path: Vec<Part>,
    },
}

/// A step to a part of a value.
#[derive(Debug)]
enum Part {
    Field(String),
    Item(usize),
}

/// Shows the way to a part, with a colon behind it.
struct Path<'a>(&'a [Part]);

impl Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, part) in self.0.iter().rev().enumerate() {
            match part {
                Part::Field(name) if number == 0 => write!(f, "{name}")?,
                Part::Field(name) => write!(f, ".{name}")?,
                Part::Item(index) => write!(f, "[{index}]")?,
            }
        }
        if self.0.is_empty() { Ok(()) } else { f.write_str(": ") }
    }
}

impl SourceError {
    pub(in crate::codec) fn self_describing() -> Self {
        Self(Box::new(Refusal::SelfDescribing))
    }

    /// Whether this is what was wrong.
    pub(in crate::codec) fn is(&self, reason: &str) -> bool {
        matches!(&*self.0, Refusal::Rejected { reason: text, .. } if text == reason)
    }

    fn rejected(reason: String) -> Self {
        Self(Box::new(Refusal::Rejected { reason, path: Vec::new() }))
    }

    /// Notes what the part is in that is refused.
    fn within(mut self, part: Part) -> Self {
        if let Refusal::Rejected { path, .. } = &mut *self.0 {
            path.push(part);
        }
        self
    }

    /// As [`SourceError::within`] of the variant of an enum, which only says more where the part has a name.
    fn within_variant(self, name: &Value) -> Self {
        match (&*self.0, name.text()) {
            (Refusal::Rejected { path, .. }, Some(name)) if !path.is_empty() => {
                let name = name.to_owned();
                self.within(Part::Field(name))
            }
            _ => self,
        }
    }

    /// Whether the tracer was asked for what it cannot know.
    pub(in crate::codec) fn is_of_self_describing(&self) -> bool {
        matches!(*self.0, Refusal::SelfDescribing)
    }
}

impl From<DecodeError> for SourceError {
    #[cold]
    fn from(error: DecodeError) -> Self {
        Self::rejected(error.to_string())
    }
}

impl de::Error for SourceError {
    fn custom<T: Display>(message: T) -> Self {
        Self::rejected(message.to_string())
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

/// Where one value comes from. There is nothing to drop in it, nor in the parts that it is taken apart
/// into, or what reads a type would have code for that on each way out.
pub(super) enum Source<'a> {
    /// It is made up, as the tracer wants it.
    Made(Place<'a>),
    /// It is there, and was written in this form: all but the compact one is human readable, as serde calls it.
    Read(&'a Value, Form),
    /// It is next, and may be this deep.
    Binary(&'a Bytes<'a>, Depth),
}

/// The depth of what is inside of a value.
#[cfg_attr(not(debug_assertions), inline)]
fn inside(depth: Depth) -> Result<Depth, SourceError> {
    depth.inside().ok_or_else(|| SourceError::custom(TooDeep::BINARY))
}

impl<'a> Source<'a> {
    /// What is next in `bytes`.
    pub(super) fn binary(bytes: &'a Bytes<'a>) -> Self {
        Self::Binary(bytes, Depth::READ)
    }

    fn wrong(value: &Value, expected: &dyn Expected) -> SourceError {
        SourceError::invalid_type(value.unexpected(), expected)
    }

    /// A number that a type of this format does not change.
    fn number(
        value: &Value,
        format: &Format,
        expected: &dyn Expected,
    ) -> Result<Number, SourceError> {
        match value.number() {
            Some(number) if number.fits(format) => Ok(number),
            Some(_) => {
                let expected = &"a number that a float of this size holds";
                Err(SourceError::invalid_value(value.unexpected(), expected))
            }
            None => Err(Self::wrong(value, expected)),
        }
    }

    fn text_of(value: &'a Value, expected: &dyn Expected) -> Result<&'a str, SourceError> {
        value.text().ok_or_else(|| Self::wrong(value, expected))
    }

    /// A value without parts.
    #[cfg_attr(not(debug_assertions), inline)]
    fn scalar(self, format: &'static Format) -> Scalar<'a> {
        match self {
            Self::Made(place) => Scalar::Value(place.scalar(format.clone())),
            Self::Read(value, _) => Scalar::Value(value),
            Self::Binary(bytes, _) => Scalar::Binary(bytes),
        }
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn text(
        self,
        rust_name: &'static str,
        expected: &dyn Expected,
    ) -> Result<Char<'a>, SourceError> {
        match self {
            Self::Made(place) => Ok(Char::Text(place.text(rust_name))),
            Self::Read(value, _) => Char::of(value, expected),
            Self::Binary(bytes, _) => bytes.text().map(Char::Text),
        }
    }

    fn char(self, expected: &dyn Expected) -> Result<Char<'a>, SourceError> {
        match self {
            Self::Made(place) => {
                place.is(Format::Char);
                Ok(Char::Plain('a'))
            }
            Self::Read(value, _) => Char::of(value, expected),
            Self::Binary(bytes, _) => bytes.scalar().map(Char::Plain),
        }
    }

    /// A value that says what it is, and its form.
    fn any(self) -> Result<(&'a Value, Form), SourceError> {
        let Self::Read(value, form) = self else { return Err(SourceError::self_describing()) };
        let value = value.open();
        Ok(match value {
            // What JSON cannot tell from `None` is all that many a visitor does not expect.
            Value::Some(inner) if !matches!(inner.open(), Value::Null | Value::Some(_)) => {
                (inner.open(), form)
            }
            value => (value, form),
        })
    }

    /// What is in an option.
    #[cfg_attr(not(debug_assertions), inline)]
    fn option(self) -> Result<Option<Self>, SourceError> {
        Ok(match self {
            Self::Made(place) => place.option().map(Self::Made),
            Self::Read(value, form) => match value.open() {
                Value::Null => None,
                Value::Some(inner) => Some(Self::Read(inner, form)),
                value => Some(Self::Read(value, form)),
            },
            Self::Binary(bytes, depth) if bytes.is_some()? => {
                Some(Self::Binary(bytes, inside(depth)?))
            }
            Self::Binary(..) => None,
        })
    }

    /// Lists of any length.
    fn list(self, expected: &dyn Expected) -> Result<Items<'a>, SourceError> {
        match self {
            Self::Made(place) => Ok(Items::Made(place.items())),
            Self::Read(value, form) => Items::read(value, form, expected),
            Self::Binary(bytes, depth) => Ok(Items::Binary(bytes, bytes.scalar()?, inside(depth)?)),
        }
    }

    fn tuple(self, len: usize, expected: &dyn Expected) -> Result<Items<'a>, SourceError> {
        match self {
            Self::Made(place) => Ok(Items::Made(place.tuple(len))),
            Self::Read(value, form) => Items::read_tuple(value, form, len, expected),
            Self::Binary(bytes, depth) => Ok(Items::Binary(bytes, len, depth)),
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
                let begun = place.begin(rust_name, name, Fields::tuple(len))?;
                Ok(Items::Made(begun.tuple(len)))
            }
            source => source.tuple(len, expected),
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
                let begun = place.begin(rust_name, name, Fields::named(names))?;
                Ok(Members::Items(Items::Made(begun.named(names))))
            }
            Self::Read(value, form) => Members::read(value, form, names.len(), expected),
            Self::Binary(bytes, depth) => {
                Ok(Members::Items(Items::Binary(bytes, names.len(), depth)))
            }
        }
    }

    fn entries(self, expected: &dyn Expected) -> Result<Entries<'a>, SourceError> {
        match self {
            Self::Made(place) => Ok(Entries::Made(place.entry())),
            Self::Read(value, form) => match value.inner() {
                Value::Map(map) => Ok(Entries::read(map, form)),
                value => Err(Self::wrong(value, expected)),
            },
            Self::Binary(bytes, depth) => {
                Ok(Entries::Binary(bytes, bytes.scalar()?, inside(depth)?))
            }
        }
    }

    fn newtype(
        self,
        rust_name: &'static str,
        name: &'static str,
    ) -> Result<Newtype<'a>, SourceError> {
        match self {
            Self::Made(place) => {
                let begun = place.begin(rust_name, name, Fields::newtype())?;
                Ok(Newtype::Made(begun.newtype()))
            }
            Self::Read(value, form) => Ok(Newtype::Read(value, form)),
            Self::Binary(bytes, depth) => Ok(Newtype::Binary(bytes, depth)),
        }
    }

    fn unit_struct(
        self,
        rust_name: &'static str,
        name: &'static str,
    ) -> Result<&'a Value, SourceError> {
        match self {
            Self::Made(place) => {
                place.begin(rust_name, name, Fields::Unit)?.unit().finish();
                Ok(&Value::Null)
            }
            source => Ok(source.unit()),
        }
    }

    fn unit(self) -> &'a Value {
        match self.scalar(&Format::Unit) {
            Scalar::Value(value) => value,
            Scalar::Binary(_) => &Value::Null,
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
            Self::Made(place) => Ok(Variant::made(place.variant(rust_name, name, variants)?)),
            Self::Read(value, form) => Variant::read(value, form, expected),
            Self::Binary(bytes, depth) => Variant::binary(bytes, inside(depth)?),
        }
    }
}

/// A value without parts.
enum Scalar<'a> {
    Value(&'a Value),
    Binary(&'a Bytes<'a>),
}

/// A character or a text: each may be read as the other.
enum Char<'a> {
    Plain(char),
    Text(&'a str),
}

impl<'a> Char<'a> {
    fn of(value: &'a Value, expected: &dyn Expected) -> Result<Self, SourceError> {
        match value.inner() {
            Value::Char(value) => Ok(Self::Plain(*value)),
            value => Source::text_of(value, expected).map(Self::Text),
        }
    }
}

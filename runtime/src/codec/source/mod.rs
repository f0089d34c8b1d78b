//! The sources of values: the binary encoding, JSON, and a tracer that makes values up.
//!
//! One deserializer reads all three, because the code that serde generates for a type is compiled once per
//! deserializer, in the crate of the type. For the same reason the generic functions here do as little as possible, and
//! functions on the path of each value are inlined only in optimized builds.

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

/// Why a value could not be read. A pointer, for the same reason as [`SinkError`](super::sink::SinkError).
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(in crate::codec) struct SourceError(Box<Refusal>);

#[derive(Debug, thiserror::Error)]
enum Refusal {
    /// A type asked the tracer for a self-describing value, which the tracer cannot choose.
    #[error("the type can only be read from a self-describing format")]
    SelfDescribing,
    /// The type refuses the value, or there is none.
    #[error("{}{reason}", Path(path))]
    Rejected {
        reason: String,
        /// The path to the refused part, the innermost step first.
        path: Vec<Part>,
    },
}

/// A step to a part of a value.
#[derive(Debug)]
enum Part {
    Field(String),
    Item(usize),
}

/// Displays the path to a part, followed by a colon.
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

    /// Whether this is the reason.
    pub(in crate::codec) fn is(&self, reason: &str) -> bool {
        matches!(&*self.0, Refusal::Rejected { reason: text, .. } if text == reason)
    }

    fn rejected(reason: String) -> Self {
        Self(Box::new(Refusal::Rejected { reason, path: Vec::new() }))
    }

    /// Adds the part that contains the refused one.
    fn within(mut self, part: Part) -> Self {
        if let Refusal::Rejected { path, .. } = &mut *self.0 {
            path.push(part);
        }
        self
    }

    /// Like [`SourceError::within`], for the variant of an enum. Adds nothing if the part has no name.
    fn within_variant(self, name: &Value) -> Self {
        match (&*self.0, name.text()) {
            (Refusal::Rejected { path, .. }, Some(name)) if !path.is_empty() => {
                let name = name.to_owned();
                self.within(Part::Field(name))
            }
            _ => self,
        }
    }

    /// Whether the type asked for a self-describing value.
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

/// Reads a list of any values from JSON. `null` is the empty list, as serde writes it.
pub(super) fn list_from_json(json: &[u8]) -> Result<Vec<Value>, SourceError> {
    match value_from_json(json) {
        Ok(Value::List(list)) => Ok(list),
        Ok(Value::Null) => Ok(Vec::new()),
        Ok(value) => Err(Source::wrong(&value, &"a list of arguments")),
        Err(error) => Err(error),
    }
}

/// The source of one value. Neither it nor its parts have destructors: the code that reads a type would otherwise
/// contain drop code for each exit.
pub(super) enum Source<'a> {
    /// Made up by the tracer.
    Made(Place<'a>),
    /// A value that was written in this form. The tagged form is human readable in serde's sense.
    Read(&'a Value, Form),
    /// The next bytes, with this limit of depth.
    Binary(&'a Bytes<'a>, Depth),
}

/// The limit of depth for the content of a value.
#[cfg_attr(not(debug_assertions), inline)]
fn inside(depth: Depth) -> Result<Depth, SourceError> {
    depth.inside().ok_or_else(|| SourceError::custom(TooDeep::BINARY))
}

impl<'a> Source<'a> {
    /// The next value in `bytes`.
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

    /// The self-describing value, and its form.
    fn any(self) -> Result<(&'a Value, Form), SourceError> {
        let Self::Read(value, form) = self else { return Err(SourceError::self_describing()) };
        let value = value.open();
        Ok(match value {
            // Many visitors do not expect `Some`, so it is kept only where JSON could not tell its content from `None`.
            Value::Some(inner) if !matches!(inner.open(), Value::Null | Value::Some(_)) => {
                (inner.open(), form)
            }
            value => (value, form),
        })
    }

    /// The content of an option.
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

    /// The items of a list of any length.
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
            Self::Read(value, form) => match value.other_range(name) {
                Some(range) => {
                    Err(SourceError::custom(format_args!("expected a `{name}`, found a `{range}`")))
                }
                None => Members::read(value, form, names.len(), expected),
            },
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

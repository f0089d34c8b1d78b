//! Decoding a value with the schema that it was encoded with, without its type.
//!
//! Invariant: every value of a type with this schema can be decoded. Other bytes cause neither a panic, nor endless
//! recursion, nor an allocation of more than a multiple of their length.

#[cfg(feature = "engine")]
mod write;

use std::fmt::Display;

use serde::de::Error as _;

use super::binary::Bytes;
use super::depth::{Depth, TooDeep};
use super::schema::{Content, Fields, Form, Format, NamedType, Schema};
use super::source::SourceError;
use super::value::Value;
use super::{CodecError, cannot_decode, tagged};
#[cfg(feature = "engine")]
pub(crate) use write::{check, write, write_known};

/// How many values may take no bytes, such as `()`, beyond one per byte of the input.
const MOST_EMPTY: usize = 1 << 20;

/// Reads a value that takes up all of `bytes`.
///
/// # Errors
/// [`CodecError::Decode`] if the bytes are not such a value, or more than one.
pub(crate) fn read(bytes: &[u8], schema: &Schema) -> Result<Value, CodecError> {
    let (value, taken) = read_first(bytes, schema)?;
    match bytes.len() - taken {
        0 => Ok(value),
        left => Err(not_read(schema, &format_args!("{left} bytes are left over"))),
    }
}

/// Reads a value at the beginning of `bytes`. Returns it with its length in bytes.
///
/// # Errors
/// [`CodecError::Decode`] if the bytes do not begin with such a value.
pub(crate) fn read_first(bytes: &[u8], schema: &Schema) -> Result<(Value, usize), CodecError> {
    let bytes = Bytes::new(bytes);
    let value = next(&bytes, schema).map_err(|error| not_read(schema, &error))?;
    Ok((value, bytes.taken()))
}

fn not_read(schema: &Schema, error: &dyn Display) -> CodecError {
    let name = &schema.type_name;
    cannot_decode("value", &format_args!("it was written as a `{name}`: {error}"))
}

/// Reads the next value in `bytes`.
fn next(bytes: &Bytes<'_>, schema: &Schema) -> Result<Value, SourceError> {
    match (schema.form, &schema.format) {
        (Form::Tagged, _) => tagged::next(bytes),
        (Form::Compact, Some((format, types))) => {
            let empty = MOST_EMPTY.saturating_add(bytes.left());
            Compact { bytes, types, left: empty }.value(format, Depth::READ, 0)
        }
        (Form::Compact, None) => Err(SourceError::custom("its schema has no format")),
    }
}

/// Reads the compact form.
struct Compact<'a> {
    bytes: &'a Bytes<'a>,
    types: &'a [NamedType],
    /// How many more values there may be.
    left: usize,
}

fn inside(depth: Depth) -> Result<Depth, SourceError> {
    depth.inside().ok_or_else(|| SourceError::custom(TooDeep::BINARY))
}

impl Compact<'_> {
    /// Reads a value of this format, nested in `structs` structs without a level of depth between them.
    fn value(
        &mut self,
        format: &Format,
        depth: Depth,
        structs: usize,
    ) -> Result<Value, SourceError> {
        self.left = (self.left.checked_sub(1))
            .ok_or_else(|| SourceError::custom("it has too many parts without content"))?;
        Ok(match format {
            Format::Unknown => {
                return Err(SourceError::custom("its schema does not describe its contents"));
            }
            Format::Unit => Value::Null,
            Format::Bool => Value::Bool(self.bytes.scalar()?),
            Format::I8 => Value::Signed(self.bytes.scalar::<i8>()?.into()),
            Format::I16 => Value::Signed(self.bytes.scalar::<i16>()?.into()),
            Format::I32 => Value::Signed(self.bytes.scalar::<i32>()?.into()),
            Format::I64 => Value::Signed(self.bytes.scalar()?),
            Format::I128 => Value::signed(self.bytes.scalar()?),
            Format::U8 => Value::Unsigned(self.bytes.scalar::<u8>()?.into()),
            Format::U16 => Value::Unsigned(self.bytes.scalar::<u16>()?.into()),
            Format::U32 => Value::Unsigned(self.bytes.scalar::<u32>()?.into()),
            Format::U64 => Value::Unsigned(self.bytes.scalar()?),
            Format::U128 => Value::unsigned(self.bytes.scalar()?),
            Format::F32 => Value::Float(self.bytes.scalar::<f32>()?.into()),
            Format::F64 => Value::Float(self.bytes.scalar()?),
            Format::Char => Value::Char(self.bytes.scalar()?),
            Format::Str => Value::Text(self.bytes.text()?.to_owned()),
            Format::Bytes => Value::Bytes(self.bytes.bytes()?.to_owned()),
            Format::Option(_) if !self.bytes.is_some()? => Value::Null,
            Format::Option(format) => {
                Value::Some(Box::new(self.value(format, inside(depth)?, 0)?))
            }
            Format::Seq(format) | Format::Set(format) => {
                let (length, depth) = (self.bytes.scalar::<usize>()?, inside(depth)?);
                let mut list = Vec::with_capacity(length.min(self.bytes.left()));
                for _ in 0..length {
                    list.push(self.value(format, depth, 0)?);
                }
                Value::List(list)
            }
            Format::Map(key, value) => {
                let (length, depth) = (self.bytes.scalar::<usize>()?, inside(depth)?);
                let mut map = Vec::with_capacity(length.min(self.bytes.left()));
                for _ in 0..length {
                    map.push((self.value(key, depth, 0)?, self.value(value, depth, 0)?));
                }
                Value::Map(map)
            }
            Format::Tuple(formats) => self.list(formats, depth, structs)?,
            Format::Type(index) => {
                let named = self.types.get(*index);
                let named = named.ok_or_else(|| SourceError::custom("its schema lacks a type"))?;
                self.named(named, depth, structs)?
            }
        })
    }

    fn named(
        &mut self,
        NamedType { name, content }: &NamedType,
        depth: Depth,
        structs: usize,
    ) -> Result<Value, SourceError> {
        match content {
            // A struct that contains itself without a level between would have no end.
            Content::Struct(_) if structs == self.types.len() => {
                Err(SourceError::custom("its schema has a struct without end"))
            }
            Content::Struct(fields) => {
                let value = self.fields(fields, depth, structs + 1)?;
                Ok(Value::of_struct(name, value))
            }
            Content::Enum(variants) => {
                let number: u32 = self.bytes.scalar()?;
                let depth = inside(depth)?;
                let variant = usize::try_from(number).ok().and_then(|number| variants.get(number));
                let Some((name, fields)) = variant else {
                    let error = format_args!("there is no variant {number} of `{name}`");
                    return Err(SourceError::custom(error));
                };
                let name = Value::Text(name.clone());
                Ok(match fields {
                    Fields::Unit => name,
                    fields => Value::Map(vec![(name, self.fields(fields, depth, 0)?)]),
                })
            }
        }
    }

    fn fields(
        &mut self,
        fields: &Fields,
        depth: Depth,
        structs: usize,
    ) -> Result<Value, SourceError> {
        match fields {
            Fields::Unit => Ok(Value::Null),
            Fields::Newtype(format) => self.value(format, depth, structs),
            Fields::Tuple(formats) => self.list(formats, depth, structs),
            Fields::Named(fields) => {
                let mut map = Vec::with_capacity(fields.len());
                for (name, format) in fields {
                    map.push((Value::Text(name.clone()), self.value(format, depth, structs)?));
                }
                Ok(Value::Map(map))
            }
        }
    }

    fn list(
        &mut self,
        formats: &[Format],
        depth: Depth,
        structs: usize,
    ) -> Result<Value, SourceError> {
        let mut list = Vec::with_capacity(formats.len());
        for format in formats {
            list.push(self.value(format, depth, structs)?);
        }
        Ok(Value::List(list))
    }
}

#[cfg(test)]
mod edits;
#[cfg(test)]
mod tests;

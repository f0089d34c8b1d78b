//! Self-describing values, deserialized as another type.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::arguments::{ArgumentKind, Arguments};
use super::copying::Copying;
use super::reader::Reader;
use super::schema::{Described, Form, Schema};
use super::schemas::{self, StoredSchema};
use super::source::Source;
use super::value::Value;
use super::{CodecError, Encoded, by_schema, cannot_decode, encoded, left_over, ranges, samples};
use crate::model::{Payload, SchemaHash};

/// A value, and the form that its type wrote it in: some types write different data in each form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Given {
    pub(super) value: Value,
    pub(super) form: Form,
}

/// Reads a value that was written by this schema and takes up all of `bytes`.
///
/// # Errors
/// [`CodecError::Decode`] if the bytes are not such a value.
pub(crate) fn read_by(bytes: &[u8], schema: &Schema) -> Result<Given, CodecError> {
    Ok(Given { value: by_schema::read(bytes, schema)?, form: schema.form })
}

/// Reads the content of a payload, after the hash of its schema: a value, or arguments.
pub(super) fn read_typed(hash: SchemaHash, mut bytes: &[u8]) -> Result<Vec<Given>, CodecError> {
    match schemas::known(hash).ok_or(CodecError::UnknownSchema(hash))? {
        StoredSchema::Value(schema) => Ok(vec![read_by(bytes, schema)?]),
        StoredSchema::Arguments(parameters) => {
            let mut arguments = Vec::with_capacity(parameters.len());
            for (_, schema) in parameters {
                let (value, taken) = by_schema::read_first(bytes, schema)?;
                arguments.push(Given { value, form: schema.form });
                bytes = &bytes[taken..];
            }
            match bytes.len() {
                0 => Ok(arguments),
                left => Err(left_over("arguments", left)),
            }
        }
    }
}

/// The arguments of a call, one by one.
///
/// # Errors
/// [`CodecError::UnknownSchema`]; [`CodecError::Decode`] if they do not fit their schema, or have none.
pub(crate) fn given_arguments(arguments: &Payload) -> Result<Vec<Given>, CodecError> {
    match encoded(arguments.as_bytes(), "arguments")? {
        Encoded::Typed(hash, bytes) => read_typed(hash, bytes),
        Encoded::Plain(_) | Encoded::Json(_) => {
            Err(cannot_decode("arguments", &"they have no schema"))
        }
    }
}

/// As [`read_typed`], for the bytes of one value. Arguments are one value, a tuple.
pub(super) fn read_typed_value(hash: SchemaHash, bytes: &[u8]) -> Result<Vec<Given>, CodecError> {
    let values = read_typed(hash, bytes)?;
    match schemas::known(hash) {
        Some(StoredSchema::Arguments(_)) => {
            let form = form_of(values.iter());
            let values: Vec<_> = values.into_iter().map(|given| given.value).collect();
            let value = if values.is_empty() { Value::Null } else { Value::List(values) };
            Ok(vec![Given { value, form }])
        }
        _ => Ok(values),
    }
}

/// Like [`read_typed`], as the arguments of a call with these parameters: a tuple becomes arguments.
pub(super) fn read_typed_list(
    hash: SchemaHash,
    bytes: &[u8],
    kinds: &[ArgumentKind],
) -> Result<Vec<Given>, CodecError> {
    let mut values = read_typed(hash, bytes)?;
    if let Some(StoredSchema::Arguments(before)) = schemas::known(hash) {
        let before: Vec<_> = before.iter().map(|(name, schema)| (&**name, Some(schema))).collect();
        let now: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
        let places = schemas::match_parameters(&before, &now)
            .map_err(|reason| cannot_decode("arguments", &reason))?;
        return Ok(places.into_iter().map(|place| values[place].clone()).collect());
    }
    match (schemas::known(hash), values.pop()) {
        (Some(StoredSchema::Value(_)), Some(Given { value: Value::List(list), form })) => {
            Ok(list.into_iter().map(|value| Given { value, form }).collect())
        }
        (Some(StoredSchema::Value(_)), Some(Given { value: Value::Null, .. })) => Ok(Vec::new()),
        (_, last) => {
            values.extend(last);
            Ok(values)
        }
    }
}

/// The form of a value that is made of several values.
fn form_of<'a>(mut parts: impl Iterator<Item = &'a Given>) -> Form {
    if parts.all(|part| part.form == Form::Tagged) { Form::Tagged } else { Form::Compact }
}

/// Converts a value to its self-describing form.
///
/// # Errors
/// [`CodecError::Encode`] if it cannot be encoded.
pub(crate) fn given<T: Serialize>(value: &T) -> Result<Given, CodecError> {
    let mut written = Arguments::plain(Form::Tagged);
    written.add(value);
    // Behind the byte of the encoding.
    read_by(&written.finish()?.0[1..], &Schema::tagged())
}

impl Given {
    /// A map of values by name, as of a struct.
    pub(crate) fn by_name<'a>(values: impl Iterator<Item = (&'a str, Self)>) -> Self {
        let mut is_tagged = true;
        let fields = values.map(|(name, Self { value, form })| {
            is_tagged &= form == Form::Tagged;
            (Value::Text(name.to_owned()), value)
        });
        let value = Value::Map(fields.collect());
        Self { value, form: if is_tagged { Form::Tagged } else { Form::Compact } }
    }

    /// Reads the value as this type.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if the value does not fit.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, CodecError> {
        let name = std::any::type_name::<T>();
        T::deserialize(Source::Read(&self.value, self.form))
            .map_err(|error| cannot_decode(name, &error))
    }

    /// A few values that this schema allows, which together have every part that a value may have. Empty if the schema
    /// does not describe its values.
    pub(crate) fn samples(schema: &Schema) -> Vec<Self> {
        let samples = samples::of(schema).into_iter();
        samples.map(|value| Self { value, form: schema.form }).collect()
    }

    /// Returns the part at this path of fields.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if there is no such part.
    pub(crate) fn part(self, path: &[String]) -> Result<Self, CodecError> {
        let Self { mut value, form } = self;
        for field in path {
            value = part(value, field).ok_or_else(|| {
                cannot_decode("part", &format_args!("there is no field `{}`", path.join(".")))
            })?;
        }
        Ok(Self { value, form })
    }

    /// What `Display` prints of it, if it is a text, an integer or a `bool`.
    pub(crate) fn plain_text(&self) -> Option<String> {
        Some(match self.value.open() {
            Value::Text(text) => text.clone(),
            Value::Char(value) => value.to_string(),
            Value::Bool(value) => value.to_string(),
            Value::Unsigned(value) => value.to_string(),
            Value::Signed(value) => value.to_string(),
            Value::BigUnsigned(value) => value.to_string(),
            Value::BigSigned(value) => value.to_string(),
            _ => return None,
        })
    }

    /// The value that has these parts, each with the fields that lead to it.
    pub(crate) fn of_parts(parts: Vec<(&[String], Self)>) -> Self {
        let form = form_of(parts.iter().map(|(_, part)| part));
        let parts = parts.into_iter().map(|(path, part)| (path, part.value)).collect();
        Self { value: whole(parts), form }
    }
}

fn part(value: Value, field: &str) -> Option<Value> {
    let is_it = |key: &Value| key.text() == Some(field);
    match value {
        Value::Map(fields) => {
            fields.into_iter().find(|(key, _)| is_it(key)).map(|(_, value)| value)
        }
        Value::List(items) => items.into_iter().nth(field.parse().ok()?),
        Value::Secret(inner) | Value::Range(_, inner) => part(*inner, field),
        // A newtype is its content.
        value => (field == "0").then_some(value),
    }
}

fn whole(mut parts: Vec<(&[String], Value)>) -> Value {
    if let Some(at) = parts.iter().position(|(path, _)| path.is_empty()) {
        return parts.swap_remove(at).1;
    }
    let mut fields: BTreeMap<&str, Vec<(&[String], Value)>> = BTreeMap::new();
    for (path, value) in parts {
        if let Some((field, rest)) = path.split_first() {
            fields.entry(field).or_default().push((rest, value));
        }
    }
    let mut items: Vec<usize> = fields.keys().filter_map(|field| field.parse().ok()).collect();
    items.sort_unstable();
    let is_tuple = items.len() == fields.len() && items.iter().copied().eq(0..items.len());
    if is_tuple {
        let mut values: Vec<_> = fields.into_iter().collect();
        values.sort_by_key(|(field, _)| field.parse::<usize>().unwrap_or_default());
        return Value::List(values.into_iter().map(|(_, parts)| whole(parts)).collect());
    }
    let fields = fields.into_iter();
    Value::Map(fields.map(|(field, parts)| (Value::Text(field.to_owned()), whole(parts))).collect())
}

impl Described {
    /// Writes a self-describing value as this type does.
    ///
    /// # Errors
    /// [`CodecError`] if it does not fit the type.
    pub(crate) fn convert(self, given: Given) -> Result<Vec<u8>, CodecError> {
        let form = schemas::of_type(self).form();
        let given = ranges::kept(vec![given], [self])?;
        let mut reader = Reader::of_given(self.type_name(), given);
        let mut converted = Arguments::plain(form);
        let copying: Copying = self.copying;
        if copying.copy(&mut reader, &mut converted) {
            reader.finish()?;
            Ok(converted.finish()?.0.split_off(1))
        } else {
            // The incomplete output is discarded.
            drop(converted.finish());
            Err(reader.failure())
        }
    }
}

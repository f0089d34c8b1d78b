//! Displaying stored values, and encoding values that users enter, without their types.

use serde::Deserialize as _;
use serde_json::Value as Json;

use super::given::{read_typed, read_typed_value};
use super::render::to_json;
use super::schemas::{self, StoredSchema};
use super::value::Value;
use super::{CodecError, Encoded, Schema, arguments, by_schema, cannot_decode, encoded, read_by};
use crate::model::Payload;

/// Converts a payload to JSON: a list for the arguments of a call. See [`to_json`].
///
/// # Errors
/// [`CodecError::UnknownSchema`]; [`CodecError::Decode`] if the bytes do not fit their schema.
pub(crate) fn payload_to_json(payload: &Payload) -> Result<Json, CodecError> {
    match encoded(payload.as_bytes(), "value")? {
        Encoded::Json(text) => {
            serde_json::from_slice(text).map_err(|error| cannot_decode("JSON value", &error))
        }
        Encoded::Typed(hash, bytes) => {
            let are_arguments = matches!(schemas::known(hash), Some(StoredSchema::Arguments(_)));
            let values = read_typed(hash, bytes)?;
            let mut values = values.iter().map(|given| to_json(&given.value));
            Ok(match are_arguments {
                true => values.collect(),
                false => values.next().unwrap_or_default(),
            })
        }
        Encoded::Plain(_) => Err(cannot_decode("value", &"it is a record of piton's own")),
    }
}

/// Converts a value that was written with this schema to JSON.
///
/// # Errors
/// [`CodecError::Decode`] if the bytes do not fit the schema.
pub(crate) fn saved_to_json(saved: &[u8], schema: &Schema) -> Result<Json, CodecError> {
    read_by(saved, schema).map(|given| to_json(&given.value))
}

/// Writes JSON as a value of this schema.
///
/// # Errors
/// [`CodecError::Encode`] if it does not fit.
pub(crate) fn json_to_saved(json: &Json, schema: &Schema) -> Result<Vec<u8>, CodecError> {
    by_schema::write(&from_json(json)?, schema)
}

/// Checks that a type with this schema can read a payload, see [`by_schema::check`].
///
/// # Errors
/// [`CodecError::Encode`] if it cannot; [`CodecError::UnknownSchema`] and [`CodecError::Decode`] if the payload cannot be
/// read.
pub(crate) fn check_fits(payload: &Payload, schema: &Schema) -> Result<(), CodecError> {
    match encoded(payload.as_bytes(), "value")? {
        Encoded::Typed(hash, bytes) => read_typed_value(hash, bytes)?
            .iter()
            .try_for_each(|given| by_schema::check(&given.value, schema)),
        Encoded::Json(_) | Encoded::Plain(_) => Ok(()),
    }
}

/// Checks that a call with parameters of these names and schemas can read arguments. Those without a schema fit.
///
/// # Errors
/// Why they do not, for people, and whether that is certain: another schema may be able to read a value by the
/// attributes of its type.
pub(crate) fn check_arguments_fit(
    arguments: &Payload,
    parameters: &[(&str, Option<&Schema>)],
) -> Result<(), (String, bool)> {
    let unreadable = |error: CodecError| (error.to_string(), true);
    let (hash, bytes) = match encoded(arguments.as_bytes(), "arguments").map_err(unreadable)? {
        Encoded::Typed(hash, bytes) => (hash, bytes),
        Encoded::Json(_) | Encoded::Plain(_) => return Ok(()),
    };
    let given = read_typed(hash, bytes).map_err(unreadable)?;
    let Some(StoredSchema::Arguments(before)) = schemas::known(hash) else { return Ok(()) };
    let before: Vec<_> = before.iter().map(|(name, schema)| (&**name, Some(schema))).collect();
    let names: Vec<_> = parameters.iter().map(|(name, _)| *name).collect();
    let places = schemas::match_parameters(&before, &names).map_err(|reason| (reason, true))?;
    for ((name, schema), place) in parameters.iter().zip(places) {
        let is_same = |schema: &&Schema| before[place].1.map(Schema::hash) == Some(schema.hash());
        let Some(schema) = schema.filter(|schema| !is_same(schema)) else { continue };
        check_saved(&given[place].value, schema)
            .map_err(|reason| (format!("in the argument `{name}`: {reason}"), false))?;
    }
    Ok(())
}

/// Checks that a type with this schema can read a saved value, given as JSON.
///
/// # Errors
/// Why it may not, for people: see [`check_arguments_fit`].
pub(crate) fn check_saved_json(json: &Json, schema: &Schema) -> Result<(), String> {
    check_saved(&from_json(json).map_err(|error| error.to_string())?, schema)
}

fn check_saved(value: &Value, schema: &Schema) -> Result<(), String> {
    if by_schema::write(value, schema).is_ok() {
        return Ok(());
    }
    Err(match by_schema::write_known(value, schema) {
        Ok(_) => format!(
            "it has a field that `{}` does not have, which is ignored unless the type has \
             `#[serde(deny_unknown_fields)]`",
            schema.short_name()
        ),
        Err(error) => misfit(schema, error),
    })
}

/// Why a value does not fit a schema, for people.
pub(crate) fn misfit(schema: &Schema, error: CodecError) -> String {
    match error {
        CodecError::Encode { reason, .. } => {
            format!("it is no `{}`: {reason}", schema.short_name())
        }
        error => error.to_string(),
    }
}

/// Writes JSON as the part of a saved value that these fields lead to. The rest of the value stays.
///
/// # Errors
/// [`CodecError::Encode`] if there is no such part or the JSON does not fit; [`CodecError::Decode`] if the saved value
/// does not fit its schema.
pub(crate) fn json_to_part(
    saved: &[u8],
    schema: &Schema,
    path: &[&str],
    json: &Json,
) -> Result<Vec<u8>, CodecError> {
    let mut whole = read_by(saved, schema)?.value;
    let mut part = &mut whole;
    for (depth, field) in path.iter().enumerate() {
        part = part_of(part, field).ok_or_else(|| CodecError::Encode {
            type_name: "value",
            reason: format!("there is no `{}` in it", path[..=depth].join(".")),
        })?;
    }
    *part = from_json(json)?;
    by_schema::write(&whole, schema)
}

fn part_of<'a>(value: &'a mut Value, field: &str) -> Option<&'a mut Value> {
    match value {
        Value::Some(inner) | Value::Secret(inner) | Value::Range(_, inner) => part_of(inner, field),
        Value::Map(map) => {
            let found = map.iter_mut().find(|(key, _)| key.text() == Some(field));
            found.map(|(_, value)| value)
        }
        Value::List(list) => list.get_mut(field.parse::<usize>().ok()?),
        _ => None,
    }
}

/// Writes JSON as a payload of this schema, and adds the schema to the known ones.
///
/// # Errors
/// [`CodecError::Encode`] if it does not fit.
pub(crate) fn json_to_payload(json: &Json, schema: &Schema) -> Result<Payload, CodecError> {
    let mut payload = Vec::new();
    arguments::begin_typed(&mut payload, schemas::take_note(schema));
    payload.extend(json_to_saved(json, schema)?);
    Ok(Payload(payload))
}

/// Writes JSON as the arguments of a call, by the names and schemas of its parameters, and adds the schemas to the
/// known ones.
///
/// # Errors
/// The index, from 0, of the first argument that does not fit, and [`CodecError::Encode`].
pub(crate) fn json_to_arguments(
    parameters: &[(&str, &Schema)],
    arguments: &[&Json],
) -> Result<Payload, (usize, CodecError)> {
    let mut payload = Vec::new();
    arguments::begin_typed(&mut payload, schemas::take_note_of_arguments(parameters));
    for (number, ((_, schema), json)) in parameters.iter().zip(arguments).enumerate() {
        let saved = json_to_saved(json, schema).map_err(|error| (number, error))?;
        payload.extend(saved);
    }
    Ok(Payload(payload))
}

fn from_json(json: &Json) -> Result<Value, CodecError> {
    Value::deserialize(json).map_err(|error| cannot_decode("JSON value", &error))
}

impl Schema {
    /// The Rust type without paths: `Vec<Item>` for `alloc::vec::Vec<shop::Item>`.
    pub fn short_name(&self) -> String {
        let mut short = String::new();
        let mut path_from = 0;
        for character in self.type_name.chars() {
            match character {
                ':' => short.truncate(path_from),
                character => {
                    short.push(character);
                    if !character.is_alphanumeric() && character != '_' {
                        path_from = short.len();
                    }
                }
            }
        }
        short
    }
}

//! Stored values for people, without their types.

use serde_json::Value as Json;

use super::given::read_typed;
use super::render::to_json;
use super::schemas::{self, StoredSchema};
use super::{CodecError, Encoded, cannot_decode, encoded, read_by};
use crate::codec::Schema;
use crate::model::Payload;

/// What is in a payload, as JSON: a list for the arguments of a call. See [`to_json`].
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

/// A value that was written by this schema, as JSON.
///
/// # Errors
/// [`CodecError::Decode`] if the bytes do not fit the schema.
pub(crate) fn saved_to_json(saved: &[u8], schema: &Schema) -> Result<Json, CodecError> {
    read_by(saved, schema).map(|given| to_json(&given.value))
}

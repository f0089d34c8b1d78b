//! The encoding of values: bincode 2 (standard configuration) or a self-describing form. No other module depends on the
//! choice.
//!
//! A payload starts with a byte for its [`Encoding`] and the hash of its schema, a snapshot with
//! [`SNAPSHOT_FORMAT`]. Values inside a frame have neither: the frame's definition contains their schemas.

mod arguments;
mod binary;
mod by_schema;
mod copying;
mod depth;
mod failure;
mod field_names;
mod given;
mod json;
mod ranges;
mod reader;
pub(crate) mod render;
mod results;
pub(crate) mod samples;
mod schema;
pub(crate) mod schemas;
mod secret;
#[cfg(feature = "engine")]
mod shown;
mod sink;
pub(crate) mod snapshot;
mod source;
mod tagged;
mod value;

use std::any::type_name;
use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use arguments::check_arguments;
pub use arguments::{ArgumentKind, Arguments};
pub(crate) use failure::error_in;
pub(crate) use field_names::field_names;
pub(crate) use given::{Given, given, given_arguments, read_by};
pub use json::Json;
pub(crate) use reader::only_value;
pub use reader::{Reader, next_value};
pub(crate) use results::{adapted, add_result, next_result};
#[cfg(feature = "engine")]
pub(crate) use schema::holds;
pub(crate) use schema::keeps_items;
pub use schema::{
    Content, Described, Fields, Form, Format, NamedType, Schema, SchemaProblem, Types,
};
pub use secret::Secret;
#[cfg(feature = "engine")]
pub(crate) use shown::{
    check_arguments_fit, check_fits, check_saved_json, json_to_arguments, json_to_part,
    json_to_payload, json_to_saved, misfit, payload_to_json, saved_to_json,
};

pub use snapshot::{SNAPSHOT_FORMAT, decode_snapshot, encode_snapshot};
pub(crate) use snapshot::{SnapshotView, encode_snapshot_view};

use self::binary::Bytes;
pub(crate) use self::sink::{Sink, SinkError};
use self::source::{Source, SourceError};
use crate::model::{Encoding, Payload, SchemaHash};

/// Why a value could not be written or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The value's `Serialize` refused, or the value is nested more than 128 levels deep: lists, maps, `Some`s and
    /// variants with content in each other. Deeper ones could not be read back without a stack overflow.
    #[error("a value of type `{type_name}` cannot be encoded: {reason}")]
    Encode {
        /// The Rust type.
        type_name: &'static str,
        /// The error of its implementation.
        reason: String,
    },
    /// The bytes are not such a value.
    #[error("the stored bytes are not a `{type_name}`: {reason}")]
    Decode {
        /// The Rust type.
        type_name: &'static str,
        /// What does not fit.
        reason: String,
    },
    /// This process does not know the schema that the value was written with. Workers and clients load it from the
    /// database.
    #[error("the stored bytes were written by the schema {0}, which is not known here")]
    UnknownSchema(SchemaHash),
}

impl CodecError {
    /// The same error, with the name of the value.
    pub(crate) fn in_value(self, name: &str) -> Self {
        match self {
            Self::Decode { type_name, reason } => {
                Self::Decode { type_name, reason: format!("{reason}, in {name}") }
            }
            other => other,
        }
    }

    /// The same error for another type.
    fn of(self, type_name: &'static str) -> Self {
        match self {
            Self::Decode { reason, .. } => Self::Decode { type_name, reason },
            other => other,
        }
    }

    /// The same error, about the argument of this parameter. That there is none says so itself.
    fn of_argument(self, parameter: &ArgumentKind) -> Self {
        match self {
            Self::Decode { type_name, reason }
                if type_name == parameter.described.type_name() && !parameter.name.is_empty() =>
            {
                let reason = format!("in the argument `{}`: {reason}", parameter.name);
                Self::Decode { type_name, reason }
            }
            other => other,
        }
    }
}

/// Appends `value` to `out`.
///
/// # Errors
/// [`CodecError::Encode`] if the type refuses; `out` then ends in an incomplete value.
pub fn encode_into<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), CodecError> {
    // A generic function is compiled for each type, in the crates that use it, so these functions contain as little as
    // possible.
    match value.serialize(Sink::new(out, Form::Compact)) {
        Ok(()) => Ok(()),
        Err(error) => Err(not_written(type_name::<T>, error)),
    }
}

/// Reads a value that takes up all of `bytes`.
///
/// # Errors
/// [`CodecError::Decode`] if the bytes are not such a value, or more than one.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    only_value(Reader::plain(bytes, type_name::<T>(), Form::Compact), next_value)
}

/// Reads a value at the beginning of `bytes`. Returns it with its length in bytes.
pub(crate) fn decode_first<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, usize), CodecError> {
    let source = Bytes::new(bytes);
    match T::deserialize(Source::binary(&source)) {
        Ok(value) => Ok((value, source.taken())),
        Err(error) => Err(not_read(type_name::<T>, error)),
    }
}

// Functions that only pass the error on are compiled once, not for each type.
//
// A call while a value is alive also needs code that drops the value if the call panics. So the name of a type is
// requested where no value is alive, and the functions called elsewhere are `extern "C"`, which tells rustc that they
// never unwind.

/// [`type_name`] of a type.
pub(crate) type NameOf = fn() -> &'static str;

pub(crate) fn not_written(type_name: NameOf, error: SinkError) -> CodecError {
    CodecError::Encode { type_name: type_name(), reason: error.to_string() }
}

fn not_read(type_name: NameOf, error: SourceError) -> CodecError {
    cannot_decode(type_name(), &error)
}

fn cannot_decode(type_name: &'static str, reason: &dyn Display) -> CodecError {
    CodecError::Decode { type_name, reason: reason.to_string() }
}

pub(crate) fn left_over(type_name: &'static str, count: usize) -> CodecError {
    cannot_decode(type_name, &format_args!("{count} bytes are left over"))
}

/// Encodes a result or a signal by the schema of its type.
///
/// # Errors
/// [`CodecError::Encode`] if the type refuses.
pub fn to_payload<T: Serialize + DeserializeOwned>(value: &T) -> Result<Payload, CodecError> {
    let mut payload = Arguments::value(Described::of::<T>());
    payload.add(value);
    payload.finish()
}

/// Encodes a value in the self-describing form, which takes more space than [`to_payload`].
///
/// # Errors
/// [`CodecError::Encode`] if the type refuses.
pub(crate) fn to_tagged_payload<T: Serialize + ?Sized>(value: &T) -> Result<Payload, CodecError> {
    let mut payload = Arguments::tagged();
    payload.add(value);
    payload.finish()
}

/// Reads a result or a signal. If another type has written it, fields and variants are matched by name.
///
/// # Errors
/// [`CodecError::Decode`] if the payload is empty, of an unknown encoding, or does not fit the type;
/// [`CodecError::UnknownSchema`].
pub fn from_payload<T: Serialize + DeserializeOwned>(payload: &Payload) -> Result<T, CodecError> {
    only_value(Reader::value(payload.as_bytes(), Described::of::<T>()), next_value)
}

/// Like [`from_payload`], for what a call gave, whose function may fail now and could not before, or the other way round.
///
/// # Errors
/// Those of [`from_payload`].
pub(crate) fn from_outcome<T: Serialize + DeserializeOwned>(
    payload: &Payload,
) -> Result<T, CodecError> {
    only_value(Reader::outcome(payload.as_bytes(), Described::of::<T>()), next_value)
}

/// Like [`from_payload`], for types without `Serialize`.
pub(crate) fn from_any_payload<T: DeserializeOwned>(payload: &Payload) -> Result<T, CodecError> {
    only_value(Reader::any_value(payload.as_bytes(), type_name::<T>()), next_value)
}

/// Encodes a record that only piton reads, whose format never changes.
pub(crate) fn to_record<T: Serialize>(record: &T) -> Result<Vec<u8>, CodecError> {
    let mut bytes = Arguments::plain(Form::Compact);
    bytes.add(record);
    Ok(bytes.finish()?.0)
}

/// Reads what [`to_record`] has written.
pub(crate) fn from_record<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    only_value(Reader::any_value(bytes, type_name::<T>()), next_value)
}

/// Writes a copy of a value for the process itself, and reads it.
pub(crate) fn copied<T: Serialize + DeserializeOwned>(value: &T) -> Result<Vec<u8>, CodecError> {
    let mut copy = Arguments::plain(schemas::of_type(Described::of::<T>()).form());
    copy.add(value);
    Ok(copy.finish()?.0.split_off(1))
}

/// Reads what [`copied`] has written.
pub(crate) fn from_copy<T: Serialize + DeserializeOwned>(copy: &[u8]) -> Result<T, CodecError> {
    let form = schemas::of_type(Described::of::<T>()).form();
    only_value(Reader::plain(copy, type_name::<T>(), form), next_value)
}

/// Begins the payload of a value of this type in a saved state. Returns the form to write the value in.
pub(crate) fn begin_payload(described: Described, out: &mut Vec<u8>) -> Form {
    let own = schemas::of_kept_type(described);
    arguments::begin_typed(out, own.hash);
    own.form()
}

/// A payload without its head.
enum Encoded<'a> {
    Plain(&'a [u8]),
    Json(&'a [u8]),
    Typed(SchemaHash, &'a [u8]),
}

fn encoded<'a>(payload: &'a [u8], type_name: &'static str) -> Result<Encoded<'a>, CodecError> {
    match payload {
        [] => Err(cannot_decode(type_name, &"the payload is empty")),
        [tag, value @ ..] if *tag == Encoding::Binary as u8 => Ok(Encoded::Plain(value)),
        [tag, value @ ..] if *tag == Encoding::Json as u8 => Ok(Encoded::Json(value)),
        [tag, typed @ ..] if *tag == Encoding::Typed as u8 => match typed.split_first_chunk() {
            Some((hash, value)) => Ok(Encoded::Typed(SchemaHash(u64::from_le_bytes(*hash)), value)),
            None => Err(cannot_decode(type_name, &"the payload is cut short")),
        },
        [tag, ..] => Err(cannot_decode(type_name, &format_args!("unknown encoding {tag}"))),
    }
}

/// Whether this process must load the schema before it can read values written with it.
pub(crate) fn is_unknown(hash: SchemaHash) -> bool {
    schemas::known(hash).is_none()
}

/// The schema that a payload was written with, if it has one.
pub(crate) fn schema_of(payload: &Payload) -> Option<SchemaHash> {
    schema_in(payload.as_bytes())
}

/// Like [`schema_of`], for the bytes of a payload.
pub(crate) fn schema_in(payload: &[u8]) -> Option<SchemaHash> {
    match encoded(payload, "payload") {
        Ok(Encoded::Typed(hash, _)) => Some(hash),
        _ => None,
    }
}

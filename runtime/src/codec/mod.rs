//! How values become bytes: bincode 2 (standard configuration), kept behind this one module.
//!
//! Payloads start with a format byte ([`Encoding`]), snapshots with [`SNAPSHOT_FORMAT`], so that a
//! later format can be told from this one. Values inside a frame carry no byte of their own: the
//! frame's definition hash says how they were written.

mod arguments;
mod binary;
pub(crate) mod by_schema;
mod copying;
mod depth;
mod json;
mod reader;
mod results;
mod schema;
mod sink;
pub(crate) mod snapshot;
mod source;
mod tagged;
mod value;

use std::any::type_name;
use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use arguments::Arguments;
pub use json::Json;
pub(crate) use reader::only_value;
pub use reader::{Reader, next_value};
pub(crate) use results::{add_result, next_result};
pub use schema::{
    Content, Described, Fields, Form, Format, NamedType, Schema, SchemaProblem, Types,
};

pub use snapshot::{SNAPSHOT_FORMAT, decode_snapshot, encode_snapshot};
pub(crate) use snapshot::{SnapshotView, encode_snapshot_view};

use self::binary::Bytes;
pub(crate) use self::sink::{Sink, SinkError};
use self::source::{Source, SourceError};
use crate::model::{Encoding, Payload};

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
        /// What its implementation said.
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
}

/// Appends `value` to `out`.
///
/// # Errors
/// [`CodecError::Encode`] if the type refuses; `out` then ends in an incomplete value.
pub fn encode_into<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), CodecError> {
    // What stands in a function of many types is compiled for each of them, in the crates that use
    // them; so these functions hold no more than they must.
    match value.serialize(Sink::new(out)) {
        Ok(()) => Ok(()),
        Err(error) => Err(not_written(type_name::<T>, error)),
    }
}

/// Reads a value that takes up all of `bytes`.
///
/// # Errors
/// [`CodecError::Decode`] if the bytes are not such a value, or more than one.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    only_value(Reader::of_saved(bytes, type_name::<T>()), next_value)
}

/// Reads a value at the beginning of `bytes`, and tells how many of them it took up.
pub(crate) fn decode_first<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, usize), CodecError> {
    let source = Bytes::new(bytes);
    match T::deserialize(Source::binary(&source)) {
        Ok(value) => Ok((value, source.taken())),
        Err(error) => Err(not_read(type_name::<T>, error)),
    }
}

// What takes the error as it is, is compiled once and not for each type.
//
// Where a value is alive, a call is also code to drop the value if the call panics. So the name of a type is asked for
// where nothing else is at hand, and what is called is `extern "C"`: by that rustc knows that it never panics.

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

/// Encodes arguments, a result or a signal in binary.
///
/// # Errors
/// [`CodecError::Encode`] if the type refuses.
pub fn to_payload<T: Serialize + ?Sized>(value: &T) -> Result<Payload, CodecError> {
    let mut payload = Arguments::NONE;
    payload.add(value);
    payload.finish()
}

/// Reads arguments, a result or a signal in whatever encoding its first byte names.
///
/// # Errors
/// [`CodecError::Decode`] if the payload is empty, of an unknown encoding, or not such a value.
pub fn from_payload<T: DeserializeOwned>(payload: &Payload) -> Result<T, CodecError> {
    only_value(Reader::of_value(payload.as_bytes(), type_name::<T>()), next_value)
}

/// Takes the format byte off a payload.
fn encoding<'a>(
    payload: &'a [u8],
    type_name: &'static str,
) -> Result<(Encoding, &'a [u8]), CodecError> {
    match payload {
        [] => Err(cannot_decode(type_name, &"the payload is empty")),
        [tag, value @ ..] if *tag == Encoding::Binary as u8 => Ok((Encoding::Binary, value)),
        [tag, value @ ..] if *tag == Encoding::Json as u8 => Ok((Encoding::Json, value)),
        [tag, ..] => Err(cannot_decode(type_name, &format_args!("unknown encoding {tag}"))),
    }
}

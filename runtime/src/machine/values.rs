//! How the arguments and the return value of a workflow or activity are encoded.
//!
//! That their types can be encoded is asked for once for each, at its place in the signature. Where an
//! answer is no, nothing else is said of it: what is generated takes [`Stored`] if it can and
//! [`Unstored`] if it must.

use std::marker::PhantomData;

use serde::Serialize;

use super::Durable;
use crate::codec::{self, CodecError, Schema};
use crate::model::Payload;

/// How values of a type are encoded.
#[derive(Debug)]
pub struct Values<T> {
    encode: fn(&T) -> Result<Payload, CodecError>,
    pub(super) decode: fn(&[u8]) -> Result<T, CodecError>,
    pub(crate) schema: fn() -> Schema,
}

impl<T: Durable> Values<T> {
    /// As serde says.
    pub const fn new() -> Self {
        Self { encode: codec::to_payload, decode: codec::payload_value, schema: Schema::of::<T> }
    }
}

impl<T: Durable> Default for Values<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Values<T> {
    /// Encodes a value in binary.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the type refuses.
    pub fn encode(&self, value: &T) -> Result<Payload, CodecError> {
        (self.encode)(value)
    }

    /// Reads a value in whatever encoding its first byte names.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if the payload is empty, of an unknown encoding, or not such a value.
    pub fn decode(&self, payload: &Payload) -> Result<T, CodecError> {
        (self.decode)(payload.as_bytes())
    }
}

/// `(&ValuesOf::<T>::NEW).values()` is [`Stored::values`] if `T` is [`Durable`].
#[derive(Debug)]
pub struct ValuesOf<T>(PhantomData<fn() -> T>);

impl<T> ValuesOf<T> {
    /// Asks for nothing.
    pub const NEW: Self = Self(PhantomData);
}

/// See [`ValuesOf`].
pub trait Stored<T> {
    /// How they are encoded.
    fn values(&self) -> Values<T>;
}

/// See [`ValuesOf`].
pub trait Unstored<T> {
    /// Stands for what rustc has refused.
    fn values(&self) -> Values<T>;
}

impl<T: Durable> Stored<T> for ValuesOf<T> {
    fn values(&self) -> Values<T> {
        Values::new()
    }
}

impl<T> Unstored<T> for &ValuesOf<T> {
    fn values(&self) -> Values<T> {
        unreachable!("a program with such values, which cannot be saved, does not compile")
    }
}

/// The arguments of a call, which may be references. `(&Encoded(&arguments)).payload()` is
/// [`Encodable::payload`] if they can be encoded.
#[derive(Debug)]
pub struct Encoded<'a, T>(pub &'a T);

/// See [`Encoded`].
pub trait Encodable {
    /// The encoded arguments.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if one of the types refuses.
    fn payload(&self) -> Result<Payload, CodecError>;
}

/// See [`Encoded`].
pub trait Unencodable {
    /// Stands for what rustc has refused.
    fn payload(&self) -> Result<Payload, CodecError>;
}

impl<T: Serialize> Encodable for Encoded<'_, T> {
    fn payload(&self) -> Result<Payload, CodecError> {
        codec::to_payload(self.0)
    }
}

impl<T> Unencodable for &Encoded<'_, T> {
    fn payload(&self) -> Result<Payload, CodecError> {
        unreachable!("a program with such arguments, which cannot be saved, does not compile")
    }
}

//! An encoded value, with a tag for its encoding.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How a payload's bytes are decoded. Stored as one byte; the numbers are a stored format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum Encoding {
    /// A record of piton's own, whose format only piton's code knows, see [`crate::codec`].
    Binary = 1,
    /// JSON text, accepted wherever a value is.
    Json = 2,
    /// The hash of a schema, then values encoded with it.
    Typed = 3,
}

/// Encoded arguments, results and signals: one byte for the [`Encoding`], the hash of the schema, then the value.
#[derive(Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Payload(#[serde(serialize_with = "as_bytes")] pub Vec<u8>);

/// Serializes bytes at once, and not one by one as a sequence. The result is the same in the binary encoding and in
/// JSON.
pub(crate) fn as_bytes<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

/// Deserializes the bytes written by [`as_bytes`].
pub(crate) fn in_one_piece<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<u8>, D::Error> {
    struct Whole;

    impl<'de> Visitor<'de> for Whole {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }

        fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
            Ok(bytes)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<u8>, A::Error> {
            let mut bytes = Vec::new();
            while let Some(byte) = list.next_element()? {
                bytes.push(byte);
            }
            Ok(bytes)
        }
    }

    deserializer.deserialize_byte_buf(Whole)
}

impl Payload {
    /// The stored bytes, format byte included.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// JSON text as a payload.
    pub fn from_json(json: &serde_json::Value) -> Self {
        let mut bytes = vec![Encoding::Json as u8];
        bytes.extend_from_slice(json.to_string().as_bytes());
        Self(bytes)
    }
}

impl std::fmt::Debug for Payload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Payload({} bytes)", self.0.len())
    }
}

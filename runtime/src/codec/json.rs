//! Saving a value as JSON text.

use std::io::{self, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::ser::Formatter;

use super::depth::{MAX_JSON_DEPTH, TooDeep};

/// Saves a value as JSON text.
///
/// No type needs this to be saved, not even `serde_json::Value` or a type with `#[serde(untagged)]`. Use it to have the
/// JSON text in the database. It takes more time and space than piton's own encoding. Lists and objects may be nested
/// 127 levels deep.
///
/// ```
/// use piton::Json;
///
/// let saved = piton::codec::to_payload(&Json(serde_json::json!({ "any": ["thing"] })))?;
/// let Json(value) = piton::codec::from_payload::<Json<serde_json::Value>>(&saved)?;
/// assert_eq!(value["any"][0], "thing");
/// # Ok::<(), piton::codec::CodecError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Json<T>(pub T);

impl<T: Serialize> Serialize for Json<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return self.0.serialize(serializer);
        }
        let mut text = Vec::with_capacity(128);
        let mut json = serde_json::Serializer::with_formatter(&mut text, Bounded { depth: 0 });
        self.0.serialize(&mut json).map_err(ser::Error::custom)?;
        let text = str::from_utf8(&text).map_err(ser::Error::custom)?;
        serializer.serialize_str(text)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Json<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return T::deserialize(deserializer).map(Self);
        }
        let text = String::deserialize(deserializer)?;
        serde_json::from_str(&text).map(Self).map_err(de::Error::custom)
    }
}

/// Writes JSON without white space, and fails at a depth that could not be read back.
struct Bounded {
    /// The lists and objects that have begun and not ended.
    depth: u32,
}

impl Bounded {
    fn begin<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        if self.depth == MAX_JSON_DEPTH {
            return Err(io::Error::other(TooDeep::JSON));
        }
        self.depth += 1;
        writer.write_all(bracket)
    }

    fn end<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(bracket)
    }
}

impl Formatter for Bounded {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"]")
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}")
    }
}

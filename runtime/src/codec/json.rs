//! Saving a value as JSON inside of the binary encoding.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

/// Saves a value as JSON text, for types that the binary encoding cannot hold:
/// `serde_json::Value`, and types with `#[serde(untagged)]`, `#[serde(flatten)]` or
/// `#[serde(skip_serializing_if)]`. Costs more time and space than the binary encoding.
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
        let text = serde_json::to_string(&self.0).map_err(ser::Error::custom)?;
        serializer.serialize_str(&text)
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

//! A value that is hidden in displays.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use super::schema::SECRET;

/// A value that is saved like any other and never displayed: neither by `Debug` nor by the tools that show runs and
/// their values, which print `(secret)` in its place.
///
/// It is stored without encryption: whoever can read the database can read it. Only the value in the `Secret` is
/// hidden; a copy outside is shown.
///
/// ```
/// use piton::Secret;
///
/// let token = Secret::new("s3cr3t".to_owned());
/// assert_eq!(token.expose(), "s3cr3t");
/// assert_eq!(format!("{token:?}"), "Secret");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Wraps a value.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// The value.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// Returns the value, which is no longer hidden.
    pub fn into_exposed(self) -> T {
        self.0
    }
}

impl<T> From<T> for Secret<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl<T: Serialize> Serialize for Secret<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(SECRET, &self.0)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Secret<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(SECRET, InSecret(std::marker::PhantomData))
    }
}

struct InSecret<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for InSecret<T> {
    type Value = Secret<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a secret")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Secret<T>, D::Error> {
        T::deserialize(inner).map(Secret)
    }
}

//! The schema of a saved type, traced from its serde implementation.
//!
//! Schemas are stored with the definition, so that a state can be read by code whose types have
//! changed, and shown by processes that do not have the types at all. Tracing also finds the types
//! that the binary encoding cannot read back, before a run depends on one.

mod format;
mod places;
mod trace;

use std::any::type_name;
use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::NameOf;
use super::arguments::Arguments;
use super::copying::{Copying, CopyingKey, copy_value};
use super::reader::Reader;
use crate::model::{SchemaHash, StableHash};
pub use format::{Content, Fields, Form, Format, NamedType, Types};
pub(super) use places::{Enumerated, Formats, Place, Taken};

/// What serde calls a [`Secret`](crate::Secret): the only name of a type that says something of a value.
pub(super) const SECRET: &str = "piton::Secret";

/// A type whose schema can be traced.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    pub(crate) type_name: NameOf,
    pub(in crate::codec) copying: Copying,
}

impl Described {
    /// `T`.
    pub const fn of<T: Serialize + DeserializeOwned>() -> Self {
        Self { type_name: type_name::<T>, copying: Copying::Value(copy_value::<T>) }
    }

    /// `Result<T, E>`, as `of` would describe it.
    pub const fn of_result<T, E>() -> Self
    where
        T: Serialize + DeserializeOwned,
        E: Serialize + DeserializeOwned,
    {
        let type_name: NameOf = type_name::<Result<T, E>>;
        let (value, error) = (copy_value::<T>, copy_value::<E>);
        Self { type_name, copying: Copying::Result { type_name, value, error } }
    }

    /// The Rust type.
    pub(crate) extern "C" fn type_name(self) -> &'static str {
        (self.type_name)()
    }

    /// Tells the type from others.
    pub(in crate::codec) fn key(self) -> CopyingKey {
        self.copying.key()
    }

    /// Its schema.
    pub fn schema(self) -> Schema {
        Schema::traced(self.type_name().into(), &|source| trace::make(self.copying, source))
    }

    /// Whether the next of a list of arguments is such a value, which is copied.
    pub(crate) fn is_next(self, arguments: &mut Reader<'_>, copies: &mut Arguments) -> bool {
        self.copying.copy(arguments, copies)
    }
}

/// What is known of a type's encoding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    /// The Rust type.
    pub type_name: Cow<'static, str>,
    /// How its values are stored.
    pub form: Form,
    /// Its format and the named types in it, if its form is compact.
    pub format: Option<(Format, Types)>,
    /// Why values of the type could not be read back, if so.
    #[serde(skip)]
    pub problem: Option<SchemaProblem>,
}

/// Why the binary encoding cannot hold a type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaProblem {
    /// Reading it needs to know what was written (`serde_json::Value`, `#[serde(untagged)]`,
    /// `#[serde(flatten)]`).
    SelfDescribing,
    /// It leaves out parts when writing (`skip_serializing_if`) that it expects when reading.
    SkipsFields,
}

/// What strings are taken to be while a type is traced, one after the other: types that check what
/// they read accept at least one of them.
const SAMPLE_TEXTS: [&str; 4] = ["", "1970-01-01T00:00:00Z", "127.0.0.1", "https://localhost/"];

impl Schema {
    /// Traces `T`.
    pub fn of<T: Serialize + DeserializeOwned>() -> Self {
        Described::of::<T>().schema()
    }

    /// Traces the tuple of these types.
    pub fn of_tuple(parts: &[Described]) -> Self {
        let names: Vec<_> = parts.iter().map(|part| (part.type_name)()).collect();
        let comma = if names.len() == 1 { "," } else { "" };
        let type_name = format!("({}{comma})", names.join(", "));
        let parts: Vec<_> = parts.iter().map(|part| part.copying).collect();
        Self::traced(type_name.into(), &|source| trace::make_tuple(&parts, source))
    }

    /// That of a value that says of itself what it is.
    pub(crate) fn tagged() -> Self {
        Self { type_name: "value".into(), form: Form::Tagged, format: None, problem: None }
    }

    /// Identifies how values are stored. Types of one hash are stored alike: renaming or moving a type does not change
    /// it, renaming a field or a variant does.
    pub fn hash(&self) -> SchemaHash {
        let mut hash = StableHash::new();
        match &self.format {
            Some((format, types)) => {
                hash.add("compact");
                // Formats are plain enums and strings, which always have a JSON form.
                hash.add(&serde_json::to_string(format).unwrap_or_default());
                for NamedType { name, content } in types {
                    hash.add(if name == SECRET { SECRET } else { "" });
                    hash.add(&serde_json::to_string(content).unwrap_or_default());
                }
            }
            None => hash.add("tagged"),
        }
        SchemaHash(hash.finish())
    }

    fn traced(type_name: Cow<'static, str>, make: trace::MakeAny<'_>) -> Self {
        let mut schema = Self { type_name, form: Form::Tagged, format: None, problem: None };
        for text in SAMPLE_TEXTS {
            match trace::trace(make, text) {
                Ok(traced) => {
                    schema.problem = (!traced.reads_back).then_some(SchemaProblem::SkipsFields);
                    schema.form = Form::Compact;
                    schema.format = Some((traced.format, traced.types));
                    break;
                }
                Err(error) if error.is_of_self_describing() => {
                    schema.problem = Some(SchemaProblem::SelfDescribing);
                    break;
                }
                Err(_) => {}
            }
        }
        schema
    }
}

impl std::fmt::Display for SchemaProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::SelfDescribing => {
                "it can only be read from a self-describing format such as JSON \
                 (`serde_json::Value`, `#[serde(untagged)]` and `#[serde(flatten)]` are of this kind)"
            }
            Self::SkipsFields => {
                "it leaves out fields when it is written (`#[serde(skip_serializing_if)]`), so it \
                 cannot be read back from a binary format"
            }
        })
    }
}

#[cfg(test)]
mod tests;

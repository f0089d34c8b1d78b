//! The schema of a saved type, traced from its serde implementation.
//!
//! Schemas are stored with the definition, so that code with changed types can read a state, and processes without the
//! types can show it. Tracing also decides the form of a type: compact if its values read back from that form, tagged
//! otherwise. A type whose values read back from neither form is refused before a run depends on it.

mod format;
mod places;
mod sets;
mod trace;

use std::any::type_name;
use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub(super) use self::trace::make_one;
use self::trace::{Filling, reads_back_tagged, trace};
use super::NameOf;
use super::arguments::Arguments;
use super::copying::{Copying, CopyingKey, copy_value};
use super::reader::Reader;
use crate::model::{SchemaHash, StableHash};
#[cfg(feature = "engine")]
pub(crate) use format::holds;
pub use format::{Content, Fields, Form, Format, NamedType, Types};
pub(super) use places::{Enumerated, Formats, Place, Taken};

/// The serialized name of a [`Secret`](crate::Secret).
pub(super) const SECRET: &str = "piton::Secret";

/// Whether a struct is called like a range of std. Ranges have the same fields, and `end` is in one of them and not in
/// another, so the name is a part of the schema.
pub(super) fn is_range(name: &str) -> bool {
    ["Range", "RangeFrom", "RangeInclusive", "RangeTo"].contains(&name)
}

/// Collections that order their items by themselves.
const ORDERING: [&str; 5] = ["BTreeMap", "BTreeSet", "BinaryHeap", "HashMap", "HashSet"];

/// Whether a set or a map of this name keeps its items in the order in which these came.
pub(crate) fn keeps_items(name: &str) -> bool {
    ["IndexMap", "IndexSet"].contains(&name)
}

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

    /// A key that differs for types whose values are read or written differently.
    pub(in crate::codec) fn key(self) -> CopyingKey {
        self.copying.key()
    }

    /// Its schema.
    pub fn schema(self) -> Schema {
        Schema::traced(self.type_name().into(), self.copying)
    }

    /// Copies the next argument as a value of this type. Returns whether it is one.
    pub(crate) fn is_next(self, arguments: &mut Reader<'_>, copies: &mut Arguments) -> bool {
        self.copying.copy(arguments, copies)
    }
}

/// The description of a type's encoding.
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

/// Why values of a type cannot be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaProblem {
    /// Its `Deserialize` does not read the output of its `Serialize`, not even in the tagged form.
    NotReadBack,
}

impl Schema {
    /// Traces `T`.
    pub fn of<T: Serialize + DeserializeOwned>() -> Self {
        Described::of::<T>().schema()
    }

    /// The schema of all values in the tagged form.
    pub(crate) fn tagged() -> Self {
        Self { type_name: "value".into(), form: Form::Tagged, format: None, problem: None }
    }

    /// The hash of the encoding. Types with the same hash are stored alike: renaming or moving a type does not change
    /// it, renaming a field or a variant does.
    pub fn hash(&self) -> SchemaHash {
        let mut hash = StableHash::new();
        match &self.format {
            Some((format, types)) => {
                hash.add("compact");
                self.collections().filter(|name| keeps_items(name)).for_each(|name| hash.add(name));
                // Formats are plain enums and strings, which always have a JSON form.
                hash.add(&serde_json::to_string(format).unwrap_or_default());
                for NamedType { name, content } in types {
                    hash.add(if name == SECRET || is_range(name) { name } else { "" });
                    hash.add(&serde_json::to_string(content).unwrap_or_default());
                }
            }
            None => {
                hash.add("tagged");
                self.collections().for_each(|name| hash.add(name));
            }
        }
        SchemaHash(hash.finish())
    }

    /// The sets and maps in the name of the type.
    pub(crate) fn collections(&self) -> impl Iterator<Item = &str> {
        let words = self.type_name.split(|part: char| !part.is_alphanumeric() && part != '_');
        words.filter(|word| ORDERING.contains(word) || keeps_items(word))
    }

    fn traced(type_name: Cow<'static, str>, copying: Copying) -> Self {
        match trace_compact(copying) {
            Some(format) => {
                Self { type_name, form: Form::Compact, format: Some(format), problem: None }
            }
            None => Self { type_name, problem: problem_of_tagged(copying), ..Self::tagged() },
        }
    }
}

/// The format of a type, unless it needs the tagged form.
fn trace_compact(copying: Copying) -> Option<(Format, Types)> {
    let trace = |filling| trace(copying, filling, Form::Compact);
    let zero = |filling| Filling { number: 0, ..filling };
    let full = trace(Filling::FULL).or_else(|error| match error.is_of_self_describing() {
        true => Err(error),
        false => trace(zero(Filling::FULL)),
    });
    let full = full.ok().filter(|full| full.reads_back)?;
    let format = full.format?;
    let all_read_back = Filling::OTHERS.iter().all(|empty| {
        let filling = Filling { empty: *empty, ..Filling::FULL };
        // Ignore values that the type refuses.
        let traced = trace(zero(filling)).or_else(|_| trace(filling));
        traced.map_or(true, |traced| traced.reads_back)
    });
    all_read_back.then(|| sets::find_sets(copying, format, &full.written))
}

/// Why values of a type could not be read back from the tagged form, if so.
fn problem_of_tagged(copying: Copying) -> Option<SchemaProblem> {
    let reads_back = match trace(copying, Filling::FULL, Form::Tagged) {
        Ok(traced) => traced.reads_back,
        Err(_) => reads_back_tagged(copying),
    };
    (!reads_back).then_some(SchemaProblem::NotReadBack)
}

impl std::fmt::Display for SchemaProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotReadBack => {
                "its `Deserialize` does not read the output of its `Serialize`; change one of them, or save \
                 another value that this one can be made of"
            }
        })
    }
}

#[cfg(test)]
mod tests;

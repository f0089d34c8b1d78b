//! The shape of a type's encoding, as data that can be stored.

use serde::{Deserialize, Serialize};

/// The form in which a value is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Without names and types: the schema is needed to read the bytes. Not human readable in serde's sense.
    Compact,
    /// With names and types, as in JSON. Human readable in serde's sense.
    Tagged,
}

/// How a value is encoded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Not seen: the content of a list or option that is always empty.
    #[default]
    Unknown,
    /// Nothing.
    Unit,
    /// A truth value.
    Bool,
    /// A signed number.
    I8,
    /// A signed number.
    I16,
    /// A signed number.
    I32,
    /// A signed number.
    I64,
    /// A signed number.
    I128,
    /// An unsigned number.
    U8,
    /// An unsigned number.
    U16,
    /// An unsigned number.
    U32,
    /// An unsigned number.
    U64,
    /// An unsigned number.
    U128,
    /// A floating-point number.
    F32,
    /// A floating-point number.
    F64,
    /// A character.
    Char,
    /// Text.
    Str,
    /// Bytes.
    Bytes,
    /// A value or none.
    Option(Box<Format>),
    /// Any number of values of one kind.
    Seq(Box<Format>),
    /// As a sequence, of values that differ: the type keeps one of two equal ones, and may put them in an order.
    Set(Box<Format>),
    /// A fixed number of values.
    Tuple(Vec<Format>),
    /// Keys and values.
    Map(Box<Format>, Box<Format>),
    /// A type with a name: an index into [`Types`].
    Type(usize),
}

impl Format {
    /// Whether the two are of the same kind. Ignores their parts, which may not be known yet.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Option(_), Self::Option(_))
            | (Self::Seq(_), Self::Seq(_))
            | (Self::Set(_), Self::Set(_))
            | (Self::Map(..), Self::Map(..)) => true,
            (Self::Tuple(formats), Self::Tuple(others)) => formats.len() == others.len(),
            (one, other) => one == other,
        }
    }

    /// Whether it is a number.
    pub(in crate::codec) fn is_number(&self) -> bool {
        use Format::{F32, F64, I8, I16, I32, I64, I128, U8, U16, U32, U64, U128};
        matches!(self, I8 | I16 | I32 | I64 | I128 | U8 | U16 | U32 | U64 | U128 | F32 | F64)
    }

    /// Whether it is completely known. Does not look into named types.
    pub(super) fn is_known(&self) -> bool {
        match self {
            Self::Unknown => false,
            Self::Option(format) | Self::Seq(format) | Self::Set(format) => format.is_known(),
            Self::Tuple(formats) => formats.iter().all(Self::is_known),
            Self::Map(key, value) => key.is_known() && value.is_known(),
            _ => true,
        }
    }

    /// Whether it is such a format, or one is in it, as far as the next named types.
    fn has(&self, is_it: &dyn Fn(&Self) -> bool) -> bool {
        is_it(self)
            || match self {
                Self::Option(format) | Self::Seq(format) | Self::Set(format) => format.has(is_it),
                Self::Map(key, value) => key.has(is_it) || value.has(is_it),
                Self::Tuple(formats) => formats.iter().any(|format| format.has(is_it)),
                _ => false,
            }
    }

    /// Visits the format and those in it, as far as the next named types.
    pub(super) fn for_each(&mut self, visit: &mut dyn FnMut(&mut Self)) {
        match self {
            Self::Option(format) | Self::Seq(format) | Self::Set(format) => format.for_each(visit),
            Self::Tuple(formats) => formats.iter_mut().for_each(|format| format.for_each(visit)),
            Self::Map(key, value) => {
                key.for_each(visit);
                value.for_each(visit);
            }
            _ => {}
        }
        visit(self);
    }
}

/// Whether a type has a part of such a format.
pub(crate) fn holds((format, types): &(Format, Types), is_it: &dyn Fn(&Format) -> bool) -> bool {
    let formats = types.iter().flat_map(|named| named.content.formats());
    formats.chain([format]).any(|format| format.has(is_it))
}

/// The named types of a schema, in the order in which tracing reaches them.
pub type Types = Vec<NamedType>;

/// A type with a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NamedType {
    /// The name that serde uses.
    pub name: String,
    /// Its content.
    pub content: Content,
}

/// The content of a named type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// A struct.
    Struct(Fields),
    /// One of several variants, in the order of their numbers.
    Enum(Vec<(String, Fields)>),
}

impl Content {
    /// Whether the two have the same names. Ignores the parts of variants, which may not be known yet.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Struct(fields), Self::Struct(others)) => fields.is_like(others),
            (Self::Enum(variants), Self::Enum(others)) => {
                variants.iter().map(|(name, _)| name).eq(others.iter().map(|(name, _)| name))
            }
            _ => false,
        }
    }

    /// The formats of what it holds.
    pub(super) fn formats(&self) -> Vec<&Format> {
        match self {
            Self::Struct(fields) => fields.formats(),
            Self::Enum(variants) => {
                variants.iter().flat_map(|(_, fields)| fields.formats()).collect()
            }
        }
    }

    /// Visits the formats of what it holds, as far as the next named types.
    pub(super) fn for_each_format(&mut self, visit: &mut dyn FnMut(&mut Format)) {
        match self {
            Self::Struct(fields) => fields.for_each_format(visit),
            Self::Enum(variants) => {
                variants.iter_mut().for_each(|(_, fields)| fields.for_each_format(visit));
            }
        }
    }
}

/// The content of a struct or variant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fields {
    /// Nothing.
    #[default]
    Unit,
    /// One value, encoded as that value.
    Newtype(Format),
    /// Values by position.
    Tuple(Vec<Format>),
    /// Values by name, encoded by position.
    Named(Vec<(String, Format)>),
}

impl Fields {
    /// Whether the two have as many values, with the same names.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unit, Self::Unit) | (Self::Newtype(_), Self::Newtype(_)) => true,
            (Self::Tuple(formats), Self::Tuple(others)) => formats.len() == others.len(),
            (Self::Named(fields), Self::Named(others)) => {
                fields.iter().map(|(name, _)| name).eq(others.iter().map(|(name, _)| name))
            }
            _ => false,
        }
    }

    /// The formats of its values.
    pub(crate) fn formats(&self) -> Vec<&Format> {
        match self {
            Self::Unit => Vec::new(),
            Self::Newtype(format) => vec![format],
            Self::Tuple(formats) => formats.iter().collect(),
            Self::Named(fields) => fields.iter().map(|(_, format)| format).collect(),
        }
    }

    fn for_each_format(&mut self, visit: &mut dyn FnMut(&mut Format)) {
        match self {
            Self::Unit => {}
            Self::Newtype(format) => format.for_each(visit),
            Self::Tuple(formats) => formats.iter_mut().for_each(|format| format.for_each(visit)),
            Self::Named(fields) => {
                fields.iter_mut().for_each(|(_, format)| format.for_each(visit));
            }
        }
    }

    pub(in crate::codec) fn named(names: &[&'static str]) -> Self {
        let fields = names.iter().map(|name| ((*name).to_owned(), Format::Unknown));
        Self::Named(fields.collect())
    }

    pub(in crate::codec) fn tuple(len: usize) -> Self {
        Self::Tuple(vec![Format::Unknown; len])
    }

    pub(in crate::codec) fn newtype() -> Self {
        Self::Newtype(Format::Unknown)
    }
}

//! The pattern of `#[workflow(id = "order-{order.id}")]` as data, so that a run can be started without the code of its
//! workflow.
//!
//! The code makes an id by `Display`. A placeholder is data if its type is one whose `Display` is known, and if serde
//! writes it as it is: then the id is made from the encoded arguments, and is the one that the code makes.

use std::any::type_name;

use serde::{Deserialize, Serialize};

#[cfg(feature = "engine")]
use crate::codec::{self, CodecError};
use crate::generated::PartNames;
#[cfg(feature = "engine")]
use crate::model::Payload;
use crate::model::StableHash;

/// What makes the workflow id of a run from its arguments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IdPattern(Vec<IdPart>);

/// A part of such a pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum IdPart {
    /// The same in all ids.
    Text(String),
    /// An argument or a field of one.
    Argument {
        /// The placeholder in the source.
        source: String,
        /// The number of the parameter, from 0.
        parameter: u32,
        /// What serde calls the fields that lead to it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fields: Vec<String>,
    },
    /// What only the code can make a text of.
    Code {
        /// The placeholder in the source.
        source: String,
        /// Its type.
        type_name: String,
    },
}

/// Why a pattern makes no id of arguments.
#[cfg(feature = "engine")]
#[derive(Debug, thiserror::Error)]
pub(crate) enum IdPatternError {
    #[error("only the code of the workflow can write `{{{from}}}`, whose type is `{type_name}`")]
    Code { from: String, type_name: String },
    #[error("the arguments have no text or number for `{{{0}}}`")]
    Missing(String),
    #[error(transparent)]
    Unreadable(#[from] CodecError),
}

impl IdPattern {
    /// An empty one.
    #[doc(hidden)]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The same with a text behind it.
    #[doc(hidden)]
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.0.push(IdPart::Text(text.to_owned()));
        self
    }

    /// The same with a placeholder behind it, which stands for a part of an argument.
    #[doc(hidden)]
    #[must_use]
    pub fn placeholder(mut self, source: &str, parameter: u32, part: PartNames) -> Self {
        let PartNames { type_name, names } = part;
        let source = source.to_owned();
        self.0.push(match names.filter(|_| is_plain(type_name)) {
            Some(fields) => IdPart::Argument { source, parameter, fields },
            None => IdPart::Code { source, type_name: type_name.to_owned() },
        });
        self
    }

    /// Adds it to the identity of a definition.
    pub(super) fn add_to(&self, hash: &mut StableHash) {
        hash.add("id");
        self.0.iter().for_each(|part| match part {
            IdPart::Text(text) => hash.add(text),
            IdPart::Argument { parameter, fields, .. } => {
                hash.add(&format!("parameter {parameter} {fields:?}"));
            }
            IdPart::Code { source, .. } => hash.add(&format!("code {source}")),
        });
    }

    /// The id of a run with these arguments, whose schema must be known.
    ///
    /// # Errors
    /// [`IdPatternError`] if only the code can make it, or if they are not arguments of the workflow.
    #[cfg(feature = "engine")]
    pub(crate) fn id_of(&self, arguments: &Payload) -> Result<String, IdPatternError> {
        let arguments = codec::given_arguments(arguments)?;
        let texts = self.0.iter().map(|part| match part {
            IdPart::Text(text) => Ok(text.clone()),
            IdPart::Argument { source, parameter, fields } => {
                let missing = || IdPatternError::Missing(source.clone());
                let argument = arguments.get(*parameter as usize).ok_or_else(missing)?;
                argument.clone().part(fields)?.plain_text().ok_or_else(missing)
            }
            IdPart::Code { source, type_name } => {
                Err(IdPatternError::Code { from: source.clone(), type_name: type_name.clone() })
            }
        });
        texts.collect()
    }
}

/// As it stands in the source.
impl std::fmt::Display for IdPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|part| match part {
            IdPart::Text(text) => f.write_str(&text.replace('{', "{{").replace('}', "}}")),
            IdPart::Argument { source, .. } | IdPart::Code { source, .. } => {
                write!(f, "{{{source}}}")
            }
        })
    }
}

/// Whether `Display` of the type is known, and serde writes what it prints.
fn is_plain(name: &str) -> bool {
    let known = [
        type_name::<String>(),
        type_name::<Box<str>>(),
        type_name::<char>(),
        type_name::<bool>(),
        type_name::<u8>(),
        type_name::<u16>(),
        type_name::<u32>(),
        type_name::<u64>(),
        type_name::<u128>(),
        type_name::<usize>(),
        type_name::<i8>(),
        type_name::<i16>(),
        type_name::<i32>(),
        type_name::<i64>(),
        type_name::<i128>(),
        type_name::<isize>(),
    ];
    known.contains(&name)
}

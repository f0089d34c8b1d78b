//! The schema of a saved type, traced from its serde implementation.
//!
//! Schemas are stored with the definition, so that a state can be read by code whose types have
//! changed, and shown by processes that do not have the types at all. Tracing also finds the types
//! that the binary encoding cannot read back, before a run depends on one.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_reflection::{Samples, Tracer, TracerConfig};

/// What is known of a type's encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The Rust type.
    pub type_name: &'static str,
    /// Its format and that of every type it holds, as JSON; `None` if the type checks what it reads
    /// so closely that it cannot be traced.
    pub format: Option<String>,
    /// Why values of the type could not be read back, if so.
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

impl Schema {
    /// Traces `T`.
    pub fn of<T: Serialize + DeserializeOwned>() -> Self {
        let mut tracer = Tracer::new(TracerConfig::default());
        let traced = tracer.trace_type::<T>(&Samples::new());
        let (format, problem) = match traced {
            Ok((format, values)) => {
                let skips = !values.iter().all(reads_back);
                let schema = tracer.registry().ok().and_then(|registry| {
                    serde_json::to_string(&serde_json::json!({
                        "format": format,
                        "types": registry,
                    }))
                    .ok()
                });
                (schema, skips.then_some(SchemaProblem::SkipsFields))
            }
            Err(serde_reflection::Error::NotSupported(_)) => {
                (None, Some(SchemaProblem::SelfDescribing))
            }
            Err(_) => (None, None),
        };
        Self { type_name: std::any::type_name::<T>(), format, problem }
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

/// Whether a sample value survives the binary encoding.
fn reads_back<T: Serialize + DeserializeOwned>(value: &T) -> bool {
    let mut written = Vec::new();
    if super::encode_into(value, &mut written).is_err() {
        // A value that cannot be written is reported when a run holds one.
        return true;
    }
    let mut again = Vec::new();
    super::decode::<T>(&written)
        .is_ok_and(|read| super::encode_into(&read, &mut again).is_ok() && again == written)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use serde::Deserialize;

    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Plain {
        id: uuid::Uuid,
        tags: BTreeMap<String, Option<u64>>,
        kind: Kind,
        next: Option<Box<Plain>>,
    }

    #[derive(Serialize, Deserialize)]
    enum Kind {
        Small,
        Large { size: (u8, f64) },
    }

    #[derive(Serialize, Deserialize)]
    struct Skipping {
        #[serde(skip_serializing_if = "Option::is_none", default)]
        note: Option<String>,
        count: u8,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        Number(u64),
        Text(String),
    }

    #[derive(Serialize, Deserialize)]
    struct Flattened {
        #[serde(flatten)]
        rest: HashMap<String, String>,
    }

    #[test]
    fn ordinary_types_are_traced() {
        let schema = Schema::of::<Plain>();
        assert_eq!(schema.problem, None);
        let format = schema.format.expect("traced");
        for name in ["Plain", "tags", "Kind", "Large", "size"] {
            assert!(format.contains(name), "{name} is missing in {format}");
        }
    }

    #[test]
    fn types_that_cannot_be_read_back_are_found() {
        assert_eq!(Schema::of::<serde_json::Value>().problem, Some(SchemaProblem::SelfDescribing));
        assert_eq!(Schema::of::<Untagged>().problem, Some(SchemaProblem::SelfDescribing));
        assert_eq!(Schema::of::<Flattened>().problem, Some(SchemaProblem::SelfDescribing));
        assert_eq!(Schema::of::<Skipping>().problem, Some(SchemaProblem::SkipsFields));
    }
}

//! The persisted form of a run: one blob, rewritten by every commit.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Handle, Operation, Wait};

/// Everything a run needs to go on, apart from what lies in its inbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The state machine's state as its own code wrote it: definition hash, state, saved locals.
    #[serde(deserialize_with = "in_one_piece")]
    pub frame: Vec<u8>,
    /// The name of that state, for people and queries.
    pub state: String,
    /// The next unused handle.
    pub next_handle: u64,
    /// What is outstanding, in the order it was asked for.
    pub operations: Vec<(Handle, Operation)>,
    /// When to step next.
    pub wait: Wait,
    /// How many steps the machine has made.
    pub steps: u64,
    /// Why the run was asked to cancel, once the request has been delivered to its code.
    pub cancelled: Option<String>,
}

/// Reads bytes as a whole where they are one, and not byte by byte.
fn in_one_piece<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
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

//! Types as users write them.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Floats(pub f32, pub f64);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    Unit,
    Newtype(Option<Option<u8>>),
    Tuple(u64, bool),
    Struct { kinds: Vec<Kind> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Internal {
    Unit,
    Newtype(Skipping),
    Struct { at: jiff::Timestamp, letter: char },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "content")]
pub enum Adjacent {
    Unit,
    Newtype(Option<u8>),
    Tuple(i8, String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Untagged {
    Unit,
    Truth(bool),
    Number(i64),
    Float(f64),
    Address(IpAddr),
    Text(String),
    Struct { inner: Option<Option<Box<Untagged>>> },
    List(Vec<Untagged>),
}

fn is_zero(number: &u8) -> bool {
    *number == 0
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skipping {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub zero: u8,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flattened {
    pub id: Uuid,
    #[serde(flatten)]
    pub inner: Skipping,
    #[serde(flatten)]
    pub rest: BTreeMap<String, serde_json::Value>,
}

/// Validates its input when it is deserialized.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Even(u64);

impl TryFrom<u64> for Even {
    type Error = String;

    fn try_from(number: u64) -> Result<Self, String> {
        if number.is_multiple_of(2) && number > 2 {
            Ok(Self(number))
        } else {
            Err(format!("{number} is odd"))
        }
    }
}

impl From<Even> for u64 {
    fn from(even: Even) -> Self {
        even.0
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    pub children: Vec<Tree>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generic<T> {
    pub value: T,
    pub more: Vec<T>,
}

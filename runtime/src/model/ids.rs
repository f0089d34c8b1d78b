//! Ids, each with its own type.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// One execution of a workflow. A UUIDv7, so ids sort by the time the run was started. The id of a run that was started
/// with a request id is a hash of the request, which sorts anywhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunId(Uuid);

impl RunId {
    /// A new id from the current time and random bits. Not available on wasm32-unknown-unknown, which has neither.
    #[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
    #[expect(clippy::new_without_default, reason = "every call gives another id")]
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }

    /// The id of the run for a request: always the same for the same request. A UUID of version 5.
    #[cfg(feature = "engine")]
    pub(crate) fn of_request(workflow: &str, workflow_id: Option<&str>, request_id: &str) -> Self {
        const NAMESPACE: Uuid = Uuid::from_u128(0x8c1e_6d4e_3f0b_4c58_9f37_5f2d_6f70_6974);
        // None of the three contains the character NUL.
        let name = [workflow, workflow_id.unwrap_or_default(), request_id].join("\0");
        Self(Uuid::new_v5(&NAMESPACE, name.as_bytes()))
    }

    /// The id of an item of a queue, which belongs to no run: always the same for this operation of a run. A UUID
    /// of version 5.
    #[cfg(feature = "engine")]
    pub(crate) fn of_item(offered_by: Self, handle: Handle) -> Self {
        Self(Uuid::new_v5(&offered_by.0, &handle.0.to_be_bytes()))
    }

    /// The id as 16 bytes, its stored form.
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// The id from its stored form, or `None` unless `bytes` is 16 bytes long.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        Uuid::from_slice(bytes).ok().map(Self)
    }

    /// The id as a UUID.
    pub fn as_uuid(&self) -> Uuid {
        self.0
    }
}

impl From<Uuid> for RunId {
    fn from(uuid: Uuid) -> Self {
        Self(uuid)
    }
}

impl FromStr for RunId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Uuid::from_str(text).map(Self)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The registration of one worker with the store, new each time the worker starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkerId(pub i64);

/// How often a worker's registration has been fenced. A run names its owner by `(WorkerId, Epoch)`, and a worker
/// with an old epoch commits nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Epoch(pub i64);

/// Counts the commits of one run, from 0 at its start, and fences its writers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StepNo(pub i64);

impl StepNo {
    /// The number of the next commit.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// The id of an operation within its run. Handles count up from 0 over the whole life of the run and are never
/// reused, so run id + handle is an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Handle(pub u64);

/// The hash of the definition that wrote a frame: the workflow's states, its saved locals and their schemas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DefinitionHash(pub u64);

impl fmt::Display for DefinitionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for DefinitionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The hash of a schema: the form and the format of a type's values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SchemaHash(pub u64);

impl fmt::Display for SchemaHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for SchemaHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

//! Updates: arrivals that are answered.

use crate::model::{RunId, UpdateReply};
use crate::store::RESERVED_KEYS;

/// One update of one run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UpdateKey {
    /// The run.
    pub run_id: RunId,
    /// The stored name of the update.
    pub name: String,
    /// The id of the update.
    pub update: String,
}

impl UpdateKey {
    /// The dedup key of the update's arrival. An update with one id is accepted once, and the id belongs to its name.
    pub fn dedup_key(&self) -> String {
        format!("{RESERVED_KEYS}update:{}", self.update)
    }
}

/// The progress of an update.
#[derive(Clone, Debug, PartialEq)]
pub enum FoundUpdate {
    /// The run has not accepted an update with this id, or does not exist.
    Unknown,
    /// It was accepted, and the run is open.
    Accepted,
    /// The run has accepted another update with this id.
    Other {
        /// The name of that update.
        name: String,
    },
    /// It is answered.
    Answered(UpdateReply),
    /// It was accepted, and the run closed without an answer.
    Closed,
}

//! Updates: arrivals that are answered.

use crate::model::{RunId, UpdateReply};
use crate::store::RESERVED_KEYS;

/// One update of one run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UpdateKey {
    /// The run.
    pub run_id: RunId,
    /// The id of the update.
    pub update: String,
}

impl UpdateKey {
    /// The dedup key of the update's arrival: an update of one id is accepted once.
    pub fn dedup_key(&self) -> String {
        format!("{RESERVED_KEYS}update:{}", self.update)
    }
}

/// How far an update has come.
#[derive(Clone, Debug, PartialEq)]
pub enum FoundUpdate {
    /// The run has not accepted an update with this id, or there is no such run.
    Unknown,
    /// It is accepted, and the run goes on.
    Accepted,
    /// It is answered.
    Answered(UpdateReply),
    /// It was accepted, and the run is closed and has not answered it.
    Closed,
}

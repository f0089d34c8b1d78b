//! The persisted form of a run: one blob, rewritten by every commit.

use serde::{Deserialize, Serialize};

use super::payload::in_one_piece;
use super::{Ending, Handle, Operation, Timestamp, Wait};

/// Everything that a run needs to continue, apart from the contents of its inbox.
///
/// A field that is added here or to an operation is a new format: see `codec/snapshot/`.
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
    /// When the last step began, as the run has seen it. Steps to come do not begin before, whatever
    /// the clock says that they are made by.
    pub clock: Timestamp,
    /// Set while the compensations of a run that has not completed are carried out. Its code is not stepped any more;
    /// the frame is the state that it ended in.
    pub ending: Option<Box<Ending>>,
}

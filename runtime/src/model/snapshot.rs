//! The persisted form of a run: one value, rewritten by every commit.

use serde::{Deserialize, Serialize};

use super::payload::in_one_piece;
use super::{Ending, Handle, Operation, Timestamp, Wait};

/// Everything that a run needs to continue, except its inbox.
///
/// A new field here or in an operation changes the format: see `codec/snapshot/`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The frame that the state machine's code wrote: definition hash, state, saved locals.
    #[serde(deserialize_with = "in_one_piece")]
    pub frame: Vec<u8>,
    /// The name of the state, for people and queries.
    pub state: String,
    /// The next unused handle.
    pub next_handle: u64,
    /// The outstanding operations, in the order of their requests.
    pub operations: Vec<(Handle, Operation)>,
    /// When to make the next step.
    pub wait: Wait,
    /// How many steps the machine has made.
    pub steps: u64,
    /// Why the run was requested to cancel, once its code has received the request.
    pub cancelled: Option<String>,
    /// When the last step began, by the time of runs. Later steps do not begin before that, whatever the clock
    /// shows.
    pub clock: Timestamp,
    /// Set while the compensations of the run are running. Its code makes no more steps; the frame is its last
    /// state.
    pub ending: Option<Box<Ending>>,
}

//! Past states of runs.

use crate::model::{RunId, StepNo, Timestamp};
use crate::store::{CommitStep, Disposition};

/// A macro, because statements are joined from literals.
macro_rules! max_history_bytes {
    () => {
        1_048_576
    };
}
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use max_history_bytes;

/// How many bytes of past states are kept of a run. The oldest are removed first. A single state that is longer is
/// not kept.
pub const MAX_HISTORY_BYTES: usize = max_history_bytes!();

/// The state of a run after a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastState {
    /// The number of the run's commits, including this one.
    pub step_no: StepNo,
    /// When it was committed, by the database's clock.
    pub at: Timestamp,
    /// The name of the state.
    pub state: String,
    /// The encoded snapshot.
    pub snapshot: Vec<u8>,
}

/// A [`PastState`] without its snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastStep {
    /// The number of the run's commits, including this one.
    pub step_no: StepNo,
    /// When it was committed, by the database's clock.
    pub at: Timestamp,
    /// The name of the state.
    pub state: String,
    /// Size of its snapshot in bytes.
    pub bytes: u64,
}

/// A state to keep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptState<'a> {
    pub(crate) run_id: RunId,
    pub(crate) step_no: StepNo,
    pub(crate) state: &'a str,
    pub(crate) snapshot: &'a [u8],
    /// How many states to keep, including this one.
    pub(crate) keep: u32,
}

impl CommitStep {
    /// The state of this step, if it is to be kept.
    pub(crate) fn kept_state(&self) -> Option<KeptState<'_>> {
        let keep = self.keep_history.filter(|keep| *keep > 0)?;
        let (Disposition::Keep { snapshot, state } | Disposition::Park { snapshot, state, .. }) =
            &self.disposition
        else {
            return None;
        };
        let (run_id, step_no) = (self.run_id, self.expected.next());
        (snapshot.len() <= MAX_HISTORY_BYTES).then_some(KeptState {
            run_id,
            step_no,
            state,
            snapshot,
            keep,
        })
    }
}

//! Past states of runs.

use super::state::State;
use crate::model::{RunId, StepNo, Timestamp};
use crate::store::contract::history::KeptState;
use crate::store::{MAX_HISTORY_BYTES, PastState, PastStep};

impl State {
    pub(super) fn keep(&mut self, kept: KeptState<'_>, at: Timestamp) {
        let KeptState { run_id, step_no, state, snapshot, keep } = kept;
        let past = self.history.entry(run_id).or_default();
        let (state, snapshot) = (state.to_owned(), snapshot.to_vec());
        past.insert(0, PastState { step_no, at, state, snapshot });
        past.truncate(keep as usize);
        let mut upto = 0;
        past.retain(|past| {
            upto += past.snapshot.len();
            upto <= MAX_HISTORY_BYTES
        });
    }

    pub(super) fn list_history(&self, run_id: RunId) -> Vec<PastStep> {
        let past = self.history.get(&run_id).into_iter().flatten();
        let step = |past: &PastState| PastStep {
            step_no: past.step_no,
            at: past.at,
            state: past.state.clone(),
            bytes: past.snapshot.len() as u64,
        };
        past.map(step).collect()
    }

    pub(super) fn find_history(&self, run_id: RunId, step_no: StepNo) -> Option<PastState> {
        let mut past = self.history.get(&run_id)?.iter();
        past.find(|past| past.step_no == step_no).cloned()
    }
}

//! Attributes are set and unset, and memos are replaced.

use crate::model::{AttributeChanges, Memo, RunId};
use crate::store::memory::state::State;

impl State {
    pub(crate) fn set_attributes(&mut self, run_id: RunId, changes: AttributeChanges) {
        if let Some(row) = self.runs.get_mut(&run_id) {
            changes.apply_to(&mut row.attributes);
        }
    }

    pub(crate) fn set_memo(&mut self, run_id: RunId, memo: Memo) {
        if let Some(row) = self.runs.get_mut(&run_id) {
            row.memo = memo;
        }
    }
}

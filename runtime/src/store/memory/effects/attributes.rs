//! Attributes are set and unset.

use crate::model::{AttributeChanges, RunId};
use crate::store::memory::state::State;

impl State {
    pub(crate) fn set_attributes(&mut self, run_id: RunId, changes: AttributeChanges) {
        if let Some(row) = self.runs.get_mut(&run_id) {
            changes.apply_to(&mut row.attributes);
        }
    }
}

//! Runs that are edited by hand.

use sqlx::FromRow;

use super::read_status;
use crate::error::StoreError;
use crate::model::{StepNo, WorkerId};
use crate::store::{EditOutcome, EditRun};

/// A locked run before the edit.
#[derive(FromRow)]
pub(crate) struct EditedRow {
    step_no: i64,
    status: String,
    worker_id: Option<i64>,
    #[cfg_attr(not(feature = "postgres"), expect(dead_code))]
    pub(crate) workflow_id: String,
}

impl EditedRow {
    /// Why it cannot be edited, if so.
    pub(crate) fn obstacle(&self, edit: &EditRun) -> Result<Option<EditOutcome>, StoreError> {
        let status = read_status(&self.status)?;
        Ok(edit.obstacle(status, StepNo(self.step_no), self.worker_id.map(WorkerId)))
    }

    /// Whether it is closed.
    pub(crate) fn is_closed(&self) -> Result<bool, StoreError> {
        Ok(!read_status(&self.status)?.is_open())
    }
}

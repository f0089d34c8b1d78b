//! Pauses of runs.

use sqlx::FromRow;

use super::{ArrivalRow, read_status};
use crate::error::StoreError;
use crate::store::contract::pauses::Pausable;

/// The columns that decide about pausing and resuming a run.
#[derive(FromRow)]
pub(crate) struct PausableRow {
    status: String,
    is_owned: bool,
    due_at: Option<i64>,
    step_no: i64,
    is_asked: bool,
    /// When it was due before the pause, if it had not begun.
    due_before: Option<i64>,
}

impl TryFrom<&PausableRow> for Pausable {
    type Error = StoreError;

    fn try_from(row: &PausableRow) -> Result<Self, StoreError> {
        let status = read_status(&row.status)?;
        Ok(Self { status, is_owned: row.is_owned, is_asked: row.is_asked })
    }
}

impl PausableRow {
    /// When it is due, if it has not begun.
    pub(crate) fn due_unbegun(&self) -> Option<i64> {
        self.due_at.filter(|_| self.step_no == 0)
    }

    /// When it is due after it is resumed, given its unread arrivals; `None` means at once.
    pub(crate) fn due_again(&self, unread: Vec<ArrivalRow>) -> Option<i64> {
        let is_due = unread.into_iter().any(|arrival| arrival.read().kind.wakes(false));
        self.due_before.filter(|_| !is_due)
    }
}

//! Deadlines that move with the attendance of workers.

use sqlx::FromRow;
use uuid::Uuid;

use super::lifecycle::{TermsRow, write_terms};
use crate::error::StoreError;
use crate::model::{Terms, Timestamp};

/// Until when a worker is there for a workflow.
#[derive(FromRow)]
pub(crate) struct AttendanceRow {
    pub(crate) workflow: String,
    pub(crate) attended_until: i64,
}

/// A run whose timeouts leave out the time in which no worker was there.
#[derive(FromRow)]
pub(crate) struct AttendedRow {
    run_id: Uuid,
    deadline_at: i64,
    #[sqlx(flatten)]
    terms: TermsRow,
}

/// What is written of such a run.
pub(crate) struct MovedDeadline {
    pub(crate) run_id: Uuid,
    pub(crate) terms: String,
    pub(crate) deadline_at: i64,
}

impl AttendedRow {
    /// Leaves out the time between `from` and `to`. `None` if that moves nothing.
    pub(crate) fn moved(
        self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Option<MovedDeadline>, StoreError> {
        let terms = Terms::try_from(self.terms)?;
        let (moved, deadline_at) = terms.leaving_out(Timestamp(self.deadline_at), from, to);
        if moved == terms {
            return Ok(None);
        }
        let deadline_at = deadline_at.as_micros();
        Ok(Some(MovedDeadline { run_id: self.run_id, terms: write_terms(&moved)?, deadline_at }))
    }
}

//! Deadlines that move with the attendance of workers.

use sqlx::FromRow;
use uuid::Uuid;

use super::lifecycle::{TermsRow, write_terms};
use crate::error::StoreError;
use crate::model::{Terms, Timestamp};

/// The account of a workflow: until when a worker is present.
#[derive(FromRow)]
pub(crate) struct AttendanceRow {
    pub(crate) workflow: String,
    pub(crate) attended_until: i64,
}

/// A run whose timeouts do not count the time without a worker.
#[derive(FromRow)]
pub(crate) struct AttendedRow {
    run_id: Uuid,
    deadline_at: i64,
    #[sqlx(flatten)]
    terms: TermsRow,
}

/// The new deadline of such a run.
pub(crate) struct MovedDeadline {
    pub(crate) run_id: Uuid,
    pub(crate) terms: String,
    pub(crate) deadline_at: i64,
}

impl AttendedRow {
    /// Moves the deadline by the time between `from` and `to`. `None` if it does not move.
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

//! The terms of runs.

use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StoreError;
use crate::model::{Payload, Terms, Timestamp};
use crate::store::{Expired, ExpiredRun};

/// The terms of a run.
#[derive(FromRow)]
pub(crate) struct TermsRow {
    terms: String,
    last_result: Option<Vec<u8>>,
}

impl TryFrom<TermsRow> for Terms {
    type Error = StoreError;

    fn try_from(row: TermsRow) -> Result<Self, StoreError> {
        let terms: Self = serde_json::from_str(&row.terms)
            .map_err(|error| StoreError::Corrupt { what: "terms", reason: error.to_string() })?;
        Ok(Self { last_result: row.last_result.map(Payload), ..terms })
    }
}

/// The stored form of terms.
pub(crate) fn write_terms(terms: &Terms) -> Result<String, StoreError> {
    serde_json::to_string(terms)
        .map_err(|error| StoreError::Corrupt { what: "terms", reason: error.to_string() })
}

/// A run whose deadline has passed.
#[derive(FromRow)]
pub(crate) struct DeadlineRow {
    pub(crate) run_id: Uuid,
    workflow_id: String,
    workflow: String,
    arguments: Option<Vec<u8>>,
    pub(crate) deadline_at: i64,
    found_at: i64,
    #[sqlx(flatten)]
    terms: TermsRow,
    pub(crate) is_open: bool,
}

impl TryFrom<DeadlineRow> for ExpiredRun {
    type Error = StoreError;

    fn try_from(row: DeadlineRow) -> Result<Self, StoreError> {
        Ok(Self {
            run_id: row.run_id.into(),
            workflow_id: row.workflow_id,
            workflow: row.workflow,
            arguments: row.arguments.map(Payload),
            terms: row.terms.try_into()?,
            deadline_at: Timestamp(row.deadline_at),
            found_at: Timestamp(row.found_at),
        })
    }
}

impl Expired {
    /// The open runs among these rows, which were read with this `limit`.
    pub(crate) fn of(rows: Vec<DeadlineRow>, limit: u32) -> Self {
        let has_more = rows.len() >= limit as usize;
        let last = rows.last().map(|row| (Timestamp(row.deadline_at), row.run_id.into()));
        let mut expired = Self { last, has_more, ..Self::default() };
        for row in rows.into_iter().filter(|row| row.is_open) {
            let run_id = row.run_id.into();
            match ExpiredRun::try_from(row) {
                Ok(run) => expired.runs.push(run),
                Err(error) => expired.unreadable.push((run_id, error.to_string())),
            }
        }
        expired
    }
}

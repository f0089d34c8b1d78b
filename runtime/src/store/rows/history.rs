//! Past states.

use sqlx::FromRow;

use crate::model::{StepNo, Timestamp};
use crate::store::{PastState, PastStep};

/// The columns of a [`PastState`], selected under these names.
#[derive(FromRow)]
pub(crate) struct PastStateRow {
    step_no: i64,
    at: i64,
    state: String,
    snapshot: Vec<u8>,
}

impl From<PastStateRow> for PastState {
    fn from(row: PastStateRow) -> Self {
        let PastStateRow { step_no, at, state, snapshot } = row;
        Self { step_no: StepNo(step_no), at: Timestamp(at), state, snapshot }
    }
}

/// The columns of a [`PastStep`], selected under these names.
#[derive(FromRow)]
pub(crate) struct PastStepRow {
    step_no: i64,
    at: i64,
    state: String,
    bytes: i64,
}

impl From<PastStepRow> for PastStep {
    fn from(row: PastStepRow) -> Self {
        let PastStepRow { step_no, at, state, bytes } = row;
        let (step_no, at, bytes) = (StepNo(step_no), Timestamp(at), bytes.unsigned_abs());
        Self { step_no, at, state, bytes }
    }
}

//! Runs in claims, blocks and reviews.

use std::collections::HashMap;

use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StoreError;
use crate::model::{BlockedReason, RunId, RunStatus, StepNo};
use crate::store::{BlockedRun, ClaimedRun, Inbox, ReviewedRuns};

/// The columns of [`BlockedRun`], selected under these names.
#[derive(FromRow)]
pub(crate) struct BlockedRow {
    run_id: Uuid,
    step_no: i64,
    workflow: String,
    blocked: String,
}

impl From<BlockedRow> for BlockedRun {
    fn from(row: BlockedRow) -> Self {
        let BlockedRow { run_id, step_no, workflow, blocked } = row;
        let (run_id, step_no) = (run_id.into(), StepNo(step_no));
        Self { run_id, step_no, workflow, reason: read_blocked(&blocked) }
    }
}

/// The columns of a [`ClaimRow`], under their own names.
#[cfg(feature = "sqlite")]
macro_rules! claim_columns {
    () => {
        "run_id, workflow_id, workflow, step_no, snapshot, takeovers, inbox_count, \
         has_terms IS NOT NULL AS has_terms"
    };
}
#[cfg(feature = "sqlite")]
pub(crate) use claim_columns;

/// The columns of a [`ClaimedRun`] without its inbox.
#[derive(FromRow)]
pub(crate) struct ClaimRow {
    run_id: Uuid,
    workflow_id: String,
    workflow: String,
    step_no: i64,
    snapshot: Vec<u8>,
    takeovers: i64,
    inbox_count: i64,
    has_terms: bool,
}

impl ClaimRow {
    /// The run and the number of its last arrival, if its inbox may have arrivals.
    #[cfg(feature = "postgres")]
    pub(crate) fn inbox(&self) -> (Uuid, i64) {
        (self.run_id, self.inbox_count)
    }

    /// The run with its arrivals, which are taken from `inboxes`.
    pub(crate) fn with_inbox(self, inboxes: &mut HashMap<RunId, Inbox>) -> ClaimedRun {
        let run_id = RunId::from(self.run_id);
        ClaimedRun {
            run_id,
            workflow_id: self.workflow_id,
            workflow: self.workflow,
            step_no: StepNo(self.step_no),
            snapshot: self.snapshot,
            takeovers: u32::try_from(self.takeovers).unwrap_or(u32::MAX),
            inbox: inboxes.remove(&run_id).unwrap_or_default(),
            inbox_count: self.inbox_count,
            has_terms: self.has_terms,
        }
    }
}

/// A run with its workflow id.
#[derive(FromRow)]
pub(crate) struct NamedRow {
    pub(crate) workflow_id: String,
    pub(crate) run_id: Uuid,
}

/// A run in the result of a review.
#[derive(FromRow)]
pub(crate) struct ReviewedRow {
    run_id: Uuid,
    is_owned: bool,
}

/// Parses a stored status.
pub(crate) fn read_status(word: &str) -> Result<RunStatus, StoreError> {
    RunStatus::parse(word).ok_or_else(|| StoreError::Corrupt {
        what: "run",
        reason: format!("`{word}` is not a status"),
    })
}

/// Parses a stored reason for a block. One of a later build counts as a state that only another build can read.
pub(crate) fn read_blocked(text: &str) -> BlockedReason {
    serde_json::from_str(text).unwrap_or_else(|error| {
        BlockedReason::Undecodable(format!("the reason cannot be read: {error}: {text}"))
    })
}

/// Whether a run is blocked for a reason that [is of the build](BlockedReason::is_of_the_build). The same condition
/// defines a partial index.
macro_rules! is_adoptable {
    () => {
        "status = 'blocked' AND substr(blocked, 1, 4) = '{\"un'"
    };
}
pub(crate) use is_adoptable;

/// Whether a run is blocked because [its workers died](BlockedReason::WorkersDied), by the column of the reason.
macro_rules! workers_died {
    ($blocked:literal) => {
        concat!("substr(", $blocked, ", 1, 15) = '{\"workers_died\"'")
    };
}
pub(crate) use workers_died;

/// The wait of an interrupted attempt for the next, in microseconds, by the number of earlier interruptions: as in
/// [`pause_after_interruptions`](crate::model::pause_after_interruptions), with the database's function for the
/// minimum.
macro_rules! interruption_pause {
    ($least:literal) => {
        concat!(
            "CASE interruptions WHEN 0 THEN 0 ELSE ",
            $least,
            "(1 << CAST(",
            $least,
            "(interruptions - 1, 6) AS integer), 60) * 1000000 END"
        )
    };
}
pub(crate) use interruption_pause;

/// The stored form of the reason for a block.
pub(crate) fn write_blocked(reason: &BlockedReason) -> String {
    // Enums of strings always have a JSON form.
    serde_json::to_string(reason).expect("a reason is an enum of strings")
}

impl ReviewedRuns {
    /// Builds the result of a review from its rows, each with whether the worker owns the run.
    pub(crate) fn of(rows: Vec<ReviewedRow>) -> Self {
        let (unread, lost): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.is_owned);
        let ids = |rows: Vec<ReviewedRow>| rows.into_iter().map(|row| row.run_id.into()).collect();
        Self { unread: ids(unread), lost: ids(lost) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_the_build_are_known_by_how_they_begin() {
        let reasons: [fn(String) -> BlockedReason; 5] = [
            BlockedReason::Undecodable,
            BlockedReason::Panicked,
            BlockedReason::Invalid,
            BlockedReason::Unregistered,
            BlockedReason::WorkersDied,
        ];
        for reason in reasons.map(|reason| reason("{\"un".to_owned())) {
            let begins_so = write_blocked(&reason).starts_with("{\"un");
            assert_eq!(begins_so, reason.is_of_the_build(), "{reason:?}");
            let begins_so = write_blocked(&reason).starts_with("{\"workers_died\"");
            assert_eq!(begins_so, matches!(reason, BlockedReason::WorkersDied(_)), "{reason:?}");
            assert!(write_blocked(&reason).starts_with(&format!("{{\"{}\":", reason.kind())));
            assert!(BlockedReason::KINDS.contains(&reason.kind()));
        }
    }
}

//! Stored columns as records, the same for every SQL store.
//!
//! Both databases name their columns alike, so one decoding serves both. A row that no piton writes
//! is [`StoreError::Corrupt`], never a panic and never a guess.

use std::collections::HashMap;

use sqlx::FromRow;
use uuid::Uuid;

use super::{
    Arrival, ArrivalKind, BlockedRun, ClaimedRun, Ending, FoundEnding, Inbox, NewWorker,
    ReviewedRuns, RunRecord, WorkerLease,
};
use crate::codec;
use crate::error::StoreError;
use crate::model::{BlockedReason, Epoch, Payload, RunId, RunStatus, StepNo, Timestamp, WorkerId};

/// The columns of [`RunRecord`], to be selected by these names.
#[derive(FromRow)]
pub(super) struct RunRow {
    run_id: Uuid,
    workflow_id: String,
    workflow: String,
    status: String,
    state: String,
    step_no: i64,
    worker_id: Option<i64>,
    due_at: Option<i64>,
    blocked: Option<String>,
    started_at: i64,
    closed_at: Option<i64>,
    result: Option<Vec<u8>>,
    failure: Option<String>,
}

impl TryFrom<RunRow> for RunRecord {
    type Error = StoreError;

    fn try_from(row: RunRow) -> Result<Self, StoreError> {
        Ok(Self {
            run_id: row.run_id.into(),
            workflow_id: row.workflow_id,
            workflow: row.workflow,
            status: read_status(&row.status)?,
            state: row.state,
            step_no: StepNo(row.step_no),
            owner: row.worker_id.map(WorkerId),
            due_at: row.due_at.map(Timestamp),
            blocked: row.blocked.as_deref().map(read_blocked).transpose()?,
            started_at: Timestamp(row.started_at),
            closed_at: row.closed_at.map(Timestamp),
            result: row.result.map(Payload),
            failure: row.failure,
        })
    }
}

/// The columns of [`BlockedRun`], to be selected by these names.
#[derive(FromRow)]
pub(super) struct BlockedRow {
    run_id: Uuid,
    step_no: i64,
    workflow: String,
    blocked: String,
}

impl TryFrom<BlockedRow> for BlockedRun {
    type Error = StoreError;

    fn try_from(row: BlockedRow) -> Result<Self, StoreError> {
        let BlockedRow { run_id, step_no, workflow, blocked } = row;
        let (run_id, step_no) = (run_id.into(), StepNo(step_no));
        Ok(Self { run_id, step_no, workflow, reason: read_blocked(&blocked)? })
    }
}

/// The columns of an ending; all of them null where there is no such run.
pub(super) type EndingRow = (Option<String>, Option<Vec<u8>>, Option<String>);

/// What a run has come to.
pub(super) fn read_ending(row: EndingRow) -> Result<FoundEnding, StoreError> {
    let (Some(status), result, failure) = row else { return Ok(FoundEnding::Unknown) };
    let status = read_status(&status)?;
    if status.is_open() {
        return Ok(FoundEnding::Open);
    }
    Ok(FoundEnding::Closed(Ending { status, result: result.map(Payload), failure }))
}

/// The columns of a [`ClaimedRun`] but for its inbox.
#[derive(FromRow)]
pub(super) struct ClaimRow {
    run_id: Uuid,
    workflow_id: String,
    workflow: String,
    step_no: i64,
    snapshot: Vec<u8>,
    takeovers: i64,
    inbox_count: i64,
}

impl ClaimRow {
    /// Whose inbox there may be something in: the run and the number of its last arrival.
    #[cfg(feature = "postgres")]
    pub(super) fn inbox(&self) -> (Uuid, i64) {
        (self.run_id, self.inbox_count)
    }

    /// The run with its arrivals, which are taken out of `inboxes`.
    pub(super) fn with_inbox(self, inboxes: &mut HashMap<RunId, Inbox>) -> ClaimedRun {
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
        }
    }
}

/// One arrival of some run; null where it does not fit the answer.
#[derive(FromRow)]
pub(super) struct ArrivalRow {
    run_id: Uuid,
    seq: i64,
    arrival: Option<Vec<u8>>,
}

impl Inbox {
    /// Adds the next row of an answer that has up to `limit` arrivals of the run.
    pub(super) fn add(&mut self, row: ArrivalRow, limit: u32) -> Result<(), StoreError> {
        let Some(arrival) = row.arrival.filter(|_| !self.has_more) else {
            self.has_more = true;
            return Ok(());
        };
        let kind = codec::from_payload(&Payload(arrival))
            .map_err(|error| StoreError::Corrupt { what: "arrival", reason: error.to_string() })?;
        self.arrivals.push(Arrival { seq: row.seq, kind });
        self.has_more = self.arrivals.len() >= limit as usize;
        Ok(())
    }
}

/// Arrivals by run, each in its row order.
pub(super) fn read_inboxes(
    rows: Vec<ArrivalRow>,
    limit: u32,
) -> Result<HashMap<RunId, Inbox>, StoreError> {
    let mut inboxes: HashMap<RunId, Inbox> = HashMap::new();
    for row in rows {
        inboxes.entry(row.run_id.into()).or_default().add(row, limit)?;
    }
    Ok(inboxes)
}

/// The stored form of an arrival.
pub(super) fn write_arrival(kind: &ArrivalKind) -> Result<Vec<u8>, StoreError> {
    codec::to_payload(kind)
        .map(|payload| payload.0)
        .map_err(|error| StoreError::Corrupt { what: "arrival", reason: error.to_string() })
}

/// What a worker says of itself, and its lease.
#[derive(FromRow)]
pub(super) struct WorkerRow {
    worker_id: i64,
    epoch: i64,
    host: String,
    pid: i64,
    lease_ms: i64,
}

impl TryFrom<WorkerRow> for (WorkerLease, NewWorker) {
    type Error = StoreError;

    fn try_from(row: WorkerRow) -> Result<Self, StoreError> {
        let corrupt = |what: &str| StoreError::Corrupt {
            what: "worker",
            reason: format!("its {what} is out of range"),
        };
        let worker = NewWorker {
            host: row.host,
            pid: u32::try_from(row.pid).map_err(|_| corrupt("process id"))?,
            lease: std::time::Duration::from_millis(
                u64::try_from(row.lease_ms).map_err(|_| corrupt("lease"))?,
            ),
        };
        Ok((WorkerLease { worker_id: WorkerId(row.worker_id), epoch: Epoch(row.epoch) }, worker))
    }
}

/// The number of milliseconds that stores keep for a lease.
pub(super) fn lease_ms(lease: std::time::Duration) -> i64 {
    i64::try_from(lease.as_millis()).unwrap_or(i64::MAX)
}

/// A lease in microseconds, short enough for an end that can be told.
#[cfg(feature = "postgres")]
pub(super) fn lease_micros(lease: std::time::Duration) -> i64 {
    i64::try_from(lease.as_micros()).unwrap_or(i64::MAX).min(i64::MAX / 4)
}

/// The status of a stored word.
pub(super) fn read_status(word: &str) -> Result<RunStatus, StoreError> {
    RunStatus::parse(word).ok_or_else(|| StoreError::Corrupt {
        what: "run",
        reason: format!("`{word}` is not a status"),
    })
}

fn read_blocked(text: &str) -> Result<BlockedReason, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Corrupt {
        what: "reason for being blocked",
        reason: error.to_string(),
    })
}

/// Whether a run is blocked for a reason that [is of the build](BlockedReason::is_of_the_build): the
/// words by which an index has these runs and no others.
macro_rules! is_adoptable {
    () => {
        "status = 'blocked' AND substr(blocked, 1, 4) = '{\"un'"
    };
}
pub(super) use is_adoptable;

/// Whether a run is blocked because [its workers died](BlockedReason::WorkersDied), by the column of the reason.
macro_rules! workers_died {
    ($blocked:literal) => {
        concat!("substr(", $blocked, ", 1, 15) = '{\"workers_died\"'")
    };
}
pub(super) use workers_died;

/// How long an attempt that is cut off waits for the next, in microseconds, by the number that were cut off
/// before: as [`pause_after_interruptions`](crate::model::pause_after_interruptions) says, with the database's
/// function for the least of two.
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
pub(super) use interruption_pause;

/// The stored form of a reason for being blocked.
pub(super) fn write_blocked(reason: &BlockedReason) -> String {
    // Enums of strings always have a JSON form.
    serde_json::to_string(reason).expect("a reason is an enum of strings")
}

impl ReviewedRuns {
    /// From rows about runs where there is something to tell, each with whether the worker owns it.
    pub(super) fn of(rows: Vec<(Uuid, bool)>) -> Self {
        let (unread, lost): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(_, owned)| *owned);
        let ids = |rows: Vec<(Uuid, bool)>| rows.into_iter().map(|(id, _)| id.into()).collect();
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
        }
    }
}

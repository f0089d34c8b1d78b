//! The outstanding activities of a run, with their attempts.

use super::{Client, RunHandle};
use crate::codec;
use crate::engine::backoff::patiently;
use crate::error::{LookupError, StoreError};
use crate::machine::Workflow;
use crate::model::{
    ActivityOperation, AttemptFailure, Handle, Operation, RunId, Snapshot, Timestamp,
};
use crate::store::{ActivityKey, Arrival, ArrivalKind, RunKey};

/// The number of arrivals to read at a time.
const PAGE: u32 = 500;

/// An activity that a run has requested and whose outcome it does not have, as returned by [`Client::activities`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutstandingActivity {
    /// The operation of the run.
    pub handle: Handle,
    /// The activity's stored name.
    pub name: String,
    /// The queue whose workers attempt it; `None` if the run's owner does.
    pub queue: Option<String>,
    /// When the workflow requested it.
    pub scheduled_at: Timestamp,
    /// The number of the current or next attempt, from 1.
    pub attempt: u32,
    /// When that attempt is due, if it has not begun.
    pub next_attempt_at: Option<Timestamp>,
    /// The failure of the last failed attempt, if it is stored.
    pub last_failure: Option<AttemptFailure>,
}

impl<W: Workflow> RunHandle<W> {
    /// See [`Client::activities`].
    ///
    /// # Errors
    /// See [`Client::activities`].
    pub async fn activities(&self) -> Result<Vec<OutstandingActivity>, LookupError> {
        self.client().activities(self.run_id()).await
    }
}

impl Client {
    /// The activities that a run waits for, in the order of their requests: the current attempt of each, when it is
    /// due, and how the last one failed. This reads the database only, so it works in any process, even while no
    /// worker runs. The data of a run with relaxed durability may be a few steps old.
    ///
    /// Empty if the run is closed.
    ///
    /// ```no_run
    /// # use piton::prelude::*;
    /// # async fn demo(client: Client, run_id: piton::model::RunId) -> piton::Result<()> {
    /// for activity in client.activities(run_id).await? {
    ///     if let Some(failure) = activity.last_failure {
    ///         println!("{} failed in attempt {}: {}", activity.name, failure.attempt, failure.error);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`LookupError::Unknown`] if there is no such run, [`LookupError::Store`] if the database [is
    /// away](Client#when-the-database-is-away) for too long, or contains a row of the run that cannot be read.
    pub async fn activities(&self, run_id: RunId) -> Result<Vec<OutstandingActivity>, LookupError> {
        match self.find(run_id).await? {
            Some(run) if run.status.is_open() => {}
            Some(_) => return Ok(Vec::new()),
            None => return Err(LookupError::Unknown(RunKey::RunId(run_id))),
        }
        // In this order: arrivals that leave the inbox in between are part of the snapshot.
        let inbox = self.arrivals(run_id).await?;
        let snapshot = patiently(|| self.store().find_snapshot(run_id)).await?;
        let Some(snapshot) = snapshot.filter(|snapshot| !snapshot.is_empty()) else {
            return Ok(Vec::new());
        };
        let corrupt = |error: codec::CodecError| {
            let reason = error.to_string();
            LookupError::Store(StoreError::Corrupt { what: "snapshot", reason })
        };
        let snapshot = codec::decode_snapshot(&snapshot).map_err(corrupt)?;
        let mut outstanding = Vec::new();
        for (handle, mut activity) in activities(snapshot) {
            if !apply(&inbox, handle, &mut activity) {
                continue;
            }
            let mut shown = of_snapshot(handle, activity);
            if shown.queue.is_some() {
                let key = ActivityKey { run_id, handle };
                let row = patiently(|| self.store().find_activity(key)).await?;
                // If the row is missing, the activity has ended, or the run has closed, since the snapshot was
                // read.
                let Some(row) = row else { continue };
                let is_made = row.worker.is_some();
                shown.attempt = row.attempt + u32::from(!is_made);
                shown.next_attempt_at = row.due_at.filter(|_| !is_made);
                shown.last_failure = row.last_failure;
            }
            outstanding.push(shown);
        }
        Ok(outstanding)
    }

    /// All arrivals in the run's inbox.
    async fn arrivals(&self, run_id: RunId) -> Result<Vec<Arrival>, LookupError> {
        let mut inbox: Vec<Arrival> = Vec::new();
        loop {
            let read = inbox.last().map_or(0, |last| last.seq);
            let page = patiently(|| self.store().read_inbox(run_id, read, PAGE)).await?;
            inbox.extend(page.arrivals);
            if !page.has_more {
                return Ok(inbox);
            }
        }
    }
}

fn activities(snapshot: Snapshot) -> impl Iterator<Item = (Handle, ActivityOperation)> {
    snapshot.operations.into_iter().filter_map(|(handle, operation)| match operation {
        Operation::Activity(activity) => Some((handle, *activity)),
        _ => None,
    })
}

/// Applies arrivals since the snapshot. Returns whether the activity is still outstanding.
pub(super) fn apply(inbox: &[Arrival], handle: Handle, activity: &mut ActivityOperation) -> bool {
    for arrival in inbox {
        match &arrival.kind {
            ArrivalKind::Outcome { handle: ended, .. } if *ended == handle => return false,
            ArrivalKind::Retry { handle: of, attempt, retry_at, failure, .. }
                if *of == handle && *attempt > activity.attempts =>
            {
                activity.attempts = *attempt;
                activity.retry_at = Some(*retry_at);
                activity.last_failure = Some(AttemptFailure::new(*attempt, failure.clone()));
            }
            ArrivalKind::Interruption { handle: of, attempt }
                if *of == handle && *attempt > activity.attempts =>
            {
                activity.attempts = *attempt;
            }
            _ => {}
        }
    }
    true
}

fn of_snapshot(handle: Handle, activity: ActivityOperation) -> OutstandingActivity {
    OutstandingActivity {
        handle,
        name: activity.name.into_owned(),
        queue: activity.queue,
        scheduled_at: activity.scheduled_at,
        attempt: activity.attempts.saturating_add(1),
        next_attempt_at: activity.retry_at,
        last_failure: activity.last_failure,
    }
}

//! The outstanding activities of a run, with their attempts.

use super::{Client, RunHandle};
use crate::codec;
use crate::engine::backoff::patiently;
use crate::error::{LookupError, StoreError};
use crate::machine::Workflow;
use crate::model::{
    ActivityOperation, AttemptFailure, Handle, Operation, PromiseToken, RunId, Timestamp,
};
use crate::store::{ActivityKey, ActivityRecord, Arrival, ArrivalKind, RunKey};

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
    /// The key of an item of the queue, which other runs may await as well.
    pub key: Option<String>,
    /// When the workflow requested it. For an item, when the queue accepted it, or before that the time of the run's
    /// last step.
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
        let run = self.find(run_id).await?;
        let run = run.ok_or(LookupError::Unknown(RunKey::RunId(run_id)))?;
        if !run.status.is_open() {
            return Ok(Vec::new());
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
        for (handle, operation) in snapshot.operations {
            let mut activity = match operation {
                Operation::Activity(activity) => *activity,
                Operation::Promise(wait) if wait.token.queue().is_some() => {
                    if !has_ended(&inbox, handle) {
                        let asked_at = run.stepped_at.unwrap_or(run.started_at);
                        outstanding.push(self.item(handle, &wait.token, asked_at).await?);
                    }
                    continue;
                }
                _ => continue,
            };
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
                shown.take_row(row);
            }
            outstanding.push(shown);
        }
        Ok(outstanding)
    }

    /// An item of a queue that a run waits for.
    async fn item(
        &self,
        handle: Handle,
        token: &PromiseToken,
        asked_at: Timestamp,
    ) -> Result<OutstandingActivity, StoreError> {
        let mut shown = OutstandingActivity {
            handle,
            name: token.workflow().to_owned(),
            queue: token.queue().map(str::to_owned),
            key: Some(token.name().to_owned()),
            scheduled_at: asked_at,
            attempt: 1,
            next_attempt_at: None,
            last_failure: None,
        };
        let promise = patiently(|| self.store().find_promise(token.key())).await?;
        let Some(promise) = promise else { return Ok(shown) };
        shown.scheduled_at = promise.made_at;
        let key = promise.item.map(|run_id| ActivityKey { run_id, handle: ActivityKey::OF_ITEM });
        let Some(key) = key else { return Ok(shown) };
        if let Some(row) = patiently(|| self.store().find_activity(key)).await? {
            shown.take_row(row);
        }
        Ok(shown)
    }

    /// Everything that waits for the run.
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

impl OutstandingActivity {
    /// Takes over the data in the row of an activity on a queue.
    fn take_row(&mut self, row: ActivityRecord) {
        let is_made = row.worker.is_some();
        self.attempt = row.attempt + u32::from(!is_made);
        self.next_attempt_at = row.due_at.filter(|_| !is_made);
        self.last_failure = row.last_failure;
    }
}

/// Whether the outcome of an operation has arrived.
fn has_ended(inbox: &[Arrival], handle: Handle) -> bool {
    inbox.iter().any(
        |arrival| matches!(arrival.kind, ArrivalKind::Outcome { handle: of, .. } if of == handle),
    )
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
        key: None,
        scheduled_at: activity.scheduled_at,
        attempt: activity.attempts.saturating_add(1),
        next_attempt_at: activity.retry_at,
        last_failure: activity.last_failure,
    }
}

//! Hooks that observe, delay and fail the calls of an in-memory store.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{RunId, StepNo, Timestamp, UpdateReply};
use crate::store::{
    ActivityHeartbeat, ActivityKey, ArrivalKind, CommitStep, CompletePromise, ExpireRun,
    FailedCall, FinishActivity, WorkerLease,
};

/// Observes every call of one connection to a [`MemoryStore`](super::MemoryStore).
#[async_trait]
pub trait Hook: Send + Sync {
    /// Called before the transition; an error prevents it.
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        let _ = operation;
        Ok(())
    }

    /// Called first, for calls that write: whether this call fails now and is executed much later, like a request
    /// on a connection that broke. Default: no.
    fn late(&self, operation: &'static str) -> Option<Late> {
        let _ = operation;
        None
    }

    /// Called after the transition; an error hides from the caller that it took effect.
    async fn after(&self, operation: &'static str) -> Result<(), StoreError> {
        let _ = operation;
        Ok(())
    }

    /// Called for each write of a transition of this connection, at the database's time `now`. The rows are locked
    /// meanwhile: do not call the store from here.
    fn wrote(&self, now: Timestamp, write: &Write<'_>) {
        let _ = (now, write);
    }

    /// Called when a worker of this connection reports its runs and attempts, to compare them with the rows. The rows
    /// are locked meanwhile, as with [`Hook::wrote`].
    fn holds(&self, worker: WorkerLease, held: Held<'_>) {
        let _ = (worker, held);
    }

    /// Called when another connection sends a notification: the delay after which this connection gets it. `None`
    /// loses it. Default: no delay.
    fn news_delay(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }
}

/// A call that fails at once and is executed later.
pub struct Late {
    /// The delay.
    pub after: Duration,
    /// The error for the caller.
    pub error: StoreError,
    /// The hook that observes its writes.
    pub hook: Arc<dyn Hook>,
}

/// What a worker believes to own.
#[derive(Clone, Copy, Debug)]
pub enum Held<'a> {
    /// Runs, each with the number of its last read arrival.
    Runs(&'a [(RunId, i64)]),
    /// Attempts of queued activities, with their numbers.
    Attempts(&'a [(ActivityKey, u32)]),
}

/// A write of a transition.
#[derive(Clone, Copy, Debug)]
pub enum Write<'a> {
    /// A worker was registered or has renewed its lease.
    Leased {
        /// The worker.
        worker: WorkerLease,
        /// When the lease expires.
        until: Timestamp,
    },
    /// A worker has lost its lease and its runs.
    Fenced {
        /// The worker, with the epoch that is no longer valid.
        worker: WorkerLease,
    },
    /// A worker has released its lease and its runs.
    Released {
        /// The worker.
        worker: WorkerLease,
    },
    /// A run was started.
    Started {
        /// The run.
        run_id: RunId,
        /// Its workflow id.
        workflow_id: &'a str,
        /// Its workflow.
        workflow: &'a str,
        /// The owner.
        owner: Option<WorkerLease>,
    },
    /// A run was assigned to a worker, or returned to it once more.
    Claimed {
        /// The run.
        run_id: RunId,
        /// Number of its commits.
        step_no: StepNo,
        /// The owner.
        worker: WorkerLease,
        /// Whether the worker owned it already without knowing it.
        again: bool,
    },
    /// A step was committed.
    Committed {
        /// The worker.
        worker: WorkerLease,
        /// The step.
        step: &'a CommitStep,
    },
    /// A step was not committed, and nothing was written for it.
    Refused {
        /// The worker.
        worker: WorkerLease,
        /// The step.
        step: &'a CommitStep,
    },
    /// An arrival was put into an inbox.
    Arrived {
        /// The run.
        run_id: RunId,
        /// Its number.
        seq: i64,
        /// Its content.
        kind: &'a ArrivalKind,
    },
    /// A call that has failed was put on its queue again.
    CalledAgain {
        /// The call.
        call: &'a FailedCall,
    },
    /// A promise was completed, or a completion was refused.
    PromiseCompleted {
        /// The completion.
        completion: &'a CompletePromise,
        /// Whether the caller has learned that this is the promise's outcome.
        told: bool,
    },
    /// A run has answered an update.
    Replied {
        /// The run.
        run_id: RunId,
        /// The id of the update.
        update: &'a str,
        /// The answer.
        reply: &'a UpdateReply,
    },
    /// A message became a dead letter because no open run has its workflow id.
    DeadLetter {
        /// That workflow id.
        workflow_id: &'a str,
        /// Its content.
        kind: &'a ArrivalKind,
    },
    /// An attempt of a queued activity was assigned to a worker, or returned to it once more.
    Attempted {
        /// The activity.
        key: ActivityKey,
        /// The attempt's number.
        attempt: u32,
        /// The worker.
        worker: WorkerLease,
        /// Whether the worker had it already without knowing it.
        again: bool,
    },
    /// A heartbeat of such an attempt was recorded.
    Beaten {
        /// The heartbeat.
        heartbeat: &'a ActivityHeartbeat,
    },
    /// Such an attempt has ended.
    Ended {
        /// The end.
        end: &'a FinishActivity,
    },
    /// An activity's own transaction was committed with its outcome.
    Noted {
        /// The activity.
        key: ActivityKey,
    },
    /// A run was terminated.
    Terminated {
        /// The run.
        run_id: RunId,
    },
    /// A run was closed because its timeout had passed.
    Expired {
        /// The run and its successor.
        expiry: &'a ExpireRun,
    },
    /// A run was paused.
    Paused {
        /// The run.
        run_id: RunId,
    },
    /// A paused run was resumed.
    Resumed {
        /// The run.
        run_id: RunId,
    },
    /// A run that was over was opened again.
    Reopened {
        /// The run.
        run_id: RunId,
    },
    /// A blocked run was given another try.
    Unblocked {
        /// The run.
        run_id: RunId,
    },
}

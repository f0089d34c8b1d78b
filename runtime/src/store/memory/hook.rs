//! Seeing and spoiling what goes on between an in-memory store and those who use it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{RunId, StepNo, Timestamp, UpdateReply};
use crate::store::{
    ActivityHeartbeat, ActivityKey, ArrivalKind, CommitStep, CompletePromise, ExpireRun,
    FinishActivity, WorkerLease,
};

/// Sees every call of one connection to a [`MemoryStore`](super::MemoryStore).
#[async_trait]
pub trait Hook: Send + Sync {
    /// Called before the transition; an error keeps it from happening.
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        let _ = operation;
        Ok(())
    }

    /// Called first, for calls that write: whether this one is carried out long after it has failed, as
    /// what was sent on a connection that broke may be. Default: no.
    fn late(&self, operation: &'static str) -> Option<Late> {
        let _ = operation;
        None
    }

    /// Called after the transition; an error hides from the caller that it has happened.
    async fn after(&self, operation: &'static str) -> Result<(), StoreError> {
        let _ = operation;
        Ok(())
    }

    /// Called for each thing that a transition of this connection has written, at the time `now` of
    /// the database. The rows are locked meanwhile: the store must not be called from here.
    fn wrote(&self, now: Timestamp, write: &Write<'_>) {
        let _ = (now, write);
    }

    /// Called when a worker of this connection says what it has, to hear what it has wrong. The rows
    /// are locked meanwhile, as with [`Hook::wrote`].
    fn holds(&self, worker: WorkerLease, held: Held<'_>) {
        let _ = (worker, held);
    }

    /// Called when another connection has news: after how long this one hears of it. `None` loses
    /// the news. Default: at once.
    fn news_delay(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }
}

/// A call that fails at once and is carried out later.
pub struct Late {
    /// How much later.
    pub after: Duration,
    /// What the caller is told.
    pub error: StoreError,
    /// What sees its writes.
    pub hook: Arc<dyn Hook>,
}

/// What a worker believes to have.
#[derive(Clone, Copy, Debug)]
pub enum Held<'a> {
    /// Runs, each with how far it has read the inbox.
    Runs(&'a [(RunId, i64)]),
    /// Attempts of activities on queues, by their numbers.
    Attempts(&'a [(ActivityKey, u32)]),
}

/// Something that a transition has written.
#[derive(Clone, Copy, Debug)]
pub enum Write<'a> {
    /// A worker was registered or has renewed its lease.
    Leased {
        /// The worker.
        worker: WorkerLease,
        /// When the lease runs out.
        until: Timestamp,
    },
    /// A worker has lost its lease and its runs.
    Fenced {
        /// The worker, with the epoch that is no longer valid.
        worker: WorkerLease,
    },
    /// A worker has given up its lease and its runs.
    Released {
        /// The worker.
        worker: WorkerLease,
    },
    /// A run was started.
    Started {
        /// The run.
        run_id: RunId,
        /// Its business key.
        workflow_id: &'a str,
        /// Its workflow.
        workflow: &'a str,
        /// Who owns it.
        owner: Option<WorkerLease>,
    },
    /// A run was given to a worker, or given once more.
    Claimed {
        /// The run.
        run_id: RunId,
        /// Commits so far.
        step_no: StepNo,
        /// Who owns it now.
        worker: WorkerLease,
        /// Whether the worker had it already, without knowing.
        again: bool,
    },
    /// A step was committed.
    Committed {
        /// Who has made it.
        worker: WorkerLease,
        /// The step.
        step: &'a CommitStep,
    },
    /// A step was not committed, and nothing was written for it.
    Refused {
        /// Who has made it.
        worker: WorkerLease,
        /// The step.
        step: &'a CommitStep,
    },
    /// Something was put into an inbox.
    Arrived {
        /// The run.
        run_id: RunId,
        /// Its number.
        seq: i64,
        /// What it is.
        kind: &'a ArrivalKind,
    },
    /// Somebody has completed a promise, or tried to.
    PromiseCompleted {
        /// What was to be written.
        completion: &'a CompletePromise,
        /// Whether whoever did so was told that this is what the promise has come to.
        told: bool,
    },
    /// A run has answered an update.
    Replied {
        /// The run.
        run_id: RunId,
        /// The id of the update.
        update: &'a str,
        /// What the answer is.
        reply: &'a UpdateReply,
    },
    /// A message became a dead letter, because no open run has the workflow id that it is for.
    DeadLetter {
        /// That workflow id.
        workflow_id: &'a str,
        /// What it would have been in an inbox.
        kind: &'a ArrivalKind,
    },
    /// An attempt of an activity on a queue was given to a worker, or given once more.
    Attempted {
        /// The activity.
        key: ActivityKey,
        /// The attempt's number.
        attempt: u32,
        /// Who is to make it.
        worker: WorkerLease,
        /// Whether the worker had it already, without knowing.
        again: bool,
    },
    /// A sign of life of such an attempt was noted.
    Beaten {
        /// What was said.
        heartbeat: &'a ActivityHeartbeat,
    },
    /// Such an attempt has ended.
    Ended {
        /// Which one, by what right, and how.
        end: &'a FinishActivity,
    },
    /// An activity's own transaction was committed, together with its outcome.
    Noted {
        /// The activity.
        key: ActivityKey,
    },
    /// A run was closed from outside.
    Terminated {
        /// The run.
        run_id: RunId,
    },
    /// A run was closed because its time was over.
    Expired {
        /// Which run, and what follows it.
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

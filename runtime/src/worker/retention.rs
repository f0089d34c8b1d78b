//! How long closed runs and their data are kept.

use std::time::Duration;

use crate::engine::loops::retention::{Ages, Keeping};

/// The minimum time for which a run is kept, so that a repeated start or delivery finds the first one.
const SHORTEST: Duration = Duration::from_secs(60);

/// How long closed runs, and parts of their data, are kept, by workflow. Default: forever.
///
/// A run is removed with its result, attributes, memo, past states, promises and dedup keys, as by
/// [`Client::delete_all`](crate::client::Client::delete_all). Audit entries, dead letters and shared promises stay.
/// Its workflow id counts as never used. A run with messages in the outbox is kept until they are delivered, and a
/// child as long as its parent is open.
///
/// ```
/// use piton::prelude::*;
/// use piton::worker::Retention;
///
/// let retention = Retention::of_all(days(90)).of("heartbeat", hours(1)).for_ever("contract");
/// let retention = retention.payloads_of_all(days(7)).keys_of_all(days(1)).shared_promises(days(30));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "it is an option of a worker, see `Worker::retention`"]
pub struct Retention(pub(super) Keeping);

impl Retention {
    /// Keeps all runs forever, except those of workflows that are set separately.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps runs of all workflows for this time after they have closed, including workflows that this program does
    /// not have. Less than a minute counts as a minute.
    pub fn of_all(age: Duration) -> Self {
        let runs = Ages { others: Some(age.max(SHORTEST)), ..Ages::default() };
        Self(Keeping { runs, ..Keeping::default() })
    }

    /// Keeps the runs of a workflow, by its stored name, for this time after they have closed. Less than a minute
    /// counts as a minute.
    pub fn of(mut self, workflow: impl Into<String>, age: Duration) -> Self {
        self.0.runs.named.insert(workflow.into(), Some(age.max(SHORTEST)));
        self
    }

    /// Keeps the runs of a workflow, by its stored name, forever.
    pub fn for_ever(mut self, workflow: impl Into<String>) -> Self {
        self.0.runs.named.insert(workflow.into(), None);
        self
    }

    /// Keeps the payloads of runs of all workflows for this time after they have closed: the arguments, the result,
    /// the rest of the state, past states, and signals that were never taken. The runs stay in lists, with their status, attributes and memo.
    /// Waiting for the result then fails with [`RunError::ResultRemoved`](crate::error::RunError::ResultRemoved),
    /// and the run cannot be reopened or forked. A child keeps its payloads as long as its parent is open; for a
    /// run that awaits it later, the child is [unknown](crate::machine::ChildError::Unknown). Less than a minute
    /// counts as a minute. Default: as long as the run.
    pub fn payloads_of_all(mut self, age: Duration) -> Self {
        self.0.payloads.others = Some(age.max(SHORTEST));
        self
    }

    /// Like [`payloads_of_all`](Self::payloads_of_all), for a workflow by its stored name.
    pub fn payloads_of(mut self, workflow: impl Into<String>, age: Duration) -> Self {
        self.0.payloads.named.insert(workflow.into(), Some(age.max(SHORTEST)));
        self
    }

    /// Keeps the dedup keys of runs of all workflows, and their answers to updates, for this time after they have
    /// closed. A repeated signal or update then fails because the run is closed. Less than a minute counts as a
    /// minute. Default: as long as the run.
    pub fn keys_of_all(mut self, age: Duration) -> Self {
        self.0.keys.others = Some(age.max(SHORTEST));
        self
    }

    /// Like [`keys_of_all`](Self::keys_of_all), for a workflow by its stored name.
    pub fn keys_of(mut self, workflow: impl Into<String>, age: Duration) -> Self {
        self.0.keys.named.insert(workflow.into(), Some(age.max(SHORTEST)));
        self
    }

    /// Keeps shared promises for this time after their completion, and as long as a run waits for them. A removed
    /// promise counts as new: a run that awaits it later waits for another completion. Less than a minute counts as
    /// a minute. Default: forever.
    pub fn shared_promises(mut self, age: Duration) -> Self {
        self.0.shared_promises = Some(age.max(SHORTEST));
        self
    }

    /// Keeps the failed calls of queues for so long after they have failed, see
    /// [`QueueHandle::failed`](crate::client::QueueHandle::failed). Less than a minute counts as a minute. Default: for 7
    /// days.
    pub fn failed_calls(mut self, age: Duration) -> Self {
        self.0.failed_calls = Some(age.max(SHORTEST));
        self
    }
}

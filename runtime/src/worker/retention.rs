//! For how long runs are kept, and what belongs to them.

use std::time::Duration;

use crate::engine::loops::retention::{Ages, Keeping};

/// A run is kept for so long at least, so that a start or a delivery that is repeated finds what it has done before.
const SHORTEST: Duration = Duration::from_secs(60);

/// For how long runs are kept that are over, and parts of them, by their workflow. Default: for ever.
///
/// A run that is removed goes with all that [`Client::delete_all`](crate::client::Client::delete_all) says: its result,
/// attributes, memo, kept states and promises, and the keys by which repetitions are known. Audit entries, dead letters
/// and shared promises stay. Its workflow id counts as never used. A run that has sent something which is still on its
/// way is kept until that is delivered, and a child for as long as its parent is open.
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
    /// Keeps all runs for ever, but for what is said of single workflows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps runs for so long after they have closed, whatever their workflow, also if this program does not have it.
    /// Less than a minute counts as a minute.
    pub fn of_all(age: Duration) -> Self {
        let runs = Ages { others: Some(age.max(SHORTEST)), ..Ages::default() };
        Self(Keeping { runs, ..Keeping::default() })
    }

    /// Keeps the runs of a workflow, named as it is stored, for so long after they have closed. Less than a minute
    /// counts as a minute.
    pub fn of(mut self, workflow: impl Into<String>, age: Duration) -> Self {
        self.0.runs.named.insert(workflow.into(), Some(age.max(SHORTEST)));
        self
    }

    /// Keeps the runs of a workflow, named as it is stored, for ever.
    pub fn for_ever(mut self, workflow: impl Into<String>) -> Self {
        self.0.runs.named.insert(workflow.into(), None);
        self
    }

    /// Keeps the payloads of runs for so long after they have closed, whatever their workflow: the arguments, the result,
    /// what is left of the state, and past states. The runs stay in lists, with their status, attributes and memo, and
    /// whoever asks for the result is told [`RunError::ResultRemoved`](crate::error::RunError::ResultRemoved). Such a run
    /// cannot be opened again or forked. A child keeps its payloads for as long as its parent is open; another run that
    /// awaits it later is told that it is [unknown](crate::machine::ChildError::Unknown). Less than a minute counts as a
    /// minute. Default: for as long as the run.
    pub fn payloads_of_all(mut self, age: Duration) -> Self {
        self.0.payloads.others = Some(age.max(SHORTEST));
        self
    }

    /// The same of a workflow, named as it is stored.
    pub fn payloads_of(mut self, workflow: impl Into<String>, age: Duration) -> Self {
        self.0.payloads.named.insert(workflow.into(), Some(age.max(SHORTEST)));
        self
    }

    /// Keeps the dedup keys of runs, and their answers to updates, for so long after they have closed, whatever their
    /// workflow. A signal that is repeated later is told that the run is closed, and an update too. Less than a minute
    /// counts as a minute. Default: for as long as the run.
    pub fn keys_of_all(mut self, age: Duration) -> Self {
        self.0.keys.others = Some(age.max(SHORTEST));
        self
    }

    /// The same of a workflow, named as it is stored.
    pub fn keys_of(mut self, workflow: impl Into<String>, age: Duration) -> Self {
        self.0.keys.named.insert(workflow.into(), Some(age.max(SHORTEST)));
        self
    }

    /// Keeps shared promises for so long after they were completed. One that a run waits for stays. One that is removed
    /// counts as never made: whoever awaits it later waits for somebody to complete it again. Less than a minute counts as
    /// a minute. Default: for ever.
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

//! For how long runs are kept.

use std::time::Duration;

use crate::engine::loops::retention::Ages;

/// A run is kept for so long at least, so that a start or a delivery that is repeated finds what it has done before.
const SHORTEST: Duration = Duration::from_secs(60);

/// For how long runs are kept that are over, by their workflow. Default: for ever.
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
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "it is an option of a worker, see `Worker::retention`"]
pub struct Retention(pub(super) Ages);

impl Retention {
    /// Keeps all runs for ever, but for what is said of single workflows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps runs for so long after they have closed, whatever their workflow, also if this program does not have it.
    /// Less than a minute counts as a minute.
    pub fn of_all(age: Duration) -> Self {
        Self(Ages { others: Some(age.max(SHORTEST)), ..Ages::default() })
    }

    /// Keeps the runs of a workflow, named as it is stored, for so long after they have closed. Less than a minute
    /// counts as a minute.
    pub fn of(mut self, workflow: impl Into<String>, age: Duration) -> Self {
        self.0.named.insert(workflow.into(), Some(age.max(SHORTEST)));
        self
    }

    /// Keeps the runs of a workflow, named as it is stored, for ever.
    pub fn for_ever(mut self, workflow: impl Into<String>) -> Self {
        self.0.named.insert(workflow.into(), None);
        self
    }
}

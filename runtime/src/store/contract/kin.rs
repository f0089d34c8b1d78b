//! Relations between runs, as clients query them.

use crate::model::{ChildOptions, ChildStart, Link, ParentClose, RunId, RunStatus, Timestamp};
use crate::store::NewRun;

/// What a child is told that is ended because its parent is over.
pub(crate) fn reason_of_parent_close(parent: RunId) -> String {
    format!("its parent, the run {parent}, is over")
}

/// Which runs a run belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kin {
    /// The first run of its chain; the run itself if there is none before it.
    pub first_run_id: RunId,
    /// The run before it in its chain.
    pub previous_run_id: Option<RunId>,
    /// Why it follows that.
    pub link: Option<Link>,
    /// The run that follows it.
    pub next_run_id: Option<RunId>,
    /// The run that has started its chain as a child, with what happens to it when that is over.
    pub parent: Option<(RunId, ParentClose)>,
    /// How many children the runs of its chain have started so far.
    pub child_count: u64,
}

/// A run of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainEntry {
    /// The run.
    pub run_id: RunId,
    /// Its workflow's stored name.
    pub workflow: String,
    /// Its place in the chain, from 0.
    pub place: u64,
    /// Why it follows the one before it.
    pub link: Option<Link>,
    /// Where it stands.
    pub status: RunStatus,
    /// When it was started.
    pub started_at: Timestamp,
    /// When it closed.
    pub closed_at: Option<Timestamp>,
}

/// The last run of a chain so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastRun {
    /// The run.
    pub run_id: RunId,
    /// Where it stands. If it is closed, the chain is over.
    pub status: RunStatus,
    /// When it closed.
    pub closed_at: Option<Timestamp>,
}

/// A child, whatever has become of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildRecord {
    /// The first run of its chain.
    pub child: RunId,
    /// Its workflow id.
    pub workflow_id: String,
    /// The run that has started it.
    pub parent: RunId,
    /// What happens to it when the parent is over.
    pub on_parent_close: ParentClose,
    /// The last run of its chain so far; `None` if it was not started, because its workflow id was taken.
    pub run_id: Option<RunId>,
    /// Where that stands.
    pub status: Option<RunStatus>,
}

impl NewRun {
    /// The run of a child that is started `now`, for whoever claims it.
    pub(crate) fn of_child(workflow_id: String, start: ChildStart, now: Timestamp) -> Self {
        let ChildOptions { terms, attributes, memo } =
            start.options.map_or_else(ChildOptions::default, |options| *options);
        Self {
            run_id: start.run_id,
            workflow_id,
            workflow: start.workflow,
            arguments: start.arguments,
            snapshot: start.snapshot,
            state: start.state,
            definition: start.definition,
            owner: None,
            start_at: None,
            first: None,
            attributes,
            memo,
            terms: terms.map(|terms| Box::new(terms.begin(now))),
        }
    }
}

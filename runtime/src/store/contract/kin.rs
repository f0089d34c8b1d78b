//! Relations between runs: chains, parents and children.

use crate::model::{ChildOptions, ChildStart, Link, ParentClose, RunId, RunStatus, Timestamp};
use crate::store::NewRun;

/// The reason given to a child that ends because its parent has closed.
pub(crate) fn reason_of_parent_close(parent: RunId) -> String {
    format!("its parent, the run {parent}, is over")
}

/// The relations of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kin {
    /// The first run of its chain; the run itself if there is none before it.
    pub first_run_id: RunId,
    /// The run before it in its chain.
    pub previous_run_id: Option<RunId>,
    /// Why it follows that run.
    pub link: Option<Link>,
    /// The run that follows it.
    pub next_run_id: Option<RunId>,
    /// The run that has started its chain as a child, and the policy for when that run closes.
    pub parent: Option<(RunId, ParentClose)>,
    /// Whether that policy is also applied when another run follows the parent.
    pub ends_with_run: bool,
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
    /// Its status.
    pub status: RunStatus,
    /// When it was started.
    pub started_at: Timestamp,
    /// When it closed.
    pub closed_at: Option<Timestamp>,
}

/// The latest run of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastRun {
    /// The run.
    pub run_id: RunId,
    /// Its status. If it is closed, so is the chain.
    pub status: RunStatus,
    /// When it closed.
    pub closed_at: Option<Timestamp>,
}

/// A child, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildRecord {
    /// The first run of its chain.
    pub child: RunId,
    /// Its workflow id.
    pub workflow_id: String,
    /// The run that has started it.
    pub parent: RunId,
    /// The policy for when the parent closes.
    pub on_parent_close: ParentClose,
    /// Whether that policy is also applied when another run follows the parent.
    pub ends_with_run: bool,
    /// The latest run of its chain; `None` if the child was not started because its workflow id was taken.
    pub run_id: Option<RunId>,
    /// Its status.
    pub status: Option<RunStatus>,
}

impl NewRun {
    /// The run of a child, to be started `now` by any worker.
    pub(crate) fn of_child(workflow_id: String, start: ChildStart, now: Timestamp) -> Self {
        let ChildOptions { terms, attributes, memo, ends_with_run: _ } =
            start.options.map_or_else(ChildOptions::default, |options| *options);
        // The parent's step has found a time of the expression. If that has passed, or this build cannot read the
        // expression, the child begins at once.
        let start_at = terms.as_ref().and_then(|terms| terms.first_due(now, None).ok().flatten());
        Self {
            run_id: start.run_id,
            workflow_id,
            workflow: start.workflow,
            arguments: start.arguments,
            snapshot: start.snapshot,
            state: start.state,
            definition: start.definition,
            owner: None,
            start_at,
            first: None,
            attributes,
            memo,
            terms: terms.map(|terms| Box::new(terms.begin(start_at.unwrap_or(now)))),
        }
    }
}

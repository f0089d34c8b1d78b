//! The runs of the job as the program looks at them: which order, how far, how it ended.

use super::order::Outcome;

/// A run of the workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The execution; idempotency keys begin with it.
    pub run_id: String,
    /// The order that it is for.
    pub order_id: String,
    /// Commits so far.
    pub steps: u64,
    /// Where it stands.
    pub standing: Standing,
}

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Under way.
    Running,
    /// Waiting for somebody's approval.
    Waiting,
    /// Under way, but it needs somebody to act on this problem.
    Blocked(String),
    /// Closed.
    Ended(Outcome),
    /// Closed without an outcome, for this reason.
    Failed(String),
}

impl Run {
    /// Whether it may still change.
    pub fn is_open(&self) -> bool {
        !matches!(self.standing, Standing::Ended(_) | Standing::Failed(_))
    }
}

//! The runs of the job: the order, the progress and the end of each.

use piton::codec;
use piton::error::StoreError;
use piton::filter;
use piton::machine::Workflow;
use piton::model::AwaitKind;
use piton::prelude::*;
use piton::store::RunRecord;

use super::order::Outcome;
use super::workflow::fulfill;

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

/// All runs of the workflow, newest first.
///
/// # Errors
/// The database failed.
pub async fn list(client: &Client) -> Result<Vec<Run>, StoreError> {
    let filter = filter::workflow().equals(fulfill::NAME);
    let page = client.list_runs(filter).limit(u32::MAX).await?;
    Ok(page.runs.into_iter().map(Run::from).collect())
}

impl From<RunRecord> for Run {
    fn from(record: RunRecord) -> Self {
        let standing = standing(&record);
        Self {
            run_id: record.run_id.to_string(),
            order_id: record.workflow_id,
            steps: u64::try_from(record.step_no.0).unwrap_or(0),
            standing,
        }
    }
}

fn standing(record: &RunRecord) -> Standing {
    let reason = || match (&record.blocked, &record.failure) {
        (Some(reason), _) => reason.to_string(),
        (None, Some(failure)) => failure.clone(),
        (None, None) => record.status.to_string(),
    };
    match (record.status, &record.result) {
        (RunStatus::Running, _) if waits_for_approval(&record.state) => Standing::Waiting,
        (RunStatus::Running, _) => Standing::Running,
        (RunStatus::Blocked, _) => Standing::Blocked(reason()),
        (RunStatus::Completed, Some(result)) => {
            match codec::from_payload::<piton::Result<Outcome>>(result) {
                Ok(Ok(outcome)) => Standing::Ended(outcome),
                Ok(Err(error)) => Standing::Failed(format!("{error:#}")),
                Err(error) => Standing::Failed(error.to_string()),
            }
        }
        _ => Standing::Failed(reason()),
    }
}

/// Whether a run in this state waits for somebody: its workflow has one `select!`, and that is it.
fn waits_for_approval(state: &str) -> bool {
    let mut states = fulfill::GRAPH.nodes().into_iter();
    states.any(|node| node.kind == AwaitKind::Select && node.name == state)
}

//! Queries about runs.

use async_trait::async_trait;

use crate::error::StoreError;
use crate::filter::evaluate::{Cell, Row};
use crate::filter::{Column, Filter};
use crate::model::{
    AttributeMap, AttributeValue, BlockedReason, DefinitionHash, Memo, Payload, RunId, RunStatus,
    StepNo, Timestamp, WorkerId,
};
use crate::store::{
    AuditEntry, AuditEntryId, ChainEntry, ChildRecord, Kin, LastRun, PastState, PastStep, RunCount,
    RunDetails, RunQuery,
};

/// Reads of runs. Nothing here writes or locks.
///
/// The rules common to all methods are documented at [`Store`](super::Store).
#[async_trait]
pub trait Visibility: Send + Sync {
    /// A run. A [`RunKey::WorkflowId`] names the open run with that id, or else the one that was started last by
    /// the database's clock. Locks nothing.
    async fn find_run(&self, key: &RunKey) -> Result<Option<RunRecord>, StoreError>;

    /// The snapshot of a run after its last commit; for a closed run, the part that is kept. Locks nothing.
    async fn find_snapshot(&self, run_id: RunId) -> Result<Option<Vec<u8>>, StoreError>;

    /// The endings of these runs, in their order: as many as fit in one response, but at least the first. Used to
    /// wait for results: it reads less than [`Self::find_run`] and takes many runs at once. Locks nothing.
    async fn find_endings(&self, run_ids: &[RunId]) -> Result<Vec<FoundEnding>, StoreError>;

    /// The runs that match a query, in its order: as many as fit in one response with their results, but at least
    /// one if there is one. Times relative to now use the database's clock, or the time that the filter was
    /// [given](Filter::at). Locks nothing.
    async fn list_runs(&self, query: RunQuery<'_>) -> Result<Vec<RunRecord>, StoreError>;

    /// The numbers of matching runs by the value of a column, ordered by that value; without a column, one total.
    /// Times are grouped by day. Values that no run has are left out, but the total is always there. Locks nothing.
    async fn count_runs(
        &self,
        filter: &Filter,
        group_by: Option<Column>,
    ) -> Result<Vec<RunCount>, StoreError>;

    /// The names of the attributes that runs have, each once, ordered by their bytes: the first `limit`. The cost grows with
    /// the number of names, not with that of runs. Locks nothing.
    async fn list_attribute_names(&self, limit: u32) -> Result<Vec<String>, StoreError>;

    /// The numbers of open runs of a workflow by definition, state and status, in this order. Reads no snapshots.
    /// Locks nothing.
    async fn count_by_definition(&self, workflow: &str)
    -> Result<Vec<DefinitionCount>, StoreError>;

    /// The relations of a run. `None` if there is no such run. Locks nothing.
    async fn find_kin(&self, run_id: RunId) -> Result<Option<Kin>, StoreError>;

    /// The latest runs of the chains that begin with these runs, in their order; `None` for a chain without a run
    /// in the database. The cost does not depend on the length of the chains. Locks nothing.
    async fn find_last_runs(
        &self,
        first_run_ids: &[RunId],
    ) -> Result<Vec<Option<LastRun>>, StoreError>;

    /// The runs of the chain that begins with `first_run_id`, in order, at most `limit`; with `after`, only those
    /// after that place. Locks nothing.
    async fn list_chain(
        &self,
        first_run_id: RunId,
        after: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ChainEntry>, StoreError>;

    /// The children started by the runs of the chain that begins with `first_run_id`, ordered by id, at most
    /// `limit`; with `after`, only those after it. Children that are still to be started are not included. Locks
    /// nothing.
    async fn list_children(
        &self,
        first_run_id: RunId,
        after: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<ChildRecord>, StoreError>;

    /// A run with all its rows, whatever its status, read at one moment. Locks nothing.
    async fn find_details(&self, run_id: RunId) -> Result<Option<RunDetails>, StoreError>;

    /// The past states of a run that are [kept](crate::store::CommitStep::keep_history), the newest first, without
    /// their snapshots. They are removed with the run. Locks nothing.
    async fn list_history(&self, run_id: RunId) -> Result<Vec<PastStep>, StoreError>;

    /// The state of a run after this number of commits, if it is kept. Locks nothing.
    async fn find_history(
        &self,
        run_id: RunId,
        step_no: StepNo,
    ) -> Result<Option<PastState>, StoreError>;

    /// The audit entries of one run or of all, the newest first: at most `limit`, and as many as fit in one
    /// response, but at least one if there is one. With `before`, only older ones. Locks nothing.
    async fn list_audit(
        &self,
        run_id: Option<RunId>,
        before: Option<AuditEntryId>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError>;
}

/// A way to name a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunKey {
    /// One execution.
    RunId(RunId),
    /// The business key.
    WorkflowId(String),
}

impl From<RunId> for RunKey {
    fn from(run_id: RunId) -> Self {
        Self::RunId(run_id)
    }
}

impl From<&str> for RunKey {
    fn from(workflow_id: &str) -> Self {
        Self::WorkflowId(workflow_id.to_owned())
    }
}

impl From<&String> for RunKey {
    fn from(workflow_id: &String) -> Self {
        Self::WorkflowId(workflow_id.clone())
    }
}

impl From<String> for RunKey {
    fn from(workflow_id: String) -> Self {
        Self::WorkflowId(workflow_id)
    }
}

/// The number of open runs in one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionCount {
    /// The definition that the state is written by; `None` for runs without a step since this column exists.
    pub definition: Option<DefinitionHash>,
    /// The name of the state.
    pub state: String,
    /// An open status.
    pub status: RunStatus,
    /// The number of runs.
    pub runs: u64,
}

/// A run, as stored.
#[derive(Clone, Debug)]
pub struct RunRecord {
    /// The run.
    pub run_id: RunId,
    /// Its business key.
    pub workflow_id: String,
    /// The workflow's stored name.
    pub workflow: String,
    /// Its status.
    pub status: RunStatus,
    /// The state it is parked in, or its last one before it closed.
    pub state: String,
    /// The definition that the state is written by; `None` if the run has made no step since this column exists.
    pub definition: Option<DefinitionHash>,
    /// Number of its commits.
    pub step_no: StepNo,
    /// The worker that owns it.
    pub owner: Option<WorkerId>,
    /// When it becomes due by itself, if nobody owns it.
    pub due_at: Option<Timestamp>,
    /// Why it is blocked.
    pub blocked: Option<BlockedReason>,
    /// When it was blocked.
    pub blocked_at: Option<Timestamp>,
    /// When it was started.
    pub started_at: Timestamp,
    /// When its last step was committed; `None` before the first step.
    pub stepped_at: Option<Timestamp>,
    /// When it closed.
    pub closed_at: Option<Timestamp>,
    /// Its encoded return value, if it has one.
    pub result: Option<Payload>,
    /// Why it did not complete, for people.
    pub failure: Option<String>,
    /// Its attributes.
    pub attributes: AttributeMap,
    /// Further data that lists show, given at its start.
    pub memo: Memo,
}

impl RunRecord {
    /// When it reached its present state: when it closed, was blocked, made its last step, or else was started.
    pub fn since(&self) -> Timestamp {
        self.closed_at.or(self.blocked_at).or(self.stepped_at).unwrap_or(self.started_at)
    }
}

/// How a closed run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// A closed status.
    pub status: RunStatus,
    /// The encoded return value, if it has one.
    pub result: Option<Payload>,
    /// Why it did not complete, for people.
    pub failure: Option<String>,
}

impl Ending {
    /// The ending of a terminated run.
    pub fn terminated(reason: &str) -> Self {
        let (status, failure) = (RunStatus::Terminated, Some(reason.to_owned()));
        Self { status, result: None, failure }
    }
}

/// The ending of a run, if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundEnding {
    /// There is no such run.
    Unknown,
    /// The run is open.
    Open,
    /// The run is closed.
    Closed(Ending),
}

impl DefinitionCount {
    /// The order of [`Visibility::count_by_definition`].
    pub(crate) fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let key = |count: &Self| (count.definition.map(|hash| hash.0), count.status.as_str());
        let by_definition = key(self).0.cmp(&key(other).0);
        by_definition.then_with(|| self.state.cmp(&other.state)).then(key(self).1.cmp(key(other).1))
    }
}

impl Row for RunRecord {
    fn column(&self, column: Column) -> Option<Cell<'_>> {
        let text = |text| Some(Cell::Text(std::borrow::Cow::Borrowed(text)));
        match column {
            Column::Workflow => text(&self.workflow),
            Column::WorkflowId => text(&self.workflow_id),
            Column::RunId => Some(Cell::RunId(self.run_id)),
            Column::Status => text(self.status.as_str()),
            Column::State => text(&self.state),
            Column::Definition => self.definition.map(Cell::Definition),
            Column::StartedAt => Some(Cell::Time(self.started_at)),
            Column::ClosedAt => self.closed_at.map(Cell::Time),
            Column::DueAt => self.due_at.map(Cell::Time),
            Column::BlockedAt => self.blocked_at.map(Cell::Time),
            Column::Since => Some(Cell::Time(self.since())),
            Column::BlockedKind => self.blocked.as_ref().and_then(|reason| text(reason.kind())),
        }
    }

    fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        self.attributes.get(name)
    }

    fn variable(&self, _: &[String]) -> Option<std::borrow::Cow<'_, serde_json::Value>> {
        None
    }
}

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

/// Looks at runs. Nothing here writes or locks.
///
/// What holds for all methods is said at [`Store`](super::Store).
#[async_trait]
pub trait Visibility: Send + Sync {
    /// What is known of a run. A [`RunKey::WorkflowId`] names the open run with that id, or else
    /// the one that the database says was started last. Locks nothing.
    async fn find_run(&self, key: &RunKey) -> Result<Option<RunRecord>, StoreError>;

    /// The snapshot of a run as its last commit left it; of a closed run, what is left of that.
    /// Locks nothing.
    async fn find_snapshot(&self, run_id: RunId) -> Result<Option<Vec<u8>>, StoreError>;

    /// What these runs have come to, in their order, as far as that fits one answer: of the first at
    /// least. The lookup behind waiting for results: less is
    /// read than for [`Self::find_run`], and many are asked for at a time. Locks nothing.
    async fn find_endings(&self, run_ids: &[RunId]) -> Result<Vec<FoundEnding>, StoreError>;

    /// The runs that a query asks for, in its order, as far as their results fit one answer. If there is one, there
    /// is one in the answer. Times that are counted from now go by the database's clock, or by that of the caller if
    /// it has [set](Filter::at) them. Locks nothing.
    async fn list_runs(&self, query: RunQuery<'_>) -> Result<Vec<RunRecord>, StoreError>;

    /// How many runs match, by what a column holds, in the order of that, or all as one count. Times are counted by
    /// the day. What no run has is left out; without a column there is always one count. Locks nothing.
    async fn count_runs(
        &self,
        filter: &Filter,
        group_by: Option<Column>,
    ) -> Result<Vec<RunCount>, StoreError>;

    /// How many open runs of a workflow there are, by definition, state and status, in this order. Reads no
    /// snapshots. Locks nothing.
    async fn count_by_definition(&self, workflow: &str)
    -> Result<Vec<DefinitionCount>, StoreError>;

    /// Which runs a run belongs to. `None` if there is no such run. Locks nothing.
    async fn find_kin(&self, run_id: RunId) -> Result<Option<Kin>, StoreError>;

    /// The last runs of the chains that begin with these runs, in their order; `None` where the database has no run of
    /// the chain any more, or never had one. Takes as long however long the chains are. Locks nothing.
    async fn find_last_runs(
        &self,
        first_run_ids: &[RunId],
    ) -> Result<Vec<Option<LastRun>>, StoreError>;

    /// The runs of the chain that begins with `first_run_id`, in their order, at most `limit`; with `after`, only
    /// those behind that place. Locks nothing.
    async fn list_chain(
        &self,
        first_run_id: RunId,
        after: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ChainEntry>, StoreError>;

    /// The children that the runs of the chain which begins with `first_run_id` have started, in the order of their
    /// ids, at most `limit`; with `after`, only those behind it. Those that are still to be started are not among
    /// them. Locks nothing.
    async fn list_children(
        &self,
        first_run_id: RunId,
        after: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<ChildRecord>, StoreError>;

    /// All that is known of a run, whatever its status, as it was at one moment. Locks nothing.
    async fn find_details(&self, run_id: RunId) -> Result<Option<RunDetails>, StoreError>;

    /// The past states of a run that are [kept](crate::store::CommitStep::keep_history), newest first,
    /// without their snapshots. They go when the run goes. Locks nothing.
    async fn list_history(&self, run_id: RunId) -> Result<Vec<PastStep>, StoreError>;

    /// The state that a run was in after so many commits, if it is kept. Locks nothing.
    async fn find_history(
        &self,
        run_id: RunId,
        step_no: StepNo,
    ) -> Result<Option<PastState>, StoreError>;

    /// The changes by hand of a run, or of all, newest first, at most `limit` and as far as they fit one
    /// answer; with `before`, only those behind it. If there is one, there is one in the answer. Locks
    /// nothing.
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

/// How many open runs are in one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionCount {
    /// The definition that wrote the state; `None` for runs that have made no step since stores began to
    /// keep it.
    pub definition: Option<DefinitionHash>,
    /// The name of the state.
    pub state: String,
    /// An open status.
    pub status: RunStatus,
    /// How many runs.
    pub runs: u64,
}

/// What is known of a run.
#[derive(Clone, Debug)]
pub struct RunRecord {
    /// The run.
    pub run_id: RunId,
    /// Its business key.
    pub workflow_id: String,
    /// The workflow's stored name.
    pub workflow: String,
    /// Where it stands.
    pub status: RunStatus,
    /// The state it is parked in, or was in when it closed.
    pub state: String,
    /// The definition that wrote that state; `None` if the run has made no step since stores began to keep
    /// it.
    pub definition: Option<DefinitionHash>,
    /// Commits so far.
    pub step_no: StepNo,
    /// Who steps it.
    pub owner: Option<WorkerId>,
    /// When it falls due of itself, if nobody owns it.
    pub due_at: Option<Timestamp>,
    /// Why it is blocked.
    pub blocked: Option<BlockedReason>,
    /// Since when it is blocked.
    pub blocked_at: Option<Timestamp>,
    /// When it was started.
    pub started_at: Timestamp,
    /// When its last step was committed; `None` if it has made none.
    pub stepped_at: Option<Timestamp>,
    /// When it closed.
    pub closed_at: Option<Timestamp>,
    /// Its encoded return value, if it came to one.
    pub result: Option<Payload>,
    /// Why it did not complete, for people.
    pub failure: Option<String>,
    /// Its attributes.
    pub attributes: AttributeMap,
    /// What it was started with for lists.
    pub memo: Memo,
}

impl RunRecord {
    /// Since when it is where it is: when it closed, was blocked, or made its last step, or else when it was started.
    pub fn since(&self) -> Timestamp {
        self.closed_at.or(self.blocked_at).or(self.stepped_at).unwrap_or(self.started_at)
    }
}

/// How a closed run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// A closed status.
    pub status: RunStatus,
    /// The encoded return value, if it came to one.
    pub result: Option<Payload>,
    /// Why it did not complete, for people.
    pub failure: Option<String>,
}

impl Ending {
    /// That of a run that an operator ended.
    pub fn terminated(reason: &str) -> Self {
        let (status, failure) = (RunStatus::Terminated, Some(reason.to_owned()));
        Self { status, result: None, failure }
    }
}

/// What a run has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundEnding {
    /// There is no such run.
    Unknown,
    /// It continues.
    Open,
    /// It is over.
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

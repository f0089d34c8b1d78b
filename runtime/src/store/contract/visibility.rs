//! What people and clients ask about runs.

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{
    BlockedReason, DefinitionHash, Payload, RunId, RunStatus, StepNo, Timestamp, WorkerId,
};
use crate::store::{
    AuditEntry, AuditEntryId, ChainEntry, ChildRecord, Kin, PastState, PastStep, RunDetails,
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

    /// The runs that match, newest first, at most `limit` and as far as their results fit one answer; with
    /// `before`, only those behind it. If there is one, there is one in the answer. Locks nothing.
    async fn list_runs(
        &self,
        filter: &RunFilter,
        before: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<RunRecord>, StoreError>;

    /// How many runs match, by status; statuses without runs are left out. Locks nothing.
    async fn count_runs(&self, filter: &RunFilter) -> Result<Vec<(RunStatus, u64)>, StoreError>;

    /// How many open runs of a workflow there are, by definition, state and status, in this order. Reads no
    /// snapshots. Locks nothing.
    async fn count_by_definition(&self, workflow: &str)
    -> Result<Vec<DefinitionCount>, StoreError>;

    /// Which runs a run belongs to. `None` if there is no such run. Locks nothing.
    async fn find_kin(&self, run_id: RunId) -> Result<Option<Kin>, StoreError>;

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

impl From<String> for RunKey {
    fn from(workflow_id: String) -> Self {
        Self::WorkflowId(workflow_id)
    }
}

/// Which runs are meant; what is `None` does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// The workflow's stored name.
    pub workflow: Option<String>,
    /// The status.
    pub status: Option<RunStatus>,
    /// The name of the state.
    pub state: Option<String>,
    /// The definition that wrote the state.
    pub definition: Option<DefinitionHash>,
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
    /// When it closed.
    pub closed_at: Option<Timestamp>,
    /// Its encoded return value, if it came to one.
    pub result: Option<Payload>,
    /// Why it did not complete, for people.
    pub failure: Option<String>,
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
    /// It goes on.
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

//! What goes into a store and what comes out of it, of runs and workers.

use std::borrow::Cow;
use std::time::Duration;

use super::{FirstArrival, Inbox, NewActivity};
use crate::model::{
    BlockedReason, DefinitionHash, Epoch, Handle, Payload, RunId, RunStatus, StepNo, Timestamp,
    WorkerId,
};

/// What a worker says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWorker {
    /// The name of the machine.
    pub host: String,
    /// The process id there.
    pub pid: u32,
    /// How long the worker may go without a renewal.
    pub lease: Duration,
}

/// A worker's right to own runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerLease {
    /// The worker.
    pub worker_id: WorkerId,
    /// Its epoch when the lease was given.
    pub epoch: Epoch,
}

/// What became of a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// The lease is valid until this time of the database's clock.
    Renewed(Timestamp),
    /// The worker has lost its runs and must register anew.
    Fenced,
}

/// A run to be started.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// Its id.
    pub run_id: RunId,
    /// The business key; no two open runs share one.
    pub workflow_id: String,
    /// The workflow's stored name.
    pub workflow: String,
    /// The encoded arguments.
    pub arguments: Payload,
    /// The encoded first snapshot, see [`crate::codec`].
    pub snapshot: Vec<u8>,
    /// The name of the first state.
    pub state: String,
    /// Who steps it first; `None` leaves it to whoever claims it. Ignored, without an error, if
    /// this worker's lease is not valid.
    pub owner: Option<WorkerLease>,
    /// When it becomes due if nobody owns it; `None` is now.
    pub start_at: Option<Timestamp>,
    /// What lies in its inbox from the start.
    pub first: Option<FirstArrival>,
}

/// What became of a run to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartOutcome {
    /// It is there; `owned` tells whether the owner asked for was given it.
    Started {
        /// Whether [`NewRun::owner`] owns it.
        owned: bool,
    },
    /// A run with this run id was there already, from the same call made before.
    Repeated,
    /// An open run has the same workflow id.
    IdTaken {
        /// That run.
        run_id: RunId,
    },
}

/// What has become of runs that a worker holds, of those where there is something to tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewedRuns {
    /// Those that it owns and in whose inboxes there is more than it has read.
    pub unread: Vec<RunId>,
    /// Those that it does not own: they were ended from outside or taken away.
    pub lost: Vec<RunId>,
}

/// Which due runs a worker wants.
#[derive(Clone, Copy, Debug)]
pub struct ClaimRequest<'a> {
    /// Who asks.
    pub worker: WorkerLease,
    /// The workflows it can step.
    pub workflows: &'a [&'a str],
    /// How many runs at most.
    pub limit: u32,
    /// How many arrivals to load with each run at most.
    pub inbox_limit: u32,
}

/// What a claim gave.
#[derive(Clone, Debug, Default)]
pub struct Claimed {
    /// The runs, now owned by the worker.
    pub runs: Vec<ClaimedRun>,
    /// When the next unowned run of these workflows falls due, as far as is known now.
    pub next_due_at: Option<Timestamp>,
    /// The database's clock at the claim.
    pub now: Timestamp,
}

/// A run as its new owner gets it.
#[derive(Clone, Debug)]
pub struct ClaimedRun {
    /// The run.
    pub run_id: RunId,
    /// Its business key.
    pub workflow_id: String,
    /// The workflow's stored name.
    pub workflow: String,
    /// Commits so far.
    pub step_no: StepNo,
    /// The encoded snapshot.
    pub snapshot: Vec<u8>,
    /// How often an owner died with this run since its last commit.
    pub takeovers: u32,
    /// The first of its unconsumed arrivals, or none if there are others to be given before them.
    pub inbox: Inbox,
    /// The number of the last arrival ever put into its inbox.
    pub inbox_count: i64,
}

/// One step of one run.
#[derive(Clone, Debug)]
pub struct CommitStep {
    /// The run.
    pub run_id: RunId,
    /// Its `step_no` before this commit.
    pub expected: StepNo,
    /// What becomes of the run.
    pub disposition: Disposition,
    /// Arrivals that the step used up, by number.
    pub consumed: Vec<i64>,
    /// Activities that the step puts on queues.
    pub activities: Vec<NewActivity>,
    /// Activities on queues that the run no longer wants. A step that closes the run names all that
    /// are there.
    pub given_up: Vec<Handle>,
}

impl CommitStep {
    /// A step that has no consequences but for the run's own row.
    pub fn new(run_id: RunId, expected: StepNo, disposition: Disposition) -> Self {
        Self {
            run_id,
            expected,
            disposition,
            consumed: Vec::new(),
            activities: Vec::new(),
            given_up: Vec::new(),
        }
    }
}

/// What a commit makes of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Disposition {
    /// The owner keeps it in memory.
    Keep {
        /// The encoded snapshot.
        snapshot: Vec<u8>,
        /// The name of the state.
        state: Cow<'static, str>,
    },
    /// Nobody owns it any more.
    Park {
        /// The encoded snapshot.
        snapshot: Vec<u8>,
        /// The name of the state.
        state: Cow<'static, str>,
        /// When it falls due of itself.
        due_at: Option<Timestamp>,
        /// The highest arrival number that the owner has taken into account; a longer inbox makes
        /// the run due at once.
        inbox_read: i64,
    },
    /// The run is over; its inbox is emptied.
    Close {
        /// A closed status.
        status: RunStatus,
        /// The encoded return value, if it came to one.
        result: Option<Payload>,
        /// Why it did not complete, for people.
        failure: Option<String>,
    },
    /// Nobody owns it, and nobody may claim it until it is unblocked. The snapshot stays as it is,
    /// and so does the number of takeovers, which it does not account for.
    Block {
        /// Why.
        reason: BlockedReason,
    },
}

impl Disposition {
    /// How it ends the run, if it does; made when called, since few want to know.
    pub fn ending(&self) -> Option<impl FnOnce() -> Ending> {
        let Self::Close { status, result, failure } = self else { return None };
        let (status, result, failure) = (*status, result, failure);
        Some(move || Ending { status, result: result.clone(), failure: failure.clone() })
    }
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// It is durable.
    Committed,
    /// The run is closed, owned by somebody else, or at another step; nothing was written for it.
    Lost,
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
}

/// A blocked run, with what tells whether a build may be able to go on with it. Its snapshot, which may be
/// long, is for who has not [looked](crate::store::Store::find_snapshot) at it yet.
#[derive(Clone, Debug)]
pub struct BlockedRun {
    /// The run.
    pub run_id: RunId,
    /// The number of the commit that has blocked it.
    pub step_no: StepNo,
    /// The workflow's stored name.
    pub workflow: String,
    /// Why it is blocked.
    pub reason: BlockedReason,
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
    /// Commits so far.
    pub step_no: StepNo,
    /// Who steps it.
    pub owner: Option<WorkerId>,
    /// When it falls due of itself, if nobody owns it.
    pub due_at: Option<Timestamp>,
    /// Why it is blocked.
    pub blocked: Option<BlockedReason>,
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

/// A workflow as some build of the code defined it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionRecord {
    /// The workflow's stored name.
    pub workflow: String,
    /// What identifies the definition.
    pub hash: DefinitionHash,
    /// States, edges and the schema of every saved local, as JSON.
    pub description: String,
}

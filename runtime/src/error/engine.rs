//! Errors of clients and workers.

use std::fmt;
use std::sync::Arc;

use super::update::list;
use super::{KeyError, StoreError};
use crate::codec::CodecError;
use crate::machine::Never;
use crate::model::{
    AttributeError, BlockedReason, DefinitionHash, Finding, PromiseToken, RunId, Timestamp,
};
use crate::store::RunKey;

/// Why a run could not be started.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// An open run has the same workflow id. Starting again helps once that run has closed. To get a handle of that
    /// run, if it is of the same workflow, use
    /// [`OnConflict::UseExisting`](crate::client::OnConflict::UseExisting).
    #[error(
        "the workflow id `{workflow_id}` is taken by the open run {run_id}{}{}{}",
        of(.workflow), is_blocked(.blocked), is_of_another_build(.other_build)
    )]
    AlreadyStarted {
        /// The workflow id.
        workflow_id: String,
        /// The run that has it.
        run_id: RunId,
        /// The workflow of that run, if the database could be asked for it.
        workflow: Option<String>,
        /// Details of that run, if it is blocked: it continues when a build that fits is deployed, or once an
        /// operator [unblocks](crate::client::Client::unblock) or terminates it.
        blocked: Option<Box<BlockedHolder>>,
        /// The definition that the run is in a state of, if this program has its workflow and cannot continue that
        /// state. `None` also if the run is blocked.
        other_build: Option<Box<OtherBuildsHolder>>,
    },
    /// The last run with the workflow id is closed, and [`Start::id_reuse`](crate::client::Start::id_reuse) allows
    /// no further one.
    #[error(
        "the workflow id `{workflow_id}` was used by the run {run_id}, and `id_reuse` does not allow another run: use another id"
    )]
    IdUsed {
        /// The workflow id.
        workflow_id: String,
        /// The run that had it.
        run_id: RunId,
    },
    /// The cron expression is not valid. Retrying does not help.
    #[error("the cron expression `{expression}` cannot be used: {reason}")]
    Cron {
        /// The expression.
        expression: String,
        /// The reason.
        reason: String,
    },
    /// The workflow id is not valid. Retrying does not help.
    #[error("the workflow id cannot be used: {0}")]
    WorkflowId(KeyError),
    /// The request id is not valid. Retrying does not help.
    #[error("the request id cannot be used: {0}")]
    RequestId(KeyError),
    /// An argument cannot be encoded. Retrying does not help.
    #[error("the arguments of `{workflow}` cannot be saved")]
    Arguments {
        /// The workflow.
        workflow: &'static str,
        /// The type that failed, and why.
        #[source]
        source: CodecError,
    },
    /// The workflow is generic, and this instance is not registered. Retrying does not help.
    #[error(
        "`{workflow}` is an instance of a generic workflow that is not registered: write \
         `piton::register!(…::<…>);` with the function and its types"
    )]
    NotRegistered {
        /// The type of the instance.
        workflow: &'static str,
    },
    /// The database has no definition of the workflow, which is needed to start it without its code.
    #[error(
        "no definition of the workflow `{workflow}` is recorded; {}. A worker records its workflows when it starts",
        recorded_workflows(.known)
    )]
    UnknownWorkflow {
        /// The name.
        workflow: String,
        /// The names of the recorded workflows.
        known: Vec<String>,
    },
    /// The JSON does not fit the arguments of the workflow.
    #[error("the arguments do not fit `{workflow}`: {reason}")]
    JsonArguments {
        /// The workflow.
        workflow: String,
        /// The mismatch, with its path.
        reason: String,
    },
    /// The workflow derives the workflow id from the arguments in a way that needs its code. Retrying does not help:
    /// give an [`id`](crate::client::Start::id).
    #[error(
        "`{workflow}` makes the workflow id by the pattern `{pattern}`, and {reason}: give the run an id"
    )]
    NoWorkflowId {
        /// The workflow.
        workflow: String,
        /// The pattern.
        pattern: String,
        /// What about it needs the code.
        reason: String,
    },
    /// The attributes cannot be stored. Retrying does not help.
    #[error("the attributes cannot be stored: {0}")]
    Attributes(AttributeError),
    /// The memo is too long. Retrying does not help.
    #[error("the memo has {bytes} bytes as JSON; the limit is {}", crate::model::Memo::MAX_BYTES)]
    Memo {
        /// Its size as JSON, in bytes.
        bytes: usize,
    },
    /// The workflow's first state cannot be created. Retrying does not help.
    #[error("a run of `{workflow}` cannot begin: {reason}")]
    Begin {
        /// The workflow.
        workflow: &'static str,
        /// The reason.
        reason: String,
    },
    /// The signal for the new run cannot be sent.
    #[error(transparent)]
    Signal(#[from] SignalError),
    /// The database failed, and still failed when the call was retried. The run may have been started. With a
    /// workflow id of your own, starting it again is safe.
    #[error("the database failed while the run was started")]
    Store(#[source] Arc<StoreError>),
}

/// The blocked run that has the requested workflow id.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockedHolder {
    /// When it was started.
    pub started_at: Timestamp,
    /// When it was blocked.
    pub blocked_at: Timestamp,
    /// Its state at its last commit.
    pub state: String,
    /// The reason for the block.
    pub reason: BlockedReason,
}

/// Details of an open run that has the workflow id of a start, and that this program could not continue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtherBuildsHolder {
    /// Its definition, as [`Client::definitions_in_use`](crate::client::Client::definitions_in_use) lists it. A build
    /// that has it continues the run.
    pub definition: DefinitionHash,
    /// The version of the workflow.
    pub version: u32,
    /// Its state at its last commit.
    pub state: String,
    /// Why this program cannot continue it, if it has this version of the workflow.
    pub finding: Option<Finding>,
}

fn of(workflow: &Option<String>) -> String {
    workflow.as_ref().map_or_else(String::new, |workflow| format!(" of `{workflow}`"))
}

fn is_blocked(holder: &Option<Box<BlockedHolder>>) -> String {
    holder.as_ref().map_or_else(String::new, |holder| {
        let BlockedHolder { started_at, blocked_at, state, reason } = &**holder;
        format!(
            ", which was started at {started_at} and has been blocked since {blocked_at} in the state \
             `{state}`: {reason}"
        )
    })
}

fn is_of_another_build(holder: &Option<Box<OtherBuildsHolder>>) -> String {
    holder.as_ref().map_or_else(String::new, |holder| {
        let OtherBuildsHolder { definition, version, state, finding } = &**holder;
        let why = match finding {
            Some(finding) => format!("which does not fit this build: {}", finding.difference),
            None => "a version which this build does not have".to_owned(),
        };
        format!(
            ", which is in the state `{state}` of the definition {definition} (version {version}), {why}; a build with \
             that definition continues it"
        )
    })
}

/// Why a message to a run was not sent.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignalError {
    /// The run is closed and accepts no messages.
    #[error("the run {run_id} is closed")]
    Closed {
        /// The run.
        run_id: RunId,
    },
    /// There is no such run.
    #[error("there is no run {run_id}")]
    Unknown {
        /// The run.
        run_id: RunId,
    },
    /// There is no run with this workflow id, open or closed.
    #[error("there is no run with the {}", name(.0))]
    NoRun(RunKey),
    /// No recorded build of the workflow awaits such a signal. [`unchecked`](crate::client::Send::unchecked) sends it for
    /// a build that is still to come.
    #[error(
        "the workflow `{workflow}` never waits for the signal `{signal}`; it waits for: {}",
        list(.awaited)
    )]
    NotAwaited {
        /// The workflow.
        workflow: String,
        /// The signal's stored name.
        signal: String,
        /// The signals that it awaits.
        awaited: Vec<String>,
    },
    /// The JSON does not fit the signal in any build of the workflow. Without the code, this is judged by schemas, which do
    /// not contain serde's attributes; [`unchecked`](crate::client::Send::unchecked) leaves it to the run. Nothing was
    /// sent.
    #[error("the value does not fit the signal `{signal}`: {reason}")]
    Unfit {
        /// The signal.
        signal: String,
        /// The mismatch, with its path.
        reason: String,
    },
    /// The dedup key is not valid.
    #[error("the dedup key cannot be used: {0}")]
    DedupKey(KeyError),
    /// The run has accepted another message with this dedup key. Nothing was sent.
    #[error(
        "the run {run_id} has accepted {} with the dedup key `{key}`, so {} needs another key",
        message(.by), message(.sent)
    )]
    KeyTaken {
        /// The run.
        run_id: RunId,
        /// The key.
        key: String,
        /// The stored name of this signal; `None` for a request to cancel.
        sent: Option<String>,
        /// The stored name of the signal that has the key; `None` for a request to cancel.
        by: Option<String>,
    },
    /// The signal cannot be encoded. Retrying does not help.
    #[error("the signal `{signal}` cannot be saved")]
    Encode {
        /// The signal's stored name.
        signal: &'static str,
        /// The type that failed, and why.
        #[source]
        source: CodecError,
    },
    /// The database failed. The message may have arrived. With a dedup key, sending it again is safe.
    #[error("the database failed while the message was sent")]
    Store(#[source] Arc<StoreError>),
}

/// Why a token of an activity had no effect.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The attempt has ended: it was completed without the token, has failed or timed out, or the workflow has
    /// dropped it. Retrying does not help.
    #[error("attempt {attempt} of the activity has ended, so its token is no longer valid")]
    Stale {
        /// The attempt that the token names.
        attempt: u32,
    },
    /// The run is closed.
    #[error("the run {run_id} that the token belongs to is closed")]
    Closed {
        /// The run.
        run_id: RunId,
    },
    /// There is no such run.
    #[error(
        "the token belongs to the run {run_id}, which this database does not have; use the database that issued it"
    )]
    Unknown {
        /// The run.
        run_id: RunId,
    },
    /// The token belongs to a call of another activity.
    #[error("the token belongs to the activity `{found}`, not to `{expected}`")]
    OtherActivity {
        /// The activity it belongs to.
        found: String,
        /// The activity named by the caller.
        expected: &'static str,
    },
    /// The JSON does not fit what the activity returns, in any build that awaits it. The token was not used.
    #[error("the value does not fit what the activity `{activity}` returns: {reason}")]
    Unfit {
        /// The activity's stored name.
        activity: String,
        /// The mismatch, with its path.
        reason: String,
    },
    /// The value cannot be encoded. Retrying does not help.
    #[error("the value for `{what}` cannot be saved")]
    Encode {
        /// The activity's stored name, or `heartbeat`.
        what: &'static str,
        /// The type that failed, and why.
        #[source]
        source: CodecError,
    },
    /// The database failed, and still failed when the call was retried. The token may have been used; using it
    /// again is safe.
    #[error("the database failed while the token was used")]
    Store(#[source] Arc<StoreError>),
}

/// Why a promise was not completed, or its outcome not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompleteError {
    /// The promise's run has closed without an outcome of the promise. Retrying does not help.
    #[error("the run {run_id} that the promise belongs to is closed")]
    Closed {
        /// The run.
        run_id: RunId,
    },
    /// There is no such run.
    #[error(
        "the promise belongs to the run {run_id}, which this database does not have; use the database of that run"
    )]
    Unknown {
        /// The run.
        run_id: RunId,
    },
    /// The token names another workflow than that of the run. Retrying does not help.
    #[error("`{token}` names the workflow `{}`, but the run {run_id} is of `{workflow}`", token.workflow())]
    OtherWorkflow {
        /// The token.
        token: PromiseToken,
        /// The run.
        run_id: RunId,
        /// The run's workflow.
        workflow: String,
    },
    /// The token contains an invalid name of a promise or an invalid workflow id. Retrying does not help.
    #[error("there is no promise `{token}`")]
    Token {
        /// The token.
        token: PromiseToken,
        /// The reason.
        #[source]
        source: KeyError,
    },
    /// The token names an item of a queue, which only its activity completes. Retrying does not help.
    #[error("`{token}` names an item of the queue `{queue}`, which only its activity completes")]
    OfQueue {
        /// The token.
        token: PromiseToken,
        /// The queue.
        queue: String,
    },
    /// The value does not fit the type that the run expects. Retrying does not help.
    #[error("the value does not fit the promise `{token}`: {reason}")]
    Unfit {
        /// The token.
        token: PromiseToken,
        /// The mismatch, with its path.
        reason: String,
    },
    /// The value or error cannot be encoded. Retrying does not help.
    #[error("the promise `{token}` cannot be completed with this value")]
    Encode {
        /// The token.
        token: PromiseToken,
        /// The type that failed, and why.
        #[source]
        source: CodecError,
    },
    /// The outcome of the promise does not fit the requested type.
    #[error("the outcome of the promise `{token}` cannot be read")]
    Unreadable {
        /// The token.
        token: PromiseToken,
        /// The mismatch.
        #[source]
        source: CodecError,
    },
    /// The database failed, and still failed when the call was retried. The promise may have been completed;
    /// completing it again is safe.
    #[error("the database failed while the promise was looked up or completed")]
    Store(#[source] Arc<StoreError>),
}

/// Why a run was not found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LookupError {
    /// There is no such run.
    #[error("there is no run with the {}", name(.0))]
    Unknown(RunKey),
    /// The run belongs to another workflow.
    #[error("the run {run_id} is a run of `{found}`, not of `{expected}`")]
    OtherWorkflow {
        /// The run.
        run_id: RunId,
        /// Its workflow.
        found: String,
        /// The requested workflow.
        expected: &'static str,
    },
    /// The database failed, and still failed when the call was retried. Calling again may help.
    #[error("the database failed while the run was looked up")]
    Store(#[from] StoreError),
}

fn name(key: &RunKey) -> String {
    match key {
        RunKey::RunId(run_id) => format!("run id {run_id}"),
        RunKey::WorkflowId(id) => format!("workflow id `{id}`"),
    }
}

/// A message, by the name of its signal.
fn message(signal: &Option<String>) -> String {
    match signal {
        Some(signal) => format!("the signal `{signal}`"),
        None => "a request to cancel".to_owned(),
    }
}

/// Why waiting for a run returned no value; `E` is the workflow's own error type.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError<E> {
    /// The workflow returned this error.
    Failed(E),
    /// An operation failed in a way that the workflow's code could not handle, such as the timeout of an activity
    /// that does not return a `Result`.
    Uncaught {
        /// The failure, with its causes.
        reason: String,
    },
    /// The run was requested to cancel, and did not return a value afterwards.
    Cancelled {
        /// The reason given with the request.
        reason: String,
    },
    /// The run was terminated.
    Terminated {
        /// The reason given with the termination.
        reason: String,
    },
    /// A timeout of the run, or of its chain, has passed.
    TimedOut {
        /// Which timeout.
        reason: String,
    },
    /// The run has continued as a new run. Only returned by
    /// [`RunHandle::result_of_this_run`](crate::client::RunHandle::result_of_this_run).
    ContinuedAsNew {
        /// The next run.
        run_id: RunId,
    },
    /// The run has completed or failed, and its result was removed by the
    /// [retention](crate::worker::Retention::payloads_of_all) of a worker.
    ResultRemoved {
        /// The run.
        run_id: RunId,
    },
    /// The run was not found.
    Lookup(Box<LookupError>),
    /// The run completed, but this program cannot decode its return value.
    Unreadable(CodecError),
    /// There is no such run.
    Unknown {
        /// The run.
        run_id: RunId,
    },
    /// The database failed; calling again may help. The run is not affected.
    Store(Arc<StoreError>),
}

impl RunError<Never> {
    /// The same error with another type of the workflow's own.
    pub(crate) fn widen<E>(self) -> RunError<E> {
        match self {
            Self::Failed(never) => match never {},
            Self::Uncaught { reason } => RunError::Uncaught { reason },
            Self::Cancelled { reason } => RunError::Cancelled { reason },
            Self::Terminated { reason } => RunError::Terminated { reason },
            Self::TimedOut { reason } => RunError::TimedOut { reason },
            Self::ContinuedAsNew { run_id } => RunError::ContinuedAsNew { run_id },
            Self::ResultRemoved { run_id } => RunError::ResultRemoved { run_id },
            Self::Lookup(error) => RunError::Lookup(error),
            Self::Unreadable(error) => RunError::Unreadable(error),
            Self::Unknown { run_id } => RunError::Unknown { run_id },
            Self::Store(error) => RunError::Store(error),
        }
    }
}

/// The workflow's own error includes its causes if it prints them for `{:#}`.
impl<E: fmt::Display> fmt::Display for RunError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => write!(f, "{error:#}"),
            Self::Uncaught { reason } => f.write_str(reason),
            Self::Cancelled { reason } => write!(f, "the run was cancelled: {reason}"),
            Self::Terminated { reason } => write!(f, "the run was terminated: {reason}"),
            Self::TimedOut { reason } => write!(f, "the run has timed out: {reason}"),
            Self::ContinuedAsNew { run_id } => write!(f, "the run continues as the run {run_id}"),
            Self::ResultRemoved { run_id } => {
                write!(f, "the run {run_id} is over, and its result was removed after a while")
            }
            Self::Lookup(error) => write!(f, "{error}"),
            Self::Unreadable(_) => f.write_str("the run's return value cannot be read"),
            Self::Unknown { run_id } => write!(f, "there is no run {run_id}"),
            Self::Store(_) => {
                f.write_str("the database failed while the run's result was looked up")
            }
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for RunError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Lookup(error) => error.source(),
            Self::Unreadable(error) => Some(error),
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}

/// Why the workflows and activities of a program cannot be served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Two workflows have the same stored name.
    #[error(
        "two workflows are named `{name}`, at {} and at {}: rename one with `#[workflow(name = \"…\")]`",
        places[0], places[1]
    )]
    DuplicateWorkflow {
        /// The name.
        name: &'static str,
        /// The file and the line of each definition.
        places: [String; 2],
    },
    /// A workflow has a present or former name of another one.
    #[error(
        "a workflow and another one that was `formerly` of that name are both named `{name}`, at {} and at {}: runs \
         can belong to one of them only, so rename one or remove the `formerly`",
        places[0], places[1]
    )]
    FormerName {
        /// The name.
        name: &'static str,
        /// The file and the line of each definition.
        places: [String; 2],
    },
    /// Two activities have the same stored name.
    #[error(
        "two activities are named `{name}`, at {} and at {}: rename one with `#[activity(name = \"…\")]`",
        places[0], places[1]
    )]
    DuplicateActivity {
        /// The name.
        name: &'static str,
        /// The file and the line of each definition.
        places: [String; 2],
    },
    /// A workflow holds values across an await, or awaits operations with values, that could not be decoded.
    #[error("the workflow `{workflow}` cannot be served: {}", problems.join("; "))]
    CannotBeSaved {
        /// The workflow.
        workflow: &'static str,
        /// For each value: its type, the problem, and how to fix it. The value is a local, or one that an operation which
        /// the workflow awaits takes or gives.
        problems: Vec<String>,
    },
    /// An activity has arguments or a result that could not be decoded.
    #[error("the activity `{activity}` cannot be served: {}", problems.join("; "))]
    CannotBeStored {
        /// The activity.
        activity: &'static str,
        /// For each value: its type, the problem, and how to fix it.
        problems: Vec<String>,
    },
}

/// Why a worker could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The workflows or activities are not valid. Retrying does not help.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// Tokio's clock is paused and the database's is not, so no timer of a run would fire. Nothing was written.
    #[error(
        "tokio's clock is paused and the clock of the database is not, so no timer would fire; in a test with \
         `start_paused = true`, use `Client::new(MemoryStore::new())`, whose clock follows tokio's"
    )]
    PausedClock,
    /// The database failed.
    #[error("the database failed while the worker was registered")]
    Store(#[from] StoreError),
}

fn recorded_workflows(known: &[String]) -> String {
    match known {
        [] => "none is".to_owned(),
        known => format!("those of {} are", known.join(", ")),
    }
}

//! Errors of clients and workers.

use std::fmt;
use std::sync::Arc;

use super::update::list;
use super::{KeyError, StoreError};
use crate::codec::CodecError;
use crate::model::{AttributeError, BlockedReason, PromiseToken, RunId, Timestamp};
use crate::store::RunKey;

/// Why a run could not be started.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// An open run has the same workflow id. Trying again helps once that run has closed; to get
    /// hold of it, use [`OnConflict::UseExisting`](crate::client::OnConflict::UseExisting).
    #[error("the workflow id `{workflow_id}` is taken by the open run {run_id}{}", is_blocked(.blocked))]
    AlreadyStarted {
        /// The id asked for.
        workflow_id: String,
        /// The run that has it.
        run_id: RunId,
        /// Why that run is blocked, if it is: it continues with fitting code, or once
        /// somebody [unblocks](crate::client::Client::unblock) or terminates it.
        blocked: Option<Box<BlockedHolder>>,
    },
    /// The last run that had the workflow id is over, and
    /// [`Start::id_reuse`](crate::client::Start::id_reuse) allows no other after it.
    #[error(
        "the workflow id `{workflow_id}` was used by the run {run_id}, which is over, and may not be used again"
    )]
    IdUsed {
        /// The id asked for.
        workflow_id: String,
        /// The run that had it.
        run_id: RunId,
    },
    /// The cron expression is none. Trying again does not help.
    #[error("the cron expression `{expression}` cannot be used: {reason}")]
    Cron {
        /// The expression.
        expression: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The workflow id cannot be one.
    #[error("the workflow id cannot be used")]
    WorkflowId(#[source] KeyError),
    /// The request id cannot be one.
    #[error("the request id cannot be used")]
    RequestId(#[source] KeyError),
    /// An argument cannot be encoded. Trying again does not help.
    #[error("the arguments of `{workflow}` cannot be saved")]
    Arguments {
        /// The workflow.
        workflow: &'static str,
        /// Which type refuses, and why.
        #[source]
        source: CodecError,
    },
    /// The workflow is generic, and this instance has not been registered. Trying again does not
    /// help.
    #[error(
        "`{workflow}` is an instance of a generic workflow that is not registered: write \
         `piton::register!(…::<…>);` with the function and its types"
    )]
    NotRegistered {
        /// The type of the instance.
        workflow: &'static str,
    },
    /// The database has no definition of the workflow that was to be started without its code.
    #[error(
        "no definition of the workflow `{workflow}` is recorded; {}. A worker records its workflows when it starts",
        recorded_workflows(.known)
    )]
    UnknownWorkflow {
        /// The name.
        workflow: String,
        /// The names that are recorded.
        known: Vec<String>,
    },
    /// The JSON is not the arguments of the workflow.
    #[error("the arguments do not fit `{workflow}`: {reason}")]
    JsonArguments {
        /// The workflow.
        workflow: String,
        /// Why not.
        reason: String,
    },
    /// The attributes cannot be stored. Trying again does not help.
    #[error("the attributes cannot be stored")]
    Attributes(#[source] AttributeError),
    /// The memo is longer than a memo may be. Trying again does not help.
    #[error("the memo has {bytes} bytes as JSON; the limit is {}", crate::model::Memo::MAX_BYTES)]
    Memo {
        /// Its length as JSON.
        bytes: usize,
    },
    /// The workflow's first state could not be made. Trying again does not help.
    #[error("a run of `{workflow}` cannot begin: {reason}")]
    Begin {
        /// The workflow.
        workflow: &'static str,
        /// Why.
        reason: String,
    },
    /// The signal that the run was to be started with could not be sent.
    #[error(transparent)]
    Signal(#[from] SignalError),
    /// The database failed, and went on failing when tried again. The run may have been started:
    /// with a workflow id of your own, starting it again tells.
    #[error("the run could not be written")]
    Store(#[source] Arc<StoreError>),
}

/// A blocked run, as those see it who are in want of its workflow id.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockedHolder {
    /// When it was started.
    pub started_at: Timestamp,
    /// Since when it is blocked.
    pub blocked_at: Timestamp,
    /// The state that it was in at its last commit.
    pub state: String,
    /// Why it is blocked.
    pub reason: BlockedReason,
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

/// Why something could not be sent to a run.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignalError {
    /// The run is closed; nothing reaches it any more.
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
    /// No run has, or has had, this workflow id.
    #[error("there is no run with the {}", name(.0))]
    NoRun(RunKey),
    /// No build of the workflow that the database knows waits for such a signal anywhere, and none that it may continue
    /// as does.
    #[error(
        "the workflow `{workflow}` never waits for the signal `{signal}`; it waits for: {}",
        list(.awaited)
    )]
    NotAwaited {
        /// The workflow.
        workflow: String,
        /// The signal's stored name.
        signal: String,
        /// What it waits for.
        awaited: Vec<String>,
    },
    /// The JSON is not a value of the signal in any build of the workflow. Nothing was sent.
    #[error("the value does not fit the signal `{signal}`: {reason}")]
    Unfit {
        /// The signal.
        signal: String,
        /// Why not.
        reason: String,
    },
    /// The dedup key cannot be one.
    #[error("the dedup key cannot be used")]
    DedupKey(#[source] KeyError),
    /// The signal cannot be encoded. Trying again does not help.
    #[error("the signal `{signal}` cannot be saved")]
    Encode {
        /// The signal's stored name.
        signal: &'static str,
        /// Which type refuses, and why.
        #[source]
        source: CodecError,
    },
    /// The database failed. Without a dedup key the signal may or may not have arrived; with one,
    /// sending it again is safe.
    #[error("the message to the run could not be written")]
    Store(#[source] Arc<StoreError>),
}

/// Why nothing could be said of an attempt of an activity with its token.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The attempt is over: it was completed without the token, has failed or timed out, or the
    /// workflow has given it up. Trying again does not help.
    #[error("attempt {attempt} of the activity is over, so its token is no longer valid")]
    Stale {
        /// The attempt that the token names.
        attempt: u32,
    },
    /// The run is closed; nothing reaches it any more.
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
        /// The activity named in the call.
        expected: &'static str,
    },
    /// The value cannot be encoded. Trying again does not help.
    #[error("the value for `{what}` cannot be saved")]
    Encode {
        /// The activity's stored name, or `heartbeat`.
        what: &'static str,
        /// Which type refuses, and why.
        #[source]
        source: CodecError,
    },
    /// The database failed, and went on failing when tried again. The token may or may not have
    /// been used; using it again is safe.
    #[error("the database failed while the token was used")]
    Store(#[source] Arc<StoreError>),
}

/// Why a promise could not be completed, or its outcome not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompleteError {
    /// The run that owns the promise has closed without completing it. Trying again does not help.
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
    /// No promise can have the name, or no run the workflow id, that the token has. Trying again does not help.
    #[error("there is no promise `{token}`")]
    Token {
        /// The token.
        token: PromiseToken,
        /// What is wrong with it.
        #[source]
        source: KeyError,
    },
    /// The token names an item of a queue, which only its activity completes. Trying again does not help.
    #[error("`{token}` names an item of the queue `{queue}`, which only its activity completes")]
    OfQueue {
        /// The token.
        token: PromiseToken,
        /// The queue.
        queue: String,
    },
    /// The value or error cannot be encoded, or, as JSON, does not fit the type that the run expects. Trying again
    /// does not help.
    #[error("the promise `{token}` cannot be completed with this value")]
    Encode {
        /// The token.
        token: PromiseToken,
        /// Which type refuses, and why.
        #[source]
        source: CodecError,
    },
    /// The outcome of the promise is not a value of the type that it is read as.
    #[error("the outcome of the promise `{token}` cannot be read")]
    Unreadable {
        /// The token.
        token: PromiseToken,
        /// Why not.
        #[source]
        source: CodecError,
    },
    /// The database failed, and went on failing when tried again. The promise may or may not have been completed;
    /// trying again is safe.
    #[error("the promise could not be looked up or completed")]
    Store(#[source] Arc<StoreError>),
}

/// Why a run was not found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LookupError {
    /// There is no such run.
    #[error("there is no run with the {}", name(.0))]
    Unknown(RunKey),
    /// The run is one of another workflow.
    #[error("the run {run_id} is a run of `{found}`, not of `{expected}`")]
    OtherWorkflow {
        /// The run.
        run_id: RunId,
        /// Its workflow.
        found: String,
        /// The workflow asked for.
        expected: &'static str,
    },
    /// The database failed, and went on failing when tried again. Trying again may help.
    #[error("the run could not be looked up")]
    Store(#[from] StoreError),
}

fn name(key: &RunKey) -> String {
    match key {
        RunKey::RunId(run_id) => format!("run id {run_id}"),
        RunKey::WorkflowId(id) => format!("workflow id `{id}`"),
    }
}

/// How a run ended, if not with a value; `E` is the workflow's own error.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError<E> {
    /// It returned this error.
    Failed(E),
    /// Something that it waited for failed in a way that its code could not see, such as the
    /// timeout of an activity that does not return a `Result`.
    Uncaught {
        /// What failed, with causes.
        reason: String,
    },
    /// It was asked to cancel, and did not return a value after that.
    Cancelled {
        /// Why, as given with the request.
        reason: String,
    },
    /// It was terminated.
    Terminated {
        /// Why, as given with the termination.
        reason: String,
    },
    /// Its timeout, or that of its chain, was over.
    TimedOut {
        /// Which timeout.
        reason: String,
    },
    /// It has continued as a new run, of which the result is that of the chain. Only
    /// [`RunHandle::result_of_this_run`](crate::client::RunHandle::result_of_this_run) tells so.
    ContinuedAsNew {
        /// The run that follows.
        run_id: RunId,
    },
    /// It has completed or failed, and its result was removed since, as the
    /// [retention](crate::worker::Retention::payloads_of_all) of a worker says.
    ResultRemoved {
        /// The run.
        run_id: RunId,
    },
    /// It could not be looked up.
    Lookup(Box<LookupError>),
    /// It completed, but its return value cannot be read by this program.
    Unreadable(CodecError),
    /// There is no such run.
    Unknown {
        /// The run.
        run_id: RunId,
    },
    /// The database failed; asking again may help. The run is not affected.
    Store(Arc<StoreError>),
}

/// The workflow's own error shows with its causes if it prints them for `{:#}`.
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
            Self::Store(_) => f.write_str("the run's result could not be looked up"),
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
        /// Where they are defined: the file and the line of each.
        places: [String; 2],
    },
    /// A workflow has a name that another one has or had.
    #[error(
        "a workflow and another one that was `formerly` of that name are both named `{name}`, at {} and at {}: runs \
         can belong to one of them only, so rename one or remove the `formerly`",
        places[0], places[1]
    )]
    FormerName {
        /// The name.
        name: &'static str,
        /// Where the two are defined: the file and the line of each.
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
        /// Where they are defined: the file and the line of each.
        places: [String; 2],
    },
    /// A workflow holds values across an await that could not be read back.
    #[error("the workflow `{workflow}` cannot be served: {}", problems.join("; "))]
    CannotBeSaved {
        /// The workflow.
        workflow: &'static str,
        /// Each local, its type, what is wrong with it and what would be right.
        problems: Vec<String>,
    },
}

/// Why a worker could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// What it is to serve is not in order. Trying again does not help.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// Tokio's clock is paused and the database's is not, so no timer of a run would ever fire. Nothing was written.
    #[error(
        "tokio's clock is paused and the clock of the database is not, so no timer would fire; in a test with \
         `start_paused = true`, use `Client::new(MemoryStore::new())`, whose clock follows tokio's"
    )]
    PausedClock,
    /// The database failed.
    #[error("the worker could not be registered")]
    Store(#[from] StoreError),
}

fn recorded_workflows(known: &[String]) -> String {
    match known {
        [] => "none is".to_owned(),
        known => format!("those of {} are", known.join(", ")),
    }
}

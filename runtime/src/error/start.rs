//! Why a run was not started.

use std::sync::Arc;

use super::{KeyError, SignalError, StoreError};
use crate::codec::CodecError;
use crate::model::{AttributeError, BlockedReason, DefinitionHash, Finding, RunId, Timestamp};

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

fn recorded_workflows(known: &[String]) -> String {
    match known {
        [] => "none is".to_owned(),
        known => format!("those of {} are", known.join(", ")),
    }
}

//! The types of an inspection.

use std::fmt::Display;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::model::{
    AttemptFailure, AttributeMap, AwaitKind, DefinitionHash, FailedCompensation, Handle, Link,
    Memo, OnTimeout, ParentClose, PromiseToken, RunId, RunStatus, StepNo, Terms, TimeoutClock,
    Timestamp, WorkerId,
};
use crate::store::Kin;

/// Which runs a run belongs to, see [`Kin`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectedKin {
    /// The first run of its chain; the run itself if there is none before it.
    pub first_run_id: RunId,
    /// The run before it in its chain.
    pub previous_run_id: Option<RunId>,
    /// Why it follows that.
    pub link: Option<Link>,
    /// The run that follows it.
    pub next_run_id: Option<RunId>,
    /// The run that has started its chain as a child.
    pub parent: Option<RunId>,
    /// What happens to it when that is over.
    pub on_parent_close: Option<ParentClose>,
    /// How many children the runs of its chain have started so far.
    pub child_count: u64,
}

impl InspectedKin {
    /// Nothing of a run that belongs to no other.
    pub(super) fn of(run_id: RunId, kin: Kin) -> Option<Self> {
        let Kin { first_run_id, previous_run_id, link, next_run_id, parent, child_count } = kin;
        let is_alone = first_run_id == run_id && next_run_id.is_none() && parent.is_none();
        let (parent, on_parent_close) = parent.unzip();
        let kin = Self {
            first_run_id,
            previous_run_id,
            link,
            next_run_id,
            parent,
            on_parent_close,
            child_count,
        };
        (!is_alone || child_count > 0).then_some(kin)
    }
}

/// What is agreed on a run when its chain is started, see [`Start`](crate::client::Start).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectedTerms {
    /// Which attempt of the workflow it is, from 1.
    pub attempt: u32,
    /// How many attempts there are at most; nothing if the workflow is not tried again, 0 if there is no limit.
    pub max_attempts: Option<u32>,
    /// When the first of its timeouts is over.
    #[serde(serialize_with = "as_text_or_null")]
    pub deadline_at: Option<Timestamp>,
    /// Which time the timeouts count. By that in which a worker is there, the deadline is the one that holds if none goes.
    pub timeout_clock: TimeoutClock,
    /// What happens then.
    pub on_timeout: OnTimeout,
    /// By which expression the workflow is started again.
    pub cron: Option<String>,
}

impl InspectedTerms {
    pub(super) fn of(terms: Terms) -> Self {
        Self {
            attempt: terms.attempt,
            max_attempts: terms.retry.as_ref().map(|retry| retry.policy.max_attempts),
            deadline_at: terms.deadline(),
            timeout_clock: terms.clock,
            on_timeout: terms.on_timeout,
            cron: terms.cron.map(|cron| cron.expression),
        }
    }
}

/// Who has paused a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectedPause {
    /// When.
    #[serde(serialize_with = "as_text")]
    pub at: Timestamp,
    /// Who.
    pub by: String,
    /// Why.
    pub reason: String,
}

/// A run as its last commit has left it, and what has arrived since: see [`Client::inspect`](crate::client::Client::inspect).
///
/// As JSON, times are texts in RFC 3339 and hashes are hex digits.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// The run.
    pub run_id: RunId,
    /// Its business key.
    pub workflow_id: String,
    /// The workflow's stored name.
    pub workflow: String,
    /// Where it stands.
    pub status: RunStatus,
    /// The name of the state that it is in, or was in when it closed.
    pub state: String,
    /// The definition that wrote that state, if that is known.
    #[serde(serialize_with = "as_text_or_null")]
    pub definition: Option<DefinitionHash>,
    /// How many commits there have been.
    #[serde(serialize_with = "as_number")]
    pub step_no: StepNo,
    /// When it was started.
    #[serde(serialize_with = "as_text")]
    pub started_at: Timestamp,
    /// When its last step began; nothing if it has made none or what is saved cannot be read.
    #[serde(serialize_with = "as_text_or_null")]
    pub stepped_at: Option<Timestamp>,
    /// When it closed.
    #[serde(serialize_with = "as_text_or_null")]
    pub closed_at: Option<Timestamp>,
    /// The worker that has it.
    #[serde(serialize_with = "as_worker")]
    pub owner: Option<WorkerId>,
    /// How often an owner has died with it since its last commit.
    pub takeovers: u32,
    /// Which other runs it belongs to. Nothing if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kin: Option<InspectedKin>,
    /// What is agreed on it beside its arguments. Nothing of most runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<InspectedTerms>,
    /// Why it is blocked.
    pub blocked: Option<String>,
    /// Since when it is blocked.
    #[serde(serialize_with = "as_text_or_null")]
    pub blocked_at: Option<Timestamp>,
    /// By whom it is paused, or is to be once its worker has let go of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<InspectedPause>,
    /// When it is due if nothing arrives before. Nothing if it waits for arrivals alone, is blocked or closed.
    #[serde(serialize_with = "as_text_or_null")]
    pub wakes_at: Option<Timestamp>,
    /// Why it was asked to cancel, once its code has been told.
    pub cancelled: Option<String>,
    /// What it was started with, if that is still there.
    pub arguments: Option<Shown>,
    /// What it returned.
    pub result: Option<Shown>,
    /// Why it did not complete.
    pub failure: Option<String>,
    /// Its attributes.
    #[serde(skip_serializing_if = "AttributeMap::is_empty")]
    pub attributes: AttributeMap,
    /// What it was started with for lists.
    #[serde(skip_serializing_if = "Memo::is_empty")]
    pub memo: Memo,
    /// Where its code is, with its variables and waits. Nothing if no state is kept, as of a run that has
    /// completed, or if it cannot be read; then `note` says why.
    pub position: Option<Position>,
    /// What is carried out if the run does not complete, in that order: the compensation noted last is the first. Of a
    /// run that was terminated, what has not been carried out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compensations: Vec<NotedCompensation>,
    /// How the run ends, while its compensations are carried out. The one that is being carried out is what `position`
    /// waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<EndingRun>,
    /// Signals that it has not taken yet, in the order in which they came: the first hundred.
    pub unread: Vec<UnreadSignal>,
    /// Updates that it has not taken yet, as `unread`.
    pub unread_updates: Vec<UnreadUpdate>,
    /// The ids of updates that it has taken and not answered yet.
    pub unanswered: Vec<String>,
    /// How many arrivals of any kind it has not taken yet.
    pub unread_count: u64,
    /// What could not be shown.
    pub note: Option<String>,
}

/// Where some code is: that of the run, of a workflow that it awaits, or of an `async` block.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Position {
    /// The stored name of the workflow that the code is a part of.
    pub workflow: String,
    /// The definition that wrote the state.
    #[serde(serialize_with = "as_text")]
    pub definition: DefinitionHash,
    /// The name of the state; empty if the definition is not known.
    pub state: String,
    /// What kind of thing is awaited there.
    pub kind: AwaitKind,
    /// The source file.
    pub file: String,
    /// The line of the await, from 1.
    pub line: u32,
    /// The variables that the code needs after the await, in stored order.
    pub variables: Vec<Variable>,
    /// What is awaited: several things if the state has branches.
    pub waits: Vec<Wait>,
    /// What could not be shown.
    pub note: Option<String>,
}

/// A variable, or the part of one that is needed.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Variable {
    /// Its name in the source, such as `total` or `order.name`; of several of one name, with its number: `total#2`.
    pub name: String,
    /// Its type: as the source states it, or as the compiler knows it.
    pub ty: Option<String>,
    /// Whether it can be read from outside: see `#[expose]`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exposed: bool,
    /// Its value.
    #[serde(flatten)]
    pub value: Shown,
}

/// A value for people.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Shown {
    /// The value: `"(secret)"` for one that people are not to see, `null` if it cannot be shown.
    pub value: Value,
    /// Why it cannot be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Something that is awaited.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Wait {
    /// What it is called in the code: the name of the branch, or of what is awaited.
    pub name: String,
    /// Since when, as far as that is kept: an activity is awaited since it was asked for, anything else
    /// at the latest since the run's last step.
    #[serde(serialize_with = "as_text_or_null")]
    pub since: Option<Timestamp>,
    /// Whether it has arrived, and the run only has to take a step.
    pub has_arrived: bool,
    /// What it is.
    #[serde(flatten)]
    pub on: WaitFor,
}

/// What is awaited.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "for", rename_all = "snake_case")]
#[non_exhaustive]
pub enum WaitFor {
    /// The outcome of an activity.
    Activity(Box<AwaitedActivity>),
    /// A point in time.
    Timer {
        /// That time.
        #[serde(serialize_with = "as_text")]
        fires_at: Timestamp,
    },
    /// A signal.
    Signal {
        /// Its stored name.
        signal: String,
        /// When the wait is over, if it has a time limit.
        #[serde(serialize_with = "as_text_or_null")]
        until: Option<Timestamp>,
    },
    /// A request to cancel.
    Cancellation,
    /// The end of a child.
    Child {
        /// The first run of its chain.
        child: RunId,
        /// Its workflow id.
        workflow_id: String,
        /// The stored name of its workflow.
        workflow: String,
    },
    /// The outcome of a promise.
    Promise {
        /// The text by which it can be completed.
        token: PromiseToken,
        /// When it expires, if it does.
        #[serde(serialize_with = "as_text_or_null")]
        expires_at: Option<Timestamp>,
    },
    /// An item of a queue: an activity with a key.
    Item {
        /// The activity's stored name.
        activity: String,
        /// The queue.
        queue: String,
        /// The key.
        key: String,
    },
    /// An update.
    Update {
        /// Its stored name.
        update: String,
        /// When the wait is over, if it has a time limit.
        #[serde(serialize_with = "as_text_or_null")]
        until: Option<Timestamp>,
    },
    /// Another workflow, inline.
    Workflow {
        /// Where it is.
        position: Box<Position>,
    },
    /// An `async` block.
    Block {
        /// Where it is.
        position: Box<Position>,
    },
    /// All of several.
    All {
        /// Each of them.
        items: Vec<Wait>,
    },
    /// Something for a limited time.
    Within {
        /// When the time is over.
        #[serde(serialize_with = "as_text")]
        until: Timestamp,
        /// What it is.
        wait: Box<Wait>,
    },
    /// A call of an activity for each of many items.
    Each {
        /// How many items there are.
        total: u32,
        /// How many have ended and not failed.
        succeeded: u32,
        /// How many have failed.
        failed: u32,
        /// Those that have been asked for and not ended, some of which may wait for their turn: the first hundred.
        asked: Vec<Wait>,
    },
    /// Nothing any more: the others of a `join!` are awaited.
    Done(Shown),
    /// Nothing yet: an `async` block that has not begun, or a branch whose `if` did not hold.
    NotBegun,
    /// What is saved of it cannot be read.
    Unreadable {
        /// Why.
        note: String,
    },
}

/// An activity whose outcome is awaited.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AwaitedActivity {
    /// Which operation of the run it is.
    pub handle: Handle,
    /// The activity's stored name.
    pub activity: String,
    /// The queue whose workers attempt it; nothing if the worker that has the run does.
    pub queue: Option<String>,
    /// The worker that makes the attempt, of one on a queue.
    #[serde(serialize_with = "as_worker")]
    pub worker: Option<WorkerId>,
    /// The number of the attempt that is being made or comes next, from 1.
    pub attempt: u32,
    /// When that attempt is due, if it waits for its time.
    #[serde(serialize_with = "as_text_or_null")]
    pub next_attempt_at: Option<Timestamp>,
    /// When a time limit runs out, of one on a queue.
    #[serde(serialize_with = "as_text_or_null")]
    pub expires_at: Option<Timestamp>,
    /// How the last attempt failed that did, if that has been written down.
    pub last_failure: Option<AttemptFailure>,
    /// What it was called with. Nothing of one on a queue, whose row has that.
    pub arguments: Option<Shown>,
}

/// A compensation that is carried out if the run does not complete.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct NotedCompensation {
    /// Which operation of the run it is.
    pub handle: Handle,
    /// The activity's stored name.
    pub activity: String,
    /// The queue whose workers attempt it; nothing if the worker that has the run does.
    pub queue: Option<String>,
    /// What it is called with.
    pub arguments: Shown,
}

/// How a run ends whose compensations are being carried out.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct EndingRun {
    /// The status that it closes with if no compensation fails.
    pub status: RunStatus,
    /// Why it does not complete.
    pub failure: String,
    /// The compensations that have failed for good.
    pub failed: Vec<FailedCompensation>,
}

/// A signal that a run has not taken yet.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct UnreadSignal {
    /// Its number in the inbox.
    pub seq: i64,
    /// Its stored name.
    pub signal: String,
    /// What it carries.
    #[serde(flatten)]
    pub value: Shown,
}

/// An update that a run has not taken yet.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct UnreadUpdate {
    /// Its number in the inbox.
    pub seq: i64,
    /// Its stored name.
    pub update: String,
    /// Its id.
    pub id: String,
    /// The request.
    #[serde(flatten)]
    pub value: Shown,
}

impl Shown {
    /// What stands for a value that people are not to see.
    pub(crate) const SECRET: &str = "(secret)";

    /// Whether the value is one that people are not to see.
    pub(crate) fn is_secret(&self) -> bool {
        self.value == Self::SECRET
    }

    pub(super) fn redacted() -> Self {
        Self { value: Self::SECRET.into(), note: None }
    }

    pub(super) fn missing(note: String) -> Self {
        Self { value: Value::Null, note: Some(note) }
    }
}

impl From<Value> for Shown {
    fn from(value: Value) -> Self {
        Self { value, note: None }
    }
}

fn as_text<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn as_text_or_null<T: Display, S: Serializer>(
    value: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}

fn as_number<S: Serializer>(step_no: &StepNo, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(step_no.0)
}

fn as_worker<S: Serializer>(worker: &Option<WorkerId>, serializer: S) -> Result<S::Ok, S::Error> {
    worker.map(|worker| worker.0).serialize(serializer)
}

//! The types of an inspection.

use std::fmt::Display;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::model::{
    ActivityToken, AttemptFailure, AttributeMap, AwaitKind, DefinitionHash, FailedCompensation,
    Handle, Link, Memo, OnTimeout, ParentClose, PromiseToken, RunId, RunStatus, StepNo, Terms,
    TimeoutClock, Timestamp, WorkerId,
};
use crate::store::Kin;

/// The relations of a run, see [`Kin`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectedKin {
    /// The first run of its chain; the run itself if there is none before it.
    pub first_run_id: RunId,
    /// The run before it in its chain.
    pub previous_run_id: Option<RunId>,
    /// Why it follows that run.
    pub link: Option<Link>,
    /// The run that follows it.
    pub next_run_id: Option<RunId>,
    /// The run that has started its chain as a child.
    pub parent: Option<RunId>,
    /// The policy for when the parent closes.
    pub on_parent_close: Option<ParentClose>,
    /// Whether that policy is also applied when another run follows the parent.
    pub ends_with_run: bool,
    /// How many children the runs of its chain have started so far.
    pub child_count: u64,
}

impl InspectedKin {
    /// `None` for a run without relations.
    pub(super) fn of(run_id: RunId, kin: Kin) -> Option<Self> {
        let Kin {
            first_run_id,
            previous_run_id,
            link,
            next_run_id,
            parent,
            ends_with_run,
            child_count,
        } = kin;
        let is_alone = first_run_id == run_id && next_run_id.is_none() && parent.is_none();
        let (parent, on_parent_close) = parent.unzip();
        let kin = Self {
            first_run_id,
            previous_run_id,
            link,
            next_run_id,
            parent,
            on_parent_close,
            ends_with_run,
            child_count,
        };
        (!is_alone || child_count > 0).then_some(kin)
    }
}

/// The terms of a run's chain, see [`Start`](crate::client::Start).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectedTerms {
    /// The number of the workflow's attempt, from 1.
    pub attempt: u32,
    /// The maximum number of attempts; `None` if the workflow is not retried, 0 if there is no limit.
    pub max_attempts: Option<u32>,
    /// When the first of its timeouts passes.
    #[serde(serialize_with = "as_text_or_null")]
    pub deadline_at: Option<Timestamp>,
    /// Which time the timeouts count. By that in which a worker is there, the deadline is the one that holds if none goes.
    pub timeout_clock: TimeoutClock,
    /// What happens then.
    pub on_timeout: OnTimeout,
    /// The cron expression.
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

/// The pause of a run.
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

/// A run after its last commit, with the arrivals since: see [`Client::inspect`](crate::client::Client::inspect).
///
/// In JSON, times are RFC 3339 strings and hashes are hex digits.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// The run.
    pub run_id: RunId,
    /// Its workflow id.
    pub workflow_id: String,
    /// The workflow's stored name.
    pub workflow: String,
    /// Its status.
    pub status: RunStatus,
    /// The name of its state, or of its last one before it closed.
    pub state: String,
    /// The definition of that state, if it is recorded.
    #[serde(serialize_with = "as_text_or_null")]
    pub definition: Option<DefinitionHash>,
    /// Number of its commits.
    #[serde(serialize_with = "as_number")]
    pub step_no: StepNo,
    /// When it was started.
    #[serde(serialize_with = "as_text")]
    pub started_at: Timestamp,
    /// When its last step began; `None` if it has made none or its state cannot be read.
    #[serde(serialize_with = "as_text_or_null")]
    pub stepped_at: Option<Timestamp>,
    /// When it closed.
    #[serde(serialize_with = "as_text_or_null")]
    pub closed_at: Option<Timestamp>,
    /// The worker that owns it.
    #[serde(serialize_with = "as_worker")]
    pub owner: Option<WorkerId>,
    /// How many owners have died with it since its last commit.
    pub takeovers: u32,
    /// Its relations to other runs, if it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kin: Option<InspectedKin>,
    /// Its policies and limits, if it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<InspectedTerms>,
    /// Why it is blocked.
    pub blocked: Option<String>,
    /// When it was blocked.
    #[serde(serialize_with = "as_text_or_null")]
    pub blocked_at: Option<Timestamp>,
    /// The pause, or the requested one that starts once the worker lets go of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<InspectedPause>,
    /// When it is due without an arrival. `None` if it waits for arrivals only, is blocked or closed.
    #[serde(serialize_with = "as_text_or_null")]
    pub wakes_at: Option<Timestamp>,
    /// Why it is requested to cancel, while no step has taken the request from the inbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel_requested: Option<String>,
    /// Why it was requested to cancel, once its code has seen the request.
    pub cancelled: Option<String>,
    /// Its arguments, if they are still stored.
    pub arguments: Option<Shown>,
    /// Its return value.
    pub result: Option<Shown>,
    /// Why it did not complete, for people.
    pub failure: Option<String>,
    /// Its attributes.
    #[serde(skip_serializing_if = "AttributeMap::is_empty")]
    pub attributes: AttributeMap,
    /// The memo it was started with.
    #[serde(skip_serializing_if = "Memo::is_empty")]
    pub memo: Memo,
    /// Its position in the code, with variables and waits. `None` if no state is kept, as of a completed run, or if
    /// the state cannot be read; `note` then says why.
    pub position: Option<Position>,
    /// The queues on which the run waits for a worker, in the order of their names: the first ten.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<AwaitedQueue>,
    /// The compensations that run if it does not complete, in the order of their execution: the last registered is
    /// the first. For a terminated run, those that were not executed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compensations: Vec<NotedCompensation>,
    /// How the run ends, while its compensations run. The wait in `position` is the running compensation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<EndingRun>,
    /// Unread signals, in the order of their arrival: the first hundred. Those of a closed run came and were never
    /// taken; they stay until retention removes the run's payloads.
    pub unread: Vec<UnreadSignal>,
    /// Unread updates, like `unread`.
    pub unread_updates: Vec<UnreadUpdate>,
    /// The ids of updates that it has taken and not answered.
    pub unanswered: Vec<String>,
    /// Number of unread arrivals of any kind.
    pub unread_count: u64,
    /// What could not be shown, and why.
    pub note: Option<String>,
}

/// A position in code: of the run, of a workflow that it awaits, or of an `async` block.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Position {
    /// The stored name of the workflow that contains the code.
    pub workflow: String,
    /// The definition of the state.
    #[serde(serialize_with = "as_text")]
    pub definition: DefinitionHash,
    /// The name of the state; empty if the definition is not recorded.
    pub state: String,
    /// The kind of await.
    pub kind: AwaitKind,
    /// The source file.
    pub file: String,
    /// The line of the await, from 1.
    pub line: u32,
    /// The variables that the code needs after the await, in stored order.
    pub variables: Vec<Variable>,
    /// The waits: several if the state has branches.
    pub waits: Vec<Wait>,
    /// What could not be shown, and why.
    pub note: Option<String>,
}

/// A variable, or the part of one that is saved.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Variable {
    /// Its name in the source, such as `total` or `order.name`; of several of one name, with its number: `total#2`.
    pub name: String,
    /// Its type: as written in the source, or as the compiler knows it.
    pub ty: Option<String>,
    /// Whether clients can read it: see `#[expose]`.
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
    /// The value as JSON: `"(secret)"` for one that people must not see, `null` if it cannot be shown.
    pub value: Value,
    /// Why it cannot be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// An operation that the run waits for.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Wait {
    /// Its name in the code: that of the branch, or of the awaited operation.
    pub name: String,
    /// When the wait began, if that is stored: for an activity, when it was requested; for others, at the latest at
    /// the start of the run's last step.
    #[serde(serialize_with = "as_text_or_null")]
    pub since: Option<Timestamp>,
    /// Whether the outcome has arrived, so that the run has to make a step.
    pub has_arrived: bool,
    /// The operation.
    #[serde(flatten)]
    pub on: WaitFor,
}

/// The kinds of waits.
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
        /// The token by which it can be completed.
        token: PromiseToken,
        /// When it expires, if it has a limit.
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
        /// The position of its code.
        position: Box<Position>,
    },
    /// An `async` block.
    Block {
        /// The position of its code.
        position: Box<Position>,
    },
    /// All of several operations.
    All {
        /// Each of them.
        items: Vec<Wait>,
    },
    /// An operation with a time limit.
    Within {
        /// When the limit passes.
        #[serde(serialize_with = "as_text")]
        until: Timestamp,
        /// The operation.
        wait: Box<Wait>,
    },
    /// A call of an activity for each of many items.
    Each {
        /// How many items there are.
        total: u32,
        /// How many have succeeded.
        succeeded: u32,
        /// How many have failed.
        failed: u32,
        /// Those that have begun and not ended, some of which may wait for their turn: the first hundred.
        asked: Vec<Wait>,
    },
    /// Complete, with this value: the other branches of a `join!` are awaited.
    Done(Shown),
    /// Not begun: an `async` block, or a branch of a `select!` whose `if` was false.
    NotBegun,
    /// Its saved value cannot be read.
    Unreadable {
        /// Why.
        note: String,
    },
}

/// An activity whose outcome the run waits for.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AwaitedActivity {
    /// The operation of the run.
    pub handle: Handle,
    /// The activity's stored name.
    pub activity: String,
    /// The queue whose workers attempt it; `None` if the run's owner does.
    pub queue: Option<String>,
    /// The worker that makes the attempt; for queued activities only.
    #[serde(serialize_with = "as_worker")]
    pub worker: Option<WorkerId>,
    /// The number of the current or next attempt, from 1.
    pub attempt: u32,
    /// The token that the attempt waits for, if its function has returned and
    /// [`Client::complete_activity`](crate::client::Client::complete_activity) is to end it. Whoever has it can do that.
    pub token: Option<ActivityToken>,
    /// When that attempt is due, if it has not begun.
    #[serde(serialize_with = "as_text_or_null")]
    pub next_attempt_at: Option<Timestamp>,
    /// When a time limit expires; for activities on queues and those that wait for their token.
    #[serde(serialize_with = "as_text_or_null")]
    pub expires_at: Option<Timestamp>,
    /// The failure of the last failed attempt, if it is stored.
    pub last_failure: Option<AttemptFailure>,
    /// Its arguments. `None` for a queued activity, whose row has them.
    pub arguments: Option<Shown>,
}

/// A queue on which a run waits: an activity of the run is due on it, and no worker has taken the activity.
///
/// The database does not know which queues workers serve. If nothing is under way on a queue that is not paused, maybe no
/// worker serves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AwaitedQueue {
    /// Its name.
    pub queue: String,
    /// The number of activities on it, of all runs, that wait for a worker.
    pub waiting: u64,
    /// The number of attempts that workers are making of activities on it.
    pub under_way: u64,
    /// Since when the oldest activity on it waits for a worker.
    #[serde(serialize_with = "as_text_or_null")]
    pub oldest_due_at: Option<Timestamp>,
    /// Why it is paused, if it is.
    pub paused: Option<String>,
}

/// A compensation that runs if the run does not complete.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct NotedCompensation {
    /// The operation of the run.
    pub handle: Handle,
    /// The activity's stored name.
    pub activity: String,
    /// The queue whose workers attempt it; `None` if the run's owner does.
    pub queue: Option<String>,
    /// Its arguments.
    pub arguments: Shown,
}

/// How a run ends whose compensations are running.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct EndingRun {
    /// The status with which it closes if no compensation fails.
    pub status: RunStatus,
    /// Why it does not complete, for people.
    pub failure: String,
    /// The compensations that have finally failed.
    pub failed: Vec<FailedCompensation>,
}

/// An unread signal.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct UnreadSignal {
    /// Its number in the inbox.
    pub seq: i64,
    /// Its stored name.
    pub signal: String,
    /// Its value.
    #[serde(flatten)]
    pub value: Shown,
}

/// An unread update.
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
    /// The placeholder for a value that people must not see.
    pub(crate) const SECRET: &str = "(secret)";

    /// Whether the value is one that people must not see.
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

//! Activities as workflow code sees them: a call, and what it comes to.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::task::Poll;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::future::sealed::Sealed;
use super::{Context, DurableFuture, OperationOutcome, StepError, Values};
use crate::activities::ReportedError;
use crate::codec::{self, CodecError};
use crate::error::Error;
use crate::model::{ActivityOperation, Handle, Operation, Payload, RetryPolicy};

/// An activity definition: the type that `#[activity]` emits under the function's name.
pub trait Activity: Sized + 'static {
    /// What the function returns. Values of it can be saved, see [`Activity::returned`].
    type Return;
    /// What awaiting a call gives in a workflow: `T` for a function that returns `T`, and
    /// `Result<T, ActivityError<E>>` for one that returns `Result<T, E>`.
    type Output;
    /// The stored name.
    const NAME: &'static str;
    /// What the attribute says.
    const OPTIONS: ActivityOptions;

    /// How what the function returns is encoded.
    fn returned() -> Values<Self::Return>;

    /// Turns what the activity came to into what the workflow sees.
    ///
    /// # Errors
    /// [`StepError`] if the outcome has no place in [`Self::Output`].
    fn output(ended: Result<Self::Return, ActivityError<()>>) -> Result<Self::Output, StepError>;

    /// What the engine has to know of the error that the function returned, if it did.
    fn error(returned: &Self::Return) -> Option<ReportedError> {
        let _ = returned;
        None
    }
}

/// How an activity is carried out. The attribute gives the defaults, a call may change them.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivityOptions {
    /// When to try again.
    pub retry: RetryPolicy,
    /// How long one attempt may take. Default: no limit.
    pub start_to_close: Option<Duration>,
    /// How long all attempts together may take, waits included. Default: no limit.
    pub schedule_to_close: Option<Duration>,
    /// Whether it is never attempted twice. If its worker dies during the attempt, the workflow
    /// gets [`ActivityError::OutcomeUnknown`]; errors are final. Default: no.
    pub at_most_once: bool,
    /// Whether the function blocks its thread: it then runs on the worker's threads for such
    /// functions, see [`Worker::max_blocking`](crate::worker::Worker::max_blocking). A thread
    /// cannot be stopped: an attempt that is given up (timeout, cancellation) goes on to its end,
    /// and keeps its place until then. Default: no.
    pub blocking: bool,
    /// How many attempts of this activity one worker makes at a time. Default: no limit of its own.
    pub max_concurrent: Option<u32>,
    /// The queue whose workers attempt it, see [`Worker::queue`](crate::worker::Worker::queue).
    /// Default: none; the worker that owns the run does.
    pub queue: Option<Cow<'static, str>>,
    /// How long an attempt may wait for its turn once it is due: on a queue for a worker that has
    /// room, otherwise for a place in the worker that owns the run. One that waits for longer is
    /// not made, and not tried again. Default: no limit.
    pub schedule_to_start: Option<Duration>,
    /// How long an attempt may go without a
    /// [heartbeat](crate::activities::ActivityContext::heartbeat), counted from its start. Default:
    /// no limit.
    pub heartbeat: Option<Duration>,
}

impl ActivityOptions {
    /// Retried for ever, without a time limit.
    pub const DEFAULT: Self = Self {
        retry: RetryPolicy::DEFAULT,
        start_to_close: None,
        schedule_to_close: None,
        at_most_once: false,
        blocking: false,
        max_concurrent: None,
        queue: None,
        schedule_to_start: None,
        heartbeat: None,
    };
}

/// What the error of an activity may say about trying again. Without an implementation every error
/// is retryable, at the time that the policy gives.
pub trait Retryable {
    /// Whether another attempt may succeed. Default: yes.
    fn is_retryable(&self) -> bool {
        true
    }

    /// When to try again, instead of the policy's wait, such as an HTTP `Retry-After`. Default: as
    /// the policy says.
    fn retry_after(&self) -> Option<Duration> {
        None
    }
}

/// A call of an activity: what the function named in `#[activity]` returns. It runs when awaited in
/// a workflow.
#[must_use = "an activity does nothing until it is awaited in a workflow"]
pub struct ActivityCall<A> {
    arguments: Result<Payload, CodecError>,
    options: ActivityOptions,
    activity: PhantomData<fn() -> A>,
}

impl<A: Activity> ActivityCall<A> {
    /// Encodes the arguments. An argument that cannot be encoded is reported when the call is
    /// awaited.
    pub fn new<T: Serialize + ?Sized>(arguments: &T) -> Self {
        Self::with_arguments(codec::to_payload(arguments))
    }

    /// A call with arguments that have been encoded, if they could be.
    pub fn with_arguments(arguments: Result<Payload, CodecError>) -> Self {
        Self { arguments, options: A::OPTIONS, activity: PhantomData }
    }

    /// Sets the retry policy of this call.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.options.retry = policy;
        self
    }

    /// Sets how long one attempt may take.
    pub fn start_to_close(mut self, limit: Duration) -> Self {
        self.options.start_to_close = Some(limit);
        self
    }

    /// Sets how long all attempts together may take, waits included.
    pub fn schedule_to_close(mut self, limit: Duration) -> Self {
        self.options.schedule_to_close = Some(limit);
        self
    }

    /// Sets how long an attempt may wait for its turn, see
    /// [`ActivityOptions::schedule_to_start`].
    pub fn schedule_to_start(mut self, limit: Duration) -> Self {
        self.options.schedule_to_start = Some(limit);
        self
    }

    /// Sets how long an attempt may be silent, see [`ActivityOptions::heartbeat`].
    pub fn heartbeat(mut self, limit: Duration) -> Self {
        self.options.heartbeat = Some(limit);
        self
    }

    /// Has the workers of this queue attempt it, and not the worker that owns the run. The call
    /// waits in the database until one of them has room.
    pub fn queue(mut self, queue: impl Into<Cow<'static, str>>) -> Self {
        self.options.queue = Some(queue.into());
        self
    }
}

impl<A: Activity> fmt::Debug for ActivityCall<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActivityCall").field("activity", &A::NAME).finish_non_exhaustive()
    }
}

/// The saved form of an awaited activity.
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingActivity(Handle);

fn start(
    name: &'static str,
    arguments: Result<Payload, CodecError>,
    options: ActivityOptions,
    cx: &Context,
) -> Result<PendingActivity, StepError> {
    let handle = cx.ask(Operation::Activity(Box::new(ActivityOperation {
        name: name.to_owned(),
        arguments: arguments.map_err(StepError::Encode)?,
        retry: options.retry,
        start_to_close: options.start_to_close,
        schedule_to_close: options.schedule_to_close,
        at_most_once: options.at_most_once,
        scheduled_at: cx.now(),
        attempts: 0,
        interruptions: 0,
        passed_over: 0,
        retry_at: None,
        queue: options.queue.map(Cow::into_owned),
        schedule_to_start: options.schedule_to_start,
        heartbeat: options.heartbeat,
        details: None,
        awaited: None,
    })));
    Ok(PendingActivity(handle))
}

/// What an activity returned, or why it did not.
fn outcome(
    name: &'static str,
    handle: Handle,
    cx: &Context,
) -> Result<Poll<Result<Payload, ActivityError<()>>>, StepError> {
    let outcome = match cx.take_outcome(handle) {
        Some(outcome) => outcome,
        None if cx.ends(handle) => OperationOutcome::Cancelled,
        None => {
            cx.wait_for(handle);
            return Ok(Poll::Pending);
        }
    };
    cx.settle(handle);
    Ok(Poll::Ready(match outcome {
        OperationOutcome::Returned(payload) => Ok(payload),
        OperationOutcome::TimedOut(kind) => Err(ActivityError::TimedOut(kind)),
        OperationOutcome::Cancelled => Err(ActivityError::Cancelled),
        OperationOutcome::Panicked(message) => Err(ActivityError::Panicked(message)),
        OperationOutcome::Unknown => Err(ActivityError::OutcomeUnknown),
        OperationOutcome::Unusable(reason) => {
            let message = format!("activity `{name}` cannot be run: {reason}");
            return Err(StepError::Failed(Error::msg(message)));
        }
    }))
}

impl<A> Sealed for ActivityCall<A> {}

#[diagnostic::do_not_recommend]
impl<A: Activity> DurableFuture for ActivityCall<A> {
    type Output = A::Output;
    type Pending = PendingActivity;

    fn start(self, cx: &Context) -> Result<PendingActivity, StepError> {
        start(A::NAME, self.arguments, self.options, cx)
    }

    fn poll(pending: &mut PendingActivity, cx: &Context) -> Result<Poll<A::Output>, StepError> {
        let ended = match outcome(A::NAME, pending.0, cx)? {
            Poll::Ready(Ok(payload)) => match A::returned().decode(&payload) {
                Ok(returned) => Ok(returned),
                Err(error) => return Err(StepError::Decode(error)),
            },
            Poll::Ready(Err(error)) => Err(error),
            Poll::Pending => return Ok(Poll::Pending),
        };
        match A::output(ended) {
            Ok(output) => Ok(Poll::Ready(output)),
            Err(error) => Err(error),
        }
    }

    fn cancel(pending: PendingActivity, cx: &Context) -> Result<(), StepError> {
        cx.settle(pending.0);
        Ok(())
    }
}

/// Why an activity gave no value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ActivityError<E> {
    /// It returned this error, and is not tried again.
    Failed(E),
    /// It took too long.
    TimedOut(TimeoutKind),
    /// It was cancelled, because the run was.
    Cancelled,
    /// It panicked with this message, and is not tried again.
    Panicked(String),
    /// Its worker died during the attempt, and as it is `at_most_once` there is no other: it may
    /// have had its effect, or a part of it, or none. Only the outside world can tell.
    OutcomeUnknown,
}

/// Which limit of an activity was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TimeoutKind {
    /// One attempt took too long.
    StartToClose,
    /// All attempts together took too long.
    ScheduleToClose,
    /// An attempt waited too long for a worker.
    ScheduleToStart,
    /// An attempt was silent for too long.
    Heartbeat,
}

impl<E: fmt::Display> fmt::Display for ActivityError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => error.fmt(f),
            Self::TimedOut(TimeoutKind::StartToClose) => {
                f.write_str("the activity timed out: an attempt took longer than `start_to_close`")
            }
            Self::TimedOut(TimeoutKind::ScheduleToClose) => f.write_str(
                "the activity timed out: its attempts took longer than `schedule_to_close`",
            ),
            Self::TimedOut(TimeoutKind::ScheduleToStart) => f.write_str(
                "the activity timed out: no worker had room for it within `schedule_to_start`",
            ),
            Self::TimedOut(TimeoutKind::Heartbeat) => f.write_str(
                "the activity timed out: an attempt was silent for longer than `heartbeat`",
            ),
            Self::Cancelled => f.write_str("the activity was cancelled"),
            Self::Panicked(message) => write!(f, "the activity panicked: {message}"),
            Self::OutcomeUnknown => f.write_str(
                "the outcome of the activity is unknown: its only attempt was cut off and may have \
                 had its effect",
            ),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for ActivityError<E> {}

impl ActivityError<()> {
    /// The same failure for an activity with errors of its own.
    pub fn widen<E>(self) -> ActivityError<E> {
        match self {
            // An activity that returned an error did return: that error is in its return value.
            Self::Failed(()) => ActivityError::Panicked("the activity gave no value".into()),
            Self::TimedOut(kind) => ActivityError::TimedOut(kind),
            Self::Cancelled => ActivityError::Cancelled,
            Self::Panicked(message) => ActivityError::Panicked(message),
            Self::OutcomeUnknown => ActivityError::OutcomeUnknown,
        }
    }

    /// The failure as the end of the run, for an activity without errors of its own.
    pub fn into_step_error(self, activity: &str) -> StepError {
        match self {
            Self::Cancelled => StepError::Cancelled,
            Self::TimedOut(_) | Self::OutcomeUnknown => {
                let error = self.widen::<String>();
                StepError::Failed(
                    Error::msg(error).context(format!("activity `{activity}` failed")),
                )
            }
            Self::Panicked(message) => StepError::Failed(
                Error::msg(message).context(format!("activity `{activity}` panicked")),
            ),
            Self::Failed(()) => {
                StepError::Failed(Error::msg(format!("activity `{activity}` gave no value")))
            }
        }
    }
}

/// The two sides of a `Result`, for code that only has the name of an alias.
pub trait ResultParts {
    /// The value.
    type Ok;
    /// The error.
    type Err;

    /// The same value as a plain `Result`.
    ///
    /// # Errors
    /// The error, if it is one.
    fn into_result(self) -> Result<Self::Ok, Self::Err>;

    /// The error, if it is one.
    fn err_ref(&self) -> Option<&Self::Err>;

    /// The result that is this error.
    fn from_err(error: Self::Err) -> Self;
}

impl<T, E> ResultParts for Result<T, E> {
    type Ok = T;
    type Err = E;

    fn into_result(self) -> Self {
        self
    }

    fn err_ref(&self) -> Option<&E> {
        self.as_ref().err()
    }

    fn from_err(error: E) -> Self {
        Err(error)
    }
}

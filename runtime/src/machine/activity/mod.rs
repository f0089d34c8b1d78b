//! Activities as workflow code sees them: a call, and what it comes to.

mod error;
mod outcome;
mod returned;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::task::Poll;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::error::{ActivityError, TimeoutKind};
use self::outcome::{See, Seen, outcome};
pub use self::returned::{Fallible, Plain, ResultParts, ReturnShape, Unreturned};
use super::future::sealed::Sealed;
use super::{Context, DurableFuture, Fut, Parked, StepError, Values, operation_token};
use crate::activities::ReportedError;
use crate::activities::report::{Returns, no_error};
use crate::codec::{Arguments, CodecError, Described};
use crate::model::{ActivityOperation, Handle, Operation, Payload, RetryPolicy};

/// An activity definition: the type that `#[activity]` emits under the function's name.
pub trait Activity: Sized + 'static {
    /// What the function returns. Values of it can be saved, see [`Activity::RETURNED`].
    type Return;
    /// What awaiting a call gives in a workflow: `T` for a function that returns `T`, and
    /// `Result<T, ActivityError<E>>` for one that returns `Result<T, E>`.
    type Output;
    /// Which of the two it is: [`Plain`] or [`Fallible`].
    type Shape: ReturnShape<Self::Return, Output = Self::Output>;
    /// The stored name.
    const NAME: &'static str;
    /// What the attribute says.
    const OPTIONS: ActivityOptions = ActivityOptions::DEFAULT;
    /// How what the function returns is encoded.
    const RETURNED: &'static Values<Self::Return>;
    /// What the engine has to know of the error that the function returned, if it did.
    const ERROR: fn(&Self::Return) -> Option<ReportedError> = no_error;
    /// What a report on it is made with.
    #[doc(hidden)]
    const RETURNS: &'static Returns<Self::Return> =
        &Returns { values: Self::RETURNED, error: Self::ERROR };
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
    call: Call,
    activity: PhantomData<fn() -> A>,
}

/// A call, whichever activity it is of.
struct Call {
    name: &'static str,
    arguments: Result<Payload, CodecError>,
    options: ActivityOptions,
}

impl<A: Activity> ActivityCall<A> {
    /// A call with these arguments. One that could not be encoded is reported when the call is
    /// awaited.
    pub fn new(arguments: Arguments) -> Self {
        let call = Call { name: A::NAME, arguments: arguments.finish(), options: A::OPTIONS };
        Self { call, activity: PhantomData }
    }

    /// Sets the retry policy of this call.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.call.options.retry = policy;
        self
    }

    /// Sets how long one attempt may take.
    pub fn start_to_close(mut self, limit: Duration) -> Self {
        self.call.options.start_to_close = Some(limit);
        self
    }

    /// Sets how long all attempts together may take, waits included.
    pub fn schedule_to_close(mut self, limit: Duration) -> Self {
        self.call.options.schedule_to_close = Some(limit);
        self
    }

    /// Sets how long an attempt may wait for its turn, see
    /// [`ActivityOptions::schedule_to_start`].
    pub fn schedule_to_start(mut self, limit: Duration) -> Self {
        self.call.options.schedule_to_start = Some(limit);
        self
    }

    /// Sets how long an attempt may be silent, see [`ActivityOptions::heartbeat`].
    pub fn heartbeat(mut self, limit: Duration) -> Self {
        self.call.options.heartbeat = Some(limit);
        self
    }

    /// Has the workers of this queue attempt it, and not the worker that owns the run. The call
    /// waits in the database until one of them has room.
    pub fn queue(mut self, queue: impl Into<Cow<'static, str>>) -> Self {
        self.call.options.queue = Some(queue.into());
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

impl Call {
    fn start(self, cx: &Context) -> Result<PendingActivity, StepError> {
        let Self { name, arguments, options } = self;
        let handle = cx.ask(Operation::Activity(Box::new(ActivityOperation {
            name: Cow::Borrowed(name),
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

    /// What a step does with a call that it awaits alone.
    fn suspend(self, state: u32, parked: &mut Parked, cx: &Context) {
        operation_token::wait_for(self.start(cx), state, parked);
    }
}

/// [`DurableFuture::poll`] of a call.
fn poll_handle<R, S: ReturnShape<R>>(
    values: &Values<R>,
    handle: Handle,
    cx: &Context,
) -> Result<Poll<S::Output>, StepError> {
    let mut seen = Seen::<R, S>::none(values);
    let outcome = outcome(handle, cx, values.described(), &mut seen);
    match (outcome, ManuallyDrop::into_inner(seen.output)) {
        (Ok(_), Some(output)) => Ok(Poll::Ready(output)),
        (Ok(_), None) => Ok(Poll::Pending),
        (Err(error), _) => Err(error),
    }
}

fn suspend<A>(call: ActivityCall<A>, state: u32, parked: &mut Parked, cx: &Context) {
    call.call.suspend(state, parked, cx);
}

/// What a step does when it comes back to a call that it awaits alone.
fn resume<A: Activity>(parked: &mut Parked, cx: &Context) -> Option<A::Output> {
    resume_with::<_, A::Shape>(A::RETURNED, parked, cx)
}

/// What the call that a state awaits alone has come to.
pub(super) fn resume_with<R, S: ReturnShape<R>>(
    values: &Values<R>,
    parked: &mut Parked,
    cx: &Context,
) -> Option<S::Output> {
    let mut seen = Seen::<R, S>::none(values);
    look(parked, cx, values.described(), &mut seen);
    ManuallyDrop::into_inner(seen.output)
}

/// Has `see` look at it, once it has ended.
fn look(parked: &mut Parked, cx: &Context, returned: Described, see: &mut dyn See) {
    let Some(handle) = awaited(parked, cx) else { return };
    if let Err(error) = outcome(handle, cx, returned, see) {
        parked.next.failed = Some(error);
    }
}

/// The call that a state awaits alone, unless the step is to give it up.
fn awaited(parked: &mut Parked, cx: &Context) -> Option<Handle> {
    match operation_token::load(parked, 0) {
        Ok(PendingActivity(handle)) if cx.is_giving_up() => cx.settle(handle),
        Ok(PendingActivity(handle)) => return Some(handle),
        Err(error) => parked.next.failed = Some(error),
    }
    None
}

impl<A> Sealed for ActivityCall<A> {}

#[diagnostic::do_not_recommend]
impl<A: Activity> DurableFuture for ActivityCall<A> {
    type Output = A::Output;
    type Pending = PendingActivity;

    fn start(self, cx: &Context) -> Result<PendingActivity, StepError> {
        self.call.start(cx)
    }

    fn poll(pending: &mut PendingActivity, cx: &Context) -> Result<Poll<A::Output>, StepError> {
        poll_handle::<_, A::Shape>(A::RETURNED, pending.0, cx)
    }

    fn cancel(pending: PendingActivity, cx: &Context) -> Result<(), StepError> {
        cx.settle(pending.0);
        Ok(())
    }

    fn token() -> Fut<Self, A::Output> {
        Fut { suspend: suspend::<A>, resume: resume::<A> }
    }
}

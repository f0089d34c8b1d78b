//! Activities in workflow code: a call and its outcome.

mod error;
mod outcome;
mod returned;
mod saved;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::task::Poll;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::error::{ActivityError, TimeoutKind};
pub use self::returned::{Outcomes, ResultParts};
pub(crate) use self::saved::StoredCall;
use super::context::items::check_key;
use super::future::sealed::Sealed;
use super::turns::Arrived;
use super::values::ArgumentKind;
use super::{Awaited, Context, DurableFuture, Parked, StepError};
use crate::activities::transaction::ConnectionKind;
use crate::activities::{ActivityContext, Attempt, ReportedError};
use crate::codec::{self, Arguments, CodecError, Reader};
use crate::error::{Error, KeyError};
use crate::generated::{Fut, operation_token};
use crate::hidden::Hidden;
use crate::model::{ActivityOperation, Handle, Operation, Payload, RetryPolicy};

/// An activity definition: the type that `#[activity]` emits under the function's name.
pub trait Activity: Sized + 'static {
    /// The return type of the function.
    type Return;
    /// The output of a call in a workflow: `T` for a function that returns `T`, and `Result<T, ActivityError<E>>`
    /// for one that returns `Result<T, E>`.
    type Output;
    /// The error type of the function: `E` in `Result<T, E>`, otherwise [`Infallible`](std::convert::Infallible).
    type Error;
    /// The stored name.
    const NAME: &'static str;
    /// The file and the line of the definition, for error messages.
    #[doc(hidden)]
    const PLACE: (&'static str, u32) = ("", 0);
    /// The options of the attribute.
    const OPTIONS: ActivityOptions = ActivityOptions::DEFAULT;
    /// How its return value is handled.
    const OUTCOMES: &'static Outcomes<Self::Return, Self::Output, Self::Error>;
    /// The schemas of the arguments.
    #[doc(hidden)]
    const ARGUMENTS: &'static [ArgumentKind];
    /// The type of its connection, if its writes are committed with the state of the run.
    #[doc(hidden)]
    const CONNECTION: Option<ConnectionKind> = None;

    /// The properties of an error that the function returned.
    #[doc(hidden)]
    fn error(_: &Self::Error) -> ReportedError {
        unreachable!("an activity that returns no `Result` returns no errors")
    }

    /// Decodes arguments, and begins an attempt with them.
    #[doc(hidden)]
    fn attempt(_: &ActivityContext, _: &mut Reader<'_>) -> Option<Attempt> {
        unreachable!("an activity that is registered has a function")
    }
}

/// The options of an activity. The attribute sets the defaults, and a call may change them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActivityOptions {
    /// The retry policy.
    pub retry: RetryPolicy,
    /// The time limit of one attempt. Default: no limit.
    pub start_to_close: Option<Duration>,
    /// The time limit of all attempts together, including waits. Default: no limit.
    pub schedule_to_close: Option<Duration>,
    /// Whether it is never attempted twice. If its worker dies during the attempt, the workflow gets
    /// [`ActivityError::OutcomeUnknown`]; errors are not retried. Default: no.
    pub at_most_once: bool,
    /// Whether it is retried after a panic, by the policy, like after any failure. Set by the activity; a call
    /// cannot change it. Default: yes.
    pub retry_panics: bool,
    /// Whether the function blocks its thread. It then runs on the worker's threads for such functions, see
    /// [`Worker::max_blocking`](crate::worker::Worker::max_blocking). A thread cannot be stopped: after a timeout
    /// or a cancellation the function continues to its end, and keeps its slot until then. Default: no.
    pub blocking: bool,
    /// The maximum number of running attempts of this activity in one worker. Default: no such limit.
    pub max_concurrent: Option<u32>,
    /// The queue whose workers attempt it, see [`Worker::queue`](crate::worker::Worker::queue). Default: none; the
    /// run's owner attempts it.
    pub queue: Option<Cow<'static, str>>,
    /// How long a due attempt may wait: on a queue for a worker with room, otherwise for a slot in the run's owner.
    /// After that it is not made and not retried. Default: no limit.
    pub schedule_to_start: Option<Duration>,
    /// How long an attempt may go without a [heartbeat](crate::activities::ActivityContext::heartbeat), counted
    /// from its start. Default: no limit.
    pub heartbeat: Option<Duration>,
    /// The delay between the call and the first attempt, which may be made later, never earlier. The limits for
    /// waiting and for an attempt are counted from then on, [`schedule_to_close`](Self::schedule_to_close) from the
    /// call. Default: none.
    pub delay: Option<Duration>,
    /// Of the calls on a queue that are due, workers attempt those with a higher priority first, and of one priority
    /// those that have been due for longest. A call waits as long as others with a higher priority are due. Has no
    /// effect without a queue. Default: 0.
    pub priority: i16,
    /// The id of the call within its queue. The queue executes one call per key, and all calls with the key get its
    /// outcome. See [`ActivityCall::key`]. Default: none.
    pub key: Option<String>,
    /// How long the queue keeps a [key](Self::key) with its outcome after the activity has ended. Default: a day.
    pub key_retention: Option<Duration>,
    /// The partition of the queue to which the call belongs. The partitions of a queue take turns, and have limits, see
    /// [`QueueHandle::limit`](crate::client::QueueHandle::limit). Nothing without a queue. Default: empty, which is
    /// the partition of all calls that name none.
    pub partition: Cow<'static, str>,
}

impl Default for ActivityOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl ActivityOptions {
    /// Retried without a limit of attempts or time.
    pub const DEFAULT: Self = Self {
        retry: RetryPolicy::DEFAULT,
        start_to_close: None,
        schedule_to_close: None,
        at_most_once: false,
        retry_panics: true,
        blocking: false,
        max_concurrent: None,
        queue: None,
        schedule_to_start: None,
        heartbeat: None,
        delay: None,
        priority: 0,
        key: None,
        key_retention: None,
        partition: Cow::Borrowed(""),
    };

    /// How long a key is kept by default.
    pub(crate) const KEY_RETENTION: Duration = Duration::from_secs(86_400);
}

/// Whether and when errors of an activity are retried. Errors of types without an implementation are retried, by
/// the policy.
pub trait Retryable {
    /// Whether another attempt may succeed. Default: yes.
    fn is_retryable(&self) -> bool {
        true
    }

    /// When to retry, instead of the policy's delay, such as an HTTP `Retry-After`. Default: by the policy.
    fn retry_after(&self) -> Option<Duration> {
        None
    }
}

/// A call of an activity, returned by the function marked `#[activity]`. It runs when a workflow awaits it, at once
/// or later: it may be held across awaits, also in a list or a field.
#[must_use = "an activity does nothing until it is awaited in a workflow"]
pub struct ActivityCall<A> {
    #[doc(hidden)]
    pub call: Call,
    #[doc(hidden)]
    pub activity: PhantomData<fn() -> A>,
}

/// A call of any activity.
#[doc(hidden)]
pub struct Call {
    name: &'static str,
    arguments: Result<Payload, CodecError>,
    /// The options that differ from the defaults.
    options: Option<Box<dyn Hidden<ActivityOptions> + Send + Sync>>,
}

impl<A: Activity> ActivityCall<A> {
    /// Sets the retry policy of this call.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.call.options().retry = policy;
        self
    }

    /// Sets the time limit of one attempt.
    pub fn start_to_close(mut self, limit: Duration) -> Self {
        self.call.options().start_to_close = Some(limit);
        self
    }

    /// Sets the time limit of all attempts together, including waits.
    pub fn schedule_to_close(mut self, limit: Duration) -> Self {
        self.call.options().schedule_to_close = Some(limit);
        self
    }

    /// Sets how long a due attempt may wait, see [`ActivityOptions::schedule_to_start`].
    pub fn schedule_to_start(mut self, limit: Duration) -> Self {
        self.call.options().schedule_to_start = Some(limit);
        self
    }

    /// Sets how long an attempt may go without a heartbeat, see [`ActivityOptions::heartbeat`].
    pub fn heartbeat(mut self, limit: Duration) -> Self {
        self.call.options().heartbeat = Some(limit);
        self
    }

    /// Sets the delay of the first attempt, see [`ActivityOptions::delay`].
    pub fn delay(mut self, delay: Duration) -> Self {
        self.call.options().delay = Some(delay);
        self
    }

    /// Sets the priority on its queue, see [`ActivityOptions::priority`].
    pub fn priority(mut self, priority: i16) -> Self {
        self.call.options().priority = priority;
        self
    }

    /// Has the workers of this queue attempt it, and not the worker that owns the run. The call
    /// waits in the database until one of them has room. A name has 1 to 1,000 bytes, without the character NUL; with
    /// another one the step fails, and the run with it. Has no effect for a transaction, which the worker that owns
    /// the run commits.
    pub fn queue(mut self, queue: impl Into<Cow<'static, str>>) -> Self {
        if A::CONNECTION.is_none() {
            self.call.options().queue = Some(queue.into());
        }
        self
    }
}

impl<A: Activity> ActivityCall<A> {
    /// Sets a key of the call on its queue. If another call of the activity, by any run, has the same key there, this
    /// call is not executed: it gets the outcome of the first call, both while that is running and afterwards as long
    /// as the [key is kept](Self::key_retention). The arguments and options of the first call apply.
    ///
    /// The activity belongs to the queue: a run that no longer awaits it, or is closed, does not stop it. Has no
    /// effect for a call without a queue and for a compensation.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.call = self.call.keyed(key.into());
        self
    }

    /// Sets how long the queue keeps the [key](Self::key) with its outcome, see [`ActivityOptions::key_retention`].
    pub fn key_retention(mut self, retention: Duration) -> Self {
        self.call.options().key_retention = Some(retention);
        self
    }

    /// Sets the partition of the queue to which the call belongs, see [`ActivityOptions::partition`]. Has no effect
    /// for a call without a queue and for a compensation.
    pub fn partition(mut self, partition: impl Into<Cow<'static, str>>) -> Self {
        self.call.options().partition = partition.into();
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

impl PendingActivity {
    pub(crate) fn handle(&self) -> Handle {
        self.0
    }
}

impl From<Handle> for PendingActivity {
    fn from(handle: Handle) -> Self {
        Self(handle)
    }
}

impl Call {
    /// Creates a call with these arguments. An argument that could not be encoded is reported when the call is awaited.
    pub fn new(arguments: Arguments, name: &'static str) -> Self {
        Self { name, arguments: arguments.finish(), options: None }
    }

    /// Sets the options of the call.
    pub fn with(self, options: ActivityOptions) -> Self {
        Self { options: Some(Box::new(options)), ..self }
    }

    fn options(&mut self) -> &mut ActivityOptions {
        let options = self.options.get_or_insert_with(|| Box::new(ActivityOptions::DEFAULT));
        (**options).reveal_mut()
    }

    /// Sets the key of the call.
    #[doc(hidden)]
    pub fn keyed(mut self, key: String) -> Self {
        self.options().key = Some(key);
        self
    }

    /// The same call in this partition of its queue.
    #[doc(hidden)]
    pub fn within(mut self, partition: String) -> Self {
        self.options().partition = partition.into();
        self
    }

    fn start(mut self, cx: &Context) -> Result<PendingActivity, StepError> {
        let item = self.take_key();
        let activity = self.into_operation(cx)?;
        if let Some((queue, key, retention)) = item {
            return cx.offer(queue, key, retention, activity).map(PendingActivity);
        }
        Ok(PendingActivity(cx.ask(Operation::Activity(Box::new(activity)))))
    }

    /// The queue, the key and how long the key is kept, if the call has a queue and a key.
    fn take_key(&mut self) -> Option<(String, String, Duration)> {
        let options = (**self.options.as_mut()?).reveal_mut();
        let (queue, key) = (options.queue.as_ref()?.clone().into_owned(), options.key.take()?);
        Some((queue, key, options.key_retention.unwrap_or(ActivityOptions::KEY_RETENTION)))
    }

    /// The operation that the current step requests.
    pub(crate) fn into_operation(self, cx: &Context) -> Result<ActivityOperation, StepError> {
        let Self { name, arguments, options } = self;
        let options = match options {
            Some(mut options) => std::mem::take((*options).reveal_mut()),
            None => ActivityOptions::DEFAULT,
        };
        if let Some(queue) = &options.queue {
            // No worker can serve another one.
            check_key(name, "be on the queue", queue)?;
        }
        check_partition(name, &options.partition)?;
        Ok(ActivityOperation {
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
            retry_at: options.delay.map(|delay| cx.now() + delay),
            queue: options.queue.map(Cow::into_owned),
            priority: options.priority,
            partition: options.partition.into_owned(),
            schedule_to_start: options.schedule_to_start,
            heartbeat: options.heartbeat,
            details: None,
            awaited: None,
            last_failure: None,
        })
    }

    /// Awaits the call alone.
    fn suspend(self, state: u32, parked: &mut Parked, cx: &Context) {
        operation_token::wait_for(self.start(cx), state, parked);
    }
}

/// Whether a database can store the name of a partition.
fn check_partition(activity: &str, partition: &str) -> Result<(), StepError> {
    let checked = if partition.is_empty() { Ok(()) } else { KeyError::check(partition) };
    checked.map_err(|error| {
        let shown = partition.chars().take(40).collect::<String>();
        let context = format!("`{activity}` cannot have the partition {shown:?}");
        StepError::Failed(Error::from(error).context(context))
    })
}

fn suspend<A>(call: ActivityCall<A>, state: u32, parked: &mut Parked, cx: &Context) {
    call.call.suspend(state, parked, cx);
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
        let mut saved = Vec::new();
        codec::encode_into(pending, &mut saved).map_err(StepError::Encode)?;
        let mut alone = Parked::alone(&saved);
        match (A::OUTCOMES.resume)(&mut alone, cx) {
            Some(output) => Ok(Poll::Ready(output)),
            None => alone.next.failed.map_or(Ok(Poll::Pending), Err),
        }
    }

    fn arrived(pending: &PendingActivity, cx: &Context) -> Arrived {
        cx.arrived(pending.0)
    }

    fn cancel(pending: PendingActivity, cx: &Context) -> Result<(), StepError> {
        cx.settle(pending.0);
        Ok(())
    }

    const AWAITED: Awaited = Awaited::Activity {
        name: A::NAME,
        arguments: A::ARGUMENTS,
        returned: A::OUTCOMES.returned,
    };
    const ALONE: Fut<Self> =
        Fut { suspend: suspend::<A>, resume: A::OUTCOMES.resume, awaited: &Self::AWAITED };
}

//! Driving one machine: it takes arrivals, makes a step and returns a snapshot.

mod arrivals;
mod attempts;
mod ending;
mod outstanding;

use std::borrow::Cow;
use std::cell::Cell;
use std::task::Poll;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

pub(crate) use self::arrivals::Arrivals;
pub use self::arrivals::SetAside;
use super::branches::{advance, states_of_branches};
use super::replies;
use super::spawn::Ledger;
use super::unreadable::readable;
use super::{Context, Failure, NextRun, Parked, Returned, RunInfo, TimeoutKind, WorkflowEntry};
use crate::codec::{self, CodecError, SnapshotView};
use crate::error::Error;
#[cfg(feature = "engine")]
use crate::model::Terms;
use crate::model::{
    ChildEnd, DefinitionHash, Ending, Handle, ItemFailure, Operation, Payload, PromiseOutcome,
    Snapshot, Timestamp, Wait,
};

/// Why a step failed. The state before it is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A value could not be encoded.
    #[error(transparent)]
    Encode(CodecError),
    /// A saved value could not be read.
    #[error(transparent)]
    Decode(CodecError),
    /// A signal sent by another build does not fit its present type.
    #[error("the signal `{name}` cannot be read: {error}")]
    Signal {
        /// The signal's stored name.
        name: &'static str,
        /// The mismatch.
        error: CodecError,
    },
    /// An update sent by another build does not fit its present type.
    #[error("the update `{name}` cannot be read: {error}")]
    Update {
        /// The update's stored name.
        name: &'static str,
        /// The mismatch.
        error: CodecError,
    },
    /// The outcome of a promise does not fit the type that the code expects.
    #[error("the outcome of the promise `{name}` cannot be read: {error}")]
    Promise {
        /// The name of the promise.
        name: String,
        /// The mismatch.
        error: CodecError,
    },
    /// The state was written by another definition of the workflow.
    #[error("the state was written by definition {found}, this build has {current}")]
    Definition {
        /// The definition of the state.
        found: DefinitionHash,
        /// The definition in this build.
        current: DefinitionHash,
    },
    /// The definition has no state with this number.
    #[error("the workflow has no state number {0}")]
    UnknownState(u32),
    /// The run has failed: an operation failed in a way that its code cannot handle.
    #[error("{0}")]
    Failed(Error),
    /// The run is cancelled: a request to cancel ended an await that returns no `Result`.
    #[error("cancelled")]
    Cancelled,
    /// The run continues as another one. Not an error of the step.
    #[doc(hidden)]
    #[error("the run continues as a new one")]
    Continued(Box<NextRun>),
    /// The step was made twice with different results: it depends on something that is neither in the state nor in
    /// the arrivals, such as a clock. See [`Standalone::advance_twice`](super::Standalone::advance_twice).
    #[error(
        "the step from state `{state}`, made twice, {differs}: it depends on something that is not in the state"
    )]
    Unrepeatable {
        /// The name of the state in which the step began.
        state: String,
        /// The difference.
        differs: &'static str,
    },
}

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum OperationOutcome {
    /// The activity returned; the payload is its whole return value.
    Returned(Payload),
    /// The activity took too long.
    TimedOut(TimeoutKind),
    /// The activity was cancelled.
    Cancelled,
    /// The activity panicked in its last attempt.
    Panicked(String),
    /// The activity could not be executed. The reason, as text for users.
    Unusable(String),
    /// The only attempt of the activity was interrupted.
    Unknown,
    /// The outcome of the promise.
    Promise(PromiseOutcome),
    /// The child has ended, or was not started.
    Child(Box<ChildEnd>),
}

/// An item of a queue has the outcome of a promise; the code awaits an activity.
impl From<PromiseOutcome> for OperationOutcome {
    fn from(outcome: PromiseOutcome) -> Self {
        match outcome {
            PromiseOutcome::Resolved(payload) | PromiseOutcome::Rejected(payload) => {
                Self::Returned(payload)
            }
            PromiseOutcome::Broken(cause) => Self::Unusable(cause.to_string()),
            PromiseOutcome::Expired => Self::TimedOut(TimeoutKind::ScheduleToClose),
            PromiseOutcome::Failed(failure) => match failure {
                ItemFailure::TimedOut(kind) => Self::TimedOut(kind),
                ItemFailure::Cancelled => Self::Cancelled,
                ItemFailure::Panicked(message) => Self::Panicked(message),
                ItemFailure::Unusable(reason) => Self::Unusable(reason),
                ItemFailure::Unknown => Self::Unknown,
            },
            PromiseOutcome::Unreadable { reason, .. } => Self::Unusable(reason),
        }
    }
}

impl From<OperationOutcome> for PromiseOutcome {
    fn from(outcome: OperationOutcome) -> Self {
        Self::Failed(match outcome {
            OperationOutcome::Returned(payload) => return Self::Resolved(payload),
            OperationOutcome::Promise(outcome) => return outcome,
            OperationOutcome::TimedOut(kind) => ItemFailure::TimedOut(kind),
            OperationOutcome::Cancelled => ItemFailure::Cancelled,
            OperationOutcome::Panicked(message) => ItemFailure::Panicked(message),
            OperationOutcome::Unusable(reason) => ItemFailure::Unusable(reason),
            OperationOutcome::Unknown => ItemFailure::Unknown,
            OperationOutcome::Child(_) => {
                ItemFailure::Unusable("its outcome is the end of a child".to_owned())
            }
        })
    }
}

/// The outcome of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum StepOutcome {
    /// The machine waits; see [`Machine::wait`].
    Parked,
    /// The workflow returned.
    Returned {
        /// Its encoded return value.
        result: Payload,
        /// The properties of the error, if it returned one.
        failure: Option<Failure>,
    },
    /// The run has ended, and this one follows.
    Continued(Box<NextRun>),
    /// The workflow failed, and its compensations have run; this is how the run ends.
    Compensated(Box<Ending>),
}

/// A state machine between steps, with its arrivals.
#[derive(Debug)]
pub struct Machine {
    entry: &'static WorkflowEntry,
    cx: Context,
    frame: Bytes,
    state: Cow<'static, str>,
    wait: Wait,
    steps: u64,
    cancelled: Option<String>,
    /// When the last step began, by the time of runs.
    clock: Timestamp,
    /// How the run ends, while its compensations are running.
    ending: Option<Box<Ending>>,
    /// The number of parts of a wait for all that are known to be true since the last step. They stay true until
    /// the next step, so a wait for n arrivals takes n checks and not n².
    met: Cell<usize>,
    /// Operations that the next step drops.
    given_up: Vec<Handle>,
}

impl Machine {
    /// A machine before its first step.
    ///
    /// # Errors
    /// [`StepError::Decode`] if the arguments are not those of the workflow.
    pub fn start(
        entry: &'static WorkflowEntry,
        run: RunInfo,
        arguments: &Payload,
    ) -> Result<Self, StepError> {
        let definition = entry.definition();
        definition.check(arguments).map_err(StepError::Decode)?;
        let frame = Parked::start(definition, arguments).frame().clone();
        Ok(Self {
            entry,
            cx: Context::new(run, entry.name, 0, Vec::new()),
            frame,
            state: definition.states[0].node.name.into(),
            wait: Wait::All(Vec::new()),
            steps: 0,
            cancelled: None,
            clock: Timestamp::MIN,
            ending: None,
            met: Cell::new(0),
            given_up: Vec::new(),
        })
    }

    /// Takes over the unanswered updates of the previous run, before this one has begun.
    pub(crate) fn take_answers_over(&self, answers: Vec<Operation>) {
        self.cx.take_answers_over(answers);
    }

    /// Answers the run's unanswered updates as dropped.
    #[cfg(feature = "engine")]
    pub(crate) fn drop_answers(&self) {
        self.cx.answer_dropped(&[]);
    }

    /// The machine of a snapshot.
    pub fn resume(entry: &'static WorkflowEntry, run: RunInfo, snapshot: Snapshot) -> Self {
        Self {
            entry,
            cx: Context::new(run, entry.name, snapshot.next_handle, snapshot.operations),
            frame: snapshot.frame.into(),
            state: snapshot.state.into(),
            wait: snapshot.wait,
            steps: snapshot.steps,
            cancelled: snapshot.cancelled,
            clock: snapshot.clock,
            ending: snapshot.ending,
            met: Cell::new(0),
            given_up: Vec::new(),
        }
    }

    /// Makes the next step drop these operations, because the code that awaited them no longer exists.
    #[cfg(feature = "engine")]
    pub(crate) fn give_up(&mut self, operations: Vec<Handle>) {
        self.given_up = operations;
    }

    /// Sets the terms of the run.
    #[cfg(feature = "engine")]
    pub(crate) fn set_terms(&self, terms: Terms) {
        self.cx.set_terms(terms);
    }

    /// The terms of the run, if it has any.
    #[cfg(feature = "engine")]
    pub(crate) fn terms(&self) -> Option<Terms> {
        self.cx.terms()
    }

    /// The machine as plain data.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            frame: self.frame.to_vec(),
            state: self.state.clone().into_owned(),
            next_handle: self.cx.next_handle(),
            operations: self.cx.with_operations(|operations| operations.clone()),
            wait: self.wait.clone(),
            steps: self.steps,
            cancelled: self.cancelled.clone(),
            clock: self.clock,
            ending: self.ending.clone(),
        }
    }

    /// The machine as bytes for [`codec::decode_snapshot`], without an intermediate copy.
    ///
    /// # Errors
    /// See [`codec::encode_snapshot`].
    pub fn encode_snapshot(&self) -> Result<Vec<u8>, CodecError> {
        self.cx.with_operations(|operations| {
            codec::encode_snapshot_view(&SnapshotView {
                frame: &self.frame,
                state: &self.state,
                next_handle: self.cx.next_handle(),
                operations,
                wait: &self.wait,
                steps: self.steps,
                cancelled: self.cancelled.as_deref(),
                clock: self.clock,
                ending: self.ending.as_deref(),
            })
        })
    }

    /// The workflow.
    pub fn entry(&self) -> &'static WorkflowEntry {
        self.entry
    }

    /// The context of its steps.
    pub(super) fn cx(&self) -> &Context {
        &self.cx
    }

    /// The name of the machine's state.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// The same as a value to keep; borrowed from the code unless the state comes from a snapshot.
    #[cfg(feature = "engine")]
    pub(crate) fn state_name(&self) -> Cow<'static, str> {
        self.state.clone()
    }

    /// The definition of the state; `None` if the frame is too short.
    #[cfg(feature = "engine")]
    pub(crate) fn written_by(&self) -> Option<DefinitionHash> {
        self.frame.first_chunk().map(|hash| DefinitionHash(u64::from_le_bytes(*hash)))
    }

    /// The names of the states that the `async` blocks in the branches of the state are in, such as
    /// `join.0.charge`, each before those in its own branches.
    ///
    /// # Errors
    /// Like [`Machine::step`], if the state cannot be read.
    pub fn branches(&self) -> Result<Vec<&'static str>, StepError> {
        let parked = Parked::read(self.frame.clone(), self.entry.definition())?;
        states_of_branches(&parked)
    }

    /// The condition that the machine waits for.
    pub fn wait(&self) -> &Wait {
        &self.wait
    }

    /// The number of steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The reason of the request to cancel, if there is one.
    pub fn cancel_reason(&self) -> Option<String> {
        self.cancelled
            .clone()
            .or_else(|| self.cx.with_arrivals(|arrivals| arrivals.cancel_reason()))
    }

    /// The reason of a request to cancel a run whose code has not begun, so that nothing has to be interrupted or
    /// cleaned up. Consumes the request.
    #[cfg(feature = "engine")]
    pub(crate) fn cancelled_before_it_began(&mut self) -> Option<String> {
        match self.steps {
            0 => self.cx.with_arrivals(Arrivals::use_cancel_up),
            _ => None,
        }
    }

    /// Consumes the request to cancel that has ended the run, so that it does not move to the successor.
    #[cfg(feature = "engine")]
    pub(crate) fn use_cancel_up(&mut self) {
        self.cx.with_arrivals(Arrivals::use_cancel_up);
    }

    /// The reason of a request to cancel, if the run returned an error because of it: the request is a source of
    /// the error, or the type of the error has no sources and the code has received the request.
    pub(crate) fn cancelled_by(&self, failure: &Failure) -> Option<String> {
        match failure.is_cancellation {
            Some(true) => self.cancel_reason(),
            Some(false) => None,
            None => self.cancelled.clone(),
        }
    }

    /// Makes one step. It begins `now`, or at the time of the last step if that is later.
    ///
    /// See [`StepError`]. The machine's state does not change, arrivals taken by the failed step are returned, and
    /// its messages are dropped. Operations that it started or completed stay so, so the machine must not make
    /// another step.
    /// must not be stepped again.
    ///
    /// If the workflow's code panics. The machine is then as after an error, once [`Machine::put_back`] has been
    /// called. With `panic = "abort"`, also if a saved local cannot be decoded.
    pub fn step(&mut self, now: Timestamp) -> Result<StepOutcome, StepError> {
        let now = now.max(self.clock);
        self.cx.begin_step(self.steps, now, self.clock);
        if self.ending.is_some() {
            return Ok(self.step_ending(now));
        }
        let mut parked = Parked::read(self.frame.clone(), self.entry.definition())?;
        let mut step = |parked: &mut Parked| self.entry.steps.step(parked, &self.cx);
        let ledger = Ledger::open(self.cx.run_id());
        let (stepped, answers) =
            replies::collect(|| readable(|| advance(&mut parked, &self.cx, &mut step)));
        let (stepped, next) = match stepped {
            Err(StepError::Continued(next)) => (Ok(Poll::Pending), Some(next)),
            stepped => (stepped, None),
        };
        let stepped = stepped.and_then(|outcome| self.cx.check_sent().map(|()| outcome));
        let stepped = stepped.and_then(|outcome| self.cx.check_labels().map(|()| outcome));
        let stepped = stepped.and_then(|outcome| self.cx.answer(answers).map(|()| outcome));
        let outcome = match stepped {
            Ok(outcome) => outcome,
            Err(error) => {
                self.put_back();
                return self.failed(error, now);
            }
        };
        let given_up = std::mem::take(&mut self.given_up);
        ledger.lost().into_iter().chain(given_up).for_each(|handle| self.cx.settle(handle));
        self.steps += 1;
        self.clock = now;
        let outcome = match (outcome, next) {
            (_, Some(mut next)) => {
                next.answers = self.cx.hand_answers_over(next.arguments.as_bytes());
                StepOutcome::Continued(next)
            }
            (Poll::Pending, None) => {
                self.frame = parked.frame().clone();
                self.cx.answer_dropped(&self.frame);
                self.state = parked.states[parked.state()].node.name.into();
                self.wait = self.cx.finish_waits();
                self.met.set(0);
                StepOutcome::Parked
            }
            (Poll::Ready(Returned { result, failure }), None) => {
                StepOutcome::Returned { result, failure }
            }
        };
        let cancelled = self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| arrivals.settle(operations))
        });
        if self.cancelled.is_none() {
            self.cancelled = cancelled;
        }
        Ok(self.returned(outcome, now))
    }
}

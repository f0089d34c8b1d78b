//! The traits that `#[workflow]` implements, and calls of workflows.

use std::convert::Infallible;
use std::marker::PhantomData;

use super::entry::entry_of_type;
use super::id_pattern::IdPattern;
use super::values::{ArgumentKind, Values};
use super::{Context, Parked, ResultParts, StepError, WorkflowEntry};
use crate::codec::{Arguments, CodecError, Described};
use crate::error::Error;
use crate::model::{Graph, Payload};

/// A workflow definition: the type that `#[workflow]` emits under the function's name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a workflow",
    label = "not the name of a function with `#[workflow]`",
    note = "the type of a handle or a call names the workflow, not its result: `ChildHandle<bill>`, `RunHandle<bill>`"
)]
pub trait Workflow: Sized + 'static {
    /// The return type of the function. Its values can be saved, see [`Workflow::RETURNED`].
    type Return;
    /// The type of the result of a completed run: `T` for a function that returns `Result<T, E>`, otherwise
    /// [`Self::Return`].
    type Output;
    /// `E` for a function that returns `Result<T, E>`, else [`std::convert::Infallible`].
    type Error;
    /// Which of the two: [`Plain`] or [`Fallible`].
    type Shape: Outcome<Self::Return, Output = Self::Output, Error = Self::Error>;
    /// The type that its step function is a method of.
    type Unit: StepOf<Self, Return = Self::Return>;
    /// The stored name of the definition. See [`Workflow::registered_name`] for that of runs.
    const NAME: &'static str = Self::GRAPH.workflow;
    /// Former stored names of the definition. Runs of these names are runs of it.
    const FORMERLY: &'static [&'static str] = &[];
    /// The version of the definition. A program may have several versions of one name.
    const VERSION: u32 = 1;
    /// The names of its exposed variables.
    const EXPOSED: &'static [&'static str] = &[];
    /// The states and the transitions between them.
    const GRAPH: &'static Graph;
    /// The options of the attribute.
    const OPTIONS: WorkflowOptions = WorkflowOptions::DEFAULT;
    /// What makes the workflow id of a run that is started without another.
    #[doc(hidden)]
    const ID: Option<fn() -> IdPattern> = None;
    /// The steps, without the type of the return value.
    const STEPS: &'static dyn Steps = &Typed {
        step: Self::Unit::step,
        failure: if Self::Shape::MAY_FAIL { Some(Self::failure) } else { None },
        returned: Self::RETURNED,
    };

    /// The schemas of the arguments.
    #[doc(hidden)]
    const ARGUMENTS: &'static [ArgumentKind];

    /// How the return value is encoded.
    const RETURNED: &'static Values<Self::Return>;

    /// The properties of the error, if a return value is one.
    #[doc(hidden)]
    fn failure(_: &Self::Return) -> Option<Failure> {
        None
    }

    /// The workflow, without its type.
    fn entry() -> &'static WorkflowEntry {
        entry_of_type::<Self>()
    }

    /// The name under which runs are stored: that of the definition, or for a generic workflow the
    /// one that [`register!`](macro@crate::register) gave the instance. `None` if it gave none.
    fn registered_name() -> Option<&'static str> {
        Some(Self::NAME)
    }
}

/// The step function of the workflow `W`.
pub trait StepOf<W> {
    /// [`Workflow::Return`].
    type Return;

    /// Makes the transition to the next state, or to the end.
    ///
    /// # Errors
    /// [`Halt`]: the next state is in `parked`, or the step failed.
    fn step(parked: &mut Parked, cx: &Context) -> Result<Self::Return, Halt>;
}

/// How a return value of type `R` becomes the result of a run. Independent of the workflow, so it is compiled once for
/// each `R`.
pub trait Outcome<R> {
    /// See [`Workflow::Output`].
    type Output;
    /// See [`Workflow::Error`].
    type Error;
    /// The error for a parent, which can be saved: [`Outcome::Error`], or [`Error`] if there is none.
    type Failure;
    /// Whether a return value may be an error.
    const MAY_FAIL: bool;

    /// Splits a return value into the output and the error.
    ///
    /// # Errors
    /// The error, if the value is one.
    fn into_result(returned: R) -> Result<Self::Output, Self::Error>;

    /// Converts the error for a parent.
    fn failure(error: Self::Error) -> Self::Failure;
}

/// The shape of any return type but `Result`.
#[derive(Debug)]
pub struct Plain;

/// The shape of a `Result`.
#[derive(Debug)]
pub struct Fallible;

impl<R> Outcome<R> for Plain {
    type Output = R;
    type Error = Infallible;
    type Failure = Error;
    const MAY_FAIL: bool = false;

    fn into_result(returned: R) -> Result<R, Infallible> {
        Ok(returned)
    }

    fn failure(error: Infallible) -> Error {
        match error {}
    }
}

impl<R: ResultParts> Outcome<R> for Fallible {
    type Output = R::Ok;
    type Error = R::Err;
    type Failure = R::Err;
    const MAY_FAIL: bool = true;

    fn into_result(returned: R) -> Result<R::Ok, R::Err> {
        returned.into_result()
    }

    fn failure(error: R::Err) -> R::Err {
        error
    }
}

/// The steps of a workflow, without the type of the return value.
pub trait Steps: Sync {
    /// Like [`StepOf::step`].
    ///
    /// # Errors
    /// Like [`StepOf::step`], and [`StepError::Encode`].
    fn step(&self, parked: &mut Parked, cx: &Context) -> Result<Returned, Halt>;

    /// The description of the return type.
    fn returned(&self) -> Described;
}

/// [`Steps`] of all workflows that return an `R`.
#[derive(Debug)]
pub(crate) struct Typed<R: 'static> {
    step: fn(&mut Parked, &Context) -> Result<R, Halt>,
    failure: Option<fn(&R) -> Option<Failure>>,
    returned: &'static Values<R>,
}

impl<R: 'static> Steps for Typed<R> {
    fn step(&self, parked: &mut Parked, cx: &Context) -> Result<Returned, Halt> {
        match (self.step)(parked, cx) {
            Ok(value) => {
                let mut result = Arguments::value(self.returned.kind.described);
                (self.returned.add)(&mut result, &value);
                returned(
                    result,
                    match self.failure {
                        Some(failure) => failure(&value),
                        None => None,
                    },
                )
            }
            Err(halt) => Err(halt),
        }
    }

    fn returned(&self) -> Described {
        self.returned.kind.described
    }
}

fn returned(result: Arguments, failure: Option<Failure>) -> Result<Returned, Halt> {
    match result.finish() {
        Ok(result) => Ok(Returned { result, failure }),
        Err(error) => Err(Halt::Failed(StepError::Encode(error))),
    }
}

/// The return value of a workflow, without its type.
#[derive(Debug)]
pub struct Returned {
    /// The encoded return value.
    pub result: Payload,
    /// The properties of the error, if it returned one.
    pub failure: Option<Failure>,
}

/// The properties of an error that a workflow has returned, without its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its text.
    pub text: String,
    /// Whether it comes from a request to cancel, if the type of the error shows that.
    pub is_cancellation: Option<bool>,
}

/// Why a step ended without a return value.
#[derive(Debug)]
pub enum Halt {
    /// The machine waits.
    Suspended,
    /// The step failed.
    Failed(StepError),
}

impl From<StepError> for Halt {
    fn from(error: StepError) -> Self {
        Self::Failed(error)
    }
}

/// The options of `#[workflow(…)]`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkflowOptions {
    /// When a step's state is written to disk.
    pub durability: Durability,
    /// The number of past states to keep of a run. Default: none.
    pub history: Option<u32>,
    /// The indexes of hidden parameters.
    #[doc(hidden)]
    pub redacted_parameters: &'static [u32],
    /// Whether a run may continue as one of another workflow.
    #[doc(hidden)]
    pub continues_as_another: bool,
}

impl WorkflowOptions {
    /// The default options.
    pub const DEFAULT: Self = Self {
        durability: Durability::Strict,
        history: None,
        redacted_parameters: &[],
        continues_as_another: false,
    };

    /// The same, with another durability.
    #[must_use]
    pub const fn with_durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// The same, with this number of past states kept.
    #[must_use]
    pub const fn with_history(mut self, states: u32) -> Self {
        self.history = Some(states);
        self
    }

    /// The same, with hidden parameters.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_redacted_parameters(mut self, parameters: &'static [u32]) -> Self {
        self.redacted_parameters = parameters;
        self
    }

    /// The same, for a workflow that may continue as another.
    #[doc(hidden)]
    #[must_use]
    pub const fn continuing_as_another(mut self) -> Self {
        self.continues_as_another = true;
        self
    }
}

/// When a step's state is written to disk. In either mode, everything that others can see of a run, such as its
/// result, is on disk first, and arrivals are removed from the inbox only after the state that consumed them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Before the step's operations start. After a crash, only attempts that were running are repeated.
    Strict,
    /// Some steps later: the run continues while the database writes. After a crash it returns to the last state on
    /// disk, so up to `max_steps` steps are repeated with their activities, and the activities of that state as
    /// well. Activities that run at most once or in a transaction keep their guarantee; the run waits for the
    /// database before them.
    Relaxed {
        /// The maximum number of steps that are not on disk.
        max_steps: u32,
    },
}

impl Durability {
    /// The default number of steps that a relaxed run may be ahead.
    pub const DEFAULT_MAX_STEPS: u32 = 16;
}

/// A call of a workflow, returned by the function marked `#[workflow]`. Started with a client, it becomes a run;
/// awaited in another workflow, it runs inline, as a part of that run.
#[must_use = "a workflow does nothing until it is started or awaited"]
pub struct WorkflowCall<W> {
    /// Its workflow id, unless the start sets another one.
    #[doc(hidden)]
    pub workflow_id: Option<String>,
    /// Arguments that cannot be encoded are reported when the call is started.
    #[doc(hidden)]
    pub arguments: Result<Payload, CodecError>,
    #[doc(hidden)]
    pub workflow: PhantomData<fn() -> W>,
}

impl<W: Workflow> WorkflowCall<W> {
    /// The states of the workflow and the transitions between them.
    pub fn graph(&self) -> &'static Graph {
        W::GRAPH
    }

    /// The encoded arguments.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if an argument cannot be encoded.
    pub fn into_arguments(self) -> Result<Payload, CodecError> {
        self.arguments
    }
}

impl<W> Clone for WorkflowCall<W> {
    fn clone(&self) -> Self {
        Self {
            workflow_id: self.workflow_id.clone(),
            arguments: self.arguments.clone(),
            workflow: PhantomData,
        }
    }
}

impl<W: Workflow> std::fmt::Debug for WorkflowCall<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkflowCall").field("workflow", &W::NAME).finish_non_exhaustive()
    }
}

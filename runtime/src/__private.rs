//! What generated code uses. Not a public API: it changes with the macros of the same version.

pub use std::task::Poll;

pub use inventory;

pub use crate::activities::{
    ActivityContext, ActivityEntry, ActivityReport, BoxFuture, ReportedError, report, transaction,
};

pub use crate::codec::{self, CodecError};
pub use crate::machine::Durable;
pub use crate::machine::instances::{concat, entry_of, instance_definition, instance_name, text};
pub use crate::machine::values::{
    Encodable, Encoded, Stored, Unencodable, Unstored, Values, ValuesOf,
};
pub use crate::machine::{Activity, ActivityCall, ActivityError, ActivityOptions, ResultParts};
pub use crate::machine::{
    Context, Definition, Durability, Halt, Hole, Items, LazyDefinition, Load, Local, Never, Parked,
    Position, Region, Slot, StepError, Workflow, WorkflowCall, WorkflowEntry, WorkflowOptions,
    branch, current_item, forget, future, item_list, items, local, next_item, range, static_text,
    static_texts,
};
pub use crate::model::{AwaitKind, Edge, Graph, Node, Payload, RetryPolicy, SavedLocal};
pub use crate::question::{FromResidual, Question};
pub use crate::strict::Checked;

/// Asks for the bound of a type parameter whose values a workflow stores.
pub const fn stored_parameter<T: Durable>() {}

/// Asks for the bound of a type in a signature.
pub const fn stored<T: Storable>() {}

/// What the arguments and results of workflows and activities are: [`Durable`], by another name in
/// messages.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` cannot be stored",
    label = "arguments and results are stored, and `{Self}` cannot be",
    note = "their types must implement `serde::Serialize` and `serde::de::DeserializeOwned`: derive \
            both for a type of your own; let an error be an enum of your own, `piton::Error` or its \
            text",
    note = "see the rules `workflow_signature` and `activity_signature`"
)]
pub trait Storable: Durable {}

#[diagnostic::do_not_recommend]
impl<T: Durable> Storable for T {}

/// Whether the step is to tell the schemas of its locals and nothing else.
pub fn is_describing(cx: &Context) -> bool {
    cx.is_describing()
}

/// Begins to collect what is waited for: all of it must arrive before the next step, or any.
pub fn open_waits(cx: &Context, all: bool) {
    cx.open_waits(all);
}

/// Ends what [`open_waits`] began; with `keep` it is waited for.
pub fn close_waits(cx: &Context, keep: bool) {
    cx.close_waits(keep);
}

/// The text of an error that may have a `Display` form, a `Debug` form or none.
/// `(&&ErrorText(error)).text()` takes the first of the traits below that fits.
#[derive(Debug)]
pub struct ErrorText<'a, E>(pub &'a E);

/// See [`ErrorText`].
pub trait ByDisplay {
    /// The text.
    fn text(&self) -> String;
}

/// See [`ErrorText`].
pub trait ByDebug {
    /// The text.
    fn text(&self) -> String;
}

/// See [`ErrorText`].
pub trait ByType {
    /// The text.
    fn text(&self) -> String;
}

impl<E: std::fmt::Display> ByDisplay for &ErrorText<'_, E> {
    fn text(&self) -> String {
        self.0.to_string()
    }
}

impl<E: std::fmt::Debug> ByDebug for &&ErrorText<'_, E> {
    fn text(&self) -> String {
        format!("{:?}", self.0)
    }
}

impl<E> ByType for ErrorText<'_, E> {
    fn text(&self) -> String {
        std::any::type_name::<E>().to_owned()
    }
}

/// Stands for an activity that has been refused.
#[derive(Debug)]
pub struct Refused<T>(std::marker::PhantomData<fn() -> T>);

impl<T: 'static> Activity for Refused<T> {
    type Return = ();
    type Output = T;
    const NAME: &'static str = "";
    const OPTIONS: ActivityOptions = ActivityOptions::DEFAULT;

    fn returned() -> Values<()> {
        Values::new()
    }

    fn output(_: Result<(), ActivityError<()>>) -> Result<T, StepError> {
        unreachable!("a program with an activity that is refused does not compile")
    }
}

/// [`Activity::output`] of an activity that returns a `Result`.
pub fn result_output<R: ResultParts>(
    ended: Result<R, ActivityError<()>>,
) -> Result<R::Ok, ActivityError<R::Err>> {
    match ended {
        Ok(returned) => returned.into_result().map_err(ActivityError::Failed),
        Err(failure) => Err(failure.widen()),
    }
}

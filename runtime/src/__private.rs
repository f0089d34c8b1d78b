//! What generated code uses. Not a public API: it changes with the macros of the same version.

pub use std::borrow::Cow;
pub use std::convert::Infallible;
pub use std::iter::Iterator;
pub use std::marker::PhantomData;
pub use std::option::Option::{self, None, Some};
pub use std::result::Result::{self, Err, Ok};
pub use std::task::Poll;

pub use crate::activities::{
    ActivityContext, Attempt, ReportedError, register as register_activity, report, transaction,
};

pub use crate::codec::{Arguments, CodecError, Reader, next_value};
#[cfg(debug_assertions)]
pub use crate::machine::common::COMMON;
pub use crate::machine::instances::{concat, entry_of, instance_name, text};
pub use crate::machine::places::{
    place_of_find, place_of_max, place_of_max_by, place_of_max_by_key, place_of_min,
    place_of_min_by, place_of_min_by_key, place_of_rfind,
};
pub use crate::machine::same_type::{
    calls_0, calls_1, calls_2, calls_3, calls_4, calls_5, calls_6, same_type, takes_0, takes_1,
    takes_2, takes_3, takes_4, takes_5, takes_6,
};
pub use crate::machine::units::*;
pub use crate::machine::values::{
    Encodable, Encoded, Unencodable, Unstored, UnstoredResult, Values, ValuesOf,
};
pub use crate::machine::{
    Activity, ActivityCall, ActivityError, ActivityOptions, Fallible, Plain, ResultParts,
};
pub use crate::machine::{
    Branch, Choice, Context, Definition, Durability, DurableItem, Each, Fut, Halt, Handed, Held,
    HeldByParts, Holds, Hole, Instance, IsBorrowed, Items, KeptKey, Literal, Local, Never, Owned,
    OwnedItems, Parked, Parts, Position, Region, Registered, Slot, StepError, StepOf, Texts, Told,
    TypeOf, Untouched, Workflow, WorkflowCall, WorkflowEntry, WorkflowOptions, beside,
    copy_of_index, copy_of_key, current_copy, current_item, failed, forget, found, given, held_as,
    inclusive_range, inspected, item, item_list, items, keeps, kept, lasting, lender, lent_by,
    lent_mutably, lent_text, local, next_copy, next_item, number, opened, outcome, owned_text,
    owned_texts, range, register, static_text, static_texts, stays, take_ok, told, used_later,
};
pub use crate::machine::{Call, Durable, Outcomes};
pub use crate::model::{Graph, Payload, RetryPolicy};
pub use crate::question::{FromResidual, Question};
pub use crate::registration::Initializer;
pub use crate::strict::Checked;

/// The value of an await that is a statement. rustc says of it what it would say of that.
pub fn discarded<T>(value: T) -> T {
    value
}

/// Asks for the bound of a type parameter whose values a workflow stores.
pub const fn stored_parameter<T: Durable>() {}

/// Asks for the bound of a type in a signature.
pub const fn stored<T: Storable>() {}

/// Adds a value to the arguments of a call, and asks for the bound of its type. It takes the value, so that
/// the function that makes the call has nothing left to drop.
pub fn stored_argument<T: Storable>(mut arguments: Arguments, value: T) -> Arguments {
    arguments.add_owned(value);
    arguments
}

/// The same for a reference.
pub fn lent_argument<T: Storable>(mut arguments: Arguments, value: &T) -> Arguments {
    arguments.add(value);
    arguments
}

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

/// Begins to collect what is waited for: all of it must arrive before the next step, or any.
pub fn open_waits(cx: &Context, all: bool) {
    cx.open_waits(all);
}

/// Ends what [`open_waits`] began; with `keep` it is waited for.
pub fn close_waits(cx: &Context, keep: bool) {
    cx.close_waits(keep);
}

/// The text of an error that may have a `Display` form, a `Debug` form or none.
/// `(&&ErrorText(error)).piton_text()` takes the first of the traits below that fits.
#[derive(Debug)]
pub struct ErrorText<'a, E>(pub &'a E);

/// See [`ErrorText`].
pub trait ByDisplay {
    /// The text.
    fn piton_text(&self) -> String;
}

/// See [`ErrorText`].
pub trait ByDebug {
    /// The text.
    fn piton_text(&self) -> String;
}

/// See [`ErrorText`].
pub trait ByType {
    /// The text.
    fn piton_text(&self) -> String;
}

impl<E: std::fmt::Display> ByDisplay for &ErrorText<'_, E> {
    fn piton_text(&self) -> String {
        displayed(self.0)
    }
}

/// Apart, because what knows the type of the error is compiled for each.
fn displayed(error: &dyn std::fmt::Display) -> String {
    error.to_string()
}

impl<E: std::fmt::Debug> ByDebug for &&ErrorText<'_, E> {
    fn piton_text(&self) -> String {
        debugged(self.0)
    }
}

/// As [`displayed`].
fn debugged(error: &dyn std::fmt::Debug) -> String {
    format!("{error:?}")
}

impl<E> ByType for ErrorText<'_, E> {
    fn piton_text(&self) -> String {
        std::any::type_name::<E>().to_owned()
    }
}

/// Stands for an activity that has been refused.
#[derive(Debug)]
pub struct Refused<T>(PhantomData<fn() -> T>);

impl<T: 'static> Activity for Refused<T> {
    type Return = ();
    type Output = T;
    type Error = Infallible;
    const NAME: &'static str = "";
    const OUTCOMES: &'static Outcomes<(), T, Infallible> = Outcomes::refused();
}

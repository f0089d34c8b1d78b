//! Bounds of the types in signatures, and a placeholder for an activity whose signature is refused.

use std::convert::Infallible;
use std::marker::PhantomData;

use super::{Activity, ArgumentKind, Arguments, Durable, Outcomes};

/// Checks the bound of a type parameter whose values a workflow stores.
pub const fn stored_parameter<T: Durable>() {}

/// Checks the bound of a type in a signature.
pub const fn stored<T: Storable>() {}

/// Adds a value to the arguments of a call, and checks the bound of its type. Takes the value, so that the calling
/// function has nothing left to drop.
pub fn stored_argument<T: Storable>(mut arguments: Arguments, value: T) -> Arguments {
    arguments.add_owned(value);
    arguments
}

/// Like [`stored_argument`], for a reference.
pub fn lent_argument<T: Storable>(mut arguments: Arguments, value: &T) -> Arguments {
    arguments.add(value);
    arguments
}

/// The bound of arguments and results of workflows and activities: [`Durable`], under another name for error
/// messages.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` cannot be stored",
    label = "arguments and results are stored, and `{Self}` cannot be stored",
    note = "their types must implement `serde::Serialize` and `serde::de::DeserializeOwned`: derive both for a type \
            of your own; as an error, use an enum of your own, `piton::Error` or a `String`",
    note = "see the rules `workflow_signature` and `activity_signature`"
)]
pub trait Storable: Durable {}

#[diagnostic::do_not_recommend]
impl<T: Durable> Storable for T {}

/// A placeholder for an activity that was refused.
#[derive(Debug)]
pub struct Refused<T>(PhantomData<fn() -> T>);

impl<T: 'static> Activity for Refused<T> {
    type Return = ();
    type Output = T;
    type Error = Infallible;
    const NAME: &'static str = "";
    const ARGUMENTS: &'static [ArgumentKind] = &[];
    const OUTCOMES: &'static Outcomes<(), T, Infallible> = Outcomes::refused();
}

//! What an activity returns, and what the workflow gets of it.

use std::any::type_name;
use std::mem::ManuallyDrop;

use super::ActivityError;
use super::outcome::{Seen, SeenResult, look};
use crate::codec::{Arguments, add_result};
use crate::machine::values::is_refused;
use crate::machine::{Context, Durable, Parked};

/// What becomes of the values of activities that return an `R` and give a workflow an `O`. It does not depend on the
/// activity, so it is compiled once for each of both.
#[derive(Debug)]
pub struct Outcomes<R: 'static, O> {
    /// Encodes one.
    pub(crate) add: fn(&mut Arguments, &R),
    /// What a step does when it comes back to a call that it awaits alone.
    pub(super) resume: fn(&mut Parked, &Context) -> Option<O>,
}

impl<T: Durable + 'static> Outcomes<T, T> {
    /// What is no `Result`: that the activity failed ends the run.
    pub const fn of() -> &'static Self {
        const { &Self { add: Arguments::add::<T>, resume: resume::<T> } }
    }
}

impl<T, E> Outcomes<Result<T, E>, Result<T, ActivityError<E>>>
where
    T: Durable + 'static,
    E: Durable + 'static,
{
    /// What is one: that the activity failed is an error.
    pub const fn of_result() -> &'static Self {
        const { &Self { add: add_result::<T, E>, resume: resume_result::<T, E> } }
    }
}

impl<R: 'static, O: 'static> Outcomes<R, O> {
    /// Stands for what rustc has refused.
    pub const fn refused() -> &'static Self {
        const { &Self { add: |_, _| is_refused(), resume: |_, _| is_refused() } }
    }
}

fn resume<T: Durable>(parked: &mut Parked, cx: &Context) -> Option<T> {
    let mut seen = Seen { output: ManuallyDrop::new(None) };
    look(parked, cx, type_name::<T>, &mut seen);
    ManuallyDrop::into_inner(seen.output)
}

fn resume_result<T: Durable, E: Durable>(
    parked: &mut Parked,
    cx: &Context,
) -> Option<Result<T, ActivityError<E>>> {
    let mut seen = SeenResult { output: ManuallyDrop::new(None) };
    look(parked, cx, type_name::<Result<T, E>>, &mut seen);
    ManuallyDrop::into_inner(seen.output)
}

/// The two sides of a `Result`, for code that only has the name of an alias.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is called a `Result` and is none",
    label = "this is no `Result` of the standard library, nor another name for one",
    note = "what a workflow or activity returns is taken for a `Result` by its name: give the type another one"
)]
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

    /// The result that is this error.
    fn from_err(error: Self::Err) -> Self;
}

impl<T, E> ResultParts for Result<T, E> {
    type Ok = T;
    type Err = E;

    fn into_result(self) -> Self {
        self
    }

    fn from_err(error: E) -> Self {
        Err(error)
    }
}

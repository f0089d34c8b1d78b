//! The return type of an activity, and the value that the workflow gets of it.

use std::mem::ManuallyDrop;

use super::ActivityError;
use super::outcome::{Seen, SeenError, look, look_at_result};
use crate::activities::{ActivityReport, ReportedError, report};
use crate::codec::{CodecError, Described};
use crate::machine::values::is_refused;
use crate::machine::{Context, Durable, Parked};

/// Reports an attempt that returned an `R`, with the properties of its error.
pub(crate) type Report<R, E> =
    fn(&R, fn(&E) -> ReportedError) -> Result<ActivityReport, CodecError>;

/// The handling of the return values of activities: they return an `R`, with an error of type `E`, and a workflow gets
/// an `O`. Independent of the activity, so it is compiled once for each set of types.
#[derive(Debug)]
pub struct Outcomes<R: 'static, O, E> {
    /// Reports an attempt that returned.
    #[cfg_attr(not(feature = "engine"), expect(dead_code, reason = "a client completes attempts"))]
    pub(crate) report: Report<R, E>,
    /// Resumes a state that awaits the call alone.
    pub(super) resume: fn(&mut Parked, &Context) -> Option<O>,
    /// The description of the return type.
    pub(crate) returned: Described,
    /// Whether the return type is a `Result`.
    pub(crate) may_fail: bool,
}

impl<T: Durable + 'static, E> Outcomes<T, T, E> {
    /// For types other than `Result`: a failure of the activity ends the run.
    pub const fn of() -> &'static Self {
        const {
            &Self {
                report: report::of::<T, E>,
                resume: resume::<T>,
                returned: Described::of::<T>(),
                may_fail: false,
            }
        }
    }
}

impl<T, E> Outcomes<Result<T, E>, Result<T, ActivityError<E>>, E>
where
    T: Durable + 'static,
    E: Durable + 'static,
{
    /// For `Result`: a failure of the activity is an error of the call.
    pub const fn of_result() -> &'static Self {
        const {
            &Self {
                report: report::of_result::<T, E>,
                resume: resume_result::<T, E>,
                returned: Described::of_result::<T, E>(),
                may_fail: true,
            }
        }
    }
}

impl<R: 'static, O: 'static, E: 'static> Outcomes<R, O, E> {
    /// A placeholder for a refused type.
    pub const fn refused() -> &'static Self {
        const {
            &Self {
                report: |_, _| is_refused(),
                resume: |_, _| is_refused(),
                returned: Described::of::<()>(),
                may_fail: false,
            }
        }
    }
}

// If bytes are left over after a value, the value is not dropped, because the step fails.

fn resume<T: Durable>(parked: &mut Parked, cx: &Context) -> Option<T> {
    let mut seen = Seen(ManuallyDrop::new(None));
    if look(parked, cx, Described::of::<T>(), &mut seen) {
        ManuallyDrop::into_inner(seen.0)
    } else {
        None
    }
}

#[expect(clippy::manual_map, reason = "`map` is two more functions for each type to compile")]
fn resume_result<T: Durable, E: Durable>(
    parked: &mut Parked,
    cx: &Context,
) -> Option<Result<T, ActivityError<E>>> {
    let mut value = Seen(ManuallyDrop::new(None));
    let mut error = SeenError(ManuallyDrop::new(None));
    let returned = Described::of_result::<T, E>();
    match look_at_result(parked, cx, returned, &mut value, &mut error) {
        Some(true) => match ManuallyDrop::into_inner(value.0) {
            Some(value) => Some(Ok(value)),
            None => None,
        },
        Some(false) => match ManuallyDrop::into_inner(error.0) {
            Some(error) => Some(Err(error)),
            None => None,
        },
        None => None,
    }
}

/// The two sides of a `Result`, for code that only has the name of an alias.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is named `Result` but is not the standard library's",
    label = "neither the standard library's `Result` nor an alias of it",
    note = "piton recognizes a returned `Result` by its name: rename the type"
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

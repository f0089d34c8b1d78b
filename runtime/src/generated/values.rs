//! Whether the arguments and the return value of a workflow or activity can be encoded.
//!
//! The bound is checked once for each type, at its place in the signature. To avoid further errors for a type that does
//! not meet it, generated code then gets the constants of [`Unstored`] instead of those of [`ValuesOf`].

use std::convert::Infallible;
use std::marker::PhantomData;

use serde::Serialize;

use super::{ActivityError, Durable, Local, Outcomes, ResultParts, local};
use crate::activities::{Attempt, ReportedError, report};
use crate::codec::{Arguments, Described};
use crate::machine::values::{ArgumentKind, Coding, SavedKind, Values, is_refused};

impl<T: 'static> Values<T> {
    /// A placeholder for a type that rustc has refused.
    pub const fn refused() -> &'static Self {
        const {
            &Self {
                add: |_, _| is_refused(),
                next: |_| is_refused(),
                kind: ArgumentKind::of(Described::of::<()>()),
            }
        }
    }
}

impl<T: 'static> Coding<T> {
    /// A placeholder.
    const fn refused() -> &'static Self {
        const {
            &Self {
                save: |_, _| is_refused(),
                load: |_| is_refused(),
                kind: SavedKind::of::<(), ()>(|_| {}),
            }
        }
    }
}

/// `ValuesOf::<T>::VALUES` and the other constants describe how values of a `T` are encoded if it is [`Durable`];
/// otherwise they are the placeholders of [`Unstored`], since rustc prefers inherent constants to those of traits.
#[derive(Debug)]
pub struct ValuesOf<T>(PhantomData<fn() -> T>);

/// The outcomes of activities that return an `R`.
pub(crate) type ResultOutcomes<R> = Outcomes<
    R,
    Result<<R as ResultParts>::Ok, ActivityError<<R as ResultParts>::Err>>,
    <R as ResultParts>::Err,
>;

impl<T: Durable + 'static> ValuesOf<T> {
    /// How values are encoded.
    pub const VALUES: &'static Values<T> = Values::of();
    /// The token of an argument that is saved as a local.
    pub const LOCAL: Local<T> = local();
    /// The outcomes of an activity that returns a `T`.
    pub const OUTCOMES: &'static Outcomes<T, T, Infallible> = Outcomes::of();

    /// Wraps the call of an activity as an attempt. Here, because a separate generic function would be compiled for
    /// each activity.
    #[inline(always)]
    pub fn attempt(call: impl Future<Output = T> + Send + 'static) -> Option<Attempt> {
        report::attempt(Described::of::<T>(), Box::pin(call))
    }
}

impl<T: Durable + 'static, E: Durable + 'static> ValuesOf<Result<T, E>> {
    /// How such results are encoded, with less code.
    pub const RESULTS: &'static Values<Result<T, E>> = Values::of_result();
    /// The outcomes of an activity that returns such a result.
    pub const RESULT_OUTCOMES: &'static ResultOutcomes<Result<T, E>> = Outcomes::of_result();

    /// Wraps the call of such an activity as an attempt.
    #[inline(always)]
    pub fn attempt_result(
        call: impl Future<Output = Result<T, E>> + Send + 'static,
        error: fn(&E) -> ReportedError,
    ) -> Option<Attempt> {
        report::attempt_result(Described::of_result::<T, E>(), Box::pin(call), error)
    }
}

/// See [`ValuesOf`].
pub trait Unstored<T: 'static> {
    /// A placeholder for a refused type.
    const VALUES: &'static Values<T>;
    /// A placeholder.
    const LOCAL: Local<T>;
    /// A placeholder.
    const OUTCOMES: &'static Outcomes<T, T, Infallible>;

    /// A placeholder.
    fn attempt(_: impl Future<Output = T> + Send + 'static) -> Option<Attempt> {
        is_refused()
    }
}

impl<T: 'static> Unstored<T> for ValuesOf<T> {
    const VALUES: &'static Values<T> = Values::refused();
    const LOCAL: Local<T> = Local { coding: Coding::refused() };
    const OUTCOMES: &'static Outcomes<T, T, Infallible> = Outcomes::refused();
}

/// Like [`Unstored`], for results.
pub trait UnstoredResult<R: ResultParts + 'static> {
    /// A placeholder for a refused type.
    const RESULTS: &'static Values<R>;
    /// A placeholder.
    const RESULT_OUTCOMES: &'static ResultOutcomes<R>;

    /// A placeholder.
    fn attempt_result(
        _: impl Future<Output = R> + Send + 'static,
        _: fn(&R::Err) -> ReportedError,
    ) -> Option<Attempt> {
        is_refused()
    }
}

impl<R: ResultParts<Ok: 'static, Err: 'static> + 'static> UnstoredResult<R> for ValuesOf<R> {
    const RESULTS: &'static Values<R> = Values::refused();
    const RESULT_OUTCOMES: &'static ResultOutcomes<R> = Outcomes::refused();
}

/// A borrowed argument of a call. `(&Encoded(&argument)).piton_added_to(…)` resolves to [`Encodable::piton_added_to`]
/// if the argument can be encoded.
#[derive(Debug)]
pub struct Encoded<'a, T: ?Sized>(pub &'a T);

/// See [`Encoded`].
pub trait Encodable {
    /// The arguments of the call, with this one.
    #[must_use]
    fn piton_added_to(&self, arguments: Arguments) -> Arguments;
}

/// See [`Encoded`].
pub trait Unencodable {
    /// A placeholder for a refused type.
    #[must_use]
    fn piton_added_to(&self, arguments: Arguments) -> Arguments;
}

impl<T: Serialize + ?Sized> Encodable for Encoded<'_, T> {
    fn piton_added_to(&self, mut arguments: Arguments) -> Arguments {
        arguments.add(self.0);
        arguments
    }
}

impl<T: ?Sized> Unencodable for &Encoded<'_, T> {
    fn piton_added_to(&self, _: Arguments) -> Arguments {
        unreachable!("a program with such arguments, which cannot be saved, does not compile")
    }
}

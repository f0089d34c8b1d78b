//! Whether the arguments and the return value of a workflow or activity can be encoded.
//!
//! The bound is checked once for each type, at its place in the signature. To avoid further errors for a type that
//! does not meet it, generated code uses [`ValuesOf::VALUES`] if it can and [`Unstored::VALUES`] otherwise.

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
    /// As well.
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

/// What becomes of the results of activities that return an `R`.
pub(crate) type ResultOutcomes<R> = Outcomes<
    R,
    Result<<R as ResultParts>::Ok, ActivityError<<R as ResultParts>::Err>>,
    <R as ResultParts>::Err,
>;

impl<T: Durable + 'static> ValuesOf<T> {
    /// How they are encoded.
    pub const VALUES: &'static Values<T> = Values::of();
    /// The token of an argument that is saved as a local.
    pub const LOCAL: Local<T> = local();
    /// What becomes of what an activity returns.
    pub const OUTCOMES: &'static Outcomes<T, T, Infallible> = Outcomes::of();

    /// The attempt that the call of an activity is. As a function it would be one more for each.
    #[inline(always)]
    pub fn attempt(call: impl Future<Output = T> + Send + 'static) -> Option<Attempt> {
        report::attempt(Described::of::<T>(), Box::pin(call))
    }
}

impl<T: Durable + 'static, E: Durable + 'static> ValuesOf<Result<T, E>> {
    /// How they are encoded, in less code.
    pub const RESULTS: &'static Values<Result<T, E>> = Values::of_result();
    /// What becomes of such results of an activity.
    pub const RESULT_OUTCOMES: &'static ResultOutcomes<Result<T, E>> = Outcomes::of_result();

    /// The attempt that the call of such an activity is.
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
    /// Stands for what rustc has refused.
    const VALUES: &'static Values<T>;
    /// As well.
    const LOCAL: Local<T>;
    /// As well.
    const OUTCOMES: &'static Outcomes<T, T, Infallible>;

    /// As well.
    fn attempt(_: impl Future<Output = T> + Send + 'static) -> Option<Attempt> {
        is_refused()
    }
}

impl<T: 'static> Unstored<T> for ValuesOf<T> {
    const VALUES: &'static Values<T> = Values::refused();
    const LOCAL: Local<T> = Local { coding: Coding::refused() };
    const OUTCOMES: &'static Outcomes<T, T, Infallible> = Outcomes::refused();
}

/// As [`Unstored`], of results.
pub trait UnstoredResult<R: ResultParts + 'static> {
    /// Stands for what rustc has refused.
    const RESULTS: &'static Values<R>;
    /// As well.
    const RESULT_OUTCOMES: &'static ResultOutcomes<R>;

    /// As well.
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

/// An argument of a call that is lent. `(&Encoded(&argument)).piton_added_to(…)` is [`Encodable::piton_added_to`] if it can
/// be encoded.
#[derive(Debug)]
pub struct Encoded<'a, T: ?Sized>(pub &'a T);

/// See [`Encoded`].
pub trait Encodable {
    /// Those of the call, with this one.
    #[must_use]
    fn piton_added_to(&self, arguments: Arguments) -> Arguments;
}

/// See [`Encoded`].
pub trait Unencodable {
    /// Stands for what rustc has refused.
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

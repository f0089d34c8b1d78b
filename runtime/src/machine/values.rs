//! How the arguments and the return value of a workflow or activity are encoded.
//!
//! That their types can be encoded is asked for once for each, at its place in the signature. Where an
//! answer is no, nothing else is said of it: what is generated takes [`ValuesOf::VALUES`] if it can and
//! [`Unstored::VALUES`] if it must.

use std::any::type_name;
use std::convert::Infallible;
use std::marker::PhantomData;

use serde::Serialize;

use super::durable::SavedKind;
use super::{ActivityError, Coding, Durable, Local, Outcomes, ResultParts, local};
use crate::activities::{Attempt, ReportedError, report};
use crate::codec::{
    self, Arguments, CodecError, Described, Reader, add_result, next_result, next_value,
};
use crate::model::Payload;

/// How values of a type are encoded.
#[derive(Debug)]
pub struct Values<T> {
    /// Adds one to the arguments of a call.
    pub add: fn(&mut Arguments, &T),
    /// Reads an argument, if it is there.
    pub next: fn(&mut Reader<'_>) -> Option<T>,
    /// What is known of such an argument without its type.
    pub kind: ArgumentKind,
}

/// What is known of an argument without its type.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentKind {
    pub(super) described: Described,
}

impl<T: Durable + 'static> Values<T> {
    /// As serde says.
    pub const fn of() -> &'static Self {
        const {
            &Self {
                add: Arguments::add::<T>,
                next: next_value::<T>,
                kind: ArgumentKind { described: Described::of::<T>() },
            }
        }
    }
}

impl<T: Durable + 'static, E: Durable + 'static> Values<Result<T, E>> {
    /// The same for results, with less code for each.
    pub const fn of_result() -> &'static Self {
        const {
            &Self {
                add: add_result::<T, E>,
                next: next_result::<T, E>,
                kind: ArgumentKind { described: Described::of_result::<T, E>() },
            }
        }
    }
}

impl<T: 'static> Values<T> {
    /// Stands for what rustc has refused.
    pub const fn refused() -> &'static Self {
        const {
            &Self {
                add: |_, _| is_refused(),
                next: |_| is_refused(),
                kind: ArgumentKind { described: Described::of::<()>() },
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

pub(super) fn is_refused() -> ! {
    unreachable!("a program with such values, which cannot be saved, does not compile")
}

impl<T> Values<T> {
    /// Encodes a value in binary.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the type refuses.
    pub fn encode(&self, value: &T) -> Result<Payload, CodecError> {
        let mut payload = Arguments::NONE;
        (self.add)(&mut payload, value);
        payload.finish()
    }

    /// Reads a value in whatever encoding its first byte names.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if the payload is empty, of an unknown encoding, or not such a value.
    pub fn decode(&self, payload: &Payload) -> Result<T, CodecError> {
        codec::only_value(Reader::of_value(payload.as_bytes(), type_name::<T>()), self.next)
    }
}

/// `ValuesOf::<T>::VALUES` and the other constants are how values of a `T` are encoded if it is [`Durable`], else what stands in
/// [`Unstored`]: rustc looks among what a type has itself before it looks among traits.
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
        report::attempt(Box::pin(call))
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
        report::attempt_result(Box::pin(call), error)
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

//! `?` in a workflow's body.
//!
//! The body becomes part of a step function with another return type, so `?` is replaced. Generated code uses these
//! traits, which follow the unstable `std::ops::Try` and `FromResidual` (RFC 3058) for `Result` and `Option`.

use std::any::Any;
use std::convert::Infallible;
use std::ops::ControlFlow;

use super::Parked;

/// A type to which `?` can be applied.
#[diagnostic::on_unimplemented(
    message = "the `?` operator can only be applied to `Result` and `Option` in a workflow",
    label = "`?` cannot be applied to a value of type `{Self}`",
    note = "an operation is awaited before the `?`: `charge(order).await?`"
)]
pub trait Question {
    /// The value of the `?` expression.
    type Output;
    /// What `?` returns from the workflow.
    type Residual;

    /// Returns the value, or the residual that ends the function.
    fn branch(self) -> ControlFlow<Self::Residual, Self::Output>;

    /// Applies `?` to the outcome of an operation, if there is one. Also returns `None` if `?` ends the run, with the
    /// value that `returned` makes of the residual; then the locals of the state, none of which was decoded, are
    /// dropped.
    ///
    /// Implemented for each type, because a default by [`Question::branch`] would compile two functions for each.
    fn ask(
        outcome: Option<Self>,
        parked: &mut Parked,
        returned: fn(Self::Residual) -> Box<dyn Any>,
    ) -> Option<Self::Output>
    where
        Self: Sized;
}

/// A type that a workflow or `async` block can return by `?`.
#[diagnostic::on_unimplemented(
    message = "`?` cannot be used in a workflow or `async` block that returns `{Self}`",
    label = "cannot use `?` here: `{Self}` cannot be made from `{R}`",
    note = "let it return a `piton::Result`, which takes every `std::error::Error`, or another `Result` whose error can \
            be made from this one, or an `Option`",
    note = "for a `piton::Result`, convert an error that is not a `std::error::Error`, such as a text or an \
            `anyhow::Error`, with `.map_err(piton::Error::boxed)?`",
    note = "for a `Result<_, String>`, convert it with `.map_err(|error| error.to_string())?`"
)]
pub trait FromResidual<R> {
    /// The returned value.
    fn from_residual(residual: R) -> Self;

    /// The same, without its type.
    fn returned(residual: R) -> Box<dyn Any>
    where
        Self: Sized + 'static,
    {
        Box::new(Self::from_residual(residual))
    }
}

#[diagnostic::do_not_recommend]
impl<T, E> Question for Result<T, E> {
    type Output = T;
    type Residual = Result<Infallible, E>;

    fn branch(self) -> ControlFlow<Self::Residual, T> {
        match self {
            Ok(value) => ControlFlow::Continue(value),
            Err(error) => ControlFlow::Break(Err(error)),
        }
    }

    fn ask(
        outcome: Option<Self>,
        parked: &mut Parked,
        returned: fn(Self::Residual) -> Box<dyn Any>,
    ) -> Option<T> {
        match outcome {
            Some(Ok(value)) => Some(value),
            Some(Err(error)) => {
                parked.end(returned(Err(error)));
                None
            }
            None => None,
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T, E, F: From<E>> FromResidual<Result<Infallible, E>> for Result<T, F> {
    fn from_residual(residual: Result<Infallible, E>) -> Self {
        match residual {
            Err(error) => Err(F::from(error)),
            Ok(never) => match never {},
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T> Question for Option<T> {
    type Output = T;
    type Residual = Option<Infallible>;

    fn branch(self) -> ControlFlow<Self::Residual, T> {
        match self {
            Some(value) => ControlFlow::Continue(value),
            None => ControlFlow::Break(None),
        }
    }

    fn ask(
        outcome: Option<Self>,
        parked: &mut Parked,
        returned: fn(Self::Residual) -> Box<dyn Any>,
    ) -> Option<T> {
        match outcome {
            Some(Some(value)) => Some(value),
            Some(None) => {
                parked.end(returned(None));
                None
            }
            None => None,
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T> FromResidual<Option<Infallible>> for Option<T> {
    fn from_residual(_: Option<Infallible>) -> Self {
        None
    }
}

/// A dummy residual. Every return type can be created from two of these, so rustc cannot infer the residual of a
/// `?` from the implementation, and its message names the real one.
#[derive(Debug)]
pub enum NoResidual<const NUMBER: bool> {}

#[diagnostic::do_not_recommend]
impl<T> FromResidual<NoResidual<false>> for T {
    fn from_residual(residual: NoResidual<false>) -> Self {
        match residual {}
    }
}

#[diagnostic::do_not_recommend]
impl<T> FromResidual<NoResidual<true>> for T {
    fn from_residual(residual: NoResidual<true>) -> Self {
        match residual {}
    }
}

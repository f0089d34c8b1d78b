//! `?` in a workflow's body.
//!
//! The body becomes part of a step function with another return type, so `?` is replaced. Generated code uses these
//! traits, which follow the unstable `std::ops::Try` and `FromResidual` (RFC 3058) for `Result` and `Option`.

use std::any::Any;
use std::convert::Infallible;
use std::ops::ControlFlow;

use super::Parked;

/// A type whose values `?` takes apart.
#[diagnostic::on_unimplemented(
    message = "the `?` operator can only be applied to `Result` and `Option` in a workflow",
    label = "`?` cannot be applied to a value of type `{Self}`"
)]
pub trait Question {
    /// What `?` gives.
    type Output;
    /// What `?` returns from the workflow.
    type Residual;

    /// Goes on with the value or ends with the residual.
    fn branch(self) -> ControlFlow<Self::Residual, Self::Output>;

    /// What `?` gives of the outcome of an operation, if there is one yet. Nothing, too, if the run ends by it, with
    /// what `returned` makes of the residual: the locals of the state are dropped then, of which none has been read.
    ///
    /// It is written out for each type: by [`Question::branch`] it would be two functions for each to compile.
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
    note = "let it return a `Result` whose error can be made from this one, or an `Option`",
    note = "convert an error that is not a `std::error::Error`, such as a text or an `anyhow::Error`, with \
            `.map_err(piton::Error::boxed)?`"
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

/// No residual at all. Every return type can be made of two of these: so rustc, while it does not know the residual of a
/// `?`, cannot take it for the only one that there is, and its message names the one that it is.
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

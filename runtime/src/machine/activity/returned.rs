//! What an activity returns, and what the workflow gets of it.

use super::ActivityError;
use crate::machine::StepError;

/// How what an activity of return type `R` came to becomes what the workflow sees. It does not
/// depend on the activity, so it is compiled once for each `R`.
pub trait ReturnShape<R> {
    /// What the workflow sees.
    type Output;

    /// What it sees of what the activity returned.
    fn returned(value: R) -> Self::Output;

    /// What it sees of an activity that returned nothing.
    ///
    /// # Errors
    /// [`StepError`] if that has no place in [`Self::Output`].
    fn unreturned(why: Unreturned) -> Result<Self::Output, StepError>;
}

/// The activity returned nothing.
#[derive(Debug)]
pub struct Unreturned {
    /// The stored name of the activity.
    pub activity: String,
    /// Why.
    pub error: ActivityError<()>,
}

impl Unreturned {
    fn into_step_error(self) -> StepError {
        self.error.into_step_error(&self.activity)
    }

    fn into_error(self) -> ActivityError<()> {
        self.error
    }
}

/// The shape of any return type but `Result`: that the activity failed ends the run.
#[derive(Debug)]
pub struct Plain;

/// The shape of a `Result`: that the activity failed is an error.
#[derive(Debug)]
pub struct Fallible;

impl<R> ReturnShape<R> for Plain {
    type Output = R;

    fn returned(value: R) -> R {
        value
    }

    fn unreturned(why: Unreturned) -> Result<R, StepError> {
        Err(why.into_step_error())
    }
}

impl<R: ResultParts> ReturnShape<R> for Fallible {
    type Output = Result<R::Ok, ActivityError<R::Err>>;

    fn returned(value: R) -> Self::Output {
        match value.into_result() {
            Ok(value) => Ok(value),
            Err(error) => Err(ActivityError::Failed(error)),
        }
    }

    fn unreturned(why: Unreturned) -> Result<Self::Output, StepError> {
        Ok(Err(why.into_error().widen()))
    }
}

/// The two sides of a `Result`, for code that only has the name of an alias.
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

    /// The error, if it is one.
    fn err_ref(&self) -> Option<&Self::Err>;

    /// The result that is this error.
    fn from_err(error: Self::Err) -> Self;
}

impl<T, E> ResultParts for Result<T, E> {
    type Ok = T;
    type Err = E;

    fn into_result(self) -> Self {
        self
    }

    #[expect(
        clippy::manual_ok_err,
        reason = "`err` is two more functions for each type to compile"
    )]
    fn err_ref(&self) -> Option<&E> {
        match self {
            Ok(_) => None,
            Err(error) => Some(error),
        }
    }

    fn from_err(error: E) -> Self {
        Err(error)
    }
}

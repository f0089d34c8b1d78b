//! Parts of locals that have been moved out, while the local is saved as a whole.

use std::marker::PhantomData;

use super::{Durable, Halt, StepError};
use crate::codec;

/// A copy of a part, which fills its place when the part is moved out.
#[derive(Debug)]
pub struct Hole<T> {
    copy: Vec<u8>,
    part: PhantomData<fn() -> T>,
}

impl<T: Durable> Hole<T> {
    /// Copies a part. The part itself is replaced by the decoded copy, so that the moved value is like any other
    /// value that has been saved.
    ///
    /// # Errors
    /// [`StepError::Encode`] and [`StepError::Decode`] if it cannot be copied.
    pub fn of(part: &mut T) -> Result<Self, Halt> {
        let copy = codec::copied(part).map_err(StepError::Encode)?;
        *part = codec::from_copy(&copy).map_err(StepError::Decode)?;
        Ok(Self { copy, part: PhantomData })
    }

    /// The copy for the place, until the place is assigned again.
    ///
    /// # Errors
    /// [`StepError::Decode`]; does not happen, since the same bytes were decoded before.
    pub fn fill(&self) -> Result<T, Halt> {
        Ok(codec::from_copy(&self.copy).map_err(StepError::Decode)?)
    }
}

/// Forgets the copy in the place of a part, without dropping it, so that the part counts as moved again.
pub fn forget<T>(part: T) {
    std::mem::forget(part);
}

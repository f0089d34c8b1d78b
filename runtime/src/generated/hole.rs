//! Parts of locals that have been moved out, while the local is saved as a whole.

use std::marker::PhantomData;

use super::{Durable, Halt, StepError};
use crate::codec;

/// A copy of a part, to be put in its place when it has been moved out.
#[derive(Debug)]
pub struct Hole<T> {
    copy: Vec<u8>,
    part: PhantomData<fn() -> T>,
}

impl<T: Durable> Hole<T> {
    /// Copies a part. It is read back at once, so that what is moved out is as what any other value is
    /// that has been saved.
    ///
    /// # Errors
    /// [`StepError::Encode`] and [`StepError::Decode`] if it refuses to be copied.
    pub fn of(part: &mut T) -> Result<Self, Halt> {
        let copy = codec::copied(part).map_err(StepError::Encode)?;
        *part = codec::from_copy(&copy).map_err(StepError::Decode)?;
        Ok(Self { copy, part: PhantomData })
    }

    /// What stands in the place until it is filled again.
    ///
    /// # Errors
    /// [`StepError::Decode`], though it could be read before.
    pub fn fill(&self) -> Result<T, Halt> {
        Ok(codec::from_copy(&self.copy).map_err(StepError::Decode)?)
    }
}

/// Forgets the copy that stands in the place of a part, so that the part is gone again.
pub fn forget<T>(part: T) {
    std::mem::forget(part);
}

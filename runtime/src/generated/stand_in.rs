//! Values in place of parts that have been moved out of locals.

use super::{Durable, Halt, StepError};
use crate::codec;

/// A copy of a part, made by encoding and decoding. It is put in the place of the part when that has been moved out, so
/// that the local can be saved as a whole. Nothing reads it.
///
/// # Errors
/// [`StepError::Encode`] and [`StepError::Decode`] if the part cannot be copied.
pub fn stand_in<T: Durable>(part: &T) -> Result<T, Halt> {
    let copy = codec::copied(part).map_err(StepError::Encode)?;
    Ok(codec::from_copy(&copy).map_err(StepError::Decode)?)
}

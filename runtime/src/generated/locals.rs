//! Loading the locals of a step from the state, and passing them between parts of the step.

use std::mem::ManuallyDrop;
use std::ops::Range;

use super::{Parked, StepError};
use crate::codec::{self, Reader};
use crate::machine::frame::{next_entry, skip_entries};
use crate::machine::unreadable::unreadable;
use crate::machine::values::SavedKind;

/// The place of a local while control passes from one part of a step to another.
///
/// Every value that is put in is taken out by a later part. So slots need no drop at the end of a step. Otherwise
/// each call in a step would have an unwind path that drops all slots, and rustc would take a fifth longer for a
/// step. A value that is in a slot during a panic is not dropped.
#[derive(Debug)]
pub enum Slot<T> {
    /// It is not here.
    Empty,
    /// It was created or decoded in this step.
    Value(ManuallyDrop<T>),
    /// It was not touched in this step, and is at this position of the previous state.
    Saved(usize),
}

// Not inlined, like the functions in `local`. `extern "C"` tells rustc that they never unwind, so a call needs no drop
// code for the values that are alive around it.
impl<T> Slot<T> {
    /// Puts a value in. An assignment would generate code that drops the previous content, on two paths, in each
    /// place.
    #[inline(never)]
    pub extern "C" fn fill(&mut self, value: T) {
        *self = Self::Value(ManuallyDrop::new(value));
    }

    /// Puts in the local at `position` of the previous state, still encoded.
    #[inline(never)]
    pub extern "C" fn pass(&mut self, position: usize) {
        *self = Self::Saved(position);
    }

    /// Takes out a value that was put in decoded.
    #[inline(never)]
    pub extern "C" fn take(&mut self) -> T {
        match std::mem::replace(self, Self::Empty) {
            Self::Value(value) => ManuallyDrop::into_inner(value),
            _ => must_be_filled(),
        }
    }
}

#[cold]
#[inline(never)]
pub(super) fn must_be_filled() -> ! {
    panic!("whoever goes to a part of a step fills its slots")
}

/// A value passed to a branch that begins. If the branch does not take it, it is dropped at the end of the step.
#[derive(Debug)]
pub struct Handed<T>(pub Option<T>);

impl<T> Handed<T> {
    /// See [`Slot::fill`].
    #[inline(never)]
    pub fn fill(&mut self, value: T) {
        self.0 = Some(value);
    }

    /// Takes the value, which must be there.
    #[inline(never)]
    pub fn take(&mut self) -> T {
        self.0.take().unwrap_or_else(|| must_be_filled())
    }
}

impl Parked {
    /// The local at `position`. Reading positions in increasing order visits each local once.
    #[inline(never)]
    pub(super) fn saved(&mut self, position: usize, kind: &SavedKind) -> Reader<'_> {
        match self.find_saved(position) {
            Ok(place) => {
                let form = self.form_of(self.state, position);
                Reader::saved(&self.frame[place], kind.described, form)
            }
            Err(error) => unreadable(error),
        }
    }

    /// Ends the reading of a local. If bytes are `left`, the step fails.
    pub(super) extern "C" fn end_reading(&mut self, left: usize, kind: &SavedKind) {
        if left > 0 {
            let error = codec::left_over(kind.described.type_name(), left);
            self.next.failed.get_or_insert(StepError::Decode(error));
        }
    }

    fn find_saved(&mut self, position: usize) -> Result<Range<usize>, StepError> {
        let (passed, from) = if self.cursor.0 <= position { self.cursor } else { (0, self.locals) };
        let mut rest = &self.frame[from..];
        skip_entries(&mut rest, position - passed)?;
        let length = next_entry(&mut rest)?.len();
        let end = self.frame.len() - rest.len();
        self.cursor = (position + 1, end);
        Ok(end - length..end)
    }
}

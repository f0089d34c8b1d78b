//! What a step leaves as it is when it ends the run.

use std::any::Any;
use std::ops::Range;

use bytes::Bytes;

use super::Parked;
use crate::machine::frame::next_entry;
use crate::machine::values::{DropSaved, drop_saved_by};

/// Locals of a state that a step has not touched, and that come to their end because the run does. They
/// are read only to be dropped, once this is: in place of the variables that they would be.
#[derive(Debug)]
pub struct Untouched {
    frame: Bytes,
    /// Where the first local of the state begins.
    locals: usize,
    /// How each of them is dropped.
    drops: &'static [Option<DropSaved>],
    positions: Range<usize>,
}

impl Parked {
    /// The locals from position `first` to before `end`.
    pub fn untouched(&self, first: usize, end: usize) -> Untouched {
        let (frame, locals) = (self.frame.clone(), self.locals);
        Untouched { frame, locals, drops: self.drops(), positions: first..end }
    }

    /// Ends the run with what it returns, which [`Parked::leave`] gives. The locals of the state are dropped.
    pub(crate) fn end(&mut self, returned: Box<dyn Any>) {
        drop(self.untouched(0, self.drops().len()));
        self.next.returned = Some(returned);
    }

    /// How each of the locals of the state is dropped.
    fn drops(&self) -> &'static [Option<DropSaved>] {
        self.states.get(self.state()).map_or(&[], |state| &state.drops)
    }
}

impl Drop for Untouched {
    fn drop(&mut self) {
        let mut rest = &self.frame[self.locals..];
        // That they are there has been seen when the frame was taken apart.
        let saved = self.drops.iter().map_while(|drop| Some((drop, next_entry(&mut rest).ok()?)));
        let saved: Vec<_> = saved.collect();
        // Variables are dropped in reverse.
        for (drop, saved) in saved.get(self.positions.clone()).into_iter().flatten().rev() {
            if let Some(drop) = drop {
                drop_saved_by(*drop, saved);
            }
        }
    }
}

//! Drops the locals that a step does not touch, if it ends the run.

use std::any::Any;
use std::ops::Range;

use bytes::Bytes;

use super::Parked;
use crate::machine::definition::DefinedLocal;
use crate::machine::frame::next_entry;
use crate::machine::values::drop_saved_by;

/// Locals of a state that a step has not touched and that are dropped because the run ends. When this is dropped,
/// it decodes and drops them, in place of variables.
#[derive(Debug)]
pub struct Untouched {
    frame: Bytes,
    /// Where the first local of the state begins.
    begin: usize,
    /// The locals of the state.
    locals: &'static [DefinedLocal],
    positions: Range<usize>,
}

impl Parked {
    /// The locals from position `first` to before `end`.
    pub fn untouched(&self, first: usize, end: usize) -> Untouched {
        let (frame, begin) = (self.frame.clone(), self.locals);
        Untouched { frame, begin, locals: self.defined_locals(), positions: first..end }
    }

    /// Ends the run with this return value, which [`Parked::leave`] returns. The locals of the state are dropped.
    pub(crate) fn end(&mut self, returned: Box<dyn Any>) {
        drop(self.untouched(0, self.defined_locals().len()));
        self.next.returned = Some(returned);
    }

    /// The locals of the state, as the definition describes them.
    fn defined_locals(&self) -> &'static [DefinedLocal] {
        self.states.get(self.state()).map_or(&[], |state| &state.locals)
    }
}

impl Drop for Untouched {
    fn drop(&mut self) {
        let mut rest = &self.frame[self.begin..];
        // Splitting the frame has checked that they exist.
        let locals = self.locals.iter();
        let saved = locals.map_while(|local| Some((local, next_entry(&mut rest).ok()?)));
        let saved: Vec<_> = saved.collect();
        // Variables are dropped in reverse order.
        for (local, saved) in saved.get(self.positions.clone()).into_iter().flatten().rev() {
            if let Some(drop) = local.kind.drop {
                drop_saved_by(drop, saved, local.form());
            }
        }
    }
}

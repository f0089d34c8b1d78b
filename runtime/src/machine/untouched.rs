//! What a step leaves as it is when it ends the run.

use std::ops::Range;

use bytes::Bytes;

use super::frame::next_entry;
use super::{Parked, WorkflowEntry};

/// Locals of a state that a step has not touched, and that come to their end because the run does. They
/// are read only to be dropped, once this is: in place of the variables that they would be.
#[derive(Debug)]
pub struct Untouched {
    frame: Bytes,
    state: usize,
    /// Where the first local of the state begins.
    locals: usize,
    positions: Range<usize>,
    entry: &'static WorkflowEntry,
}

impl Parked {
    /// The locals from position `first` to before `end`, of a workflow with this entry.
    pub fn untouched(&self, entry: &'static WorkflowEntry, first: usize, end: usize) -> Untouched {
        let (frame, locals) = (self.frame.clone(), self.locals);
        Untouched { frame, state: self.state(), locals, positions: first..end, entry }
    }
}

impl Drop for Untouched {
    fn drop(&mut self) {
        let Some(drops) = self.entry.definition().drops.get(self.state) else { return };
        let mut rest = &self.frame[self.locals..];
        // That they are there has been seen when the frame was taken apart.
        let saved = drops.iter().map_while(|drop| Some((drop, next_entry(&mut rest).ok()?)));
        let saved: Vec<_> = saved.collect();
        // Variables are dropped in reverse.
        for (drop, saved) in saved.get(self.positions.clone()).into_iter().flatten().rev() {
            if let Some(drop) = drop {
                drop(saved);
            }
        }
    }
}

//! Writing the next state.
//!
//! A step writes the next state straight into its frame. A local that the step does not touch is
//! copied there as it is, so that it costs neither a decoding nor an encoding, and no code of its
//! own in the step function.

use std::any::Any;

use super::context::Description;
use super::frame::{FrameHead, skip_entries, write_length};
use super::parked::length_of_length;
use super::values::SavedKind;
use super::{Awaited, Context, Halt, Parked, StepError};
use crate::codec::{CodecError, Form, Sink, SinkError};

/// A state being written: its locals, then the operations that it waits for.
#[derive(Debug, Default)]
pub(crate) struct Next {
    frame: Vec<u8>,
    state: u32,
    locals: usize,
    operations: Option<usize>,
    /// The length of the one operation, if it was written before the locals.
    alone: Option<usize>,
    /// Where the entry begins that is being written.
    begun: usize,
    /// How many locals have been written.
    written: usize,
    /// Why the step cannot be made, if it is known by now.
    pub(crate) failed: Option<StepError>,
    /// What the run returns, if it has ended before the step came to that.
    pub(crate) returned: Option<Box<dyn Any>>,
}

impl Next {
    /// Where the next local or operation is to be written. [`Next::end`] must follow.
    pub(crate) fn begin(&mut self) -> &mut Vec<u8> {
        self.begun = self.frame.len();
        // Its length. Most lengths take one byte.
        self.frame.push(0);
        &mut self.frame
    }

    /// Notes how the writing of a local went. If it has failed, [`Parked::leave`] says so.
    pub(crate) fn end(&mut self, written: Result<(), CodecError>) {
        if let Err(error) = written {
            self.failed.get_or_insert(StepError::Encode(error));
            return;
        }
        let begin = self.begun;
        let length = self.frame.len() - begin - 1;
        if length < 0x80 {
            self.frame[begin] = length as u8;
        } else {
            let extra = length_of_length(length) - 1;
            self.frame.extend_from_slice(&[0; 10][..extra]);
            let end = self.frame.len();
            self.frame.copy_within(begin + 1..end - extra, begin + 1 + extra);
            write_length(&mut &mut self.frame[begin..], length as u64);
        }
    }

    /// As [`Next::end`], of a local of this kind.
    pub(crate) fn end_local(&mut self, kind: &SavedKind, written: Result<(), SinkError>) {
        self.end(written.map_err(|error| kind.not_written(error)));
    }

    /// As [`Next::end`], of the one operation, which is written before the locals.
    pub(crate) fn end_alone(&mut self, written: Result<(), CodecError>) {
        self.end(written);
        self.alone = Some(self.frame.len() - self.begun);
    }

    /// As [`Next::begin`], for an operation. No locals can be added after it.
    pub(crate) fn begin_operation(&mut self) -> &mut Vec<u8> {
        self.operations.get_or_insert(self.frame.len());
        self.begin()
    }
}

impl Parked {
    /// Begins a step: the state that it goes on from, as its index in [`Graph::nodes`]. What a step
    /// that could not be made has left is forgotten.
    ///
    /// A step that is only to tell what the machine is made of tells the `names` of the saved `locals`, each on a line,
    /// with their types, and what is `awaited`: in the order of the states, and of the branches of each that are no
    /// `async` blocks. It goes on from no state.
    ///
    /// [`Graph::nodes`]: crate::model::Graph::nodes
    pub fn begin_step(
        &mut self,
        cx: &Context,
        names: &'static str,
        locals: &[&SavedKind],
        awaited: &[&'static Awaited],
    ) -> u32 {
        if cx.is_describing() {
            cx.describe(Description::of(names, locals, awaited));
            return u32::MAX;
        }
        self.begin_branch()
    }

    /// As [`Parked::begin_step`], of a branch that is an `async` block.
    pub fn begin_branch(&mut self) -> u32 {
        self.next = Next::default();
        self.cursor = (0, self.locals);
        self.arguments = None;
        self.state
    }

    /// Where the next local of the next state is to be written. [`Next::end_local`] must follow.
    pub(crate) fn begin_local(&mut self) -> Sink<'_> {
        let form = self.form_of(self.next.state, self.next.written);
        self.next.written += 1;
        Sink::new(self.next.begin(), form)
    }

    /// The form in which a state keeps its local at `position`.
    pub(crate) fn form_of(&self, state: u32, position: usize) -> Form {
        let state = self.states.get(state as usize);
        let local = state.and_then(|state| state.locals.get(position));
        local.map_or(Form::Compact, |local| local.form())
    }

    /// Begins to write the next state.
    pub fn write(&mut self, state: u32) {
        let mut frame = Vec::with_capacity(self.frame.len() + 64);
        // The next state is one of the same definition.
        frame.extend_from_slice(&self.frame[..FrameHead::HASH_LENGTH]);
        write_length(&mut frame, u64::from(state));
        let locals = frame.len();
        self.next = Next { frame, state, locals, begun: locals, ..Next::default() };
    }

    /// Adds locals of the state before, as they are: those from position `first` to before `end`. For its ABI see
    /// [`Slot`](crate::generated::Slot).
    pub extern "C" fn keep(&mut self, first: usize, end: usize) {
        self.next.written += end - first;
        let mut rest = &self.frame[self.locals..];
        let mut pass = |count| skip_entries(&mut rest, count).map(|()| rest.len());
        match pass(first).and_then(|from| Ok((from, pass(end - first)?))) {
            Ok((from, to)) => {
                let end = self.frame.len();
                self.next.frame.extend_from_slice(&self.frame[end - from..end - to]);
            }
            Err(error) => {
                self.next.failed.get_or_insert(error);
            }
        }
    }

    /// Adds what the state before waits for, as it is.
    pub fn keep_operations(&mut self) {
        self.next.operations.get_or_insert(self.next.frame.len());
        self.next.frame.extend_from_slice(&self.frame[self.operations..]);
    }

    /// Ends a step that returns nothing itself. The machine is parked in the state that has been
    /// written, or stays in the one that it is in, or a `?` has ended the run.
    ///
    /// # Errors
    /// [`Halt`] if it has not: that it waits, or why the step could not be made.
    pub fn leave<R: 'static>(&mut self) -> Result<R, Halt> {
        match self.next.returned.take() {
            Some(returned) => match returned.downcast() {
                Ok(returned) => Ok(*returned),
                Err(_) => Err(self.halt()),
            },
            None => Err(self.halt()),
        }
    }

    fn halt(&mut self) -> Halt {
        match self.finish() {
            Ok(()) => Halt::Suspended,
            Err(error) => Halt::Failed(error),
        }
    }

    /// Puts the machine in the state that was written, with `count` branches that have not begun.
    ///
    /// # Errors
    /// [`StepError::Encode`] if a local refused.
    pub fn enter(&mut self, count: usize) -> Result<(), Halt> {
        for _ in 0..count {
            self.next.begin_operation();
        }
        Ok(self.finish()?)
    }

    fn finish(&mut self) -> Result<(), StepError> {
        let Next { mut frame, state, locals, operations, failed, alone, .. } =
            std::mem::take(&mut self.next);
        if let Some(error) = failed {
            return Err(error);
        }
        if frame.is_empty() {
            return Ok(());
        }
        self.operations = operations.unwrap_or(frame.len());
        if let Some(length) = alone {
            // The operation was written first, and belongs behind the locals.
            frame[locals..].rotate_left(length);
            self.operations = frame.len() - length;
        }
        self.frame = frame.into();
        self.state = state;
        self.locals = locals;
        self.cursor = (0, locals);
        Ok(())
    }
}

//! Writing the next state.
//!
//! A step writes the next state directly into its frame. A local that the step does not touch is copied as bytes: it is
//! neither decoded nor encoded, and needs no code in the step function.

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
    /// The offset of the entry that is being written.
    begun: usize,
    /// The number of locals written.
    written: usize,
    /// Why the step fails, if that is known already.
    pub(crate) failed: Option<StepError>,
    /// The return value, if a `?` has ended the run.
    pub(crate) returned: Option<Box<dyn Any>>,
}

impl Next {
    /// Begins a local or an operation, to be written to the returned buffer. [`Next::end`] must follow.
    pub(crate) fn begin(&mut self) -> &mut Vec<u8> {
        self.begun = self.frame.len();
        // Reserves the length. Most lengths take one byte.
        self.frame.push(0);
        &mut self.frame
    }

    /// Ends a local. If writing it has failed, [`Parked::leave`] returns the error.
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

    /// Like [`Next::end`], for a local of this kind.
    pub(crate) fn end_local(&mut self, kind: &SavedKind, written: Result<(), SinkError>) {
        self.end(written.map_err(|error| kind.not_written(error)));
    }

    /// Like [`Next::end`], for the only operation, which is written before the locals.
    pub(crate) fn end_alone(&mut self, written: Result<(), CodecError>) {
        self.end(written);
        self.alone = Some(self.frame.len() - self.begun);
    }

    /// Like [`Next::begin`], for an operation. No locals can be added after it.
    pub(crate) fn begin_operation(&mut self) -> &mut Vec<u8> {
        self.operations.get_or_insert(self.frame.len());
        self.begin()
    }
}

impl Parked {
    /// Begins a step. Returns the state that it continues from, as its index in [`Graph::nodes`]. Clears the remains of
    /// a failed step.
    ///
    /// A step that only describes the machine records the `names` of the saved `locals`, one per line, with their
    /// types, and the operations that are `awaited`, in the order of the states and of the branches in each that are no
    /// `async` blocks. It continues from no state.
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

    /// Like [`Parked::begin_step`], for a branch that is an `async` block.
    pub fn begin_branch(&mut self) -> u32 {
        self.next = Next::default();
        self.cursor = (0, self.locals);
        self.arguments = None;
        self.state
    }

    /// Begins the next local of the next state. [`Next::end_local`] must follow.
    pub(crate) fn begin_local(&mut self) -> Sink<'_> {
        let form = self.form_of(self.next.state, self.next.written);
        self.next.written += 1;
        Sink::new(self.next.begin(), form)
    }

    /// The form in which a state saves its local at `position`.
    pub(crate) fn form_of(&self, state: u32, position: usize) -> Form {
        let state = self.states.get(state as usize);
        let local = state.and_then(|state| state.locals.get(position));
        local.map_or(Form::Compact, |local| local.form())
    }

    /// Begins to write the next state.
    pub fn write(&mut self, state: u32) {
        let mut frame = Vec::with_capacity(self.frame.len() + 64);
        // The next state has the same definition.
        frame.extend_from_slice(&self.frame[..FrameHead::HASH_LENGTH]);
        write_length(&mut frame, u64::from(state));
        let locals = frame.len();
        self.next = Next { frame, state, locals, begun: locals, ..Next::default() };
    }

    /// Copies the locals of the previous state from position `first` to before `end`. For the ABI see
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

    /// Copies the operations of the previous state.
    pub fn keep_operations(&mut self) {
        self.next.operations.get_or_insert(self.next.frame.len());
        self.next.frame.extend_from_slice(&self.frame[self.operations..]);
    }

    /// Ends a step without a return value in the code. The machine is parked in the state that was written, stays in
    /// its state, or a `?` has ended the run.
    ///
    /// # Errors
    /// [`Halt`] unless a `?` has ended the run: the machine waits, or the step failed.
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

    /// Enters the state that was written, with `count` branches that have not begun.
    ///
    /// # Errors
    /// [`StepError::Encode`] if a local cannot be encoded.
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
            // The operation was written first, but belongs after the locals.
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

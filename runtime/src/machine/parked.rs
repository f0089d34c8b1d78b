//! A parked state between two steps: a decoded frame, and the next frame while it is written.

use std::ops::Range;

use bytes::Bytes;

use super::definition::DefinedState;
use super::frame::{FrameHead, damaged, next_entry, skip_entries, write_length};
use super::unreadable::undecodable;
use super::values::{ArgumentKind, Values};
use super::writer::Next;
use super::{Definition, Halt, StepError};
use crate::codec::Reader;
use crate::model::Payload;

/// The position of a machine: the state, its saved locals, and the operations that it waits for.
#[derive(Debug)]
pub struct Parked {
    pub(crate) frame: Bytes,
    pub(crate) state: u32,
    /// The states of the definition.
    pub(crate) states: &'static [DefinedState],
    /// The parameters of the workflow.
    parameters: &'static [ArgumentKind],
    /// The offset of the first local.
    pub(crate) locals: usize,
    /// The offset of the first operation, after the locals.
    pub(crate) operations: usize,
    /// The index and the offset of the next local, if they are read in order.
    pub(crate) cursor: (usize, usize),
    /// The number of bytes left of the arguments, once the step has read some.
    pub(crate) arguments: Option<usize>,
    /// The state that is being written. A variable of the step function would need drop code for each exit.
    pub(crate) next: Next,
}

impl Parked {
    /// The state before the first step.
    pub fn start(definition: &'static Definition, arguments: &Payload) -> Self {
        let arguments = arguments.as_bytes();
        let mut frame = Vec::with_capacity(arguments.len() + 16);
        FrameHead { hash: definition.hash(), state: 0 }.write(&mut frame);
        let locals = frame.len();
        write_length(&mut frame, arguments.len() as u64);
        frame.extend_from_slice(arguments);
        let parked = Self::at(frame.into(), 0, &definition.states, locals, locals);
        Self { parameters: definition.parameters, ..parked }
    }

    /// Splits the frame of a state that this definition wrote.
    ///
    /// # Errors
    /// [`StepError::Definition`] if another definition wrote it, [`StepError::UnknownState`], and
    /// [`StepError::Decode`] if it is damaged.
    pub fn read(frame: Bytes, definition: &'static Definition) -> Result<Self, StepError> {
        let found = FrameHead::read(&mut &frame[..])?.hash;
        let current = definition.hash();
        if found != current {
            return Err(StepError::Definition { found, current });
        }
        let parked = Self::take_apart(frame, &definition.states)?;
        Ok(Self { parameters: definition.parameters, ..parked })
    }

    /// Like [`Parked::read`], for a frame that is known to belong to this definition.
    pub(crate) fn take_apart(
        frame: Bytes,
        states: &'static [DefinedState],
    ) -> Result<Self, StepError> {
        let mut rest = &frame[..];
        let head = FrameHead::read(&mut rest)?;
        let state = states.get(head.state as usize);
        let count = state.ok_or(StepError::UnknownState(head.state))?.node.locals.len();
        let locals = frame.len() - rest.len();
        let mut operations = locals;
        let mut entries = 0;
        while !rest.is_empty() {
            if entries == count {
                operations = frame.len() - rest.len();
            }
            next_entry(&mut rest)?;
            entries += 1;
        }
        // Every state waits for something, if only for its first step.
        if entries <= count {
            return Err(damaged("it has too few locals"));
        }
        Ok(Self::at(frame, head.state, states, locals, operations))
    }

    fn at(
        frame: Bytes,
        state: u32,
        states: &'static [DefinedState],
        locals: usize,
        operations: usize,
    ) -> Self {
        let (cursor, next) = ((0, locals), Next::default());
        Self {
            frame,
            state,
            states,
            parameters: &[],
            locals,
            operations,
            cursor,
            arguments: None,
            next,
        }
    }

    /// No state, for a step that only describes the machine.
    pub(crate) fn nowhere() -> Self {
        Self::at(Bytes::new(), 0, &[], 0, 0)
    }

    /// A state outside any machine that waits for one operation, given its saved form.
    pub(crate) fn alone(saved: &[u8]) -> Self {
        let mut frame = Vec::with_capacity(saved.len() + 1);
        write_length(&mut frame, saved.len() as u64);
        frame.extend_from_slice(saved);
        Self::at(frame.into(), 0, &[], 0, 0)
    }

    /// State number `state` of the same definition, the first of a branch.
    pub(crate) fn begin(&self, state: u32) -> Self {
        let mut frame = self.frame[..FrameHead::HASH_LENGTH].to_vec();
        write_length(&mut frame, u64::from(state));
        let locals = frame.len();
        Self::at(frame.into(), state, self.states, locals, locals)
    }

    /// Ends a step whose state does not belong to the machine, or that only describes the machine.
    ///
    /// # Errors
    /// [`StepError::UnknownState`], always.
    pub fn unknown<R>(&self) -> Result<R, Halt> {
        Err(Halt::Failed(StepError::UnknownState(self.state)))
    }

    /// The number of the state: its index in [`Graph::nodes`](crate::model::Graph::nodes).
    pub fn state(&self) -> usize {
        self.state as usize
    }

    /// The state as bytes.
    pub fn frame(&self) -> &Bytes {
        &self.frame
    }

    /// Reads the next argument, in the first state. If it cannot be read as a `T`, the step fails.
    pub fn argument<T>(&mut self, values: &Values<T>) -> T {
        let mut arguments = self.arguments_left();
        match (values.next)(&mut arguments) {
            Some(value) => {
                let left = arguments.stop();
                self.arguments = Some(left);
                value
            }
            None => undecodable(arguments.failure()),
        }
    }

    fn arguments_left(&self) -> Reader<'_> {
        // A missing payload fails like a damaged one.
        let payload = self.operation(0).unwrap_or_default();
        let mut arguments = Reader::arguments(payload, self.parameters);
        if let Some(left) = self.arguments {
            arguments.skip_to(left);
        }
        arguments
    }

    /// The saved form of an operation that the state waits for.
    pub(crate) fn operation(&self, index: usize) -> Result<&[u8], StepError> {
        self.operation_at(index).map(|place| &self.frame[place])
    }

    /// Whether an operation was not started. The saved form of one has at least one byte.
    pub(crate) fn is_absent(&self, index: usize) -> bool {
        self.operation(index).is_ok_and(<[u8]>::is_empty)
    }

    /// Disables a branch of a `select!` whose pattern has refused the output.
    ///
    /// # Errors
    /// [`StepError::Decode`] if the state has no such branch.
    pub fn refuse(&mut self, index: usize) -> Result<(), Halt> {
        Ok(self.update(index, &[])?)
    }

    fn operation_at(&self, index: usize) -> Result<Range<usize>, StepError> {
        let mut rest = &self.frame[self.operations..];
        skip_entries(&mut rest, index)?;
        let length = next_entry(&mut rest)?.len();
        let end = self.frame.len() - rest.len();
        Ok(end - length..end)
    }

    /// Replaces the saved form of an operation.
    pub(crate) fn update(&mut self, index: usize, saved: &[u8]) -> Result<(), StepError> {
        let old = self.operation_at(index)?;
        if *saved != self.frame[old.clone()] {
            let begin = old.start - length_of_length(old.len());
            let mut frame = Vec::with_capacity(self.frame.len() + saved.len());
            frame.extend_from_slice(&self.frame[..begin]);
            write_length(&mut frame, saved.len() as u64);
            frame.extend_from_slice(saved);
            frame.extend_from_slice(&self.frame[old.end..]);
            self.frame = frame.into();
        }
        Ok(())
    }
}

pub(crate) fn length_of_length(length: usize) -> usize {
    // Seven bits per byte, and at least one byte.
    (usize::BITS - length.leading_zeros()).div_ceil(7).max(1) as usize
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::codec::{Arguments, Described, schemas};
    use crate::generated::local;
    use crate::machine::Durable;
    use crate::machine::unreadable::readable;
    use crate::model::{DefinitionHash, Graph};

    /// The parameters of a workflow: a number and a text.
    const PARAMETERS: &[ArgumentKind] =
        &[ArgumentKind::of(Described::of::<u8>()), ArgumentKind::of(Described::of::<String>())];

    static DEFINITION: LazyLock<Definition> = LazyLock::new(|| {
        let text = "start\tstart\t1\t1\t1/1/00000000\t\t\n\
                    three\tcall\t1\t2\t1/1/00000000\t\t\t1/1/00000000 x\t1/1/00000000 x\t1/1/00000000 x\n\
                    two\tcall\t1\tend\t1/1/00000000\t\t\t1/1/00000000 x\t1/1/00000000 x\n";
        let nodes = Graph::new("w", "", text).nodes().into_iter();
        Definition {
            hash: DefinitionHash(7),
            states: nodes
                .map(|node| DefinedState {
                    node,
                    locals: Vec::new(),
                    awaited: Vec::new(),
                    borrows: Vec::new(),
                })
                .collect(),
            parameters: PARAMETERS,
            returned: schemas::of_type(Described::of::<()>()),
            holds_others: false,
        }
    });

    /// Parked in state `three`, with locals whose lengths take different numbers of bytes, and one operation.
    fn parked(operation: &[u8]) -> Parked {
        let mut parked = Parked::start(&DEFINITION, &Payload(vec![0, 1, 2]));
        assert_eq!(parked.operation(0).expect("the arguments"), [0, 1, 2]);
        parked.write(1);
        let token = local();
        for length in [3, 200, 70_000] {
            token.put(&"x".repeat(length), &mut parked);
        }
        parked.next.begin_operation().extend_from_slice(operation);
        parked.next.end(Ok(()));
        assert!(matches!(parked.leave::<()>(), Err(Halt::Suspended)));
        parked
    }

    fn load<T: Durable + 'static>(parked: &mut Parked, positions: &[usize]) -> Vec<T> {
        let token = local();
        positions.iter().map(|at| token.load(parked, *at)).collect()
    }

    #[test]
    fn a_state_reads_back_from_its_frame() {
        let written = parked(b"abc");
        let read = Parked::read(written.frame().clone(), &DEFINITION).expect("whole");
        for mut parked in [written, read] {
            assert_eq!(parked.state(), 1);
            let mut lengths = |positions| {
                let texts: Vec<String> = load(&mut parked, positions);
                texts.iter().map(String::len).collect::<Vec<_>>()
            };
            assert_eq!(lengths(&[0, 1, 2]), [3, 200, 70_000]);
            assert_eq!(lengths(&[1]), [200]);
            assert_eq!(lengths(&[0, 2]), [3, 70_000]);
            assert_eq!(parked.operation(0).expect("is there"), b"abc");
            assert!(parked.operation(1).is_err());
        }
    }

    #[test]
    fn locals_are_kept_as_they_are() {
        let mut parked = parked(b"abc");
        parked.write(2);
        parked.keep(1, 3);
        parked.next.begin_operation();
        parked.next.end(Ok(()));
        assert!(matches!(parked.leave::<()>(), Err(Halt::Suspended)));
        let mut parked = Parked::read(parked.frame().clone(), &DEFINITION).expect("whole");
        let texts: Vec<String> = load(&mut parked, &[0, 1]);
        assert_eq!(texts.iter().map(String::len).collect::<Vec<_>>(), [200, 70_000]);
        assert!(parked.operation(0).expect("is there").is_empty());
    }

    #[test]
    fn what_a_failed_step_has_left_is_forgotten() {
        let mut parked = parked(b"abc");
        let before = parked.frame().clone();
        assert_eq!(parked.begin_branch(), 1);
        parked.write(2);
        local().put(&1_u8, &mut parked);
        assert_eq!(parked.begin_branch(), 1);
        assert!(matches!(parked.leave::<()>(), Err(Halt::Suspended)));
        assert_eq!((parked.state(), parked.frame()), (1, &before));
    }

    #[test]
    fn arguments_are_read_one_after_the_other() {
        let mut binary = Arguments::of(PARAMETERS);
        binary.add(&7_u8);
        binary.add("seven");
        let binary = binary.finish().expect("plain data");
        let json = Payload::from_json(&serde_json::json!([7, "seven"]));
        for arguments in [binary, json] {
            let mut parked = Parked::start(&DEFINITION, &arguments);
            // The second round is that after a failed step.
            for _ in 0..2 {
                parked.begin_branch();
                assert_eq!(parked.argument(Values::<u8>::of()), 7);
                assert_eq!(parked.argument(Values::<String>::of()), "seven");
            }
            let missing = readable(|| Ok(parked.argument(Values::<u8>::of())));
            assert!(matches!(missing, Err(StepError::Decode(_))));
        }
    }

    #[test]
    fn an_operation_changes_in_place() {
        for (before, after) in [(3, 3), (3, 300), (300, 3), (0, 1)] {
            let mut parked = parked(&vec![1; before]);
            parked.update(0, &vec![2; after]).expect("is there");
            let mut parked = Parked::read(parked.frame().clone(), &DEFINITION).expect("whole");
            assert_eq!(parked.operation(0).expect("is there"), vec![2; after]);
            assert_eq!(load::<String>(&mut parked, &[2])[0].len(), 70_000);
        }
    }

    #[test]
    fn damage_is_noticed() {
        let frame = parked(b"abc").frame().clone();
        let read = |frame: Bytes| Parked::read(frame, &DEFINITION);
        for cut in (0..300).chain(frame.len() - 300..frame.len()) {
            assert!(read(frame.slice(..cut)).is_err(), "cut at {cut}");
        }
        let mut unknown = frame.to_vec();
        unknown[FrameHead::HASH_LENGTH] = 9;
        assert!(matches!(read(unknown.into()), Err(StepError::UnknownState(9))));
        let mut foreign = frame.to_vec();
        foreign[0] = 8;
        assert!(matches!(read(foreign.into()), Err(StepError::Definition { .. })));
    }
}

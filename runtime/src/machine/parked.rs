//! A parked state between two steps: a frame taken apart, and the writer of the next one.
//!
//! A step writes the next state straight into its frame. A local that the step does not touch is
//! copied there as it is, so that it costs neither a decoding nor an encoding, and no code of its
//! own in the step function.

use std::ops::Range;

use bytes::Bytes;

use super::frame::{FrameHead, damaged, next_entry, write_length};
use super::{Definition, Halt, Slot, StepError, Values};
use crate::codec::CodecError;
use crate::model::{Graph, Payload};

/// Where a machine is: the state, its saved locals, and what it waits for.
#[derive(Clone, Debug)]
pub struct Parked {
    frame: Bytes,
    state: u32,
    /// Where the first local begins.
    locals: usize,
    /// Where the first operation begins, after the locals.
    operations: usize,
}

impl Parked {
    /// The state before the first step.
    pub fn start(definition: &Definition, arguments: &Payload) -> Self {
        let arguments = arguments.as_bytes();
        let mut frame = Vec::with_capacity(arguments.len() + 16);
        FrameHead { hash: definition.hash, state: 0 }.write(&mut frame);
        let locals = frame.len();
        write_length(&mut frame, arguments.len() as u64);
        frame.extend_from_slice(arguments);
        Self { frame: frame.into(), state: 0, locals, operations: locals }
    }

    /// Takes apart the frame of a state that this very definition wrote.
    ///
    /// # Errors
    /// [`StepError::Definition`] if another definition wrote it, [`StepError::UnknownState`], and
    /// [`StepError::Decode`] if it is damaged.
    pub fn read(frame: Bytes, definition: &Definition, graph: &Graph) -> Result<Self, StepError> {
        let found = FrameHead::read(&mut &frame[..])?.hash;
        let current = definition.hash;
        if found != current {
            return Err(StepError::Definition { found, current });
        }
        Self::take_apart(frame, graph)
    }

    /// As [`Parked::read`], of a frame that is known to be of this definition.
    pub(super) fn take_apart(frame: Bytes, graph: &Graph) -> Result<Self, StepError> {
        let mut rest = &frame[..];
        let head = FrameHead::read(&mut rest)?;
        let node = graph.nodes.get(head.state as usize);
        let count = node.ok_or(StepError::UnknownState(head.state))?.locals.len();
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
        Ok(Self { state: head.state, locals, operations, frame })
    }

    /// No state at all, for a step that only describes.
    pub(super) fn nowhere() -> Self {
        Self { frame: Bytes::new(), state: 0, locals: 0, operations: 0 }
    }

    /// The state number `state` of the same definition, in which a branch begins.
    pub(super) fn begin(&self, state: u32) -> Self {
        let mut frame = self.frame[..FrameHead::HASH_LENGTH].to_vec();
        write_length(&mut frame, u64::from(state));
        let locals = frame.len();
        Self { frame: frame.into(), state, locals, operations: locals }
    }

    /// The state is not one of the machine that was given it.
    pub fn is_unknown(&self) -> Halt {
        Halt::Failed(StepError::UnknownState(self.state))
    }

    /// The number of the state: its index in [`Graph::nodes`].
    pub fn state(&self) -> usize {
        self.state as usize
    }

    /// The state as bytes.
    pub fn frame(&self) -> &Bytes {
        &self.frame
    }

    /// The arguments of the first state.
    ///
    /// # Errors
    /// [`StepError::Decode`] if they are not an `A`.
    pub fn arguments<A>(&self, values: Values<A>) -> Result<A, Halt> {
        match (values.decode)(self.operation(0)?) {
            Ok(arguments) => Ok(arguments),
            Err(error) => Err(Halt::Failed(StepError::Decode(error))),
        }
    }

    /// Begins to read the locals at these positions.
    pub fn locals(&self, positions: &'static [usize]) -> LocalsReader<'_> {
        LocalsReader { rest: &self.frame[self.locals..], passed: 0, positions }
    }

    /// The local at `position`, as it is, for a slot.
    ///
    /// # Errors
    /// [`StepError::Decode`] if there is none.
    pub fn local<T>(&self, position: usize) -> Result<Slot<T>, Halt> {
        let mut rest = &self.frame[self.locals..];
        for _ in 0..position {
            next_entry(&mut rest)?;
        }
        Ok(Slot::Saved(self.frame.slice_ref(next_entry(&mut rest)?)))
    }

    /// What is saved of an operation that the state waits for; nothing if it is not there.
    pub(super) fn operation(&self, index: usize) -> Result<&[u8], StepError> {
        self.operation_at(index).map(|place| &self.frame[place])
    }

    /// Whether an operation was not started at all. What is saved of one has at least one byte.
    pub(super) fn is_absent(&self, index: usize) -> bool {
        self.operation(index).is_ok_and(<[u8]>::is_empty)
    }

    fn operation_at(&self, index: usize) -> Result<Range<usize>, StepError> {
        let mut rest = &self.frame[self.operations..];
        for _ in 0..index {
            next_entry(&mut rest)?;
        }
        let length = next_entry(&mut rest)?.len();
        let end = self.frame.len() - rest.len();
        Ok(end - length..end)
    }

    /// Changes what is saved of an operation.
    pub(super) fn update(&mut self, index: usize, saved: &[u8]) -> Result<(), StepError> {
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

    /// Begins to write the next state.
    pub fn write(&self, state: u32) -> StateWriter {
        let mut frame = Vec::with_capacity(self.frame.len() + 64);
        // The next state is one of the same definition.
        frame.extend_from_slice(&self.frame[..FrameHead::HASH_LENGTH]);
        write_length(&mut frame, u64::from(state));
        let locals = frame.len();
        StateWriter { frame, state, locals, operations: None, begun: locals, failed: None }
    }
}

fn length_of_length(length: usize) -> usize {
    let mut head = Vec::with_capacity(10);
    write_length(&mut head, length as u64);
    head.len()
}

/// Reads some of the locals of a state, in order. See [`Parked::locals`].
#[derive(Debug)]
pub struct LocalsReader<'a> {
    rest: &'a [u8],
    passed: usize,
    positions: &'static [usize],
}

impl<'a> LocalsReader<'a> {
    pub(super) fn next(&mut self) -> Result<&'a [u8], StepError> {
        let Some((position, later)) = self.positions.split_first() else {
            return Err(damaged("a local is asked for that is not there"));
        };
        self.positions = later;
        while self.passed < *position {
            next_entry(&mut self.rest)?;
            self.passed += 1;
        }
        self.passed += 1;
        next_entry(&mut self.rest)
    }
}

/// Writes a state: its locals, then the operations that it waits for. See [`Parked::write`].
#[derive(Debug)]
pub struct StateWriter {
    frame: Vec<u8>,
    state: u32,
    locals: usize,
    operations: Option<usize>,
    /// Where the entry begins that is being written.
    begun: usize,
    failed: Option<StepError>,
}

impl StateWriter {
    /// Where the next local is to be written. [`StateWriter::end`] must follow.
    pub(super) fn begin(&mut self) -> &mut Vec<u8> {
        self.begun = self.frame.len();
        // Its length. Most lengths take one byte.
        self.frame.push(0);
        &mut self.frame
    }

    /// Notes how the writing of a local went. If it has failed, [`StateWriter::suspend`] says so.
    pub(super) fn end(&mut self, written: Result<(), CodecError>) {
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

    /// Adds a saved local as it is.
    pub(super) fn push_saved(&mut self, saved: &[u8]) {
        write_length(&mut self.frame, saved.len() as u64);
        self.frame.extend_from_slice(saved);
    }

    /// Adds locals of the state before, as they are.
    pub fn keep(&mut self, parked: &Parked, positions: Range<usize>) {
        let mut rest = &parked.frame[parked.locals..];
        let mut pass = |count: usize| {
            for _ in 0..count {
                next_entry(&mut rest)?;
            }
            Ok(rest.len())
        };
        match pass(positions.start).and_then(|from| Ok((from, pass(positions.len())?))) {
            Ok((from, to)) => {
                let end = parked.frame.len();
                self.frame.extend_from_slice(&parked.frame[end - from..end - to]);
            }
            Err(error) => {
                self.failed.get_or_insert(error);
            }
        }
    }

    /// As [`StateWriter::begin`], for an operation. No locals can be added after it.
    pub(super) fn begin_operation(&mut self) -> &mut Vec<u8> {
        self.operations.get_or_insert(self.frame.len());
        self.begin()
    }

    /// Adds what the state before waits for, as it is.
    pub fn keep_operations(&mut self, parked: &Parked) {
        self.operations.get_or_insert(self.frame.len());
        self.frame.extend_from_slice(&parked.frame[parked.operations..]);
    }

    /// Parks the machine in the state that was written.
    pub fn suspend(self, parked: &mut Parked) -> Halt {
        match self.finish(parked) {
            Ok(()) => Halt::Suspended,
            Err(error) => Halt::Failed(error),
        }
    }

    /// Puts the machine in the state that was written, with `count` branches that have not begun.
    ///
    /// # Errors
    /// [`StepError::Encode`] if a local refused.
    pub fn enter(mut self, count: usize, parked: &mut Parked) -> Result<(), Halt> {
        for _ in 0..count {
            self.begin_operation();
        }
        Ok(self.finish(parked)?)
    }

    fn finish(self, parked: &mut Parked) -> Result<(), StepError> {
        let Self { frame, state, locals, operations, begun: _, failed } = self;
        if let Some(error) = failed {
            return Err(error);
        }
        let operations = operations.unwrap_or(frame.len());
        *parked = Parked { frame: frame.into(), state, locals, operations };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Context, Durable, RunInfo, local};
    use crate::model::{AwaitKind, DefinitionHash, Node, RunId, SavedLocal};

    const LOCAL: SavedLocal = SavedLocal { name: "x", ty: None };

    const fn node(name: &'static str, locals: &'static [SavedLocal]) -> Node {
        Node { name, kind: AwaitKind::Call, file: "", line: 1, locals }
    }

    const GRAPH: Graph = Graph {
        workflow: "w",
        nodes: &[node("start", &[]), node("three", &[LOCAL; 3]), node("two", &[LOCAL; 2])],
        edges: &[],
    };

    const DEFINITION: Definition = Definition { hash: DefinitionHash(7), schemas: Vec::new() };

    fn context() -> Context {
        let run = RunInfo { run_id: RunId::new(), workflow_id: String::new() };
        Context::new(run, 0, Vec::new())
    }

    /// Parked in state `three`, with locals of all lengths of length, and one operation.
    fn parked(cx: &Context, operation: &[u8]) -> Parked {
        let mut parked = Parked::start(&DEFINITION, &Payload(vec![0, 1, 2]));
        assert_eq!(parked.operation(0).expect("the arguments"), [0, 1, 2]);
        let mut next = parked.write(1);
        let token = local("x", cx);
        for length in [3, 200, 70_000] {
            token.put(&"x".repeat(length), &mut next);
        }
        next.begin_operation().extend_from_slice(operation);
        next.end(Ok(()));
        assert!(matches!(next.suspend(&mut parked), Halt::Suspended));
        parked
    }

    fn load<T: Durable>(parked: &Parked, positions: &'static [usize], cx: &Context) -> Vec<T> {
        let token = local("x", cx);
        let mut locals = parked.locals(positions);
        positions.iter().map(|_| token.load(&mut locals).expect("is there")).collect()
    }

    #[test]
    fn a_state_reads_back_from_its_frame() {
        let cx = context();
        let written = parked(&cx, b"abc");
        let read = Parked::read(written.frame().clone(), &DEFINITION, &GRAPH).expect("whole");
        for parked in [written, read] {
            assert_eq!(parked.state(), 1);
            let lengths = |positions| {
                let texts: Vec<String> = load(&parked, positions, &cx);
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
        let cx = context();
        let mut parked = parked(&cx, b"abc");
        let mut next = parked.write(2);
        next.keep(&parked, 1..3);
        next.begin_operation();
        next.end(Ok(()));
        assert!(matches!(next.suspend(&mut parked), Halt::Suspended));
        let parked = Parked::read(parked.frame().clone(), &DEFINITION, &GRAPH).expect("whole");
        let texts: Vec<String> = load(&parked, &[0, 1], &cx);
        assert_eq!(texts.iter().map(String::len).collect::<Vec<_>>(), [200, 70_000]);
        assert!(parked.operation(0).expect("is there").is_empty());
    }

    #[test]
    fn an_operation_changes_in_place() {
        let cx = context();
        for (before, after) in [(3, 3), (3, 300), (300, 3), (0, 1)] {
            let mut parked = parked(&cx, &vec![1; before]);
            parked.update(0, &vec![2; after]).expect("is there");
            let parked = Parked::read(parked.frame().clone(), &DEFINITION, &GRAPH).expect("whole");
            assert_eq!(parked.operation(0).expect("is there"), vec![2; after]);
            assert_eq!(load::<String>(&parked, &[2], &cx)[0].len(), 70_000);
        }
    }

    #[test]
    fn damage_is_noticed() {
        let cx = context();
        let frame = parked(&cx, b"abc").frame().clone();
        let read = |frame: Bytes| Parked::read(frame, &DEFINITION, &GRAPH);
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

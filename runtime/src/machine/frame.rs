//! The bytes of a state: definition hash, state number, then each saved local with its length.
//!
//! With the lengths, a reader that does not know the types can skip, show and reuse single locals.

use bytes::{BufMut, Bytes};

use super::StepError;
use crate::codec::CodecError;
use crate::model::DefinitionHash;

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameHead {
    pub(crate) hash: DefinitionHash,
    pub(crate) state: u32,
}

impl FrameHead {
    /// The length in bytes of the hash at the beginning of a frame.
    pub(crate) const HASH_LENGTH: usize = size_of::<u64>();

    pub(crate) fn write(self, out: &mut impl BufMut) {
        out.put_slice(&self.hash.0.to_le_bytes());
        write_length(out, u64::from(self.state));
    }

    pub(crate) fn read(rest: &mut &[u8]) -> Result<Self, StepError> {
        let Some((hash, after)) = rest.split_first_chunk() else {
            return Err(damaged("it is too short"));
        };
        *rest = after;
        let state = read_length(rest)?;
        let state = u32::try_from(state).map_err(|_| damaged("its state number is too large"))?;
        Ok(Self { hash: DefinitionHash(u64::from_le_bytes(*hash)), state })
    }
}

/// A frame split by a definition: the head, the saved locals, and the saved operations.
#[cfg(feature = "engine")]
pub(crate) type FrameParts<'a> = (FrameHead, Vec<&'a [u8]>, Vec<&'a [u8]>);

/// Splits a frame. `locals_of` returns the number of locals that the state saves.
///
/// # Errors
/// That of `locals_of`, and [`StepError::Decode`] if the frame is damaged.
#[cfg(feature = "engine")]
pub(crate) fn take_apart(
    frame: &[u8],
    locals_of: impl FnOnce(FrameHead) -> Result<usize, StepError>,
) -> Result<FrameParts<'_>, StepError> {
    let mut rest = frame;
    let head = FrameHead::read(&mut rest)?;
    let count = locals_of(head)?;
    let mut locals = Vec::new();
    while !rest.is_empty() {
        locals.push(next_entry(&mut rest)?);
    }
    if locals.len() < count {
        return Err(damaged("it has too few locals"));
    }
    let operations = locals.split_off(count);
    Ok((head, locals, operations))
}

/// Adds a local or an operation to a frame.
#[cfg(feature = "engine")]
pub(crate) fn add_entry(frame: &mut Vec<u8>, entry: &[u8]) {
    write_length(frame, entry.len() as u64);
    frame.extend_from_slice(entry);
}

/// Reads a frame without the types of its values.
#[derive(Debug)]
pub struct FrameReader {
    frame: Bytes,
    rest: usize,
    head: FrameHead,
}

impl FrameReader {
    /// Reads the head of a frame.
    ///
    /// # Errors
    /// [`StepError::Decode`] if the head is damaged.
    pub fn new(frame: impl Into<Bytes>) -> Result<Self, StepError> {
        let frame: Bytes = frame.into();
        let mut rest = &frame[..];
        let head = FrameHead::read(&mut rest)?;
        Ok(Self { rest: frame.len() - rest.len(), head, frame })
    }

    /// The definition that wrote the frame.
    pub fn hash(&self) -> DefinitionHash {
        self.head.hash
    }

    /// The number of the state, in the definition that wrote it.
    pub fn state(&self) -> u32 {
        self.head.state
    }

    /// The next local, or after all locals the next saved operation.
    ///
    /// # Errors
    /// [`StepError::Decode`] if there is no further entry, or the frame is damaged.
    pub fn local(&mut self) -> Result<Saved, StepError> {
        let mut rest = &self.frame[self.rest..];
        let local = next_entry(&mut rest)?;
        let saved = self.frame.slice_ref(local).into();
        self.rest = self.frame.len() - rest.len();
        Ok(saved)
    }

    /// Checks that all entries have been read.
    ///
    /// # Errors
    /// [`StepError::Decode`] if something is left over.
    pub fn finish(self) -> Result<(), StepError> {
        if self.rest == self.frame.len() { Ok(()) } else { Err(damaged("it has locals left over")) }
    }
}

/// One local of a parked state, encoded.
#[derive(Clone, PartialEq, Eq)]
pub struct Saved(Bytes);

impl Saved {
    /// The encoded value.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<Bytes> for Saved {
    fn from(bytes: Bytes) -> Self {
        Self(bytes)
    }
}

impl std::fmt::Debug for Saved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Saved({} bytes)", self.0.len())
    }
}

/// The next local or operation of a frame, without its length.
pub(crate) fn next_entry<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], StepError> {
    let length = read_length(rest)?;
    let entry = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
    let (entry, after) = entry.ok_or_else(|| damaged("a local is cut short"))?;
    *rest = after;
    Ok(entry)
}

/// Skips this many entries.
pub(crate) fn skip_entries(rest: &mut &[u8], count: usize) -> Result<(), StepError> {
    for _ in 0..count {
        next_entry(rest)?;
    }
    Ok(())
}

pub(crate) fn damaged(reason: &str) -> StepError {
    StepError::Decode(CodecError::Decode { type_name: "frame", reason: reason.to_owned() })
}

/// LEB128: seven bits per byte, lowest first.
pub(crate) fn write_length(out: &mut impl BufMut, mut value: u64) {
    while value >= 0x80 {
        out.put_u8((value as u8 & 0x7f) | 0x80);
        value >>= 7;
    }
    out.put_u8(value as u8);
}

pub(crate) fn read_length(bytes: &mut &[u8]) -> Result<u64, StepError> {
    // Most lengths take one byte.
    if let [byte @ ..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return Ok(u64::from(*byte));
    }
    let mut value = 0_u64;
    for (index, byte) in bytes.iter().copied().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * index).min(63);
        if byte & 0x80 == 0 {
            *bytes = &bytes[index + 1..];
            return Ok(value);
        }
    }
    Err(damaged("a length is cut short"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(locals: &[Saved]) -> Vec<u8> {
        let mut frame = Vec::new();
        FrameHead { hash: DefinitionHash(7), state: 300 }.write(&mut frame);
        for local in locals {
            write_length(&mut frame, local.as_bytes().len() as u64);
            frame.extend_from_slice(local.as_bytes());
        }
        frame
    }

    #[test]
    fn a_frame_reads_back() {
        let locals: Vec<Saved> = [vec![], vec![1; 127], vec![2; 128], vec![3; 70_000]]
            .map(|l| Bytes::from(l).into())
            .into();
        let mut reader = FrameReader::new(frame(&locals)).expect("whole");
        assert_eq!((reader.hash(), reader.state()), (DefinitionHash(7), 300));
        for local in &locals {
            assert_eq!(reader.local().expect("is there"), *local);
        }
        assert!(reader.local().is_err());
        reader.finish().expect("nothing left");
    }

    #[test]
    fn every_cut_is_noticed() {
        let whole = frame(&[Bytes::from_static(b"abc").into()]);
        for cut in 0..whole.len() {
            let read = FrameReader::new(whole[..cut].to_vec()).and_then(|mut frame| frame.local());
            assert!(read.is_err(), "cut at {cut}");
        }
    }
}

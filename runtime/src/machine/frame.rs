//! The bytes of a state: definition hash, state number, then each saved local with its length.
//!
//! The lengths let a reader that does not know the types skip, show and re-use single locals.

use bytes::{BufMut, Bytes};

use super::{Locals, Saved, StepError};
use crate::codec::CodecError;
use crate::model::DefinitionHash;

/// Writes a state.
#[derive(Debug)]
pub struct FrameWriter(Vec<u8>);

impl FrameWriter {
    /// Begins the frame of state number `state`.
    pub fn new(hash: DefinitionHash, state: u32) -> Self {
        let mut bytes = Vec::with_capacity(128);
        bytes.extend_from_slice(&hash.0.to_le_bytes());
        write_length(&mut bytes, u64::from(state));
        Self(bytes)
    }

    /// Adds a local.
    pub fn local(&mut self, saved: &Saved) {
        write_length(&mut self.0, saved.as_bytes().len() as u64);
        self.0.extend_from_slice(saved.as_bytes());
    }

    /// Adds several locals.
    pub fn locals(&mut self, locals: &Locals) {
        self.0.extend_from_slice(&locals.0);
    }

    /// The frame.
    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads a state.
#[derive(Debug)]
pub struct FrameReader {
    rest: Bytes,
    hash: DefinitionHash,
    state: u32,
}

impl FrameReader {
    /// Reads the head of a frame.
    ///
    /// # Errors
    /// [`StepError::Decode`] if it is damaged.
    pub fn new(frame: impl Into<Bytes>) -> Result<Self, StepError> {
        let mut rest: Bytes = frame.into();
        let Some(hash) = rest.first_chunk().copied() else {
            return Err(damaged("it is too short"));
        };
        let _ = rest.split_to(size_of::<u64>());
        let state = read_length(&mut rest)?;
        let state = u32::try_from(state).map_err(|_| damaged("its state number is too large"))?;
        Ok(Self { rest, hash: DefinitionHash(u64::from_le_bytes(hash)), state })
    }

    /// What wrote the frame.
    pub fn hash(&self) -> DefinitionHash {
        self.hash
    }

    /// The number of the state, in the definition that wrote it.
    pub fn state(&self) -> u32 {
        self.state
    }

    /// The next local.
    ///
    /// # Errors
    /// [`StepError::Decode`] if there is none or the frame is damaged.
    pub fn local(&mut self) -> Result<Saved, StepError> {
        let length = read_length(&mut self.rest)?;
        match usize::try_from(length) {
            Ok(length) if length <= self.rest.len() => Ok(self.rest.split_to(length).into()),
            _ => Err(damaged("a local is cut short")),
        }
    }

    /// The next `count` locals.
    ///
    /// # Errors
    /// [`StepError::Decode`] if there are fewer or the frame is damaged.
    pub fn locals(&mut self, count: usize) -> Result<Locals, StepError> {
        let whole = self.rest.clone();
        for _ in 0..count {
            self.local()?;
        }
        let length = whole.len() - self.rest.len();
        Ok(Locals(whole.slice(..length)))
    }

    /// Checks that all locals have been read.
    ///
    /// # Errors
    /// [`StepError::Decode`] if something is left over.
    pub fn finish(self) -> Result<(), StepError> {
        if self.rest.is_empty() { Ok(()) } else { Err(damaged("it has locals left over")) }
    }
}

pub(super) fn damaged(reason: &str) -> StepError {
    StepError::Decode(CodecError::Decode { type_name: "frame", reason: reason.to_owned() })
}

/// LEB128: seven bits per byte, lowest first.
pub(super) fn write_length(out: &mut impl BufMut, mut value: u64) {
    while value >= 0x80 {
        out.put_u8((value as u8 & 0x7f) | 0x80);
        value >>= 7;
    }
    out.put_u8(value as u8);
}

pub(super) fn read_length(bytes: &mut Bytes) -> Result<u64, StepError> {
    let mut value = 0_u64;
    for (index, byte) in bytes.iter().copied().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * index).min(63);
        if byte & 0x80 == 0 {
            let _ = bytes.split_to(index + 1);
            return Ok(value);
        }
    }
    Err(damaged("a length is cut short"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_reads_back() {
        let mut writer = FrameWriter::new(DefinitionHash(7), 300);
        let locals: Vec<Saved> = [vec![], vec![1; 127], vec![2; 128], vec![3; 70_000]]
            .map(|l| Bytes::from(l).into())
            .into();
        locals.iter().for_each(|local| writer.local(local));
        let mut reader = FrameReader::new(writer.finish()).expect("whole");
        assert_eq!((reader.hash(), reader.state()), (DefinitionHash(7), 300));
        for local in &locals {
            assert_eq!(reader.local().expect("is there"), *local);
        }
        assert!(reader.local().is_err());
        reader.finish().expect("nothing left");
    }

    #[test]
    fn every_cut_is_noticed() {
        let mut writer = FrameWriter::new(DefinitionHash(7), 1);
        writer.local(&Bytes::from_static(b"abc").into());
        let whole = writer.finish();
        for cut in 0..whole.len() {
            let read = FrameReader::new(whole[..cut].to_vec()).and_then(|mut frame| frame.local());
            assert!(read.is_err(), "cut at {cut}");
        }
    }
}

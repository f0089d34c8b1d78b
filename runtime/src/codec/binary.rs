//! The binary encoding of the parts of a value.
//!
//! Invariant: bincode can decode the result. This module must not know what the parts mean.

use std::cell::Cell;

use bincode::config::{self, Configuration};
use bincode::de::read::{BorrowReader, Reader};
use bincode::de::{BorrowDecode, Decode, DecoderImpl};
use bincode::error::DecodeError;

use super::source::SourceError;

/// Values in binary, one after the other.
///
/// [`super::source`] deserializes from here. With bincode's own deserializer, the code of each type would be compiled
/// once more.
#[derive(Debug)]
pub(super) struct Bytes<'a> {
    all: &'a [u8],
    /// The number of bytes that have been read.
    read: Cell<usize>,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { all: bytes, read: Cell::new(0) }
    }

    /// Reads a number, a truth value or a character. After an error, the remaining bytes are meaningless.
    #[cfg_attr(not(debug_assertions), inline)]
    pub(super) fn scalar<T: Decode<()>>(&self) -> Result<T, SourceError> {
        Ok(T::decode(&mut self.decoder())?)
    }

    /// Borrows a text. bincode's deserializer, which does not know whether the text is complete, allocates zeroed
    /// memory, fills it and checks it. glibc before 2.41 caches no zeroed memory per thread, so all threads contend for
    /// one lock.
    #[cfg_attr(not(debug_assertions), inline)]
    pub(super) fn text(&self) -> Result<&'a str, SourceError> {
        Ok(BorrowDecode::borrow_decode(&mut self.decoder())?)
    }

    /// Borrows a list of bytes.
    pub(super) fn bytes(&self) -> Result<&'a [u8], SourceError> {
        Ok(BorrowDecode::borrow_decode(&mut self.decoder())?)
    }

    /// Reads whether an option is `Some`.
    pub(super) fn is_some(&self) -> Result<bool, SourceError> {
        let there: Option<()> = self.scalar()?;
        Ok(there.is_some())
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn decoder(&self) -> DecoderImpl<Left<'_, 'a>, Configuration, ()> {
        DecoderImpl::new(Left(self), config::standard(), ())
    }

    /// Skips all bytes but the last `left`.
    pub(super) fn skip_to(&self, left: usize) {
        self.read.set(self.all.len().saturating_sub(left).max(self.read.get()));
    }

    /// The number of bytes that have not been read.
    pub(super) fn left(&self) -> usize {
        self.rest().len()
    }

    /// The number of bytes that have been read.
    pub(super) extern "C" fn taken(&self) -> usize {
        self.read.get()
    }

    /// Takes all bytes that have not been read.
    pub(super) fn take_rest(&self) -> &'a [u8] {
        let rest = self.rest();
        self.read.set(self.all.len());
        rest
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn rest(&self) -> &'a [u8] {
        self.all.get(self.read.get()..).unwrap_or_default()
    }
}

/// The bytes that have not been read.
struct Left<'r, 'a>(&'r Bytes<'a>);

impl Reader for Left<'_, '_> {
    #[inline]
    fn read(&mut self, bytes: &mut [u8]) -> Result<(), DecodeError> {
        bytes.copy_from_slice(self.take_bytes(bytes.len())?);
        Ok(())
    }

    #[inline]
    fn peek_read(&mut self, count: usize) -> Option<&[u8]> {
        self.0.rest().get(..count)
    }

    #[inline]
    fn consume(&mut self, count: usize) {
        self.0.read.set(self.0.read.get() + count);
    }
}

impl<'a> BorrowReader<'a> for Left<'_, 'a> {
    #[inline]
    fn take_bytes(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let rest = self.0.rest();
        let Some(taken) = rest.get(..length) else {
            return Err(DecodeError::UnexpectedEnd { additional: length - rest.len() });
        };
        self.consume(length);
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    use proptest::prelude::*;
    use serde::de::DeserializeOwned;
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::codec::source::Source;

    fn read<T: DeserializeOwned>(bytes: &Bytes<'_>) -> Result<T, SourceError> {
        T::deserialize(Source::binary(bytes))
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Unit,
        Text(String),
        Named { text: Option<String>, number: i64 },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Name(String);

    /// Compares with bincode: the whole value, the value with more bytes behind it, and each prefix.
    fn as_bincode_does<T: DeserializeOwned + Serialize + PartialEq + Debug>(value: &T) {
        let mut bytes =
            bincode::serde::encode_to_vec(value, config::standard()).expect("plain data");
        let length = bytes.len();
        bytes.push(7);
        let whole = Bytes::new(&bytes);
        let back: T = read(&whole).expect("it is there");
        assert_eq!((&back, whole.left()), (value, 1));
        for cut in 0..length {
            assert!(read::<T>(&Bytes::new(&bytes[..cut])).is_err(), "cut at {cut} of {length}");
        }
    }

    proptest! {
        #[test]
        fn values_read_back(text in ".{0,300}", number in any::<i64>(), some in any::<bool>()) {
            as_bincode_does(&text);
            as_bincode_does(&Name(text.clone()));
            as_bincode_does(&(number, text.clone(), number.unsigned_abs() as u16));
            as_bincode_does(&vec![text.clone(); 2]);
            as_bincode_does(&BTreeMap::from([(text.clone(), number)]));
            as_bincode_does(&text.bytes().collect::<Vec<u8>>());
            as_bincode_does(&[Kind::Unit, Kind::Text(text.clone())]);
            as_bincode_does(&Kind::Named { text: some.then_some(text), number });
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        assert!(read::<String>(&Bytes::new(&[2, 0xff, 0xff])).is_err());
        // A length greater than any input.
        let endless = [0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        assert!(read::<String>(&Bytes::new(&endless)).is_err());
    }
}

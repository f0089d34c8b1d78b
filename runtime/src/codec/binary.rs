//! Reading a value in binary.
//!
//! Invariant: a value reads back as bincode would read it. This module must not know what it means.

use std::fmt;

use bincode::config::{self, Configuration};
use bincode::de::read::{BorrowReader, Reader};
use bincode::de::{BorrowDecode, BorrowDecoder, DecoderImpl};
use bincode::error::DecodeError;
use bincode::serde::BorrowCompat;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Visitor};

/// Values in binary, one after the other.
///
/// bincode's functions that read from bytes are compiled for each type as a whole. This is made once,
/// and knows what it has left.
pub(super) struct Bytes<'a>(DecoderImpl<Left<'a>, Configuration, ()>);

impl<'a> Bytes<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(DecoderImpl::new(Left(bytes), config::standard(), ()))
    }

    /// The next value. After an error, what is left is of no use.
    pub(super) fn read<T: DeserializeOwned>(&mut self) -> Result<T, DecodeError> {
        match BorrowCompat::<Value<T>>::borrow_decode(&mut self.0) {
            Ok(BorrowCompat(Value(value))) => Ok(value),
            Err(error) => Err(error),
        }
    }

    /// Passes over all bytes but the last `left`.
    pub(super) fn skip_to(&mut self, left: usize) {
        let read = self.left().saturating_sub(left);
        self.0.borrow_reader().consume(read);
    }

    /// How many bytes have not been read.
    pub(super) fn left(&mut self) -> usize {
        self.0.borrow_reader().0.len()
    }
}

impl fmt::Debug for Bytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bytes").finish_non_exhaustive()
    }
}

/// The bytes that have not been read.
struct Left<'a>(&'a [u8]);

impl Reader for Left<'_> {
    #[inline]
    fn read(&mut self, bytes: &mut [u8]) -> Result<(), DecodeError> {
        bytes.copy_from_slice(self.take_bytes(bytes.len())?);
        Ok(())
    }

    #[inline]
    fn peek_read(&mut self, count: usize) -> Option<&[u8]> {
        self.0.get(..count)
    }

    #[inline]
    fn consume(&mut self, count: usize) {
        self.0 = self.0.get(count..).unwrap_or_default();
    }
}

impl<'a> BorrowReader<'a> for Left<'a> {
    #[inline]
    fn take_bytes(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let Some((taken, left)) = self.0.split_at_checked(length) else {
            return Err(DecodeError::UnexpectedEnd { additional: length - self.0.len() });
        };
        self.0 = left;
        Ok(taken)
    }
}

struct Value<T>(T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Value<T> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        match T::deserialize(Copied(source)) {
            Ok(value) => Ok(Self(value)),
            Err(error) => Err(error),
        }
    }
}

/// Has a text copied from where it is. bincode, which does not know whether it is all there, asks for
/// memory that is zeroed, fills it and checks it; and of such memory glibc before 2.41 keeps none at
/// hand for each thread, so that all threads wait for each other. Only a value that is a text itself is
/// read so, as most arguments are: for one within another each type would have to be compiled twice.
struct Copied<D>(D);

/// Methods that leave everything to the deserializer within.
macro_rules! forward {
    ($($method:ident($($argument:ident: $kind:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $kind,)* visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($($argument,)* visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Copied<D> {
    type Error = D::Error;

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_str(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_bytes(visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }

    forward! {
        deserialize_any();
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_bytes();
        deserialize_option();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(length: usize);
        deserialize_tuple_struct(name: &'static str, length: usize);
        deserialize_map();
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier();
        deserialize_ignored_any();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    use proptest::prelude::*;
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Unit,
        Text(String),
        Named { text: Option<String>, number: i64 },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Name(String);

    /// Whole, with more behind it, and cut short: as bincode reads it.
    fn as_bincode_does<T: DeserializeOwned + Serialize + PartialEq + Debug>(value: &T) {
        let mut bytes =
            bincode::serde::encode_to_vec(value, config::standard()).expect("plain data");
        let length = bytes.len();
        bytes.push(7);
        let mut whole = Bytes::new(&bytes);
        let back: T = whole.read().expect("it is there");
        assert_eq!((&back, whole.left()), (value, 1));
        for cut in 0..length {
            assert!(Bytes::new(&bytes[..cut]).read::<T>().is_err(), "cut at {cut} of {length}");
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
        assert!(Bytes::new(&[2, 0xff, 0xff]).read::<String>().is_err());
        // Longer than anything there could be.
        let endless = [0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        assert!(Bytes::new(&endless).read::<String>().is_err());
    }
}

//! Reading a value in binary.
//!
//! Invariant: a value reads back as bincode would read it. This module must not know what it means.

use std::marker::PhantomData;

use bincode::config;
use bincode::error::DecodeError;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Visitor};

/// Reads a value at the beginning of `bytes`, and tells how many of them it took up.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, usize), DecodeError> {
    bincode::serde::seed_decode_from_slice(Value(PhantomData), bytes, config::standard())
}

struct Value<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> DeserializeSeed<'de> for Value<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<T, D::Error> {
        T::deserialize(Copied(source))
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
        let (back, taken) = read::<T>(&bytes).expect("it is there");
        assert_eq!((&back, taken), (value, length));
        for cut in 0..length {
            assert!(read::<T>(&bytes[..cut]).is_err(), "cut at {cut} of {length}");
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
        assert!(read::<String>(&[2, 0xff, 0xff]).is_err());
        // Longer than anything there could be.
        assert!(read::<String>(&[0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).is_err());
    }
}

//! What values are written to: the binary encoding.
//!
//! Invariant: the bytes are those that bincode writes, which also writes each part here. This module must not know
//! what they mean.
//!
//! bincode's own serializer gives errors that are large and reach into the standard library. What serde generates for a
//! type is compiled with them in the crate of the type, and so is the description of all that they reach.

#[cfg(test)]
mod tests;

use std::fmt::{self, Display};

use bincode::config;
use bincode::enc::Encode;
use bincode::enc::write::Writer;
use bincode::error::EncodeError;
use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::depth::{Depth, TooDeep};

/// Where one value, or what is left of it, goes.
pub(crate) struct Sink<'a> {
    out: &'a mut Vec<u8>,
    depth: Depth,
}

/// Why a value could not be written. It is a pointer, so that a result of writing is one, too.
#[derive(Debug)]
pub(crate) struct SinkError(Box<Refusal>);

#[derive(Debug)]
enum Refusal {
    /// A list says how long it is before its first item is written.
    Endless,
    TooDeep(TooDeep),
    /// What the type's `Serialize` said.
    Custom(String),
}

impl Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Refusal::Endless => f.write_str("it has a list that does not say how long it is"),
            Refusal::TooDeep(error) => error.fmt(f),
            Refusal::Custom(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for SinkError {}

impl ser::Error for SinkError {
    fn custom<T: Display>(message: T) -> Self {
        Self(Box::new(Refusal::Custom(message.to_string())))
    }
}

/// Where bincode writes a part.
impl Writer for Sink<'_> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        self.out.extend_from_slice(bytes);
        Ok(())
    }
}

impl<'a> Sink<'a> {
    /// Adds to what is there.
    #[cfg_attr(not(debug_assertions), inline)]
    pub(crate) fn new(out: &'a mut Vec<u8>, _: super::schema::Form) -> Self {
        Self { out, depth: Depth::WRITTEN }
    }

    /// A list of which the items are encoded already.
    pub(crate) fn list_as_it_is(mut self, length: usize, items: &[u8]) {
        self.put(length);
        self.out.extend_from_slice(items);
    }

    /// Where the next value at this level goes.
    #[cfg_attr(not(debug_assertions), inline)]
    fn beside(&mut self) -> Sink<'_> {
        Sink { out: self.out, depth: self.depth }
    }

    /// Where what is in the value goes.
    #[cfg_attr(not(debug_assertions), inline)]
    fn inside(self) -> Result<Self, SinkError> {
        match self.depth.inside() {
            Some(depth) => Ok(Self { out: self.out, depth }),
            None => Err(SinkError(Box::new(Refusal::TooDeep(TooDeep::BINARY)))),
        }
    }

    /// A part that serde takes as it is.
    #[cfg_attr(not(debug_assertions), inline)]
    fn put(&mut self, part: impl Encode) {
        // Writing to a `Vec` cannot fail, and neither can the encoding of what is no collection.
        let _ = bincode::encode_into_writer(part, self.beside(), config::standard());
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn part(mut self, part: impl Encode) -> Result<(), SinkError> {
        self.put(part);
        Ok(())
    }

    /// The parts that follow the number of a variant.
    #[cfg_attr(not(debug_assertions), inline)]
    fn variant(mut self, number: u32) -> Result<Self, SinkError> {
        self.put(number);
        self.inside()
    }

    /// The parts that follow their number.
    #[cfg_attr(not(debug_assertions), inline)]
    fn list(mut self, length: Option<usize>) -> Result<Self, SinkError> {
        match length {
            Some(length) => {
                self.put(length);
                self.inside()
            }
            None => Err(SinkError(Box::new(Refusal::Endless))),
        }
    }
}

macro_rules! parts {
    ($($method:ident: $part:ty,)*) => {$(
        #[cfg_attr(not(debug_assertions), inline)]
        fn $method(self, part: $part) -> Result<(), SinkError> {
            self.part(part)
        }
    )*};
}

impl Serializer for Sink<'_> {
    type Ok = ();
    type Error = SinkError;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    parts! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128,
        serialize_f32: f32,
        serialize_f64: f64,
        serialize_char: char,
        serialize_str: &str,
        serialize_bytes: &[u8],
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_none(self) -> Result<(), SinkError> {
        self.part(0_u8)
    }

    fn serialize_some<T: Serialize + ?Sized>(mut self, value: &T) -> Result<(), SinkError> {
        self.put(1_u8);
        match self.inside() {
            Ok(inside) => value.serialize(inside),
            Err(error) => Err(error),
        }
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_unit(self) -> Result<(), SinkError> {
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_unit_struct(self, _: &'static str) -> Result<(), SinkError> {
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_unit_variant(
        self,
        _: &'static str,
        number: u32,
        _: &'static str,
    ) -> Result<(), SinkError> {
        self.part(number)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), SinkError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        number: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), SinkError> {
        match self.variant(number) {
            Ok(content) => value.serialize(content),
            Err(error) => Err(error),
        }
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_seq(self, length: Option<usize>) -> Result<Self, SinkError> {
        self.list(length)
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_tuple(self, _: usize) -> Result<Self, SinkError> {
        Ok(self)
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, SinkError> {
        Ok(self)
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        number: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, SinkError> {
        self.variant(number)
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_map(self, length: Option<usize>) -> Result<Self, SinkError> {
        self.list(length)
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, SinkError> {
        Ok(self)
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        number: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, SinkError> {
        self.variant(number)
    }

    // What these two are by default is a dozen functions for each type.

    fn collect_seq<I>(self, items: I) -> Result<(), SinkError>
    where
        I: IntoIterator<Item: Serialize>,
    {
        let items = items.into_iter();
        let mut list = self.list(exactly(items.size_hint()))?;
        for item in items {
            item.serialize(list.beside())?;
        }
        Ok(())
    }

    fn collect_map<K, V, I>(self, entries: I) -> Result<(), SinkError>
    where
        K: Serialize,
        V: Serialize,
        I: IntoIterator<Item = (K, V)>,
    {
        let entries = entries.into_iter();
        let mut list = self.list(exactly(entries.size_hint()))?;
        for (key, value) in entries {
            key.serialize(list.beside())?;
            value.serialize(list.beside())?;
        }
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn is_human_readable(&self) -> bool {
        false
    }
}

/// How many items there are, as far as an iterator knows that.
#[cfg_attr(not(debug_assertions), inline)]
fn exactly(hint: (usize, Option<usize>)) -> Option<usize> {
    hint.1.filter(|most| *most == hint.0)
}

macro_rules! compounds {
    ($($compound:ident: $($method:ident($($key:ty)?)),+;)*) => {$(
        impl $compound for Sink<'_> {
            type Ok = ();
            type Error = SinkError;

            $(fn $method<T: Serialize + ?Sized>(
                &mut self,
                $(_: $key,)?
                value: &T,
            ) -> Result<(), SinkError> {
                value.serialize(self.beside())
            })+

            #[cfg_attr(not(debug_assertions), inline)]
            fn end(self) -> Result<(), SinkError> {
                Ok(())
            }
        }
    )*};
}

compounds! {
    SerializeSeq: serialize_element();
    SerializeTuple: serialize_element();
    SerializeTupleStruct: serialize_field();
    SerializeTupleVariant: serialize_field();
    SerializeMap: serialize_key(), serialize_value();
    SerializeStruct: serialize_field(&'static str);
    SerializeStructVariant: serialize_field(&'static str);
}

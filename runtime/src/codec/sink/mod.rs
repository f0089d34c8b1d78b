//! The writers of values, in the compact or the tagged form.
//!
//! Invariant: the bytes of the compact form are those that bincode writes; bincode writes each part here, too. This
//! module must not know what the parts mean.
//!
//! One serializer writes both forms, because the code that serde generates for a type is compiled once per serializer,
//! in the crate of the type.
//!
//! The errors of bincode's own serializer are large and refer to types of the standard library. The crate of each saved
//! type would compile code for all of them.

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
use super::schema::{Form, SECRET, is_range};
use super::tagged::Tag;

/// The output for one value, or for the rest of it.
pub(crate) struct Sink<'a> {
    out: &'a mut Vec<u8>,
    depth: Depth,
    form: Form,
}

/// Why a value could not be written. A pointer, so that a `Result` of writing is also the size of a pointer.
#[derive(Debug)]
pub(crate) struct SinkError(Box<Refusal>);

#[derive(Debug)]
enum Refusal {
    /// The length of a list is not known before its first item is written.
    Endless,
    /// A field is left out, so a reader would take the next one for it.
    Skipped(&'static str),
    TooDeep(TooDeep),
    /// The error of the type's `Serialize`.
    Custom(String),
}

impl Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Refusal::Endless => f.write_str("it has a list that does not say how long it is"),
            Refusal::Skipped(field) => write!(
                f,
                "it leaves out the field `{field}` (`#[serde(skip_serializing_if)]`), but of no value that piton has \
                 tried, so it is saved without the names of its fields; keep the whole in a `piton::Json`"
            ),
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

/// bincode writes the parts through this.
impl Writer for Sink<'_> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        self.out.extend_from_slice(bytes);
        Ok(())
    }
}

impl<'a> Sink<'a> {
    /// Appends to `out`.
    #[cfg_attr(not(debug_assertions), inline)]
    pub(crate) fn new(out: &'a mut Vec<u8>, form: Form) -> Self {
        Self { out, depth: Depth::WRITTEN, form }
    }

    /// Writes a list whose items are already encoded in this form.
    pub(crate) fn list_as_it_is(mut self, length: usize, items: &[u8]) {
        match self.form {
            Form::Compact => self.put(length),
            Form::Tagged => self.tag(Tag::List),
        }
        self.out.extend_from_slice(items);
        self.close();
    }

    /// Begins a `Result`. The value or the error is written next, at this level.
    pub(super) fn begin_result(mut self, is_ok: bool) {
        match self.form {
            // The number of the variant, as bincode writes it.
            Form::Compact => self.out.push(u8::from(!is_ok)),
            Form::Tagged => self.tagged_text(Tag::Variant, if is_ok { "Ok" } else { "Err" }),
        }
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn is_tagged(&self) -> bool {
        self.form == Form::Tagged
    }

    #[cold]
    #[inline(never)]
    fn tag(&mut self, tag: Tag) {
        self.out.push(tag as u8);
    }

    /// Writes a text after [`Tag::Text`], [`Tag::Variant`] or [`Tag::Range`].
    #[cold]
    #[inline(never)]
    fn tagged_text(&mut self, tag: Tag, text: &str) {
        self.tag(tag);
        self.put(text);
    }

    /// Ends a list or map. In the compact form its length precedes it or is in the schema.
    #[cfg_attr(not(debug_assertions), inline)]
    fn close(&mut self) {
        if self.is_tagged() {
            self.tag(Tag::End);
        }
    }

    /// Begins a part whose length is in the schema.
    #[cfg_attr(not(debug_assertions), inline)]
    fn fixed(mut self, tag: Tag) -> Result<Self, SinkError> {
        if self.is_tagged() {
            self.tag(tag);
            return self.inside();
        }
        Ok(self)
    }

    /// The output for the next value at this level.
    #[cfg_attr(not(debug_assertions), inline)]
    fn beside(&mut self) -> Sink<'_> {
        Sink { out: self.out, depth: self.depth, form: self.form }
    }

    /// The output for the content of the value, one level deeper.
    #[cfg_attr(not(debug_assertions), inline)]
    fn inside(self) -> Result<Self, SinkError> {
        match self.depth.inside() {
            Some(depth) => Ok(Self { depth, ..self }),
            None => Err(SinkError(Box::new(Refusal::TooDeep(TooDeep::BINARY)))),
        }
    }

    /// Writes a part by bincode.
    #[cfg_attr(not(debug_assertions), inline)]
    fn put(&mut self, part: impl Encode) {
        // Neither writing to a `Vec` nor encoding a part that is no collection can fail.
        let _ = bincode::encode_into_writer(part, self.beside(), config::standard());
    }

    /// Writes a part in either form.
    #[cfg_attr(not(debug_assertions), inline)]
    fn part(mut self, part: impl Encode, tagged: impl FnOnce(&mut Self)) -> Result<(), SinkError> {
        if self.is_tagged() {
            tagged(&mut self);
        } else {
            self.put(part);
        }
        Ok(())
    }

    /// Begins a variant by its number or name. Its content follows.
    #[cfg_attr(not(debug_assertions), inline)]
    fn variant(mut self, number: u32, name: &'static str) -> Result<Self, SinkError> {
        match self.form {
            Form::Compact => self.put(number),
            Form::Tagged => self.tagged_text(Tag::Variant, name),
        }
        self.inside()
    }

    /// Begins a list or map by its length. Its parts follow.
    #[cfg_attr(not(debug_assertions), inline)]
    fn list(mut self, tag: Tag, length: Option<usize>) -> Result<Self, SinkError> {
        match (self.form, length) {
            (Form::Compact, Some(length)) => self.put(length),
            (Form::Compact, None) => return Err(SinkError(Box::new(Refusal::Endless))),
            (Form::Tagged, _) => self.tag(tag),
        }
        self.inside()
    }
}

/// Numbers, texts and bytes in the tagged form. These functions are cold: otherwise the code for the compact form would
/// be too large to inline.
impl Sink<'_> {
    #[cold]
    #[inline(never)]
    fn tagged_unsigned(&mut self, number: u128) {
        match u64::try_from(number) {
            Ok(number) => {
                self.tag(Tag::Unsigned);
                self.put(number);
            }
            Err(_) => {
                self.tag(Tag::BigUnsigned);
                self.put(number);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn tagged_signed(&mut self, number: i128) {
        match i64::try_from(number) {
            Ok(number) => {
                self.tag(Tag::Signed);
                self.put(number);
            }
            Err(_) => {
                self.tag(Tag::BigSigned);
                self.put(number);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn tagged_float(&mut self, number: f64) {
        self.tag(Tag::Float);
        self.put(number);
    }

    #[cold]
    #[inline(never)]
    fn tagged_truth(&mut self, truth: bool) {
        self.tag(if truth { Tag::True } else { Tag::False });
    }

    #[cold]
    #[inline(never)]
    fn tagged_char(&mut self, char: char) {
        self.tag(Tag::Char);
        self.put(char);
    }

    /// Begins a struct. Its fields follow.
    #[cold]
    #[inline(never)]
    fn tagged_struct(mut self, name: &str) -> Result<Self, SinkError> {
        if is_range(name) {
            self.tagged_text(Tag::Range, name);
            self = self.inside()?;
        }
        self.fixed(Tag::Map)
    }

    #[cold]
    #[inline(never)]
    fn tagged_bytes(&mut self, bytes: &[u8]) {
        self.tag(Tag::Bytes);
        self.put(bytes);
    }
}

macro_rules! parts {
    ($($method:ident: $part:ty => $tagged:ident;)*) => {$(
        #[cfg_attr(not(debug_assertions), inline)]
        fn $method(self, part: $part) -> Result<(), SinkError> {
            self.part(part, |sink| sink.$tagged(part.into()))
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
        serialize_bool: bool => tagged_truth;
        serialize_i8: i8 => tagged_signed;
        serialize_i16: i16 => tagged_signed;
        serialize_i32: i32 => tagged_signed;
        serialize_i64: i64 => tagged_signed;
        serialize_i128: i128 => tagged_signed;
        serialize_u8: u8 => tagged_unsigned;
        serialize_u16: u16 => tagged_unsigned;
        serialize_u32: u32 => tagged_unsigned;
        serialize_u64: u64 => tagged_unsigned;
        serialize_u128: u128 => tagged_unsigned;
        serialize_f32: f32 => tagged_float;
        serialize_f64: f64 => tagged_float;
        serialize_char: char => tagged_char;
        serialize_bytes: &[u8] => tagged_bytes;
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_str(self, text: &str) -> Result<(), SinkError> {
        self.part(text, |sink| sink.tagged_text(Tag::Text, text))
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_none(self) -> Result<(), SinkError> {
        self.part(0_u8, |sink| sink.tag(Tag::Null))
    }

    fn serialize_some<T: Serialize + ?Sized>(mut self, value: &T) -> Result<(), SinkError> {
        match self.form {
            Form::Compact => self.put(1_u8),
            Form::Tagged => self.tag(Tag::Some),
        }
        match self.inside() {
            Ok(inside) => value.serialize(inside),
            Err(error) => Err(error),
        }
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_unit(self) -> Result<(), SinkError> {
        self.part((), |sink| sink.tag(Tag::Null))
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_unit_struct(self, _: &'static str) -> Result<(), SinkError> {
        self.serialize_unit()
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_unit_variant(
        self,
        _: &'static str,
        number: u32,
        variant: &'static str,
    ) -> Result<(), SinkError> {
        self.part(number, |sink| sink.tagged_text(Tag::Text, variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), SinkError> {
        if self.is_tagged() && name == SECRET {
            self.tag(Tag::Secret);
            return match self.inside() {
                Ok(inside) => value.serialize(inside),
                Err(error) => Err(error),
            };
        }
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        number: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), SinkError> {
        match self.variant(number, variant) {
            Ok(content) => value.serialize(content),
            Err(error) => Err(error),
        }
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_seq(self, length: Option<usize>) -> Result<Self, SinkError> {
        self.list(Tag::List, length)
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_tuple(self, _: usize) -> Result<Self, SinkError> {
        self.fixed(Tag::List)
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, SinkError> {
        self.fixed(Tag::List)
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        number: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, SinkError> {
        match self.variant(number, variant) {
            Ok(content) => content.fixed(Tag::List),
            Err(error) => Err(error),
        }
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_map(self, length: Option<usize>) -> Result<Self, SinkError> {
        self.list(Tag::Map, length)
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Self, SinkError> {
        match self.form {
            Form::Compact => Ok(self),
            Form::Tagged => self.tagged_struct(name),
        }
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        number: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, SinkError> {
        match self.variant(number, variant) {
            Ok(content) => content.fixed(Tag::Map),
            Err(error) => Err(error),
        }
    }

    // The default implementations of these two compile to a dozen functions for each type.

    fn collect_seq<I>(self, items: I) -> Result<(), SinkError>
    where
        I: IntoIterator<Item: Serialize>,
    {
        let items = items.into_iter();
        let mut list = self.list(Tag::List, exactly(items.size_hint()))?;
        for item in items {
            item.serialize(list.beside())?;
        }
        list.close();
        Ok(())
    }

    fn collect_map<K, V, I>(self, entries: I) -> Result<(), SinkError>
    where
        K: Serialize,
        V: Serialize,
        I: IntoIterator<Item = (K, V)>,
    {
        let entries = entries.into_iter();
        let mut list = self.list(Tag::Map, exactly(entries.size_hint()))?;
        for (key, value) in entries {
            key.serialize(list.beside())?;
            value.serialize(list.beside())?;
        }
        list.close();
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn is_human_readable(&self) -> bool {
        self.is_tagged()
    }
}

/// The number of items, if the iterator's bounds agree.
#[cfg_attr(not(debug_assertions), inline)]
fn exactly(hint: (usize, Option<usize>)) -> Option<usize> {
    hint.1.filter(|most| *most == hint.0)
}

macro_rules! compounds {
    ($($compound:ident: $($method:ident),+;)*) => {$(
        impl $compound for Sink<'_> {
            type Ok = ();
            type Error = SinkError;

            $(fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SinkError> {
                value.serialize(self.beside())
            })+

            #[cfg_attr(not(debug_assertions), inline)]
            fn end(mut self) -> Result<(), SinkError> {
                self.close();
                Ok(())
            }
        }
    )*};
}

compounds! {
    SerializeSeq: serialize_element;
    SerializeTuple: serialize_element;
    SerializeTupleStruct: serialize_field;
    SerializeTupleVariant: serialize_field;
    SerializeMap: serialize_key, serialize_value;
}

macro_rules! structs {
    ($($compound:ident)*) => {$(
        impl $compound for Sink<'_> {
            type Ok = ();
            type Error = SinkError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), SinkError> {
                if self.is_tagged() {
                    self.tagged_text(Tag::Text, name);
                }
                value.serialize(self.beside())
            }

            fn skip_field(&mut self, name: &'static str) -> Result<(), SinkError> {
                match self.form {
                    Form::Compact => Err(SinkError(Box::new(Refusal::Skipped(name)))),
                    Form::Tagged => Ok(()),
                }
            }

            #[cfg_attr(not(debug_assertions), inline)]
            fn end(mut self) -> Result<(), SinkError> {
                self.close();
                Ok(())
            }
        }
    )*};
}

structs! { SerializeStruct SerializeStructVariant }

//! What values are read from, other than the binary encoding: JSON, and a tracer that makes them up.
//!
//! One deserializer is both. What serde generates for a type is compiled once for every deserializer
//! that the type is read with, in the crate of the type; with one less of them a workflow compiles
//! sooner. For the same reason the functions here that know the type do as little as they can.

#![expect(clippy::question_mark, reason = "`?` is two more functions for each type to compile")]

use std::any::type_name;
use std::fmt::Display;

use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected,
    MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::schema::{Enumerated, Format, Formats, Place, Taken, Tracer};
use super::value::Value;

/// Why a value could not be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum SourceError {
    /// The tracer was asked what there is, which it cannot know.
    #[error("the type can only be read from a self-describing format")]
    SelfDescribing,
    /// The type does not take what there is.
    #[error("{0}")]
    Rejected(String),
}

impl de::Error for SourceError {
    fn custom<T: Display>(message: T) -> Self {
        Self::Rejected(message.to_string())
    }
}

/// Reads a value from JSON.
pub(super) fn from_json<T: DeserializeOwned>(json: &[u8]) -> Result<T, SourceError> {
    match parse(json) {
        Ok(value) => T::deserialize(Source::Read(value)),
        Err(error) => Err(error),
    }
}

fn parse(json: &[u8]) -> Result<Value, SourceError> {
    serde_json::from_slice(json).map_err(SourceError::custom)
}

/// Reads a list of any values from JSON. The list of none may be written as `null`, as serde does.
pub(super) fn list_from_json(json: &[u8]) -> Result<Vec<Value>, SourceError> {
    match parse(json) {
        Ok(Value::List(list)) => Ok(list),
        Ok(Value::Null) => Ok(Vec::new()),
        Ok(value) => Err(Source::wrong(&value, &"a list of arguments")),
        Err(error) => Err(error),
    }
}

/// Where one value comes from.
pub(super) enum Source<'a> {
    /// It is made up, as the tracer wants it.
    Made(Place<'a>),
    /// It is there.
    Read(Value),
}

impl<'a> Source<'a> {
    fn wrong(value: &Value, expected: &dyn Expected) -> SourceError {
        SourceError::invalid_type(value.unexpected(), expected)
    }

    /// A value without parts. `made` is the one that the tracer makes up.
    fn scalar(self, format: Format, made: Value) -> Value {
        match self {
            Self::Made(place) => {
                *place.format = format;
                made
            }
            Self::Read(value) => value,
        }
    }

    fn text(self) -> Value {
        let made = match &self {
            Self::Made(place) => place.tracer.text.to_owned(),
            Self::Read(_) => String::new(),
        };
        self.scalar(Format::Str, Value::Text(made))
    }

    /// Lists of any length.
    fn list(self, expected: &dyn Expected) -> Result<Items<'a>, SourceError> {
        match self {
            Self::Made(place) => Ok(Items::Made(place.items())),
            Self::Read(Value::List(list)) => Ok(Items::Read(list.into_iter())),
            Self::Read(value) => Err(Self::wrong(&value, expected)),
        }
    }

    fn tuple(self, len: usize, expected: &dyn Expected) -> Result<Items<'a>, SourceError> {
        match self {
            Self::Made(place) => Ok(Items::Made(place.tuple(len))),
            read => read.list(expected),
        }
    }

    fn named_tuple(
        self,
        rust_name: &'static str,
        name: &'static str,
        len: usize,
        expected: &dyn Expected,
    ) -> Result<Items<'a>, SourceError> {
        match self {
            Self::Made(place) => {
                Ok(Items::Made(Formats::Taken(place.begin(rust_name, name)?.tuple(len))))
            }
            read => read.list(expected),
        }
    }

    fn members(
        self,
        rust_name: &'static str,
        name: &'static str,
        names: &'static [&'static str],
        expected: &dyn Expected,
    ) -> Result<Members<'a>, SourceError> {
        match self {
            Self::Made(place) => {
                let taken = place.begin(rust_name, name)?.named(names);
                Ok(Members::Items(Items::Made(Formats::Taken(taken))))
            }
            Self::Read(value) => Members::read(value, expected),
        }
    }

    fn entries(self, expected: &dyn Expected) -> Result<Entries<'a>, SourceError> {
        match self {
            Self::Made(place) => Ok(place.entries()),
            Self::Read(Value::Map(map)) => Ok(Entries::Read(map.into_iter(), None)),
            Self::Read(value) => Err(Self::wrong(&value, expected)),
        }
    }

    fn newtype(
        self,
        rust_name: &'static str,
        name: &'static str,
    ) -> Result<Newtype<'a>, SourceError> {
        match self {
            Self::Made(place) => Ok(Newtype::Made(place.begin(rust_name, name)?.newtype())),
            Self::Read(value) => Ok(Newtype::Read(value)),
        }
    }

    fn unit_struct(
        self,
        rust_name: &'static str,
        name: &'static str,
    ) -> Result<Value, SourceError> {
        match self {
            Self::Made(place) => {
                place.begin(rust_name, name)?.unit().finish();
                Ok(Value::Null)
            }
            Self::Read(value) => Ok(value),
        }
    }

    fn variant(
        self,
        rust_name: &'static str,
        name: &'static str,
        variants: &'static [&'static str],
        expected: &dyn Expected,
    ) -> Result<Variant<'a>, SourceError> {
        match self {
            Self::Made(place) => Ok(Variant::Made(place.variant(rust_name, name, variants)?)),
            Self::Read(Value::Text(name) | Value::Key(name)) => Ok(Variant::Read(name, None)),
            Self::Read(Value::Map(mut map)) if map.len() == 1 => match map.pop() {
                Some((name, content)) => Ok(Variant::Read(name, Some(content))),
                None => Err(Self::wrong(&Value::Map(map), expected)),
            },
            Self::Read(value) => Err(Self::wrong(&value, expected)),
        }
    }
}

fn visit_number<'de, V: Visitor<'de>>(value: Value, visitor: V) -> Result<V::Value, SourceError> {
    match value.into_number() {
        Value::Unsigned(value) => visitor.visit_u64(value),
        Value::Signed(value) => visitor.visit_i64(value),
        Value::Float(value) => visitor.visit_f64(value),
        value => Err(Source::wrong(&value, &visitor)),
    }
}

fn visit_unit<'de, V: Visitor<'de>>(value: Value, visitor: V) -> Result<V::Value, SourceError> {
    match value {
        Value::Null => visitor.visit_unit(),
        value => Err(Source::wrong(&value, &visitor)),
    }
}

fn visit_text<'de, V: Visitor<'de>>(value: Value, visitor: V) -> Result<V::Value, SourceError> {
    match value {
        Value::Text(text) | Value::Key(text) => visitor.visit_str(&text),
        value => Err(Source::wrong(&value, &visitor)),
    }
}

fn visit_items<'de, V: Visitor<'de>>(
    items: Result<Items<'_>, SourceError>,
    visitor: V,
) -> Result<V::Value, SourceError> {
    let mut items = match items {
        Ok(items) => items,
        Err(error) => return Err(error),
    };
    match visitor.visit_seq(&mut items) {
        Ok(value) => match items.finish() {
            Ok(()) => Ok(value),
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    }
}

fn visit_members<'de, V: Visitor<'de>>(
    members: Result<Members<'_>, SourceError>,
    visitor: V,
) -> Result<V::Value, SourceError> {
    match members {
        Ok(Members::Items(items)) => visit_items(Ok(items), visitor),
        Ok(Members::Entries(entries)) => visitor.visit_map(entries),
        Err(error) => Err(error),
    }
}

macro_rules! numbers {
    ($($method:ident, $format:ident, $made:expr;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
            visit_number(self.scalar(Format::$format, $made), visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Source<'_> {
    type Error = SourceError;

    numbers! {
        deserialize_i8, I8, Value::Signed(0);
        deserialize_i16, I16, Value::Signed(0);
        deserialize_i32, I32, Value::Signed(0);
        deserialize_i64, I64, Value::Signed(0);
        deserialize_i128, I128, Value::Signed(0);
        deserialize_u8, U8, Value::Unsigned(0);
        deserialize_u16, U16, Value::Unsigned(0);
        deserialize_u32, U32, Value::Unsigned(0);
        deserialize_u64, U64, Value::Unsigned(0);
        deserialize_u128, U128, Value::Unsigned(0);
        deserialize_f32, F32, Value::Float(0.0);
        deserialize_f64, F64, Value::Float(0.0);
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        match self.scalar(Format::Bool, Value::Bool(false)).into_bool() {
            Value::Bool(value) => visitor.visit_bool(value),
            value => Err(Self::wrong(&value, &visitor)),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        visit_text(self.scalar(Format::Char, Value::Text("a".to_owned())), visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        visit_text(self.text(), visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        visit_text(self.text(), visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        self.deserialize_byte_buf(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        // Sixteen bytes are a UUID; other types take any number.
        match self {
            Self::Made(place) => {
                *place.format = Format::Bytes;
                visitor.visit_byte_buf(vec![0; 16])
            }
            Self::Read(Value::Text(text)) => visitor.visit_byte_buf(text.into_bytes()),
            read => visit_items(read.list(&visitor), visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        let inner = match self {
            Self::Made(place) => place.option().map(Self::Made),
            Self::Read(Value::Null) => None,
            read => Some(read),
        };
        match inner {
            Some(inner) => visitor.visit_some(inner),
            None => visitor.visit_none(),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        visit_unit(self.scalar(Format::Unit, Value::Null), visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, SourceError> {
        match self.unit_struct(type_name::<V::Value>(), name) {
            Ok(value) => visit_unit(value, visitor),
            Err(error) => Err(error),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, SourceError> {
        let mut newtype = match self.newtype(type_name::<V::Value>(), name) {
            Ok(newtype) => newtype,
            Err(error) => return Err(error),
        };
        let made = visitor.visit_newtype_struct(newtype.source());
        newtype.finish();
        made
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        visit_items(self.list(&visitor), visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, SourceError> {
        visit_items(self.tuple(len, &visitor), visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, SourceError> {
        let items = self.named_tuple(type_name::<V::Value>(), name, len, &visitor);
        visit_items(items, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        match self.entries(&visitor) {
            Ok(entries) => visitor.visit_map(entries),
            Err(error) => Err(error),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SourceError> {
        visit_members(self.members(type_name::<V::Value>(), name, fields, &visitor), visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SourceError> {
        let mut variant = match self.variant(type_name::<V::Value>(), name, variants, &visitor) {
            Ok(variant) => variant,
            Err(error) => return Err(error),
        };
        match visitor.visit_enum(&mut variant) {
            Ok(value) => {
                variant.finish();
                Ok(value)
            }
            Err(error) => Err(error),
        }
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        let value = match self {
            Self::Made(_) => return Err(SourceError::SelfDescribing),
            Self::Read(value) => value,
        };
        match value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Unsigned(value) => visitor.visit_u64(value),
            Value::Signed(value) => visitor.visit_i64(value),
            Value::Float(value) => visitor.visit_f64(value),
            Value::Text(value) | Value::Key(value) => visitor.visit_str(&value),
            Value::List(list) => visit_items(Ok(Items::Read(list.into_iter())), visitor),
            Value::Map(map) => visitor.visit_map(Entries::Read(map.into_iter(), None)),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        match self {
            Self::Made(_) => Err(SourceError::SelfDescribing),
            Self::Read(Value::Unsigned(number)) => visitor.visit_u64(number),
            Self::Read(value) => visit_text(value, visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        match self {
            Self::Made(_) => Err(SourceError::SelfDescribing),
            Self::Read(_) => visitor.visit_unit(),
        }
    }

    fn is_human_readable(&self) -> bool {
        matches!(self, Self::Read(_))
    }
}

/// Values by position.
pub(super) enum Items<'a> {
    Made(Formats<'a>),
    Read(std::vec::IntoIter<Value>),
}

impl Items<'_> {
    fn next(&mut self) -> Option<Source<'_>> {
        match self {
            Self::Made(formats) => formats.next().map(Source::Made),
            Self::Read(list) => list.next().map(Source::Read),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Made(formats) => formats.len(),
            Self::Read(list) => list.len(),
        }
    }

    fn finish(self) -> Result<(), SourceError> {
        match self {
            Self::Made(formats) => formats.finish(),
            Self::Read(list) if list.len() > 0 => {
                return Err(SourceError::custom("the list has more items than are wanted"));
            }
            Self::Read(_) => {}
        }
        Ok(())
    }
}

impl<'de> SeqAccess<'de> for &mut Items<'_> {
    type Error = SourceError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, SourceError> {
        match self.next() {
            Some(item) => match seed.deserialize(item) {
                Ok(value) => Ok(Some(value)),
                Err(error) => Err(error),
            },
            None => Ok(None),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.len())
    }
}

/// Keys with values.
pub(super) enum Entries<'a> {
    /// The formats of key and value, unless there is to be no entry.
    Made(&'a mut Tracer, Option<&'a mut Format>, Option<&'a mut Format>),
    /// What is left, and the value of the last key.
    Read(std::vec::IntoIter<(String, Value)>, Option<Value>),
}

impl Entries<'_> {
    fn next_key(&mut self) -> Option<Source<'_>> {
        match self {
            Self::Made(tracer, key, _) => {
                key.take().map(|format| Source::Made(Place { tracer, format }))
            }
            Self::Read(entries, value) => {
                let (key, next) = entries.next()?;
                *value = Some(next);
                Some(Source::Read(Value::Key(key)))
            }
        }
    }

    fn next_value(&mut self) -> Result<Source<'_>, SourceError> {
        let value = match self {
            Self::Made(tracer, _, value) => {
                value.take().map(|format| Source::Made(Place { tracer, format }))
            }
            Self::Read(_, value) => value.take().map(Source::Read),
        };
        value.ok_or_else(|| SourceError::custom("a map's value was read before its key"))
    }
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = SourceError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, SourceError> {
        match self.next_key() {
            Some(key) => match seed.deserialize(key) {
                Ok(key) => Ok(Some(key)),
                Err(error) => Err(error),
            },
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, SourceError> {
        match self.next_value() {
            Ok(value) => seed.deserialize(value),
            Err(error) => Err(error),
        }
    }
}

/// The parts of a struct.
enum Members<'a> {
    Items(Items<'a>),
    Entries(Entries<'a>),
}

impl Members<'_> {
    fn read(value: Value, expected: &dyn Expected) -> Result<Self, SourceError> {
        match value {
            Value::Map(map) => Ok(Self::Entries(Entries::Read(map.into_iter(), None))),
            Value::List(list) => Ok(Self::Items(Items::Read(list.into_iter()))),
            value => Err(Source::wrong(&value, expected)),
        }
    }
}

/// The single part of a struct or variant.
enum Newtype<'a> {
    Made(Taken<'a>),
    Read(Value),
}

impl Newtype<'_> {
    fn source(&mut self) -> Source<'_> {
        match self {
            Self::Made(taken) => Source::Made(taken.content()),
            Self::Read(value) => Source::Read(std::mem::replace(value, Value::Null)),
        }
    }

    fn finish(self) {
        if let Self::Made(taken) = self {
            taken.finish();
        }
    }
}

/// One variant of an enum.
pub(super) enum Variant<'a> {
    Made(Enumerated<'a>),
    /// Its name and content.
    Read(String, Option<Value>),
}

impl Variant<'_> {
    fn name(&mut self) -> Source<'static> {
        Source::Read(match self {
            Self::Made(variant) => Value::Unsigned(u64::from(variant.number())),
            Self::Read(name, _) => Value::Text(std::mem::take(name)),
        })
    }

    fn content(&mut self) -> Value {
        match self {
            Self::Made(_) => Value::Null,
            Self::Read(_, content) => content.take().unwrap_or(Value::Null),
        }
    }

    fn unit(&mut self) -> Result<(), SourceError> {
        match self.content() {
            Value::Null => Ok(()),
            value => Err(Source::wrong(&value, &"a variant without content")),
        }
    }

    fn newtype(&mut self) -> Newtype<'_> {
        match self {
            Self::Made(variant) => Newtype::Made(variant.begin().newtype()),
            read => Newtype::Read(read.content()),
        }
    }

    fn tuple(&mut self, len: usize, expected: &dyn Expected) -> Result<Items<'_>, SourceError> {
        match self {
            Self::Made(variant) => Ok(Items::Made(Formats::Taken(variant.begin().tuple(len)))),
            read => Source::Read(read.content()).list(expected),
        }
    }

    fn members(
        &mut self,
        names: &'static [&'static str],
        expected: &dyn Expected,
    ) -> Result<Members<'_>, SourceError> {
        match self {
            Self::Made(variant) => {
                let taken = variant.begin().named(names);
                Ok(Members::Items(Items::Made(Formats::Taken(taken))))
            }
            read => Members::read(read.content(), expected),
        }
    }

    fn finish(self) {
        if let Self::Made(variant) = self {
            variant.finish();
        }
    }
}

impl<'de> EnumAccess<'de> for &mut Variant<'_> {
    type Error = SourceError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), SourceError> {
        match seed.deserialize(self.name()) {
            Ok(name) => Ok((name, self)),
            Err(error) => Err(error),
        }
    }
}

impl<'de> VariantAccess<'de> for &mut Variant<'_> {
    type Error = SourceError;

    fn unit_variant(self) -> Result<(), SourceError> {
        self.unit()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, SourceError> {
        let mut newtype = self.newtype();
        let made = seed.deserialize(newtype.source());
        newtype.finish();
        made
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, SourceError> {
        visit_items(self.tuple(len, &visitor), visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SourceError> {
        visit_members(self.members(fields, &visitor), visitor)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Everything {
        truth: bool,
        small: i8,
        large: u64,
        float: f64,
        letter: char,
        text: String,
        unit: (),
        none: Option<u8>,
        some: Option<Wrapped>,
        list: Vec<(u8, String)>,
        numbered: BTreeMap<i32, Kind>,
        yes: BTreeMap<bool, Kind>,
        #[serde(default)]
        missing: Option<u8>,
        #[serde(flatten)]
        rest: BTreeMap<String, serde_json::Value>,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Wrapped(u8);

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Unit,
        Newtype(Wrapped),
        Tuple(u8, f32),
        Struct { a: u8, b: Option<String> },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        Number(i64),
        Text(String),
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "kind")]
    enum Tagged {
        One { value: u8 },
        Two,
    }

    /// What this reads is what `serde_json` reads.
    #[track_caller]
    fn agrees<T: DeserializeOwned + PartialEq + std::fmt::Debug>(json: &str) {
        let expected: Result<T, _> = serde_json::from_str(json);
        let read = from_json::<T>(json.as_bytes());
        assert_eq!(read.as_ref().ok(), expected.as_ref().ok(), "{read:?} and {expected:?}");
    }

    #[test]
    fn json_is_read_as_serde_json_reads_it() {
        let everything = r#"{
            "truth": true, "small": -7, "large": 18446744073709551615, "float": 1,
            "letter": "ä", "text": "a\nb", "unit": null, "none": null, "some": 3,
            "list": [[1, "x"], [2, "y"]], "more": {"deep": [1, null, "z"]},
            "numbered": {"-1": "Unit", "2": {"Newtype": 9}, "3": {"Tuple": [1, 0.5]}},
            "yes": {"true": {"Struct": {"a": 1, "b": null}}, "false": {"Unit": null}}
        }"#;
        assert!(from_json::<Everything>(everything.as_bytes()).is_ok());
        agrees::<Everything>(everything);
        agrees::<Wrapped>("300");
        agrees::<Kind>(r#"{"Struct": [1, "b"]}"#);
        agrees::<Kind>(r#"{"Struct": {"a": 1, "a": 2, "b": null}}"#);
        agrees::<Kind>(r#""Newtype""#);
        agrees::<Kind>(r#"{"Unit": 1}"#);
        agrees::<Kind>(r#"{"Unit": null, "Tuple": [1, 2]}"#);
        agrees::<Kind>(r#"{"Tuple": [1, 2, 3]}"#);
        agrees::<(u8, u8)>("[1]");
        agrees::<Vec<u8>>("{}");
        agrees::<Option<()>>("null");
        agrees::<Untagged>("-1");
        agrees::<Untagged>(r#""text""#);
        agrees::<Tagged>(r#"{"kind": "One", "value": 1}"#);
        agrees::<Tagged>(r#"{"kind": "Two"}"#);
        agrees::<f32>("1e39");
        agrees::<u64>("1.0");
        agrees::<u128>("18446744073709551615");
        agrees::<uuid::Uuid>(r#""67e55044-10b1-426f-9247-bb680e5fe0c8""#);
        agrees::<jiff::Timestamp>(r#""2024-02-29T12:00:00Z""#);
        agrees::<std::time::Duration>(r#"{"secs": 1, "nanos": 2}"#);
        agrees::<crate::Json<serde_json::Value>>(r#"[{"any": "thing"}]"#);
        agrees::<u8>("1 2");
    }
}

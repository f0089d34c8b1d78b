//! The implementation of serde's `Deserializer` for a source.

// `?` would compile two more functions for each type.

use std::any::type_name;

use serde::de::{Deserializer, Visitor};

use super::parts::{Entries, Items, Members};
use super::{Char, Scalar, Source, SourceError};
use crate::codec::schema::{Form, Format};
use crate::codec::value::{Number, Value};

fn visit_number<'de, V: Visitor<'de>>(
    value: &Value,
    format: &Format,
    visitor: V,
) -> Result<V::Value, SourceError> {
    match Source::number(value, format, &visitor) {
        Ok(Number::Unsigned(value)) => visitor.visit_u64(value),
        Ok(Number::Signed(value)) => visitor.visit_i64(value),
        Ok(Number::BigUnsigned(value)) => visitor.visit_u128(value),
        Ok(Number::BigSigned(value)) => visitor.visit_i128(value),
        Ok(Number::Float(value)) => visitor.visit_f64(value),
        Err(error) => Err(error),
    }
}

fn visit_unit<'de, V: Visitor<'de>>(value: &Value, visitor: V) -> Result<V::Value, SourceError> {
    match value.inner() {
        Value::Null => visitor.visit_unit(),
        value => Err(Source::wrong(value, &visitor)),
    }
}

/// Visits all items of a list.
fn visit_list<'de, V: Visitor<'de>>(
    items: Result<Items<'_>, SourceError>,
    visitor: V,
) -> Result<V::Value, SourceError> {
    match items {
        Ok(mut items) => match visitor.visit_seq(&mut items) {
            Ok(value) => match items.all_read() {
                Ok(()) => Ok(value),
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    }
}

/// Visits the items of a tuple, no more than the type expects.
pub(super) fn visit_tuple<'de, V: Visitor<'de>>(
    items: Result<Items<'_>, SourceError>,
    visitor: V,
) -> Result<V::Value, SourceError> {
    match items {
        Ok(mut items) => {
            let made = visitor.visit_seq(&mut items);
            items.finish();
            made
        }
        Err(error) => Err(error),
    }
}

pub(super) fn visit_members<'de, V: Visitor<'de>>(
    members: Result<Members<'_>, SourceError>,
    visitor: V,
) -> Result<V::Value, SourceError> {
    match members {
        Ok(Members::Items(items)) => visit_tuple(Ok(items), visitor),
        Ok(Members::Entries(entries)) => visitor.visit_map(entries),
        Err(error) => Err(error),
    }
}

macro_rules! numbers {
    ($($method:ident, $visit:ident, $format:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
            match self.scalar(&Format::$format) {
                Scalar::Value(value) => visit_number(value, &Format::$format, visitor),
                Scalar::Binary(bytes) => match bytes.scalar() {
                    Ok(value) => visitor.$visit(value),
                    Err(error) => Err(error),
                },
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Source<'_> {
    type Error = SourceError;

    numbers! {
        deserialize_i8, visit_i8, I8;
        deserialize_i16, visit_i16, I16;
        deserialize_i32, visit_i32, I32;
        deserialize_i64, visit_i64, I64;
        deserialize_i128, visit_i128, I128;
        deserialize_u8, visit_u8, U8;
        deserialize_u16, visit_u16, U16;
        deserialize_u32, visit_u32, U32;
        deserialize_u64, visit_u64, U64;
        deserialize_u128, visit_u128, U128;
        deserialize_f32, visit_f32, F32;
        deserialize_f64, visit_f64, F64;
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        let value = match self.scalar(&Format::Bool) {
            Scalar::Value(value) => match value.truth() {
                Some(value) => Ok(value),
                None => Err(Self::wrong(value, &visitor)),
            },
            Scalar::Binary(bytes) => bytes.scalar(),
        };
        match value {
            Ok(value) => visitor.visit_bool(value),
            Err(error) => Err(error),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        match self.char(&visitor) {
            Ok(Char::Plain(value)) => visitor.visit_char(value),
            Ok(Char::Text(text)) => visitor.visit_str(text),
            Err(error) => Err(error),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        match self.text(type_name::<V::Value>(), &visitor) {
            Ok(Char::Text(text)) => visitor.visit_str(text),
            Ok(Char::Plain(value)) => visitor.visit_char(value),
            Err(error) => Err(error),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        self.deserialize_byte_buf(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        // Sixteen bytes are a UUID; other types accept any number.
        match self {
            Self::Made(place) => {
                place.is(Format::Bytes);
                visitor.visit_byte_buf(vec![0; 16])
            }
            Self::Read(value, form) => match (value.inner(), form) {
                (Value::Bytes(bytes), _) => visitor.visit_bytes(bytes),
                // In the compact form, sixteen letters would be read as a UUID.
                (Value::Text(text), Form::Tagged) => visitor.visit_bytes(text.as_bytes()),
                (value, form) => visit_list(Self::Read(value, form).list(&visitor), visitor),
            },
            Self::Binary(bytes, _) => match bytes.bytes() {
                Ok(bytes) => visitor.visit_bytes(bytes),
                Err(error) => Err(error),
            },
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        match self.option() {
            Ok(Some(inner)) => visitor.visit_some(inner),
            Ok(None) => visitor.visit_none(),
            Err(error) => Err(error),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        visit_unit(self.unit(), visitor)
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
        match self.newtype(type_name::<V::Value>(), name) {
            Ok(mut newtype) => {
                let made = match visitor.visit_newtype_struct(newtype.source()) {
                    Ok(value) => Ok(value),
                    Err(error) => Err(newtype.located(error)),
                };
                newtype.finish();
                made
            }
            Err(error) => Err(error),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        visit_list(self.list(&visitor), visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, SourceError> {
        visit_tuple(self.tuple(len, &visitor), visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, SourceError> {
        let items = self.named_tuple(type_name::<V::Value>(), name, len, &visitor);
        visit_tuple(items, visitor)
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
        match self.variant(type_name::<V::Value>(), name, variants, &visitor) {
            Ok(mut variant) => match visitor.visit_enum(&mut variant) {
                Ok(value) => {
                    variant.finish();
                    Ok(value)
                }
                Err(error) => Err(variant.located(error)),
            },
            Err(error) => Err(error),
        }
    }

    #[expect(clippy::question_mark, reason = "`?` is two more functions for each type to compile")]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        let (value, form) = match self.any() {
            Ok(any) => any,
            Err(error) => return Err(error),
        };
        match value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Char(value) => visitor.visit_char(*value),
            Value::Text(value) | Value::Key(value) => visitor.visit_str(value),
            Value::Bytes(value) => visitor.visit_bytes(value),
            Value::Some(inner) | Value::Secret(inner) => {
                visitor.visit_some(Self::Read(inner, form))
            }
            Value::List(list) => visit_list(Ok(Items::Read(list, 0, form)), visitor),
            Value::Map(map) => visitor.visit_map(Entries::read(map, form)),
            number => visit_number(number, &Format::Unknown, visitor),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        self.deserialize_any(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SourceError> {
        match self.any() {
            Ok(_) => visitor.visit_unit(),
            Err(error) => Err(error),
        }
    }

    fn is_human_readable(&self) -> bool {
        matches!(self, Self::Read(_, Form::Tagged))
    }
}

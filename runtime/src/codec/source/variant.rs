//! The variants of enums.

use serde::de::{DeserializeSeed, EnumAccess, Expected, VariantAccess, Visitor};

use super::deserialize::{visit_items, visit_members};
use super::parts::{Items, Members, Newtype};
use super::{Source, SourceError};
use crate::codec::binary::Bytes;
use crate::codec::schema::{Enumerated, Formats};
use crate::codec::value::Value;

/// One variant of an enum.
pub(super) enum Variant<'a> {
    Made(Enumerated<'a>),
    /// Its name and content.
    Read(String, Option<Value>),
    /// Its number, and where its content is.
    Binary(&'a Bytes<'a>, u32),
}

impl Variant<'_> {
    fn name(&mut self) -> Source<'static> {
        Source::Read(match self {
            Self::Made(variant) => Value::Unsigned(u64::from(variant.number())),
            Self::Read(name, _) => Value::Text(std::mem::take(name)),
            Self::Binary(_, number) => Value::Unsigned(u64::from(*number)),
        })
    }

    fn content(&mut self) -> Value {
        match self {
            Self::Made(_) | Self::Binary(..) => Value::Null,
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
            Self::Binary(bytes, _) => Newtype::Binary(bytes),
            read => Newtype::Read(read.content()),
        }
    }

    fn tuple(&mut self, len: usize, expected: &dyn Expected) -> Result<Items<'_>, SourceError> {
        match self {
            Self::Made(variant) => Ok(Items::Made(Formats::Taken(variant.begin().tuple(len)))),
            Self::Binary(bytes, _) => Ok(Items::Binary(bytes, len)),
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
            Self::Binary(bytes, _) => Ok(Members::Items(Items::Binary(bytes, names.len()))),
            read => Members::read(read.content(), expected),
        }
    }

    pub(super) fn finish(self) {
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

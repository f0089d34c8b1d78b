//! The variants of enums.

use std::mem::ManuallyDrop;

use serde::de::{DeserializeSeed, EnumAccess, Error as _, Expected, VariantAccess, Visitor};

use super::deserialize::{visit_members, visit_tuple};
use super::parts::{Items, Members, Newtype};
use super::{Source, SourceError};
use crate::codec::binary::Bytes;
use crate::codec::depth::Depth;
use crate::codec::schema::{Enumerated, Form};
use crate::codec::value::Value;

/// One variant of an enum.
pub(super) enum Variant<'a> {
    Made(Enumerated<'a>, Number),
    /// Its name and content.
    Read(&'a Value, &'a Value, Form),
    /// The source of its content, its number, and the limit of depth.
    Binary(&'a Bytes<'a>, Number, Depth),
}

/// The number of a variant, without a destructor.
type Number = ManuallyDrop<Value>;

impl<'a> Variant<'a> {
    pub(super) fn made(variant: Enumerated<'a>) -> Self {
        let number = Value::Unsigned(variant.number().into());
        Self::Made(variant, ManuallyDrop::new(number))
    }

    pub(super) fn read(
        value: &'a Value,
        form: Form,
        expected: &dyn Expected,
    ) -> Result<Self, SourceError> {
        match value.inner() {
            name @ (Value::Text(_) | Value::Key(_)) => Ok(Self::Read(name, &Value::Null, form)),
            // serde reads a number as the position of a variant.
            Value::Map(map)
                if let [(name, content)] = &map[..]
                    && name.text().is_some() =>
            {
                Ok(Self::Read(name, content, form))
            }
            value => Err(Source::wrong(value, expected)),
        }
    }

    pub(super) fn binary(bytes: &'a Bytes<'a>, depth: Depth) -> Result<Self, SourceError> {
        let number: u32 = bytes.scalar()?;
        Ok(Self::Binary(bytes, ManuallyDrop::new(Value::Unsigned(number.into())), depth))
    }

    fn name(&self) -> Source<'_> {
        match self {
            Self::Made(_, number) | Self::Binary(_, number, _) => {
                Source::Read(number, Form::Compact)
            }
            Self::Read(name, _, form) => Source::Read(name, *form),
        }
    }

    fn unit(&mut self) -> Result<(), SourceError> {
        match self {
            Self::Made(..) | Self::Binary(..) => Ok(()),
            Self::Read(_, content, _) => match content.inner() {
                Value::Null => Ok(()),
                value => Err(Source::wrong(value, &"a variant without content")),
            },
        }
    }

    fn newtype(&mut self) -> Newtype<'_> {
        match self {
            Self::Made(variant, _) => Newtype::Made(variant.begin().newtype()),
            Self::Read(_, content, form) => Newtype::Read(content, *form),
            Self::Binary(bytes, _, depth) => Newtype::Binary(bytes, *depth),
        }
    }

    fn tuple(&mut self, len: usize, expected: &dyn Expected) -> Result<Items<'_>, SourceError> {
        match self {
            Self::Made(variant, _) => Ok(Items::Made(variant.begin().tuple(len))),
            Self::Read(_, content, form) => Items::read_tuple(content, *form, len, expected),
            Self::Binary(bytes, _, depth) => Ok(Items::Binary(bytes, len, *depth)),
        }
    }

    fn members(
        &mut self,
        names: &'static [&'static str],
        expected: &dyn Expected,
    ) -> Result<Members<'_>, SourceError> {
        match self {
            Self::Made(variant, _) => Ok(Members::Items(Items::Made(variant.begin().named(names)))),
            Self::Read(_, content, form) => Members::read(content, *form, names.len(), expected),
            Self::Binary(bytes, _, depth) => {
                Ok(Members::Items(Items::Binary(bytes, names.len(), *depth)))
            }
        }
    }

    /// Adds this variant to the path of an error.
    #[cold]
    pub(super) extern "C" fn located(&self, error: SourceError) -> SourceError {
        match self {
            Self::Read(name, ..) => error.within_variant(name),
            _ => error,
        }
    }

    pub(super) extern "C" fn finish(&mut self) {
        if let Self::Made(variant, _) = self {
            variant.finish();
        }
    }
}

/// The variants of `Result`.
const OF_RESULT: &[&str] = &["Ok", "Err"];

/// Reading a `Result` as serde would.
impl Source<'_> {
    /// Reads a `Result`. `content` reads what it contains, and gets whether it is `Ok`.
    pub(in crate::codec) fn result(
        self,
        rust_name: &'static str,
        content: &mut dyn FnMut(bool, Source<'_>) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        let mut variant = self.variant(rust_name, "Result", OF_RESULT, &"enum Result")?;
        let is_ok = variant.is_ok()?;
        let mut newtype = variant.newtype();
        let read = content(is_ok, newtype.source());
        newtype.finish();
        if read.is_ok() {
            variant.finish();
        }
        read
    }

    /// Begins to read a `Result`: returns whether it is `Ok`. In the binary encoding its content follows.
    pub(in crate::codec) fn begin_result(self) -> Result<bool, SourceError> {
        self.variant("", "Result", OF_RESULT, &"enum Result")?.is_ok()
    }
}

impl Variant<'_> {
    fn is_ok(&self) -> Result<bool, SourceError> {
        match self {
            Self::Made(_, number) | Self::Binary(_, number, _) => match **number {
                Value::Unsigned(0) => Ok(true),
                Value::Unsigned(1) => Ok(false),
                ref other => Err(SourceError::invalid_value(other.unexpected(), &"`Ok` or `Err`")),
            },
            Self::Read(name, ..) => match Source::text_of(name, &"`Ok` or `Err`")? {
                "Ok" => Ok(true),
                "Err" => Ok(false),
                other => Err(SourceError::unknown_variant(other, OF_RESULT)),
            },
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
        visit_tuple(self.tuple(len, &visitor), visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SourceError> {
        visit_members(self.members(fields, &visitor), visitor)
    }
}

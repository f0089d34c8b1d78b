//! The parts of lists, maps and structs.

use std::mem::ManuallyDrop;

use serde::de::{DeserializeSeed, Error as _, Expected, MapAccess, SeqAccess};

use super::{Part, Source, SourceError};
use crate::codec::binary::Bytes;
use crate::codec::depth::Depth;
use crate::codec::schema::{Form, Formats, Taken};
use crate::codec::value::Value;

/// Values by position.
pub(super) enum Items<'a> {
    Made(Formats<'a>),
    /// These values, from this index on.
    Read(&'a [Value], usize, Form),
    /// Bytes, each as a number, and the last one read.
    Octets(std::slice::Iter<'a, u8>, ManuallyDrop<Value>),
    /// This many values from the bytes, each with this limit of depth.
    Binary(&'a Bytes<'a>, usize, Depth),
}

impl<'a> Items<'a> {
    /// The items of a list.
    pub(super) fn read(
        value: &'a Value,
        form: Form,
        expected: &dyn Expected,
    ) -> Result<Self, SourceError> {
        match value.inner() {
            Value::List(list) => Ok(Self::Read(list, 0, form)),
            Value::Bytes(bytes) => Ok(Self::Octets(bytes.iter(), ManuallyDrop::new(Value::Null))),
            value => Err(Source::wrong(value, expected)),
        }
    }

    /// The first `count` items of a list.
    pub(super) fn read_tuple(
        value: &'a Value,
        form: Form,
        count: usize,
        expected: &dyn Expected,
    ) -> Result<Self, SourceError> {
        let items = Self::read(value, form, expected)?;
        if items.len() > count { Err(too_many()) } else { Ok(items) }
    }
}

impl Items<'_> {
    #[cfg_attr(not(debug_assertions), inline)]
    fn next(&mut self) -> Option<Source<'_>> {
        match self {
            Self::Made(formats) => formats.next().map(Source::Made),
            Self::Read(list, next, form) => {
                let value = list.get(*next)?;
                *next += 1;
                Some(Source::Read(value, *form))
            }
            Self::Octets(bytes, number) => {
                *number = ManuallyDrop::new(Value::Unsigned((*bytes.next()?).into()));
                Some(Source::Read(number, Form::Compact))
            }
            Self::Binary(bytes, left, depth) => {
                *left = left.checked_sub(1)?;
                Some(Source::Binary(bytes, *depth))
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Made(formats) => formats.len(),
            Self::Read(list, next, _) => list.len() - next,
            Self::Octets(bytes, _) => bytes.len(),
            Self::Binary(_, left, _) => *left,
        }
    }

    /// Adds the last item to the path of an error.
    #[cold]
    extern "C" fn located(&self, error: SourceError) -> SourceError {
        match self {
            Self::Read(_, next, _) => error.within(Part::Item(next.saturating_sub(1))),
            _ => error,
        }
    }

    /// Fails if a visitor has not read all items.
    pub(super) extern "C" fn all_read(&self) -> Result<(), SourceError> {
        match self {
            Self::Read(..) | Self::Octets(..) if self.len() > 0 => Err(too_many()),
            _ => Ok(()),
        }
    }

    pub(super) extern "C" fn finish(&mut self) {
        if let Self::Made(formats) = self {
            formats.finish();
        }
    }
}

fn too_many() -> SourceError {
    SourceError::custom("the list has more items than are wanted")
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
                Err(error) => Err(self.located(error)),
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
    /// A key and its value; nothing if there shall be no entry.
    Made(Formats<'a>),
    /// The remaining entries, and the last one read.
    Read(std::slice::Iter<'a, (Value, Value)>, Option<&'a (Value, Value)>, Form),
    /// This many values from the bytes, each with this limit of depth.
    Binary(&'a Bytes<'a>, usize, Depth),
}

impl<'a> Entries<'a> {
    pub(super) fn read(map: &'a [(Value, Value)], form: Form) -> Self {
        Self::Read(map.iter(), None, form)
    }
}

impl Entries<'_> {
    fn next_key(&mut self) -> Option<Source<'_>> {
        match self {
            Self::Made(entry) => entry.next().map(Source::Made),
            Self::Read(entries, last, form) => {
                let entry = entries.next()?;
                *last = Some(entry);
                Some(Source::Read(&entry.0, *form))
            }
            Self::Binary(bytes, left, depth) => {
                *left = left.checked_sub(1)?;
                Some(Source::Binary(bytes, *depth))
            }
        }
    }

    fn next_value(&mut self) -> Result<Source<'_>, SourceError> {
        let value = match self {
            Self::Made(entry) => entry.next().map(Source::Made),
            Self::Read(_, last, form) => last.map(|(_, value)| Source::Read(value, *form)),
            Self::Binary(bytes, _, depth) => Some(Source::Binary(bytes, *depth)),
        };
        value.ok_or_else(|| SourceError::custom("a map's value was read before its key"))
    }

    /// Adds the last value to the path of an error.
    #[cold]
    extern "C" fn located(&self, error: SourceError) -> SourceError {
        match self {
            Self::Read(_, Some((key, _)), _) => {
                error.within(Part::Field(key.text().unwrap_or("?").to_owned()))
            }
            _ => error,
        }
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
            Ok(value) => match seed.deserialize(value) {
                Ok(value) => Ok(value),
                Err(error) => Err(self.located(error)),
            },
            Err(error) => Err(error),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        match self {
            Self::Binary(_, left, _) => Some(*left),
            _ => None,
        }
    }
}

/// The parts of a struct.
pub(super) enum Members<'a> {
    Items(Items<'a>),
    Entries(Entries<'a>),
}

impl<'a> Members<'a> {
    /// The first `count` fields of a struct.
    pub(super) fn read(
        value: &'a Value,
        form: Form,
        count: usize,
        expected: &dyn Expected,
    ) -> Result<Self, SourceError> {
        match value.inner() {
            // serde reads a number as the position of a field.
            Value::Map(map) => match map.iter().find(|(key, _)| key.text().is_none()) {
                Some((key, _)) => Err(Source::wrong(key, &"the name of a field")),
                None => Ok(Self::Entries(Entries::read(map, form))),
            },
            value => Items::read_tuple(value, form, count, expected).map(Self::Items),
        }
    }
}

/// The single part of a struct or variant.
pub(super) enum Newtype<'a> {
    Made(Taken<'a>),
    Read(&'a Value, Form),
    Binary(&'a Bytes<'a>, Depth),
}

impl Newtype<'_> {
    pub(super) fn source(&mut self) -> Source<'_> {
        match self {
            Self::Made(taken) => Source::Made(taken.content()),
            Self::Read(value, form) => Source::Read(value, *form),
            Self::Binary(bytes, depth) => Source::Binary(bytes, *depth),
        }
    }

    /// Removes the content of a secret from an error.
    #[cold]
    pub(super) extern "C" fn located(&self, error: SourceError) -> SourceError {
        match self {
            Self::Read(Value::Secret(_), _) => {
                SourceError::custom("the type does not take the secret")
            }
            _ => error,
        }
    }

    pub(super) extern "C" fn finish(&mut self) {
        if let Self::Made(taken) = self {
            taken.finish();
        }
    }
}

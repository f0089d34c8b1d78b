//! The parts of lists, maps and structs.

use serde::de::{DeserializeSeed, Error as _, Expected, MapAccess, SeqAccess};

use super::{Source, SourceError};
use crate::codec::binary::Bytes;
use crate::codec::schema::{Format, Formats, Place, Taken, Tracer};
use crate::codec::value::Value;

/// Values by position.
pub(super) enum Items<'a> {
    Made(Formats<'a>),
    Read(std::slice::Iter<'a, Value>),
    /// As many as these.
    Binary(&'a Bytes<'a>, usize),
}

impl Items<'_> {
    #[cfg_attr(not(debug_assertions), inline)]
    fn next(&mut self) -> Option<Source<'_>> {
        match self {
            Self::Made(formats) => formats.next().map(Source::Made),
            Self::Read(list) => list.next().map(Source::Read),
            Self::Binary(bytes, left) => {
                *left = left.checked_sub(1)?;
                Some(Source::Binary(bytes))
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Made(formats) => formats.len(),
            Self::Read(list) => list.len(),
            Self::Binary(_, left) => *left,
        }
    }

    pub(super) extern "C" fn finish(&mut self) -> Result<(), SourceError> {
        match self {
            Self::Made(formats) => formats.finish(),
            Self::Read(list) if list.len() > 0 => {
                return Err(SourceError::custom("the list has more items than are wanted"));
            }
            Self::Read(_) | Self::Binary(..) => {}
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
pub(in crate::codec) enum Entries<'a> {
    /// The formats of key and value, unless there is to be no entry.
    Made(&'a mut Tracer, Option<&'a mut Format>, Option<&'a mut Format>),
    /// What is left, and the value of the last key.
    Read(std::slice::Iter<'a, (Value, Value)>, Option<&'a Value>),
    /// As many as these.
    Binary(&'a Bytes<'a>, usize),
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
                Some(Source::Read(key))
            }
            Self::Binary(bytes, left) => {
                *left = left.checked_sub(1)?;
                Some(Source::Binary(bytes))
            }
        }
    }

    fn next_value(&mut self) -> Result<Source<'_>, SourceError> {
        let value = match self {
            Self::Made(tracer, _, value) => {
                value.take().map(|format| Source::Made(Place { tracer, format }))
            }
            Self::Read(_, value) => value.take().map(Source::Read),
            Self::Binary(bytes, _) => Some(Source::Binary(bytes)),
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

    fn size_hint(&self) -> Option<usize> {
        match self {
            Self::Binary(_, left) => Some(*left),
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
    pub(super) fn read(value: &'a Value, expected: &dyn Expected) -> Result<Self, SourceError> {
        match value {
            Value::Map(map) => Ok(Self::Entries(Entries::Read(map.iter(), None))),
            Value::List(list) => Ok(Self::Items(Items::Read(list.iter()))),
            value => Err(Source::wrong(value, expected)),
        }
    }
}

/// The single part of a struct or variant.
pub(super) enum Newtype<'a> {
    Made(Taken<'a>),
    Read(&'a Value),
    Binary(&'a Bytes<'a>),
}

impl Newtype<'_> {
    pub(super) fn source(&mut self) -> Source<'_> {
        match self {
            Self::Made(taken) => Source::Made(taken.content()),
            Self::Read(value) => Source::Read(value),
            Self::Binary(bytes) => Source::Binary(bytes),
        }
    }

    pub(super) extern "C" fn finish(&mut self) {
        if let Self::Made(taken) = self {
            taken.finish();
        }
    }
}

//! Reading values one after the other: the arguments of a call, a saved local, what an activity returned.

use std::any::type_name;
use std::fmt;
use std::mem::ManuallyDrop;

use serde::Deserialize;

use super::binary::Bytes;
use super::source::{self, Source, SourceError};
use super::value::Value;
use super::{CodecError, NameOf, cannot_decode, encoding, left_over, not_read};
use crate::hidden::Hidden;
use crate::model::Encoding;

/// What is wrong with several values is said of them as a whole.
const ARGUMENTS: &str = "arguments";

/// Reads values one by one, with [`next_value`].
///
/// Nothing drops what is in it, or every function that has one would have code for that on each way out. So
/// [`Reader::finish`] or [`Reader::failure`] ends it; of one that is dropped in a panic some memory stays behind.
#[derive(Debug)]
pub struct Reader<'a> {
    /// What is read, for messages.
    what: &'static str,
    rest: Rest<'a>,
    failed: ManuallyDrop<Option<Failure>>,
}

enum Rest<'a> {
    Binary(Bytes<'a>),
    /// All of them, and how many have been read.
    Json(ManuallyDrop<Box<dyn Hidden<Vec<Value>>>>, usize),
    /// The only one, until it has been read.
    One(&'a mut dyn Hidden<Option<Source<'a>>>),
    /// It is not known.
    Nothing,
}

impl fmt::Debug for Rest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary(bytes) => f.debug_tuple("Binary").field(bytes).finish(),
            Self::Json(..) => f.debug_tuple("Json").finish_non_exhaustive(),
            Self::One(_) => f.debug_tuple("One").finish_non_exhaustive(),
            Self::Nothing => f.write_str("Nothing"),
        }
    }
}

/// Why a value could not be read.
#[derive(Debug)]
enum Failure {
    /// It is not there.
    Missing(CodecError),
    /// It is not of its type.
    Other(NameOf, SourceError),
}

// What is called where a value is alive is `extern "C"`, see the functions of [`super`] that are compiled once.
impl<'a> Reader<'a> {
    /// Begins to read a payload with arguments.
    pub fn new(payload: &'a [u8]) -> Self {
        Self::of_payload(payload, ARGUMENTS, source::list_from_json)
    }

    /// Begins to read the payload of a single value.
    pub(crate) fn of_value(payload: &'a [u8], type_name: &'static str) -> Self {
        Self::of_payload(payload, type_name, |json| Ok(vec![source::value_from_json(json)?]))
    }

    /// Begins to read a value in binary.
    pub(crate) fn of_saved(saved: &'a [u8], type_name: &'static str) -> Self {
        Self::of(type_name, Rest::Binary(Bytes::new(saved)), None)
    }

    /// Begins to read a value from its source.
    pub(super) fn of_source(source: &'a mut Option<Source<'a>>) -> Self {
        Self::of(ARGUMENTS, Rest::One(source), None)
    }

    fn of_payload(
        payload: &'a [u8],
        what: &'static str,
        values_from_json: fn(&[u8]) -> Result<Vec<Value>, SourceError>,
    ) -> Self {
        let failed = |error| Self::of(what, Rest::Nothing, Some(Failure::Missing(error)));
        match encoding(payload, what) {
            Ok((Encoding::Binary, values)) => Self::of_saved(values, what),
            Ok((Encoding::Json, json)) => match values_from_json(json) {
                Ok(list) => {
                    let list: Box<dyn Hidden<Vec<Value>>> = Box::new(list);
                    Self::of(what, Rest::Json(ManuallyDrop::new(list), 0), None)
                }
                Err(error) => failed(cannot_decode(what, &error)),
            },
            Err(error) => failed(error),
        }
    }

    fn of(what: &'static str, rest: Rest<'a>, failed: Option<Failure>) -> Self {
        Self { what, rest, failed: ManuallyDrop::new(failed) }
    }

    fn next(&mut self) -> Option<Source<'_>> {
        if self.failed.is_some() {
            return None;
        }
        match &mut self.rest {
            Rest::Binary(bytes) => return Some(Source::binary(bytes)),
            Rest::Json(list, read) => {
                if let Some(value) = (***list).reveal().get(*read) {
                    *read += 1;
                    return Some(Source::json(value));
                }
            }
            Rest::One(source) => {
                if let Some(source) = (**source).reveal_mut().take() {
                    return Some(source);
                }
            }
            Rest::Nothing => {}
        }
        *self.failed = Some(Failure::Missing(too_few(self.what)));
        None
    }

    /// All that is left of what is in binary.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        match &self.rest {
            Rest::Binary(bytes) => bytes.take_rest(),
            _ => &[],
        }
    }

    /// Ends it in between. How much is left, for [`Reader::skip_to`] of another reader of the same.
    pub(crate) extern "C" fn stop(&mut self) -> usize {
        let left = self.left();
        self.free();
        left
    }

    fn left(&self) -> usize {
        match &self.rest {
            Rest::Binary(bytes) => bytes.left(),
            Rest::Json(list, read) => (***list).reveal().len() - read,
            Rest::One(source) => usize::from((**source).reveal().is_some()),
            Rest::Nothing => 0,
        }
    }

    /// Passes over all but what is `left`.
    pub(crate) fn skip_to(&mut self, left: usize) {
        match &mut self.rest {
            Rest::Binary(bytes) => bytes.skip_to(left),
            Rest::Json(list, read) => {
                *read = (***list).reveal().len().saturating_sub(left).max(*read);
            }
            Rest::One(_) | Rest::Nothing => {}
        }
    }

    /// Whether the next value, a `Result`, is `Ok`, unless something has been wrong so far. What is next then is what
    /// is in it.
    pub(crate) fn is_ok(&mut self) -> Option<bool> {
        let is_ok = self.next()?.begin_result();
        match (is_ok, &mut self.rest) {
            (Ok(is_ok), Rest::Json(list, read)) => {
                *read -= 1;
                (***list).reveal_mut()[*read].become_content();
                Some(is_ok)
            }
            (Ok(is_ok), _) => Some(is_ok),
            (Err(error), _) => {
                *self.failed = Some(Failure::Missing(cannot_decode(self.what, &error)));
                None
            }
        }
    }

    /// Has the `content` of the next value, a `Result`, read. Tells whether it could be.
    pub(super) fn result(
        &mut self,
        type_name: NameOf,
        content: &mut dyn FnMut(bool, &mut Reader<'_>) -> bool,
    ) -> bool {
        let Some(source) = self.next() else { return false };
        let read = source.result(type_name(), &mut |is_ok, source| {
            let mut source = Some(source);
            let mut reader = Reader::of_source(&mut source);
            if content(is_ok, &mut reader) { Ok(()) } else { Err(reader.source_failure()) }
        });
        read.map_err(|error| self.fail(type_name, error)).is_ok()
    }

    fn fail(&mut self, type_name: NameOf, error: SourceError) {
        *self.failed = Some(Failure::Other(type_name, error));
    }

    /// What was wrong: a value could not be read, or, once all have been, there are more.
    ///
    /// # Errors
    /// [`CodecError::Decode`].
    pub extern "C" fn finish(&mut self) -> Result<(), CodecError> {
        if self.failed.is_some() {
            return Err(self.failure());
        }
        let (left, what) = (self.left(), self.what);
        let is_binary = matches!(self.rest, Rest::Binary(_));
        self.free();
        match left {
            0 => Ok(()),
            _ if is_binary => Err(left_over(what, left)),
            _ => Err(cannot_decode(what, &"there are too many")),
        }
    }

    /// Why a value could not be read.
    pub extern "C" fn failure(&mut self) -> CodecError {
        self.free();
        match self.failed.take() {
            Some(Failure::Missing(error)) => error,
            Some(Failure::Other(type_name, error)) => not_read(type_name, error),
            None => too_few(self.what),
        }
    }

    /// As [`Reader::failure`], of a value that was read from its source.
    pub(super) fn source_failure(&mut self) -> SourceError {
        match self.failed.take() {
            Some(Failure::Other(_, error)) => error,
            Some(Failure::Missing(error)) => serde::de::Error::custom(error),
            None => serde::de::Error::custom(too_few(self.what)),
        }
    }

    fn free(&mut self) {
        let rest = std::mem::replace(&mut self.rest, Rest::Nothing);
        if let Rest::Json(list, _) = rest {
            drop(ManuallyDrop::into_inner(list));
        }
    }
}

fn too_few(what: &'static str) -> CodecError {
    cannot_decode(what, &"there are too few")
}

/// The next value, unless something has been wrong so far: see [`Reader::failure`].
#[expect(clippy::question_mark, reason = "`?` is two more functions for each type to compile")]
pub fn next_value<T: for<'de> Deserialize<'de>>(reader: &mut Reader<'_>) -> Option<T> {
    let Some(source) = reader.next() else { return None };
    match T::deserialize(source) {
        Ok(value) => Some(value),
        Err(error) => {
            reader.fail(type_name::<T>, error);
            None
        }
    }
}

/// The only value that there is to read, by [`next_value`] for its type.
pub(crate) fn only_value<T>(
    mut reader: Reader<'_>,
    next: fn(&mut Reader<'_>) -> Option<T>,
) -> Result<T, CodecError> {
    match next(&mut reader) {
        Some(value) => match reader.finish() {
            Ok(()) => Ok(value),
            Err(error) => Err(error),
        },
        None => Err(reader.failure()),
    }
}

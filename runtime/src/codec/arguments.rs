//! Arguments: values one after the other, encoded as a tuple of them is.
//!
//! They are written and read one by one, and not as a tuple: the code for a value is compiled once
//! for its type, and often within piton, where that for a tuple would be compiled for each list of
//! types.

use std::any::type_name;
use std::fmt;
use std::mem::ManuallyDrop;

use serde::{Deserialize, Serialize};

use super::binary::Bytes;
use super::copying::Copying;
use super::source::{self, Source, SourceError};
use super::value::Value;
use super::{CodecError, NameOf, cannot_decode, encode_into, encoding, left_over, not_read};
use crate::hidden::Hidden;
use crate::model::{Encoding, Payload};

/// What is wrong is said of the arguments as a whole.
const ARGUMENTS: &str = "arguments";

/// The arguments of a call, being encoded.
///
/// Nothing drops them before [`Arguments::finish`], or every function that makes a call would have code
/// for that on each way out. A value that panics while it is encoded takes a buffer with it.
#[derive(Debug)]
pub struct Arguments {
    payload: ManuallyDrop<Option<Payload>>,
    failed: ManuallyDrop<Option<CodecError>>,
}

impl Arguments {
    /// None yet. A function that gives them would be called while the values are alive, and an empty vector is much work
    /// for rustc's interpreter.
    pub const NONE: Self =
        Self { payload: ManuallyDrop::new(None), failed: ManuallyDrop::new(None) };

    /// Adds one. If it cannot be encoded, [`Arguments::finish`] says so.
    pub fn add<T: Serialize + ?Sized>(&mut self, value: &T) {
        let written = encode_into(value, self.begun());
        self.note(written);
    }

    /// The payload, with the format byte.
    fn begun(&mut self) -> &mut Vec<u8> {
        let payload = self.payload.get_or_insert_with(|| {
            // Room for a few values; a vector that grows from one byte on is moved again and again.
            let mut bytes = Vec::with_capacity(128);
            bytes.push(Encoding::Binary as u8);
            Payload(bytes)
        });
        &mut payload.0
    }

    fn note(&mut self, written: Result<(), CodecError>) {
        if let (Err(error), None) = (written, &*self.failed) {
            *self.failed = Some(error);
        }
    }

    /// Begins a `Result`, of which the value or the error is added next.
    pub(super) fn begin_result(&mut self, is_ok: bool) {
        // The number of the variant, as bincode writes it.
        self.begun().push(u8::from(!is_ok));
    }

    /// All of them.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if one could not be encoded.
    pub fn finish(mut self) -> Result<Payload, CodecError> {
        self.begun();
        let payload = ManuallyDrop::into_inner(self.payload);
        match ManuallyDrop::into_inner(self.failed) {
            Some(error) => Err(error),
            None => Ok(payload.unwrap_or_default()),
        }
    }
}

/// Reads arguments one by one, with [`next_argument`].
#[derive(Debug)]
pub struct ArgumentsReader<'a> {
    /// What is read, for messages.
    what: &'static str,
    rest: Rest<'a>,
    failed: Option<CodecError>,
}

enum Rest<'a> {
    Binary(Bytes<'a>),
    /// All of them, and how many have been read.
    Json(Box<dyn Hidden<Vec<Value>> + Send>, usize),
}

impl fmt::Debug for Rest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary(bytes) => f.debug_tuple("Binary").field(bytes).finish(),
            Self::Json(..) => f.debug_tuple("Json").finish_non_exhaustive(),
        }
    }
}

// What is called where a value is alive is `extern "C"`, see the functions of [`super`] that are compiled once.
impl<'a> ArgumentsReader<'a> {
    /// Begins to read a payload.
    pub fn new(payload: &'a [u8]) -> Self {
        Self::of(payload, ARGUMENTS, source::list_from_json)
    }

    /// Begins to read the payload of a single value.
    pub(crate) fn of_value(payload: &'a [u8], type_name: &'static str) -> Self {
        Self::of(payload, type_name, |json| Ok(vec![source::value_from_json(json)?]))
    }

    fn of(
        payload: &'a [u8],
        what: &'static str,
        values_from_json: fn(&[u8]) -> Result<Vec<Value>, SourceError>,
    ) -> Self {
        let nothing = Rest::Binary(Bytes::new(&[]));
        let (rest, failed) = match encoding(payload, what) {
            Ok((Encoding::Binary, values)) => (Rest::Binary(Bytes::new(values)), None),
            Ok((Encoding::Json, json)) => match values_from_json(json) {
                Ok(list) => (Rest::Json(Box::new(list), 0), None),
                Err(error) => (nothing, Some(cannot_decode(what, &error))),
            },
            Err(error) => (nothing, Some(error)),
        };
        Self { what, rest, failed }
    }

    pub(super) fn next(&mut self) -> Option<Source<'_>> {
        if self.failed.is_some() {
            return None;
        }
        match &mut self.rest {
            Rest::Binary(bytes) => Some(Source::Binary(bytes)),
            Rest::Json(list, read) => match (**list).reveal().get(*read) {
                Some(value) => {
                    *read += 1;
                    Some(Source::Read(value))
                }
                None => {
                    self.failed = Some(cannot_decode(self.what, &"there are too few"));
                    None
                }
            },
        }
    }

    /// How much is left, for [`ArgumentsReader::skip_to`] of another reader of the same.
    pub(crate) extern "C" fn left(&self) -> usize {
        match &self.rest {
            Rest::Binary(bytes) => bytes.left(),
            Rest::Json(list, read) => (**list).reveal().len() - read,
        }
    }

    /// Passes over all but what is `left`.
    pub(crate) fn skip_to(&mut self, left: usize) {
        match &mut self.rest {
            Rest::Binary(bytes) => bytes.skip_to(left),
            Rest::Json(list, read) => {
                *read = (**list).reveal().len().saturating_sub(left).max(*read)
            }
        }
    }

    /// Passes over a value that is read by `copying`. Tells whether it could be read.
    pub(super) fn skip(&mut self, type_name: NameOf, copying: Copying) -> bool {
        let Some(source) = self.next() else { return false };
        let read = copying.copy(source, None);
        read.map_err(|error| self.fail(type_name, error)).is_ok()
    }

    /// Whether the next value, a `Result`, is `Ok`, unless something has been wrong so far. What is next then is what
    /// is in it.
    pub(crate) fn is_ok(&mut self) -> Option<bool> {
        let is_ok = self.next()?.begin_result();
        match (is_ok, &mut self.rest) {
            (Ok(is_ok), Rest::Binary(_)) => Some(is_ok),
            (Ok(is_ok), Rest::Json(list, read)) => {
                *read -= 1;
                (**list).reveal_mut()[*read].become_content();
                Some(is_ok)
            }
            (Err(error), _) => {
                self.failed = Some(cannot_decode(self.what, &error));
                None
            }
        }
    }

    fn fail(&mut self, type_name: NameOf, error: SourceError) {
        self.failed = Some(not_read(type_name, error));
    }

    /// What was wrong: an argument could not be read, or, once all have been, there are more.
    ///
    /// # Errors
    /// [`CodecError::Decode`].
    pub extern "C" fn finish(&mut self) -> Result<(), CodecError> {
        match (self.failed.take(), &self.rest) {
            (Some(error), _) => Err(error),
            (None, Rest::Binary(bytes)) => match bytes.left() {
                0 => Ok(()),
                left => Err(left_over(self.what, left)),
            },
            (None, Rest::Json(list, read)) if *read == (**list).reveal().len() => Ok(()),
            (None, Rest::Json(..)) => Err(cannot_decode(self.what, &"there are too many")),
        }
    }

    /// Why an argument could not be read.
    pub extern "C" fn failure(&mut self) -> CodecError {
        match self.failed.take() {
            Some(error) => error,
            None => cannot_decode(self.what, &"there are too few"),
        }
    }
}

/// The next argument, unless something has been wrong so far: see [`ArgumentsReader::failure`].
#[expect(clippy::question_mark, reason = "`?` is two more functions for each type to compile")]
pub fn next_argument<T: for<'de> Deserialize<'de>>(
    arguments: &mut ArgumentsReader<'_>,
) -> Option<T> {
    let Some(source) = arguments.next() else { return None };
    match T::deserialize(source) {
        Ok(value) => Some(value),
        Err(error) => {
            arguments.fail(type_name::<T>, error);
            None
        }
    }
}

/// The only value of a payload, by [`next_argument`] for its type.
pub(crate) fn only_value<T>(
    payload: &[u8],
    next: fn(&mut ArgumentsReader<'_>) -> Option<T>,
) -> Result<T, CodecError> {
    let mut values = ArgumentsReader::of_value(payload, type_name::<T>());
    match next(&mut values) {
        Some(value) => match values.finish() {
            Ok(()) => Ok(value),
            Err(error) => Err(error),
        },
        None => Err(values.failure()),
    }
}

//! Arguments: values one after the other, encoded as a tuple of them is.
//!
//! They are written and read one by one, and not as a tuple: the code for a value is compiled once
//! for its type, and often within piton, where that for a tuple would be compiled for each list of
//! types.

use std::any::type_name;
use std::fmt::Display;

use serde::{Deserialize, Serialize};

use super::source::{self, Source, SourceError};
use super::value::Value;
use super::{CodecError, binary, cannot_decode, encode_into, encoding, left_over};
use crate::model::{Encoding, Payload};

/// What is wrong is said of the arguments as a whole.
const ARGUMENTS: &str = "arguments";

/// The arguments of a call, being encoded.
#[derive(Debug)]
pub struct Arguments {
    payload: Payload,
    failed: Option<CodecError>,
}

impl Arguments {
    /// None yet.
    #[expect(clippy::new_without_default, reason = "there is one way to begin")]
    pub fn new() -> Self {
        // Room for a few values; a vector that grows from one byte on is moved again and again.
        let mut bytes = Vec::with_capacity(128);
        bytes.push(Encoding::Binary as u8);
        Self { payload: Payload(bytes), failed: None }
    }

    /// Adds one. If it cannot be encoded, [`Arguments::finish`] says so.
    pub fn add<T: Serialize + ?Sized>(&mut self, value: &T) {
        let written = encode_into(value, &mut self.payload.0);
        self.note(written);
    }

    fn note(&mut self, written: Result<(), CodecError>) {
        if let (Err(error), None) = (written, &self.failed) {
            self.failed = Some(error);
        }
    }

    /// All of them.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if one could not be encoded.
    pub fn finish(self) -> Result<Payload, CodecError> {
        match self.failed {
            Some(error) => Err(error),
            None => Ok(self.payload),
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

#[derive(Debug)]
enum Rest<'a> {
    Binary(&'a [u8]),
    Json(std::vec::IntoIter<Value>),
}

/// Where the next argument is.
enum Next<'a> {
    Binary(&'a [u8]),
    Json(Value),
    /// There is none.
    Missing,
}

impl<'a> ArgumentsReader<'a> {
    /// Begins to read a payload.
    pub fn new(payload: &'a [u8]) -> Self {
        Self::of(payload, ARGUMENTS, source::list_from_json)
    }

    /// Begins to read the payload of a single value.
    fn of_value(payload: &'a [u8], type_name: &'static str) -> Self {
        Self::of(payload, type_name, |json| Ok(vec![source::value_from_json(json)?]))
    }

    fn of(
        payload: &'a [u8],
        what: &'static str,
        values_from_json: fn(&[u8]) -> Result<Vec<Value>, SourceError>,
    ) -> Self {
        let (rest, failed) = match encoding(payload, what) {
            Ok((Encoding::Binary, values)) => (Rest::Binary(values), None),
            Ok((Encoding::Json, json)) => match values_from_json(json) {
                Ok(list) => (Rest::Json(list.into_iter()), None),
                Err(error) => (Rest::Binary(&[]), Some(cannot_decode(what, &error))),
            },
            Err(error) => (Rest::Binary(&[]), Some(error)),
        };
        Self { what, rest, failed }
    }

    fn take(&mut self) -> Next<'a> {
        if self.failed.is_some() {
            return Next::Missing;
        }
        match &mut self.rest {
            Rest::Binary(bytes) => Next::Binary(bytes),
            Rest::Json(list) => match list.next() {
                Some(value) => Next::Json(value),
                None => {
                    self.failed = Some(cannot_decode(self.what, &"there are too few"));
                    Next::Missing
                }
            },
        }
    }

    fn fail(&mut self, type_name: &'static str, reason: &dyn Display) {
        self.failed = Some(cannot_decode(type_name, reason));
    }

    fn pass(&mut self, length: usize) {
        if let Rest::Binary(bytes) = &mut self.rest {
            *bytes = &bytes[length..];
        }
    }

    /// What was wrong: an argument could not be read, or, once all have been, there are more.
    ///
    /// # Errors
    /// [`CodecError::Decode`].
    pub fn finish(&mut self) -> Result<(), CodecError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        match &self.rest {
            Rest::Binary([]) => Ok(()),
            Rest::Binary(bytes) => Err(left_over(self.what, bytes.len())),
            Rest::Json(list) if list.len() == 0 => Ok(()),
            Rest::Json(_) => Err(cannot_decode(self.what, &"there are too many")),
        }
    }

    /// Whether all have been read, and there are no more. If not, [`ArgumentsReader::failure`] says
    /// why.
    pub fn are_all(&mut self) -> bool {
        match self.finish() {
            Ok(()) => true,
            Err(error) => {
                self.failed = Some(error);
                false
            }
        }
    }

    /// Why an argument could not be read.
    pub fn failure(&mut self) -> CodecError {
        match self.failed.take() {
            Some(error) => error,
            None => cannot_decode(self.what, &"there are too few"),
        }
    }
}

/// The next argument, unless something has been wrong so far: see [`ArgumentsReader::failure`].
pub fn next_argument<T: for<'de> Deserialize<'de>>(
    arguments: &mut ArgumentsReader<'_>,
) -> Option<T> {
    match arguments.take() {
        Next::Binary(bytes) => match binary::read(bytes) {
            Ok((value, length)) => {
                arguments.pass(length);
                Some(value)
            }
            Err(error) => {
                arguments.fail(type_name::<T>(), &error);
                None
            }
        },
        Next::Json(value) => match T::deserialize(Source::Read(value)) {
            Ok(value) => Some(value),
            Err(error) => {
                arguments.fail(type_name::<T>(), &error);
                None
            }
        },
        Next::Missing => None,
    }
}

/// The only value of a payload, by [`next_argument`] for its type.
pub(crate) fn only_value<T>(
    payload: &[u8],
    next: fn(&mut ArgumentsReader<'_>) -> Option<T>,
) -> Result<T, CodecError> {
    let mut values = ArgumentsReader::of_value(payload, type_name::<T>());
    match next(&mut values) {
        Some(value) if values.are_all() => Ok(value),
        _ => Err(values.failure()),
    }
}

/// Reads a value and writes it again. Tells whether it could be read.
pub(super) fn copy_next<T: for<'de> Deserialize<'de> + Serialize>(
    from: &mut ArgumentsReader<'_>,
    to: &mut Arguments,
) -> bool {
    match next_argument::<T>(from) {
        Some(value) => {
            to.add(&value);
            true
        }
        None => false,
    }
}

/// Whether a value reads back as it was written. One that cannot be written is reported when a run
/// holds one.
pub(super) fn reads_back(
    write: &dyn Fn(&mut Arguments),
    copy_next: fn(&mut ArgumentsReader<'_>, &mut Arguments) -> bool,
) -> bool {
    let (mut arguments, mut again) = (Arguments::new(), Arguments::new());
    write(&mut arguments);
    let Ok(written) = arguments.finish() else { return true };
    let mut reader = ArgumentsReader::new(written.as_bytes());
    copy_next(&mut reader, &mut again)
        && reader.are_all()
        && again.finish().is_ok_and(|again| again == written)
}

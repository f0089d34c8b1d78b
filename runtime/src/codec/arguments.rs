//! Arguments: values one after the other, encoded as a tuple of them is.
//!
//! They are written and read one by one, and not as a tuple: the code for a value is compiled once
//! for its type, and often within piton, where that for a tuple would be compiled for each list of
//! types.

use std::any::type_name;

use serde::{Deserialize, Serialize};

use super::source::{self, Source};
use super::value::Value;
use super::{
    CodecError, binary_payload, cannot_decode, decode_first, encode_into, encoding, left_over,
};
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
        Self { payload: binary_payload(), failed: None }
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
        let (rest, failed) = match encoding(payload, ARGUMENTS) {
            Ok((Encoding::Binary, values)) => (Rest::Binary(values), None),
            Ok((Encoding::Json, json)) => match source::list_from_json(json) {
                Ok(list) => (Rest::Json(list.into_iter()), None),
                Err(error) => (Rest::Binary(&[]), Some(cannot_decode(ARGUMENTS, &error))),
            },
            Err(error) => (Rest::Binary(&[]), Some(error)),
        };
        Self { rest, failed }
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
                    self.failed = Some(cannot_decode(ARGUMENTS, &"there are too few"));
                    Next::Missing
                }
            },
        }
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
            Rest::Binary(bytes) => Err(left_over(ARGUMENTS, bytes.len())),
            Rest::Json(list) if list.len() == 0 => Ok(()),
            Rest::Json(_) => Err(cannot_decode(ARGUMENTS, &"there are too many")),
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
            None => cannot_decode(ARGUMENTS, &"there are too few"),
        }
    }
}

/// The next argument, unless something has been wrong so far: see [`ArgumentsReader::failure`].
pub fn next_argument<T: for<'de> Deserialize<'de>>(
    arguments: &mut ArgumentsReader<'_>,
) -> Option<T> {
    let read = match arguments.take() {
        Next::Binary(bytes) => decode_first(bytes),
        Next::Json(value) => match T::deserialize(Source::Read(value)) {
            Ok(value) => Ok((value, 0)),
            Err(error) => Err(cannot_decode(type_name::<T>(), &error)),
        },
        Next::Missing => return None,
    };
    match read {
        Ok((value, length)) => {
            arguments.pass(length);
            Some(value)
        }
        Err(error) => {
            arguments.failed = Some(error);
            None
        }
    }
}

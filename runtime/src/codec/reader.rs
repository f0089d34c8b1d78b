//! Reading consecutive values: the arguments of a call, a saved local, the result of an activity.

use std::any::type_name;
use std::fmt;
use std::mem::ManuallyDrop;

use serde::Deserialize;

use super::arguments::ArgumentKind;
use super::binary::Bytes;
use super::given::{Given, read_typed_list, read_typed_value};
use super::results::adapted;
use super::schema::{Described, Form, Schema};
use super::source::{self, Source, SourceError};
use super::{
    CodecError, Encoded, NameOf, by_schema, cannot_decode, encoded, left_over, not_read, ranges,
    schemas,
};
use crate::hidden::Hidden;

/// The name in errors about several values together.
const ARGUMENTS: &str = "arguments";

/// Reads values one by one, with [`next_value`].
///
/// Has no destructor, because every function with a reader would contain drop code for each exit. [`Reader::finish`] or
/// [`Reader::failure`] frees its memory; a panic leaks it.
#[derive(Debug)]
pub struct Reader<'a> {
    /// The name of the values, for errors.
    what: &'static str,
    rest: Rest<'a>,
    failed: ManuallyDrop<Option<Failure>>,
}

enum Rest<'a> {
    Binary(Bytes<'a>),
    /// All values, and how many have been read.
    Values(ManuallyDrop<Box<dyn Hidden<Vec<Given>>>>, usize),
    /// A single value, until it has been read.
    One(&'a mut dyn Hidden<Option<Source<'a>>>),
    /// The kind is not known.
    Nothing,
}

impl fmt::Debug for Rest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary(bytes) => f.debug_tuple("Binary").field(bytes).finish(),
            Self::Values(..) => f.debug_tuple("Values").finish_non_exhaustive(),
            Self::One(_) => f.debug_tuple("One").finish_non_exhaustive(),
            Self::Nothing => f.write_str("Nothing"),
        }
    }
}

/// Why a value could not be read.
#[derive(Debug)]
enum Failure {
    /// There is no value.
    Missing(CodecError),
    /// The value does not fit its type.
    Other(NameOf, SourceError),
}

/// Prepares values that another type has written for a type, or says why it cannot read them.
type Checked = fn(Vec<Given>, Option<Described>) -> Result<Vec<Given>, CodecError>;

// Functions called while a value is alive are `extern "C"`, for the reason given in [`super`].
impl<'a> Reader<'a> {
    /// Begins to read the arguments of a call with these parameters.
    pub fn arguments(payload: &'a [u8], parameters: &'static [ArgumentKind]) -> Self {
        match encoded(payload, ARGUMENTS) {
            Ok(Encoded::Typed(hash, values)) => {
                let own = schemas::of_arguments(parameters);
                match own.hash == hash && own.is_compact {
                    true => Self::of(ARGUMENTS, Rest::Binary(Bytes::new(values)), None),
                    false => {
                        let values = read_typed_list(hash, values, parameters);
                        let types = parameters.iter().map(|parameter| parameter.described);
                        Self::given(ARGUMENTS, values.and_then(|it| ranges::kept(it, types)))
                    }
                }
            }
            Ok(Encoded::Json(json)) => Self::given(ARGUMENTS, arguments_from_json(json)),
            Ok(Encoded::Plain(values)) => Self::plain(values, ARGUMENTS, Form::Compact),
            Err(error) => Self::failing(ARGUMENTS, error),
        }
    }

    /// Begins to read the payload of a single value of this type.
    pub(crate) fn value(payload: &'a [u8], described: Described) -> Self {
        Self::one(payload, described.type_name(), Some(described), ranges::kept)
    }

    /// Like [`Self::value`], for what a call gave: see [`adapted`].
    pub(crate) fn outcome(payload: &'a [u8], described: Described) -> Self {
        let adapt = |values, now| ranges::kept(adapted(values, now), now);
        Self::one(payload, described.type_name(), Some(described), adapt)
    }

    /// Begins to read the payload of a single value, which any type may have written.
    pub(crate) fn any_value(payload: &'a [u8], type_name: &'static str) -> Self {
        Self::one(payload, type_name, None, ranges::kept)
    }

    fn one(
        payload: &'a [u8],
        what: &'static str,
        described: Option<Described>,
        checked: Checked,
    ) -> Self {
        match encoded(payload, what) {
            Ok(Encoded::Typed(hash, value)) => {
                let own = described.map(schemas::of_type);
                match own.is_some_and(|own| own.hash == hash && own.form() == Form::Compact) {
                    true => Self::of(what, Rest::Binary(Bytes::new(value)), None),
                    false => {
                        let values = read_typed_value(hash, value);
                        Self::given(what, values.and_then(|it| checked(it, described)))
                    }
                }
            }
            Ok(Encoded::Json(json)) => Self::given(what, value_from_json(json)),
            Ok(Encoded::Plain(value)) => Self::plain(value, what, Form::Compact),
            Err(error) => Self::failing(what, error),
        }
    }

    /// Begins to read a value that was written in this form and has no schema with it.
    pub(crate) fn plain(saved: &'a [u8], what: &'static str, form: Form) -> Self {
        match form {
            Form::Compact => Self::of(what, Rest::Binary(Bytes::new(saved)), None),
            Form::Tagged => {
                let value = by_schema::read(saved, &Schema::tagged());
                Self::given(what, value.map(|value| vec![Given { value, form: Form::Tagged }]))
            }
        }
    }

    /// Begins to read a saved value of this type, which was written in this form.
    pub(crate) fn saved(saved: &'a [u8], described: Described, form: Form) -> Self {
        let what = described.type_name();
        match form {
            Form::Compact => Self::plain(saved, what, form),
            Form::Tagged => {
                let value = by_schema::read(saved, &Schema::tagged());
                let values = value.map(|value| vec![Given { value, form }]);
                Self::given(what, values.and_then(|it| ranges::kept(it, [described])))
            }
        }
    }

    /// Begins to read self-describing values.
    fn given(what: &'static str, values: Result<Vec<Given>, CodecError>) -> Self {
        match values {
            Ok(values) => {
                let values: Box<dyn Hidden<Vec<Given>>> = Box::new(values);
                Self::of(what, Rest::Values(ManuallyDrop::new(values), 0), None)
            }
            Err(error) => Self::failing(what, error.of(what)),
        }
    }

    /// Begins to read these values.
    pub(super) fn of_given(what: &'static str, values: Vec<Given>) -> Self {
        Self::given(what, Ok(values))
    }

    fn failing(what: &'static str, error: CodecError) -> Self {
        Self::of(what, Rest::Nothing, Some(Failure::Missing(error)))
    }

    /// Begins to read a value from its source.
    pub(super) fn of_source(source: &'a mut Option<Source<'a>>) -> Self {
        Self::of(ARGUMENTS, Rest::One(source), None)
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
            Rest::Values(values, read) => {
                if let Some(Given { value, form }) = (***values).reveal().get(*read) {
                    *read += 1;
                    return Some(Source::Read(value, *form));
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

    /// Whether the values are read from the binary encoding.
    pub(crate) fn is_binary(&self) -> bool {
        matches!(self.rest, Rest::Binary(_))
    }

    /// Takes all remaining bytes of the binary encoding.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        match &self.rest {
            Rest::Binary(bytes) => bytes.take_rest(),
            _ => &[],
        }
    }

    /// Ends the reader early. Returns how much is left, for [`Reader::skip_to`] of another reader of the same bytes.
    pub(crate) extern "C" fn stop(&mut self) -> usize {
        let left = self.left();
        self.free();
        left
    }

    fn left(&self) -> usize {
        match &self.rest {
            Rest::Binary(bytes) => bytes.left(),
            Rest::Values(values, read) => (***values).reveal().len() - read,
            Rest::One(source) => usize::from((**source).reveal().is_some()),
            Rest::Nothing => 0,
        }
    }

    /// Skips to the point at which this much is `left`.
    pub(crate) fn skip_to(&mut self, left: usize) {
        match &mut self.rest {
            Rest::Binary(bytes) => bytes.skip_to(left),
            Rest::Values(values, read) => {
                *read = (***values).reveal().len().saturating_sub(left).max(*read);
            }
            Rest::One(_) | Rest::Nothing => {}
        }
    }

    /// Reads whether the next value, a `Result`, is `Ok`; its content is then next. `None` after an error.
    pub(crate) fn is_ok(&mut self) -> Option<bool> {
        let is_ok = self.next()?.begin_result();
        match (is_ok, &mut self.rest) {
            (Ok(is_ok), Rest::Values(values, read)) => {
                *read -= 1;
                (***values).reveal_mut()[*read].value.become_content();
                Some(is_ok)
            }
            (Ok(is_ok), _) => Some(is_ok),
            (Err(error), _) => {
                *self.failed = Some(Failure::Missing(cannot_decode(self.what, &error)));
                None
            }
        }
    }

    /// Reads the next value, a `Result`, by the `content` function. Returns whether it could be read.
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

    /// Ends the reader. Fails if a value could not be read, or if more values follow.
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

    /// Ends the reader, and returns why a value could not be read.
    pub extern "C" fn failure(&mut self) -> CodecError {
        self.free();
        match self.failed.take() {
            Some(Failure::Missing(error)) => error,
            Some(Failure::Other(type_name, error)) => not_read(type_name, error),
            None => too_few(self.what),
        }
    }

    /// Like [`Reader::failure`], for a value read from its source.
    pub(super) fn source_failure(&mut self) -> SourceError {
        match self.failed.take() {
            Some(Failure::Other(_, error)) => error,
            Some(Failure::Missing(error)) => serde::de::Error::custom(error),
            None => serde::de::Error::custom(too_few(self.what)),
        }
    }

    fn free(&mut self) {
        let rest = std::mem::replace(&mut self.rest, Rest::Nothing);
        if let Rest::Values(values, _) = rest {
            drop(ManuallyDrop::into_inner(values));
        }
    }
}

fn value_from_json(json: &[u8]) -> Result<Vec<Given>, CodecError> {
    match source::value_from_json(json) {
        Ok(value) => Ok(vec![Given { value, form: Form::Tagged }]),
        Err(error) => Err(cannot_decode("value", &error)),
    }
}

fn arguments_from_json(json: &[u8]) -> Result<Vec<Given>, CodecError> {
    match source::list_from_json(json) {
        Ok(list) => Ok(list.into_iter().map(|value| Given { value, form: Form::Tagged }).collect()),
        Err(error) => Err(cannot_decode(ARGUMENTS, &error)),
    }
}

fn too_few(what: &'static str) -> CodecError {
    cannot_decode(what, &"there are too few")
}

/// Reads the next value; `None` after an error, see [`Reader::failure`].
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

/// Reads a single value by a function such as [`next_value`].
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

//! Encoding of arguments, return values and saved locals, by functions for each type.

use super::{Durable, StepError};
pub use crate::codec::ArgumentKind;
use crate::codec::{
    self, Arguments, CodecError, Described, Form, Reader, Sink, SinkError, add_result, next_result,
    next_value,
};
use crate::model::Payload;

/// How values of a type are encoded.
#[derive(Debug)]
pub struct Values<T> {
    /// Adds a value to the arguments of a call.
    pub add: fn(&mut Arguments, &T),
    /// Reads an argument.
    pub next: fn(&mut Reader<'_>) -> Option<T>,
    /// A parameter of the type.
    pub kind: ArgumentKind,
}

impl<T: Durable + 'static> Values<T> {
    /// By the implementations of serde's traits.
    pub const fn of() -> &'static Self {
        const {
            &Self {
                add: Arguments::add::<T>,
                next: next_value::<T>,
                kind: ArgumentKind::of(Described::of::<T>()),
            }
        }
    }
}

impl<T: Durable + 'static, E: Durable + 'static> Values<Result<T, E>> {
    /// For `Result`, with less code per type.
    pub const fn of_result() -> &'static Self {
        const {
            &Self {
                add: add_result::<T, E>,
                next: next_result::<T, E>,
                kind: ArgumentKind::of(Described::of_result::<T, E>()),
            }
        }
    }
}

impl<T> Values<T> {
    /// Encodes a value by the schema of its type.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the type refuses.
    pub fn encode(&self, value: &T) -> Result<Payload, CodecError> {
        let mut payload = Arguments::value(self.kind.described);
        (self.add)(&mut payload, value);
        payload.finish()
    }

    /// Reads a value, which any type may have written.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if the payload is empty, of an unknown encoding, or does not fit the type;
    /// [`CodecError::UnknownSchema`].
    pub fn decode(&self, payload: &Payload) -> Result<T, CodecError> {
        codec::only_value(Reader::value(payload.as_bytes(), self.kind.described), self.next)
    }
}

pub(crate) fn is_refused() -> ! {
    unreachable!("a program with such values, which cannot be saved, does not compile")
}

/// How values of a type are saved.
#[derive(Debug)]
pub struct Coding<T> {
    pub(crate) save: Save<T>,
    pub(crate) load: fn(&mut Reader<'_>) -> Option<T>,
    /// The properties that do not need the type.
    pub kind: SavedKind,
}

/// Writes a value.
pub(crate) type Save<T> = for<'a> fn(&T, Sink<'a>) -> Result<(), SinkError>;

impl<T> Coding<T> {
    /// Adds a value to `out`, as a payload.
    pub(crate) fn encode(&self, value: &T, out: &mut Vec<u8>) -> Result<(), StepError> {
        let form = codec::begin_payload(self.kind.described, out);
        match (self.save)(value, Sink::new(out, form)) {
            Ok(()) => Ok(()),
            Err(error) => Err(StepError::Encode(self.kind.not_written(error))),
        }
    }

    /// Reads a value from a payload.
    pub(crate) fn decode(&self, payload: &[u8]) -> Result<T, StepError> {
        let reader = Reader::value(payload, self.kind.described);
        codec::only_value(reader, self.load).map_err(StepError::Decode)
    }
}

/// The properties of saved values that do not need the type.
#[derive(Clone, Copy, Debug)]
pub struct SavedKind {
    /// The description of their type.
    pub(crate) described: Described,
    /// `None` if dropping a value has no effect.
    pub(crate) drop: Option<DropSaved>,
}

/// Reads a saved value in order to drop it.
pub(crate) type DropSaved = fn(&mut Reader<'_>);

/// Drops the value that is `saved` in this form. A value that cannot be read is not dropped.
pub(crate) fn drop_saved_by(drop: DropSaved, saved: &[u8], form: Form) {
    let mut saved = Reader::plain(saved, "local", form);
    drop(&mut saved);
    let _ = saved.finish();
}

impl SavedKind {
    /// Drops the value in a payload.
    pub(crate) fn drop_payload(self, payload: &[u8]) {
        if let Some(drop) = self.drop {
            let mut saved = Reader::value(payload, self.described);
            drop(&mut saved);
            let _ = saved.finish();
        }
    }

    /// The properties of values of type `T`, which are saved like `Seen` and dropped by `drop`.
    pub(crate) const fn of<T, Seen: Durable>(drop: DropSaved) -> Self {
        let drop = if std::mem::needs_drop::<T>() { Some(drop) } else { None };
        Self { described: Described::of::<Seen>(), drop }
    }

    pub(crate) fn not_written(self, error: SinkError) -> CodecError {
        codec::not_written(self.described.type_name, error)
    }
}

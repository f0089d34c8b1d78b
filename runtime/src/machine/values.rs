//! How values are encoded: arguments, return values and saved locals, each kind by functions for its type.

use std::any::type_name;

use super::{Durable, StepError};
use crate::codec::{
    self, Arguments, CodecError, Described, Reader, Sink, SinkError, add_result, next_result,
    next_value,
};
use crate::model::Payload;

/// How values of a type are encoded.
#[derive(Debug)]
pub struct Values<T> {
    /// Adds one to the arguments of a call.
    pub add: fn(&mut Arguments, &T),
    /// Reads an argument, if it is there.
    pub next: fn(&mut Reader<'_>) -> Option<T>,
    /// What is known of such an argument without its type.
    pub kind: ArgumentKind,
}

/// What is known of an argument without its type.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentKind {
    pub(crate) described: Described,
}

impl<T: Durable + 'static> Values<T> {
    /// As serde says.
    pub const fn of() -> &'static Self {
        const {
            &Self {
                add: Arguments::add::<T>,
                next: next_value::<T>,
                kind: ArgumentKind { described: Described::of::<T>() },
            }
        }
    }
}

impl<T: Durable + 'static, E: Durable + 'static> Values<Result<T, E>> {
    /// The same for results, with less code for each.
    pub const fn of_result() -> &'static Self {
        const {
            &Self {
                add: add_result::<T, E>,
                next: next_result::<T, E>,
                kind: ArgumentKind { described: Described::of_result::<T, E>() },
            }
        }
    }
}

impl<T> Values<T> {
    /// Encodes a value in binary.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the type refuses.
    pub fn encode(&self, value: &T) -> Result<Payload, CodecError> {
        let mut payload = Arguments::NONE;
        (self.add)(&mut payload, value);
        payload.finish()
    }

    /// Reads a value in whatever encoding its first byte names.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if the payload is empty, of an unknown encoding, or not such a value.
    pub fn decode(&self, payload: &Payload) -> Result<T, CodecError> {
        codec::only_value(Reader::of_value(payload.as_bytes(), type_name::<T>()), self.next)
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
    /// What is known of them without their type.
    pub kind: SavedKind,
}

/// Writes a value.
pub(crate) type Save<T> = for<'a> fn(&T, Sink<'a>) -> Result<(), SinkError>;

impl<T> Coding<T> {
    /// Adds a value to `out`.
    pub(crate) fn encode(&self, value: &T, out: &mut Vec<u8>) -> Result<(), StepError> {
        match (self.save)(value, Sink::new(out)) {
            Ok(()) => Ok(()),
            Err(error) => Err(StepError::Encode(self.kind.not_written(error))),
        }
    }

    /// Reads a value that takes up all of `saved`.
    pub(crate) fn decode(&self, saved: &[u8]) -> Result<T, StepError> {
        let reader = Reader::of_saved(saved, self.kind.described.type_name());
        codec::only_value(reader, self.load).map_err(StepError::Decode)
    }
}

/// What is known of saved values without their type.
#[derive(Clone, Copy, Debug)]
pub struct SavedKind {
    /// What they look like.
    pub(crate) described: Described,
    /// `None` if nothing is done when one is dropped.
    pub(crate) drop: Option<DropSaved>,
}

/// Reads a saved value only for it to be dropped.
pub(crate) type DropSaved = fn(&mut Reader<'_>);

/// Drops the value that is `saved`. Of one that cannot be read there is nothing to drop.
pub(crate) fn drop_saved_by(drop: DropSaved, saved: &[u8]) {
    let mut saved = Reader::of_saved(saved, "local");
    drop(&mut saved);
    let _ = saved.finish();
}

impl SavedKind {
    /// Of values of type `T`, which look like those of type `Seen` and are dropped by `drop`.
    pub(crate) const fn of<T, Seen: Durable>(drop: DropSaved) -> Self {
        let drop = if std::mem::needs_drop::<T>() { Some(drop) } else { None };
        Self { described: Described::of::<Seen>(), drop }
    }

    pub(crate) fn not_written(self, error: SinkError) -> CodecError {
        codec::not_written(self.described.type_name, error)
    }
}

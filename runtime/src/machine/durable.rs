//! Type tokens of the generated machine: what lets rustc infer the type of every saved local.
//!
//! All blocks of a machine are in one function, and each local has one token there. Saving through
//! the token in one block and loading through it in another makes both the same type, so the
//! source needs no annotation. The bound that makes a value saveable stands once, where the token
//! is made, so that a value that cannot be saved is one error.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::locals::{must_be_filled, undecodable};
use super::{Parked, Slot, StepError};
use crate::codec::{self, CodecError, Described, Reader, Sink, SinkError, next_value};

/// A value that can be held across an await: it can be written to bytes and read back.
///
/// Implemented for everything that is `Serialize + DeserializeOwned`; there is nothing to implement
/// by hand.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` cannot be held across an await",
    label = "this value is needed after an await, and `{Self}` cannot be saved",
    note = "a workflow's locals are saved at every await, so their types must implement \
            `serde::Serialize` and `serde::de::DeserializeOwned`",
    note = "derive both for a type of your own, hold a value instead of a reference to one (`.clone()`), \
            a `Vec` instead of an array of more than 32 elements, write a `fn` instead of a closure, await a call \
            where it is made, or several by `join_all(calls).await`, or use it up before the await and make it again \
            after it",
    note = "rule `saved_locals`"
)]
pub trait Durable: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Durable for T {}

/// One local of a parked state, encoded.
#[derive(Clone, PartialEq, Eq)]
pub struct Saved(Bytes);

impl Saved {
    /// The encoded value.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<Bytes> for Saved {
    fn from(bytes: Bytes) -> Self {
        Self(bytes)
    }
}

impl std::fmt::Debug for Saved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Saved({} bytes)", self.0.len())
    }
}

/// The token of a saved local.
#[derive(Debug)]
pub struct Local<T: 'static> {
    /// How its values are saved.
    pub coding: &'static Coding<T>,
}

/// The token of a local that several parts of a step give a value and none hands on to another.
#[derive(Debug)]
pub struct TypeOf<T>(PhantomData<fn() -> T>);

impl<T> Clone for TypeOf<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TypeOf<T> {}

impl<T> TypeOf<T> {
    /// Makes the token of a type that is yet to be inferred.
    #[expect(clippy::new_without_default, reason = "it is no value of anything")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }

    /// Says of which type it is, by a value.
    pub const fn is_of(&self, _: &T) {}

    /// Stands in code that is never come to.
    ///
    /// # Panics
    /// Always.
    pub fn value(&self) -> T {
        unreachable!("types are told by code that is not carried out")
    }
}

/// How values of a type are saved.
#[derive(Debug)]
pub struct Coding<T> {
    pub(super) save: Save<T>,
    pub(super) load: fn(&mut Reader<'_>) -> Option<T>,
    /// What is known of them without their type.
    pub kind: SavedKind,
}

/// Writes a value.
pub(super) type Save<T> = for<'a> fn(&T, Sink<'a>) -> Result<(), SinkError>;

impl<T> Coding<T> {
    /// Adds a value to `out`.
    pub(super) fn encode(&self, value: &T, out: &mut Vec<u8>) -> Result<(), StepError> {
        match (self.save)(value, Sink::new(out)) {
            Ok(()) => Ok(()),
            Err(error) => Err(StepError::Encode(self.kind.not_written(error))),
        }
    }

    /// Reads a value that takes up all of `saved`.
    pub(super) fn decode(&self, saved: &[u8]) -> Result<T, StepError> {
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
    pub(super) drop: Option<DropSaved>,
}

/// Reads a saved value only for it to be dropped.
pub(super) type DropSaved = fn(&mut Reader<'_>);

/// Drops the value that is `saved`. Of one that cannot be read there is nothing to drop.
pub(super) fn drop_saved_by(drop: DropSaved, saved: &[u8]) {
    let mut saved = Reader::of_saved(saved, "local");
    drop(&mut saved);
    let _ = saved.finish();
}

impl SavedKind {
    /// Of values of type `T`, which look like those of type `Seen` and are dropped by `drop`.
    pub(super) const fn of<T, Seen: Durable>(drop: DropSaved) -> Self {
        let drop = if std::mem::needs_drop::<T>() { Some(drop) } else { None };
        Self { described: Described::of::<Seen>(), drop }
    }

    pub(super) fn not_written(self, error: SinkError) -> CodecError {
        codec::not_written(self.described.type_name, error)
    }
}

/// Makes the token of a local whose type is yet to be inferred.
pub const fn local<T: Durable>() -> Local<T> {
    Local {
        coding: const {
            &Coding {
                save: save::<T>,
                load: next_value::<T>,
                kind: SavedKind::of::<T, T>(drop_saved::<T>),
            }
        },
    }
}

pub(super) fn save<T: Serialize>(value: &T, out: Sink<'_>) -> Result<(), SinkError> {
    value.serialize(out)
}

pub(super) fn drop_saved<T: Durable>(saved: &mut Reader<'_>) {
    let _dropped = next_value::<T>(saved);
}

// Whatever is put into the step function is optimized again in each of them, so these are called: 200 small workflows
// take 6.4 s instead of 10.6 s to optimize, and a step as long as before.
impl<T> Local<T> {
    /// Adds the local to the next state. If its type refuses, [`Parked::leave`] says so.
    #[inline(never)]
    pub fn put(&self, value: &T, parked: &mut Parked) {
        let written = (self.coding.save)(value, Sink::new(parked.next.begin()));
        parked.next.end_local(&self.coding.kind, written);
    }

    /// Adds a local that is in its slot, and drops it.
    #[inline(never)]
    pub fn put_slot(&self, slot: &mut Slot<T>, parked: &mut Parked) {
        match std::mem::replace(slot, Slot::Empty) {
            Slot::Value(value) => self.put(&ManuallyDrop::into_inner(value), parked),
            Slot::Saved(position) => parked.keep(position, position + 1),
            Slot::Empty => must_be_filled(),
        }
    }

    /// Reads the local at `position` of the state. If the bytes are not such a value, the step fails.
    #[inline(never)]
    pub fn load(&self, parked: &mut Parked, position: usize) -> T {
        let mut saved = parked.saved(position, &self.coding.kind);
        match (self.coding.load)(&mut saved) {
            Some(value) => {
                let left = saved.stop();
                parked.end_reading(left, &self.coding.kind);
                value
            }
            None => undecodable(saved.failure()),
        }
    }

    /// Takes the local out of its slot. If it is there as bytes that are not such a value, the step fails.
    #[inline(never)]
    pub fn take(&self, slot: &mut Slot<T>, parked: &mut Parked) -> T {
        match std::mem::replace(slot, Slot::Empty) {
            Slot::Value(value) => ManuallyDrop::into_inner(value),
            Slot::Saved(position) => self.load(parked, position),
            Slot::Empty => must_be_filled(),
        }
    }
}

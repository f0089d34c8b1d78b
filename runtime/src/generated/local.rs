//! Type tokens, with which rustc infers the type of every saved local.
//!
//! All blocks of a machine are in one function, and each local has one token there. Saving through the token in one
//! block and loading through it in another unifies the types, so the source needs no annotation. The bound that
//! makes a value saveable is on the creation of the token, so a value that cannot be saved causes one error.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use serde::Serialize;

use super::locals::must_be_filled;
use super::{Durable, Parked, Slot};
use crate::codec::{Reader, Sink, SinkError, next_value};
use crate::machine::unreadable::undecodable;
use crate::machine::values::{Coding, SavedKind};

/// The token of a saved local.
#[derive(Debug)]
pub struct Local<T: 'static> {
    /// How its values are saved.
    pub coding: &'static Coding<T>,
}

/// The token of a local that several parts of a step assign and none passes to another.
#[derive(Debug)]
pub struct TypeOf<T>(PhantomData<fn() -> T>);

impl<T> Clone for TypeOf<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TypeOf<T> {}

impl<T> TypeOf<T> {
    /// Creates the token of a type that is inferred later.
    #[expect(clippy::new_without_default, reason = "it is no value of anything")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }

    /// Unifies its type with that of a value.
    pub const fn is_of(&self, _: &T) {}

    /// A value for unreachable code.
    ///
    /// # Panics
    /// Always.
    pub fn value(&self) -> T {
        unreachable!("types are told by code that is not carried out")
    }
}

/// Creates the token of a local whose type is inferred later.
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

// Not inlined: rustc would optimize the inlined code again in each step function. 200 small workflows take 6.4 s
// instead of 10.6 s to optimize, and the time of a step is unchanged.
impl<T> Local<T> {
    /// Adds the local to the next state. If it cannot be encoded, [`Parked::leave`] returns the error.
    #[inline(never)]
    pub fn put(&self, value: &T, parked: &mut Parked) {
        let written = (self.coding.save)(value, parked.begin_local());
        parked.next.end_local(&self.coding.kind, written);
    }

    /// Adds the local in a slot to the next state, and drops it.
    #[inline(never)]
    pub fn put_slot(&self, slot: &mut Slot<T>, parked: &mut Parked) {
        match std::mem::replace(slot, Slot::Empty) {
            Slot::Value(value) => self.put(&ManuallyDrop::into_inner(value), parked),
            Slot::Saved(position) => parked.keep(position, position + 1),
            Slot::Empty => must_be_filled(),
        }
    }

    /// Decodes the local at `position` of the state. If it cannot be decoded, the step fails.
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

    /// Takes the local out of its slot. If it is still encoded and cannot be decoded, the step fails.
    #[inline(never)]
    pub fn take(&self, slot: &mut Slot<T>, parked: &mut Parked) -> T {
        match std::mem::replace(slot, Slot::Empty) {
            Slot::Value(value) => ManuallyDrop::into_inner(value),
            Slot::Saved(position) => self.load(parked, position),
            Slot::Empty => must_be_filled(),
        }
    }
}

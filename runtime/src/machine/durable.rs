//! Type tokens of the generated machine: what lets rustc infer the type of every saved local.
//!
//! All blocks of a machine are in one function, and each local has one token there. Saving through
//! the token in one block and loading through it in another makes both the same type, so the
//! source needs no annotation. The bound that makes a value saveable stands once, where the token
//! is made, so that a value that cannot be saved is one error.

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Context, LocalsWriter, StepError};
use crate::codec::{self, Schema};

/// A value that can be held across an await: it can be written to bytes and read back.
///
/// Implemented for everything that is `Serialize + DeserializeOwned`; there is nothing to implement
/// by hand.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` cannot be held across an await",
    label = "this value is needed after an await, and `{Self}` cannot be saved",
    note = "a workflow's locals are saved at every await, so their types must implement \
            `serde::Serialize` and `serde::de::DeserializeOwned`",
    note = "derive both for a type of your own, or use the value up before the await and make it \
            again after it"
)]
pub trait Durable: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Durable for T {}

/// One local of a parked state, encoded.
#[derive(Clone, PartialEq, Eq)]
pub struct Saved(Bytes);

impl Saved {
    /// Stands for an operation that is not there. What is there has at least one byte.
    pub(super) const ABSENT: Self = Self(Bytes::new());

    pub(super) fn is_absent(&self) -> bool {
        self.0.is_empty()
    }

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

pub(super) fn save<T: Serialize>(value: &T, cx: &Context) -> Result<Saved, StepError> {
    cx.encode(value).map(Saved).map_err(StepError::Encode)
}

pub(super) fn load<T: DeserializeOwned>(saved: &Saved) -> Result<T, StepError> {
    codec::decode(&saved.0).map_err(StepError::Decode)
}

/// The token of a saved local.
pub struct Local<T> {
    save: fn(&T, &Context) -> Result<Saved, StepError>,
    load: fn(&Saved) -> Result<T, StepError>,
    schema: fn() -> Schema,
}

/// Makes the token of a local whose type is yet to be inferred.
pub fn local<T: Durable>() -> Local<T> {
    Local { save: save::<T>, load: load::<T>, schema: Schema::of::<T> }
}

impl<T> Local<T> {
    /// Encodes the local.
    ///
    /// # Errors
    /// [`StepError::Encode`] if its type refuses.
    pub fn save(self, value: &T, cx: &Context) -> Result<Saved, StepError> {
        (self.save)(value, cx)
    }

    /// Adds the local to those of a state. If its type refuses, [`LocalsWriter::finish`] says so.
    pub fn put(self, value: &T, locals: &mut LocalsWriter<'_>) {
        locals.push(|cx| (self.save)(value, cx));
    }

    /// Tells the schema of the local, if `cx` asks for schemas.
    pub fn describe(self, name: &'static str, cx: &Context) {
        cx.add_schema(name, (self.schema)());
    }

    /// Reads the local back.
    ///
    /// # Errors
    /// [`StepError::Decode`] if the bytes are not such a value.
    pub fn load(self, saved: &Saved) -> Result<T, StepError> {
        (self.load)(saved)
    }
}

impl<T> Copy for Local<T> {}
impl<T> Clone for Local<T> {
    fn clone(&self) -> Self {
        *self
    }
}

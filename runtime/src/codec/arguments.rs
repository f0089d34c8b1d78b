//! Arguments: values one after the other, encoded as a tuple of them is.
//!
//! They are written one by one, and not as a tuple: the code for a value is compiled once for its type, and often
//! within piton, where that for a tuple would be compiled for each list of types. They are read by a
//! [`Reader`](super::Reader).

use std::any::type_name;
use std::mem::ManuallyDrop;

use serde::Serialize;

use super::sink::{Sink, SinkError};
use super::{CodecError, NameOf, not_written};
use crate::machine::values::ArgumentKind;
use crate::model::{Encoding, Payload};

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

    /// Those of a call that takes arguments of these kinds; none has been added yet.
    pub const fn of(_: &'static [ArgumentKind]) -> Self {
        Self::NONE
    }

    /// Adds one. If it cannot be encoded, [`Arguments::finish`] says so.
    pub fn add<T: Serialize + ?Sized>(&mut self, value: &T) {
        let written = value.serialize(self.sink());
        self.note(type_name::<T>, written);
    }

    /// The same of a value that is of no more use, so that whoever has it has nothing left to drop. There is one more,
    /// which is always true.
    pub fn add_owned<T: Serialize>(&mut self, value: T) -> bool {
        let written = value.serialize(self.sink());
        self.note(type_name::<T>, written);
        true
    }

    /// Where the next one goes.
    fn sink(&mut self) -> Sink<'_> {
        Sink::new(self.begun())
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

    extern "C" fn note(&mut self, type_name: NameOf, written: Result<(), SinkError>) {
        if let (Err(error), None) = (written, &*self.failed) {
            *self.failed = Some(not_written(type_name, error));
        }
    }

    /// Begins a `Result`, of which the value or the error is added next.
    pub(crate) extern "C" fn begin_result(&mut self, is_ok: bool) {
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

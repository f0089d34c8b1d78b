//! Encoding values: the arguments of a call, a result, a signal.
//!
//! They are encoded one by one and not as a tuple: the code for a value is compiled once for its type, often within
//! piton, while the code for a tuple would be compiled for each list of types. A [`Reader`](super::Reader) decodes
//! them.

use std::any::type_name;
use std::mem::ManuallyDrop;

use serde::Serialize;

use super::schema::{Described, Form};
use super::schemas::TypeSchema;
use super::sink::{Sink, SinkError};
use super::{CodecError, NameOf, Reader, not_written, schemas, tagged};
use crate::model::{Encoding, Payload, SchemaHash};

/// A parameter, without its type as a generic parameter.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentKind {
    pub(crate) described: Described,
    /// The name of the parameter; empty if it has none.
    pub(crate) name: &'static str,
}

impl ArgumentKind {
    /// A parameter of this type, without a name.
    pub(crate) const fn of(described: Described) -> Self {
        Self { described, name: "" }
    }

    /// The same parameter with this name.
    #[must_use]
    pub const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }
}

/// Checks that arguments are those of a call with these parameters.
///
/// # Errors
/// [`CodecError::Decode`] if they are not, with the name of the first parameter that cannot take its argument.
pub(crate) fn check_arguments(
    arguments: &Payload,
    parameters: &'static [ArgumentKind],
) -> Result<(), CodecError> {
    let mut arguments = Reader::arguments(arguments.as_bytes(), parameters);
    let mut copies = Arguments::plain(Form::Tagged);
    let mut kinds = parameters.iter();
    let unread = kinds.find(|kind| !kind.described.is_next(&mut arguments, &mut copies));
    // They are of no use.
    drop(copies.finish());
    match unread {
        None => arguments.finish(),
        Some(kind) => Err(arguments.failure().of_argument(kind)),
    }
}

impl Described {
    /// Checks that this type can read the payload of a single value.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if it cannot.
    #[cfg_attr(not(feature = "engine"), expect(dead_code, reason = "the client asks for it"))]
    pub(crate) fn check(self, payload: &Payload) -> Result<(), CodecError> {
        let mut value = Reader::value(payload.as_bytes(), self);
        let mut copy = Arguments::plain(Form::Tagged);
        let is_read = self.is_next(&mut value, &mut copy);
        // It is of no use.
        drop(copy.finish());
        if is_read { value.finish() } else { Err(value.failure()) }
    }
}

/// Values being encoded.
///
/// Has no destructor before [`Arguments::finish`]: every function that makes a call would otherwise contain drop code
/// for each exit. If a value panics while it is encoded, the buffer leaks.
#[derive(Debug)]
pub struct Arguments {
    kind: Kind,
    payload: ManuallyDrop<Option<Payload>>,
    failed: ManuallyDrop<Option<CodecError>>,
    /// The number of values added.
    added: usize,
}

/// The kind of values, which determines the head of the payload.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Values without a schema, in this form: copies, and records that only piton reads.
    Plain(Form),
    /// The arguments of a call with these parameters.
    Call(&'static [ArgumentKind]),
    /// One value of this type.
    Value(Described),
    /// One self-describing value.
    Tagged,
}

impl Arguments {
    /// Begins the arguments of a call with these parameters. Takes a static slice because a function that returns it
    /// would be called while the values are alive, and an empty vector is much work for rustc's interpreter.
    pub const fn of(parameters: &'static [ArgumentKind]) -> Self {
        Self::new(Kind::Call(parameters))
    }

    /// Begins values without a schema.
    pub(crate) const fn plain(form: Form) -> Self {
        Self::new(Kind::Plain(form))
    }

    /// Begins a single value of this type.
    pub(crate) const fn value(described: Described) -> Self {
        Self::new(Kind::Value(described))
    }

    /// Begins a single self-describing value.
    pub(crate) const fn tagged() -> Self {
        Self::new(Kind::Tagged)
    }

    const fn new(kind: Kind) -> Self {
        Self { kind, payload: ManuallyDrop::new(None), failed: ManuallyDrop::new(None), added: 0 }
    }

    /// Adds a value. If it cannot be encoded, [`Arguments::finish`] returns the error.
    pub fn add<T: Serialize + ?Sized>(&mut self, value: &T) {
        let written = value.serialize(self.sink());
        self.note(type_name::<T>, written);
    }

    /// Adds a value and drops it, so that the caller has nothing left to drop. Returns whether there is one more value,
    /// which is always true.
    pub fn add_owned<T: Serialize>(&mut self, value: T) -> bool {
        let written = value.serialize(self.sink());
        self.note(type_name::<T>, written);
        true
    }

    /// The sink for the next value.
    fn sink(&mut self) -> Sink<'_> {
        let form = self.form();
        self.added += 1;
        Sink::new(self.begun(), form)
    }

    /// The form of the next value.
    fn form(&self) -> Form {
        match self.kind {
            Kind::Plain(form) => form,
            Kind::Call(kinds) => {
                let parameters = &schemas::of_arguments(kinds).parameters;
                parameters.get(self.added).map_or(Form::Compact, |parameter| parameter.form())
            }
            Kind::Value(described) => schemas::of_type(described).form(),
            Kind::Tagged => Form::Tagged,
        }
    }

    /// The payload, begun with the byte of its encoding and the hash of its schema.
    fn begun(&mut self) -> &mut Vec<u8> {
        let kind = self.kind;
        let failed = &mut *self.failed;
        let payload = self.payload.get_or_insert_with(|| {
            // Room for a few values: a vector that grows from one byte is reallocated many times.
            let mut bytes = Vec::with_capacity(128);
            match kind {
                Kind::Plain(_) => bytes.push(Encoding::Binary as u8),
                Kind::Call(kinds) => {
                    let known = schemas::of_arguments(kinds);
                    begin_typed(&mut bytes, known.hash);
                    let mut each = known.parameters.iter().zip(kinds);
                    *failed = each.find_map(|(known, kind)| not_read_back(known, kind.described));
                }
                Kind::Value(described) => {
                    let known = schemas::of_type(described);
                    begin_typed(&mut bytes, known.hash);
                    *failed = not_read_back(known, described);
                }
                Kind::Tagged => begin_typed(&mut bytes, schemas::tagged().0),
            }
            Payload(bytes)
        });
        &mut payload.0
    }

    extern "C" fn note(&mut self, type_name: NameOf, written: Result<(), SinkError>) {
        if let (Err(error), None) = (written, &*self.failed) {
            *self.failed = Some(not_written(type_name, error));
        }
    }

    /// Begins a `Result`. The value or the error is added next.
    pub(crate) extern "C" fn begin_result(&mut self, is_ok: bool) {
        match self.form() {
            // The number of the variant, as bincode writes it.
            Form::Compact => self.begun().push(u8::from(!is_ok)),
            Form::Tagged => tagged::begin_result(self.begun(), is_ok),
        }
    }

    /// Returns the encoded values.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if a value could not be encoded, or could not be read back.
    pub fn finish(mut self) -> Result<Payload, CodecError> {
        self.begun();
        let payload = ManuallyDrop::into_inner(self.payload);
        match ManuallyDrop::into_inner(self.failed) {
            Some(error) => Err(error),
            None => Ok(payload.unwrap_or_default()),
        }
    }
}

/// The error that a value of this type could not be read back, if so. A worker with such a type does not start, but a
/// client may be alone in its process.
fn not_read_back(known: &TypeSchema, described: Described) -> Option<CodecError> {
    let reason = known.schema.problem.as_ref()?.to_string();
    Some(CodecError::Encode { type_name: described.type_name(), reason })
}

pub(super) fn begin_typed(bytes: &mut Vec<u8>, hash: SchemaHash) {
    bytes.push(Encoding::Typed as u8);
    bytes.extend_from_slice(&hash.0.to_le_bytes());
}

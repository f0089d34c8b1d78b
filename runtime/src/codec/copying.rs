//! Reading and rewriting values of unknown type.
//!
//! This is the only code compiled per type for three purposes: tracing the schema, checking that values can be decoded,
//! and measuring the bytes of a value.

use serde::{Deserialize, Serialize};

use super::NameOf;
use super::arguments::Arguments;
use super::reader::{Reader, next_value};
use super::schema::Form;

/// Reads a value of one type and writes it. Returns whether it could be read.
pub(super) type CopyValue = fn(&mut Reader<'_>, &mut Arguments) -> bool;

/// How a value is copied.
#[derive(Clone, Copy, Debug)]
pub(super) enum Copying {
    /// As a value of its type.
    Value(CopyValue),
    /// As a `Result`: the value or the error in it, see [`results`](super::results).
    Result { type_name: NameOf, value: CopyValue, error: CopyValue },
}

/// Identifies the functions of a [`Copying`]. The linker may merge functions of two types that do the same; their
/// results are then the same as well.
pub(super) type CopyingKey = (usize, usize);

impl Copying {
    pub(super) fn key(self) -> CopyingKey {
        match self {
            Self::Value(copy) => (copy as usize, 0),
            Self::Result { value, error, .. } => (value as usize, error as usize),
        }
    }

    /// Reads a value and writes it. Returns whether it could be read.
    pub(super) fn copy(self, from: &mut Reader<'_>, to: &mut Arguments) -> bool {
        let (type_name, value, error) = match self {
            Self::Value(copy) => return copy(from, to),
            Self::Result { type_name, value, error } => (type_name, value, error),
        };
        from.result(type_name, &mut |is_ok, content| {
            to.begin_result(is_ok);
            let copy = if is_ok { value } else { error };
            copy(content, to)
        })
    }

    /// The bytes `written` in this form, if they decode to the same value. A value that cannot be written even in the tagged
    /// form is reported when a run holds one.
    pub(super) fn reads_back(self, written: Arguments, form: Form) -> Option<Vec<u8>> {
        let Ok(mut written) = written.finish() else {
            return (form == Form::Tagged).then(Vec::new);
        };
        let mut again = Arguments::plain(form);
        // Behind the byte of the encoding.
        let mut reader = Reader::plain(&written.as_bytes()[1..], "value", form);
        let is_copied = self.copy(&mut reader, &mut again);
        let again = again.finish();
        let is_same =
            reader.finish().is_ok() && is_copied && again.is_ok_and(|again| again == written);
        is_same.then(|| written.0.split_off(1))
    }
}

/// [`CopyValue`] for `T`.
pub(super) fn copy_value<T: for<'de> Deserialize<'de> + Serialize>(
    from: &mut Reader<'_>,
    to: &mut Arguments,
) -> bool {
    match next_value::<T>(from) {
        Some(value) => to.add_owned(value),
        None => false,
    }
}

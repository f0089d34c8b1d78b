//! Serde's names of the fields on the path to a saved part of a local.

use serde::{Deserialize, Serialize};

use super::TypeOf;
use crate::codec;
use crate::machine::Context;

/// The default for tokens, which records no names: for types that cannot be saved as a whole.
pub trait FieldNames {
    /// The type that the part belongs to.
    type Whole;

    /// Does nothing.
    fn name_part<P>(&self, _: &Context, _: &'static str, _: for<'a> fn(&'a Self::Whole) -> &'a P) {}
}

impl<T> FieldNames for TypeOf<T> {
    type Whole = T;
}

// Not `for<'de>`: values that hold borrows are also saved in parts.
impl<'de, T: Serialize + Deserialize<'de>> TypeOf<T> {
    /// In a step that describes the machine, records the serialized names of the fields on the path to a `part`, which
    /// is saved under this name.
    pub fn name_part<P>(
        &self,
        cx: &Context,
        saved: &'static str,
        part: for<'a> fn(&'a T) -> &'a P,
    ) {
        if cx.is_describing() {
            cx.describe_part(saved, codec::field_names(part));
        }
    }
}

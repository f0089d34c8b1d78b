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

    /// Knows nothing.
    fn names_of<P>(&self, _: for<'a> fn(&'a Self::Whole) -> &'a P) -> PartNames {
        PartNames { type_name: std::any::type_name::<P>(), names: None }
    }
}

/// A part of a value: its type, and what serde calls the fields that lead to it, if that is known.
#[derive(Debug)]
pub struct PartNames {
    pub(crate) type_name: &'static str,
    pub(crate) names: Option<Vec<String>>,
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

    /// What serde calls the fields that lead to a `part`. None lead to the whole, which is taken for it if it has
    /// the same type.
    pub fn names_of<P>(&self, part: for<'a> fn(&'a T) -> &'a P) -> PartNames {
        let type_name = std::any::type_name::<P>();
        let is_whole = type_name == std::any::type_name::<T>();
        let names = if is_whole { Some(Vec::new()) } else { codec::field_names(part) };
        PartNames { type_name, names }
    }
}

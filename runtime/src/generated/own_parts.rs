//! Whether a value owns its fields.
//!
//! A partially moved value is saved field by field. If the value only refers to its fields, as a borrow or a guard
//! does, the run would save and change copies of them. So the token decides by method resolution, once rustc knows the
//! type.

use std::ops::Deref;

use super::TypeOf;

/// A value owns its parts.
#[derive(Clone, Copy, Debug)]
pub struct OwnParts;

/// A value may only refer to its parts.
#[derive(Clone, Copy, Debug)]
pub struct OthersParts;

/// The default for tokens: inherent methods of some tokens take precedence.
pub trait Parts {
    /// Its values own their parts.
    fn piton_parts(&self) -> OwnParts {
        OwnParts
    }
}

impl<T> Parts for TypeOf<T> {}

impl<T: Deref> TypeOf<T> {
    /// Its values may only refer to their parts.
    pub fn piton_parts(&self) -> OthersParts {
        OthersParts
    }
}

/// The condition that values of type `T` can be saved in parts.
#[diagnostic::on_unimplemented(
    message = "a part of a value of type `{T}` cannot be held across an await",
    label = "this value is part of another value, and is needed after an await",
    note = "a change after the await would be lost: look it up again after the await, as `map.get_mut(&key)`, or use \
            it before",
    note = "rule `saved_locals`"
)]
pub trait HeldByParts<T> {}

#[diagnostic::do_not_recommend]
impl<T> HeldByParts<T> for OwnParts {}

#[diagnostic::do_not_recommend]
impl<T: OwnsThem> HeldByParts<T> for OthersParts {}

/// Implemented by markers of values that own their parts.
pub trait OwnsThem {}

impl<T: ?Sized> OwnsThem for Box<T> {}
impl OwnsThem for OwnParts {}

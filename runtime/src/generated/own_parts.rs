//! Whether a value owns its fields.
//!
//! A partially moved value is saved field by field. If the value only refers to its fields, as a borrow or a guard
//! does, copies of them would be saved and changed instead. So the token of its type decides, once rustc knows the
//! type, by method resolution.

use std::ops::Deref;

use super::TypeOf;

/// The parts of a value are its own.
#[derive(Clone, Copy, Debug)]
pub struct OwnParts;

/// The parts of a value may be those of another.
#[derive(Clone, Copy, Debug)]
pub struct OthersParts;

/// What a token says of the parts of its values, unless a method of its own comes first.
pub trait Parts {
    /// That they are its own.
    fn piton_parts(&self) -> OwnParts {
        OwnParts
    }
}

impl<T> Parts for TypeOf<T> {}

impl<T: Deref> TypeOf<T> {
    /// That they may be those of another.
    pub fn piton_parts(&self) -> OthersParts {
        OthersParts
    }
}

/// That values of type `T` can be held by their parts.
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

/// What owns the parts that it leads to.
pub trait OwnsThem {}

impl<T: ?Sized> OwnsThem for Box<T> {}
impl OwnsThem for OwnParts {}

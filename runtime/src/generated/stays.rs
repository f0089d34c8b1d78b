//! Whether an operand that is used after an await still has the value from before, although the code may have changed
//! it.
//!
//! rustc copies a number when it evaluates the operand, and lets nothing change a borrowed value until its use. Only
//! the type of the operand shows which of the two applies, so method resolution decides.

use std::marker::PhantomData;

/// The type of a value that is used later.
#[derive(Debug)]
pub struct UsedLater<T: ?Sized>(PhantomData<fn(&T)>);

/// Takes the type from a value.
pub fn used_later<T: ?Sized>(_: &T) -> UsedLater<T> {
    UsedLater(PhantomData)
}

/// The value was copied.
#[derive(Clone, Copy, Debug)]
pub struct Copied;

/// The value is borrowed until it is used.
#[derive(Clone, Copy, Debug)]
pub struct Borrowed;

/// The default for types without the inherent method below: values are borrowed until they are used.
pub trait IsBorrowed {
    /// Values are borrowed.
    fn how(&self) -> Borrowed {
        Borrowed
    }
}

impl<T: ?Sized> IsBorrowed for UsedLater<T> {}

impl<T: Copy> UsedLater<T> {
    /// Values are copied.
    pub fn how(&self) -> Copied {
        Copied
    }
}

/// The condition that a value is unchanged when it is used.
#[diagnostic::on_unimplemented(
    message = "this value may change before it is used after the await",
    label = "a method or macro that piton does not know may change it",
    note = "rustc copies such a value first: bind it to a variable, `let before = …;`, and use the variable",
    note = "rule `saved_locals`"
)]
pub trait Stays {}

#[diagnostic::do_not_recommend]
impl Stays for Borrowed {}

/// Applies the condition.
pub fn stays<S: Stays>(_: S) {}

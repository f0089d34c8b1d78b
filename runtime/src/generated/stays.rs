//! Whether an operand that is used after an await still has the value from before, although the code may have
//! changed it.
//!
//! rustc copies a number when it is evaluated, and lets nothing change a borrowed value until then. Only the type
//! of an operand shows which of the two it is, so method resolution decides.

use std::marker::PhantomData;

/// The type of a value that is used later.
#[derive(Debug)]
pub struct UsedLater<T: ?Sized>(PhantomData<fn(&T)>);

/// Takes the type from a value.
pub fn used_later<T: ?Sized>(_: &T) -> UsedLater<T> {
    UsedLater(PhantomData)
}

/// It was copied.
#[derive(Clone, Copy, Debug)]
pub struct Copied;

/// It is borrowed until it is used.
#[derive(Clone, Copy, Debug)]
pub struct Borrowed;

/// The default for types without the inherent method below: values are borrowed until they are used.
pub trait IsBorrowed {
    /// That they are.
    fn how(&self) -> Borrowed {
        Borrowed
    }
}

impl<T: ?Sized> IsBorrowed for UsedLater<T> {}

impl<T: Copy> UsedLater<T> {
    /// That they are copied.
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

/// Asks for it.
pub fn stays<S: Stays>(_: S) {}

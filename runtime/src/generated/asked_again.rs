//! Whether an operand returned by a method such as `get`, `first` or `last` is a borrow or a value.
//!
//! Methods of the standard library with these names return borrows; a user's own methods of the same names often
//! return values, and an operand has no written type. So the type decides, by method resolution: the methods of
//! [`Found`] and [`Kept`] exist for borrows only, and for other types rustc finds those behind [`Deref`]. A borrow
//! is not saved, and the method is called again after the await; a value is saved.

use std::cell::RefCell;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// What is saved for a borrow.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Lent;

/// What a method has given.
#[derive(Debug)]
pub struct Found<T>(Taken<T>);

/// What has been saved of that.
#[derive(Debug)]
pub struct Kept<K>(Taken<K>);

/// A value, to be taken once.
#[derive(Debug)]
pub struct Taken<T>(RefCell<Option<T>>);

/// What a method has given, whose type says what is kept of it.
pub fn found<T>(found: T) -> Found<T> {
    Found(Taken(RefCell::new(Some(found))))
}

/// What has been kept, whose type says what it was.
pub fn kept<K>(kept: K) -> Kept<K> {
    Kept(Taken(RefCell::new(Some(kept))))
}

macro_rules! borrows {
    ($([$($part:ident),*] $lent:ty,)*) => {$(
        impl<$($part: ?Sized),*> Found<$lent> {
            /// Keeps nothing of a borrow.
            pub fn piton_keep(&self) -> Lent {
                Lent
            }
        }
        impl<$($part: ?Sized),*> Found<Option<$lent>> {
            /// Keeps nothing of a borrow.
            pub fn piton_keep(&self) -> Lent {
                Lent
            }
        }
    )*};
}

borrows! {
    [T] &T,
    [T, U] (&T, &U),
    [T] (usize, &T),
}

impl<T> Deref for Found<T> {
    type Target = Taken<T>;

    fn deref(&self) -> &Taken<T> {
        &self.0
    }
}

impl<K> Deref for Kept<K> {
    type Target = Taken<K>;

    fn deref(&self) -> &Taken<K> {
        &self.0
    }
}

impl Kept<Lent> {
    /// Asks for the borrow again.
    pub fn again<L>(&self, ask: impl FnOnce() -> L) -> L {
        ask()
    }
}

impl<T> Taken<T> {
    /// Keeps the value.
    pub fn piton_keep(&self) -> T {
        self.take()
    }

    /// The value that has been kept. Nobody is asked again.
    pub fn again(&self, _: impl FnOnce() -> T) -> T {
        self.take()
    }

    fn take(&self) -> T {
        self.0.take().expect("a value is taken once")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_borrow_is_asked_for_again_and_a_value_is_kept() {
        let list = [1, 2];
        let lent = found(list.first()).piton_keep();
        let value = found(list.first().copied()).piton_keep();
        let other = [3];
        assert_eq!(kept(lent).again(|| other.first()), Some(&3));
        assert_eq!(kept(value).again(|| Some(3)), Some(1));
    }
}

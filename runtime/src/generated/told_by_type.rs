//! Whether the result of a method that is held across an await is a borrow or a value, if the user has methods of
//! that name.
//!
//! Like [`asked_again`](super::asked_again), for values that may be used several times, which must therefore be
//! `Copy`.

use std::ops::Deref;

use super::asked_again::Lent;
use super::{Asked, Lends, Owners};

/// What a method has given.
#[derive(Debug)]
pub struct Given<T>(Copied<T>);

/// What has been kept of that.
#[derive(Debug)]
pub struct Told<'k, K>(Copied<&'k K>);

/// A value, or where one is kept.
#[derive(Debug)]
pub struct Copied<T>(T);

/// What a method has given, whose type says what is kept of it.
pub fn given<T>(given: T) -> Given<T> {
    Given(Copied(given))
}

/// What has been kept, whose type says what it is.
pub fn told<K>(kept: &K) -> Told<'_, K> {
    Told(Copied(kept))
}

/// That a value can be given wherever it is named.
#[diagnostic::on_unimplemented(
    message = "this method is named like one that returns a borrow, and returns `{T}`",
    label = "this is needed after an await, and is neither a reference nor an `Option` of one, nor `Copy`",
    note = "bind it to a variable with its type, so that it is saved: `let found: {T} = …;`",
    note = "rule `saved_locals`"
)]
pub trait Repeats<T> {
    /// The value.
    fn repeat(value: &T) -> T;
}

#[diagnostic::do_not_recommend]
impl<T: Copy> Repeats<T> for Asked {
    fn repeat(value: &T) -> T {
        *value
    }
}

macro_rules! borrows {
    ($([$($part:ident),*] $lent:ty,)*) => {$(
        impl<'a, $($part: ?Sized),*> Given<$lent> {
            /// The borrow, of which nothing is kept.
            pub fn split(&self) -> ($lent, Lent) {
                (self.0.0, Lent)
            }
        }
        impl<'a, $($part: ?Sized),*> Given<Option<$lent>> {
            /// The borrow, of which nothing is kept.
            pub fn split(&self) -> (Option<$lent>, Lent) {
                (self.0.0, Lent)
            }
        }
    )*};
}

borrows! {
    [T] &'a T,
    [T, U] (&'a T, &'a U),
    [T] (usize, &'a T),
}

impl<T> Deref for Given<T> {
    type Target = Copied<T>;

    fn deref(&self) -> &Copied<T> {
        &self.0
    }
}

impl<'k, K> Deref for Told<'k, K> {
    type Target = Copied<&'k K>;

    fn deref(&self) -> &Copied<&'k K> {
        &self.0
    }
}

impl Told<'_, Lent> {
    /// Asks for the borrow again, which lasts as long as `owners` are borrowed.
    pub fn again<'a, O: Owners<'a>, L>(&self, _: O, ask: impl FnOnce() -> L) -> L
    where
        Asked: Lends<'a, L>,
    {
        ask()
    }
}

impl<T> Copied<T> {
    /// The value, and what is kept of it.
    pub fn split(&self) -> (T, T)
    where
        Asked: Repeats<T>,
    {
        (Asked::repeat(&self.0), Asked::repeat(&self.0))
    }
}

impl<T> Copied<&T> {
    /// The value that has been kept. Nobody is asked again, and nothing stays borrowed.
    pub fn again<O>(&self, _: O, _: impl FnOnce() -> T) -> T
    where
        Asked: Repeats<T>,
    {
        Asked::repeat(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_borrow_is_asked_for_again_and_a_value_is_kept() {
        let list = [1, 2];
        let (_, lent) = given(list.first()).split();
        let (_, value) = given(list.first().copied()).split();
        let other = [3];
        assert_eq!(told(&lent).again(&other, || other.first()), Some(&3));
        assert_eq!(told(&value).again(&other, || Some(3)), Some(1));
    }
}

//! Lookups in a local that are repeated after an await.

use std::collections::{BTreeMap, HashMap, VecDeque};

/// Marks a lookup by a method that returns a borrow, to be repeated.
#[derive(Clone, Copy, Debug)]
pub struct Asked;

/// The condition that `L` is or contains a reference with lifetime `'a`.
#[diagnostic::on_unimplemented(
    message = "this method is named like one that returns a borrow, and returns `{L}`",
    label = "this is needed after an await, and is neither a reference nor an `Option` of one",
    note = "piton would call the method again after the await; bind the value to a variable with its type, so that \
            it is saved: `let found: {L} = …;`",
    note = "rule `saved_locals`"
)]
pub trait Lends<'a, L> {}

macro_rules! lends {
    ($([$($part:ident),*] $lent:ty,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'a, $($part: ?Sized),*> Lends<'a, $lent> for Asked {}
        #[diagnostic::do_not_recommend]
        impl<'a, $($part: ?Sized),*> Lends<'a, Option<$lent>> for Asked {}
    )*};
}

lends! {
    [T] &'a T,
    [T] &'a mut T,
    [T, U] (&'a T, &'a U),
    [T, U] (&'a T, &'a mut U),
    [T, U] (&'a mut T, &'a mut U),
    [T] (usize, &'a T),
    [T] (usize, &'a mut T),
}
#[diagnostic::do_not_recommend]
impl<'a, T: ?Sized, E: ?Sized> Lends<'a, Result<&'a T, &'a E>> for Asked {}
#[diagnostic::do_not_recommend]
impl<'a, T: ?Sized, E: ?Sized> Lends<'a, Result<&'a mut T, &'a mut E>> for Asked {}

/// The condition that a key is `Copy`, so that the lookup can be repeated after the key was moved.
#[diagnostic::on_unimplemented(
    message = "a key of type `{Self}` is moved, and the value that was looked up with it is needed after an await",
    label = "this value is looked up again by its key after the await",
    note = "move a copy of the key, `key.clone()`, or use the value before the await",
    note = "rule `saved_locals`"
)]
pub trait KeptKey {}

#[diagnostic::do_not_recommend]
impl<K: Copy> KeptKey for K {}

/// The borrows that a lookup depends on, for `'a`: the place and the keys.
pub trait Owners<'a> {}

impl Owners<'_> for () {}
impl<'a, T: ?Sized> Owners<'a> for &'a T {}
impl<'a, T: ?Sized, O: Owners<'a>> Owners<'a> for (&'a T, O) {}

/// Returns `lent` with a lifetime that ends with the borrow of `owners`, even if it could live longer.
pub fn lent_by<'a, O: Owners<'a>, L>(owners: O, lent: L) -> L
where
    Asked: Lends<'a, L>,
{
    let _ = owners;
    lent
}

/// Like [`lent_by`], for mutable borrows.
pub fn lent_mutably<'a, O: Owners<'a>, L>(owners: O, lent: L) -> L
where
    Asked: Lends<'a, L>,
{
    lent_by(owners, lent)
}

/// The types whose methods return a borrow of the same part each time.
#[diagnostic::on_unimplemented(
    message = "a mutable borrow from `{Self}` cannot be held across an await",
    label = "piton repeats the lookup after the await, and does so only for collections of the standard library",
    note = "use the borrow before the await, and borrow again after it",
    note = "rule `saved_locals`"
)]
pub trait Lender {}

#[diagnostic::do_not_recommend]
impl<T> Lender for [T] {}
#[diagnostic::do_not_recommend]
impl<T> Lender for Vec<T> {}
#[diagnostic::do_not_recommend]
impl<T> Lender for VecDeque<T> {}
#[diagnostic::do_not_recommend]
impl<T> Lender for Option<T> {}
#[diagnostic::do_not_recommend]
impl<T, const N: usize> Lender for [T; N] {}
#[diagnostic::do_not_recommend]
impl<T, E> Lender for Result<T, E> {}
#[diagnostic::do_not_recommend]
impl<K, V> Lender for BTreeMap<K, V> {}
#[diagnostic::do_not_recommend]
impl<K, V, S> Lender for HashMap<K, V, S> {}
#[diagnostic::do_not_recommend]
impl<T: Lender + ?Sized> Lender for Box<T> {}
#[diagnostic::do_not_recommend]
impl<T: Lender + ?Sized> Lender for &mut T {}

/// The place itself, with the bound on its type.
pub fn lender<L: Lender + ?Sized>(place: &mut L) -> &mut L {
    place
}

/// The content of an `Option` or `Result` that is known to be `Some` or `Ok`.
///
/// # Panics
/// If it is `None` or `Err`.
pub fn opened<O: IntoIterator>(found: O) -> O::Item {
    found.into_iter().next().expect("what is borrowed has not changed")
}

/// The condition that a key of a map can be copied, so that the lookup can be repeated.
#[diagnostic::on_unimplemented(
    message = "a value looked up in a map cannot be held across an await if the key type `{K}` is not `Clone`",
    label = "after the await the value is looked up by a copy of this key",
    note = "derive `Clone` for the key, or look the value up where it is not needed after an await",
    note = "rule `saved_locals`"
)]
pub trait Copies<K> {
    /// Copies the key.
    fn copy_of(key: &K) -> K;
}

#[diagnostic::do_not_recommend]
impl<K: Clone> Copies<K> for Asked {
    fn copy_of(key: &K) -> K {
        key.clone()
    }
}

/// The key to look up in a map.
pub fn copy_of_key<K>(key: &K) -> K
where
    Asked: Copies<K>,
{
    Asked::copy_of(key)
}

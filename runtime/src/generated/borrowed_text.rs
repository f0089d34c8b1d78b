//! Detects locals that contain borrowed texts.
//!
//! `&'a str` is `Deserialize<'a>`, and whether it is `DeserializeOwned` depends on `'a` alone. rustc decides that
//! after type inference, with an error that names no variable. So the tokens of locals that may contain such a text
//! are tested separately, by method resolution.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Items, Local};

/// Its values contain no borrowed texts.
#[derive(Clone, Copy, Debug)]
pub struct Whole;

/// Its values contain borrowed texts.
#[derive(Clone, Copy, Debug)]
pub struct Borrowed;

/// The default for tokens: inherent methods of some tokens take precedence.
pub trait Held {
    /// Its values contain no borrowed texts.
    fn piton_held(&self) -> Whole {
        Whole
    }

    /// Its values are no lists, so they have no items with tokens.
    fn piton_each(&self) {}
}

impl<T> Held for Local<T> {}

impl<T: BorrowsText> Local<T> {
    /// Its values are borrowed texts.
    pub fn piton_held(&self) -> Borrowed {
        Borrowed
    }
}

/// Implemented by markers of values that contain borrowed texts.
pub trait BorrowsText {}

macro_rules! borrowed {
    ($(<$($parameter:ident $(: $bound:ident)?),*> $held:ty),* $(,)?) => {$(
        impl<$($parameter $(: $bound)?),*> BorrowsText for $held {}
    )*};
}

borrowed!(
    <> &str,
    <T> (&str, T),
    <> (String, &str),
    <> (bool, &str),
    <> (char, &str),
    <> (i32, &str),
    <> (i64, &str),
    <> (u8, &str),
    <> (u16, &str),
    <> (u32, &str),
    <> (u64, &str),
    <> (usize, &str),
    <T: BorrowsText> Option<T>,
    <T> Result<T, &str>,
    <> Result<&str, String>,
    <T: BorrowsText> Vec<T>,
    <T: BorrowsText> VecDeque<T>,
    <T: BorrowsText> BTreeSet<T>,
    <T> BTreeMap<&str, T>,
    <> BTreeMap<String, &str>,
    <> BTreeMap<i32, &str>,
    <> BTreeMap<i64, &str>,
    <> BTreeMap<u32, &str>,
    <> BTreeMap<u64, &str>,
    <> BTreeMap<usize, &str>,
    <T: BorrowsText> Items<T>,
);

impl<T: BorrowsText, const N: usize> BorrowsText for [T; N] {}

/// Only the types of these results are used, so the methods are never called.
macro_rules! parts {
    ($([$($part:ident)*])*) => {$(
        impl<$($part),*> Local<($($part,)*)> {
            /// The tokens of its parts.
            pub fn piton_parts(&self) -> ($(Local<$part>,)*) {
                unreachable!("only types are asked for")
            }
        }
    )*};
}

parts! { [A] [A B] [A B C] [A B C D] [A B C D E] [A B C D E F] }

macro_rules! each {
    ($([$($size:tt)*] $list:ty)*) => {$(
        impl<T, $($size)*> Local<$list> {
            /// The token of its items.
            pub fn piton_each(&self) -> Local<T> {
                unreachable!("only types are asked for")
            }
        }
    )*};
}

each! { [] Items<T> [] Option<T> [] Vec<T> [] VecDeque<T> [const N: usize] [T; N] }

/// The condition that values of type `T` own their content.
#[diagnostic::on_unimplemented(
    message = "a value of type `{T}` cannot be held across an await",
    label = "this text is borrowed, and is needed after an await",
    note = "make it a `String` with `.to_owned()`, use it before the await, or annotate the variable: `let text: \
            &str = …;`",
    note = "rule `saved_locals`"
)]
pub trait Owned<T> {}

#[diagnostic::do_not_recommend]
impl<T> Owned<T> for Whole {}

#[diagnostic::do_not_recommend]
impl<T: NeverBorrowed> Owned<T> for Borrowed {}

/// The condition that the items of a loop own their content.
#[diagnostic::on_unimplemented(
    message = "a `for` loop with an `.await` in it cannot hold items of type `{T}`",
    label = "the remaining items are saved at the await, and their text is borrowed",
    note = "iterate over the borrow itself, `for line in text.lines()`, or make the items `String`s: \
            `.map(str::to_owned)`, `.map(|(n, line)| (n, line.to_owned()))`",
    note = "rule `saved_locals`"
)]
pub trait OwnedItems<T> {}

#[diagnostic::do_not_recommend]
impl<T> OwnedItems<T> for Whole {}

#[diagnostic::do_not_recommend]
impl<T: NeverBorrowed> OwnedItems<T> for Borrowed {}

/// Implemented by several types that are no borrowed texts: with more than one candidate, rustc reports nothing about a
/// type that another error has left unknown.
pub trait NeverBorrowed {}

impl NeverBorrowed for Whole {}
impl NeverBorrowed for Borrowed {}

/// Applies the bounds of `check` to a token and its marker.
pub fn held_as<T, H>(token: &Local<T>, held: H, check: fn(&Local<T>, H)) {
    check(token, held);
}

//! Detects locals that contain borrowed texts.
//!
//! `&'a str` is `Deserialize<'a>`, and whether it is `DeserializeOwned` depends on `'a` alone. rustc decides that
//! after type inference, with an error that names no variable. So the tokens of locals that may contain such a text
//! are tested separately, by method resolution.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Items, Local};

/// A token says that its values are held as themselves.
#[derive(Clone, Copy, Debug)]
pub struct Whole;

/// A token says that its values have borrowed texts in them.
#[derive(Clone, Copy, Debug)]
pub struct Borrowed;

/// What a token says of its values, unless a method of its own comes first.
pub trait Held {
    /// That they are held as themselves.
    fn piton_held(&self) -> Whole {
        Whole
    }

    /// That they are no list, so that there are no tokens of their values.
    fn piton_each(&self) {}
}

impl<T> Held for Local<T> {}

impl<T: BorrowsText> Local<T> {
    /// That its values are borrowed.
    pub fn piton_held(&self) -> Borrowed {
        Borrowed
    }
}

/// What borrowed texts are held as.
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

/// Tokens are asked for their types alone, and never for the tokens of parts.
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
            /// The token of each of its values.
            pub fn piton_each(&self) -> Local<T> {
                unreachable!("only types are asked for")
            }
        }
    )*};
}

each! { [] Items<T> [] Option<T> [] Vec<T> [] VecDeque<T> [const N: usize] [T; N] }

/// That values of type `T` own what they are made of.
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

/// That the items of a loop own what they are made of.
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

/// What no borrowed text is. A type that an error has left unknown may be one of several such, so rustc has
/// nothing to say of it.
pub trait NeverBorrowed {}

impl NeverBorrowed for Whole {}
impl NeverBorrowed for Borrowed {}

/// Asks for what `check` asks for, of a token and what it says.
pub fn held_as<T, H>(token: &Local<T>, held: H, check: fn(&Local<T>, H)) {
    check(token, held);
}

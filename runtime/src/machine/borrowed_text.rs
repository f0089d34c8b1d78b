//! Borrowed texts among the locals.
//!
//! `&'a str` is `Deserialize<'a>`, and whether that is `DeserializeOwned` hangs on `'a` alone. rustc
//! decides it after the types, and then says of no variable that an implementation is not general
//! enough. So the tokens of what may be such a text are asked once more, by methods that are found by type.

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
    fn held(&self) -> Whole {
        Whole
    }
}

impl<T> Held for Local<T> {}

macro_rules! borrowed {
    ($(<$($parameter:ident),*> $held:ty),* $(,)?) => {$(
        impl<$($parameter),*> Local<$held> {
            /// That its values are borrowed.
            pub fn held(&self) -> Borrowed {
                Borrowed
            }
        }
    )*};
}

borrowed!(
    <> &'static str,
    <T> (&'static str, T),
    <> Option<&'static str>,
    <T> Option<(&'static str, T)>,
    <> (usize, &'static str),
    <> Vec<&'static str>,
    <T> Vec<(&'static str, T)>,
    <> VecDeque<&'static str>,
    <> BTreeSet<&'static str>,
    <T> BTreeMap<&'static str, T>,
    <> BTreeMap<String, &'static str>,
    <> BTreeMap<i32, &'static str>,
    <> BTreeMap<i64, &'static str>,
    <> BTreeMap<u32, &'static str>,
    <> BTreeMap<u64, &'static str>,
    <> BTreeMap<usize, &'static str>,
    <> Items<&'static str>,
    <> Items<(usize, &'static str)>,
    <T> Items<(&'static str, T)>,
);

/// That values of type `T` own what they are made of.
#[diagnostic::on_unimplemented(
    message = "a value of type `{T}` cannot be held across an await",
    label = "this text is borrowed, and needed after an await",
    note = "make it a text of its own, `.to_owned()`, or use it up before the await; a variable that is a \
            text by its type is saved as one: `let text: &str = …;`",
    note = "rule `saved_locals`"
)]
pub trait Owned<T> {}

#[diagnostic::do_not_recommend]
impl<T> Owned<T> for Whole {}

/// That the items of a loop own what they are made of.
#[diagnostic::on_unimplemented(
    message = "a `for` loop with an `.await` in it cannot hold items of type `{T}`",
    label = "what is left of these items is saved at the await, and their text is borrowed",
    note = "go through the borrow itself, `for line in text.lines()`, or let the items be texts of their own: \
            `.map(str::to_owned)`, `.map(|(n, line)| (n, line.to_owned()))`",
    note = "rule `saved_locals`"
)]
pub trait OwnedItems<T> {}

#[diagnostic::do_not_recommend]
impl<T> OwnedItems<T> for Whole {}

/// Asks for what `check` asks for, of a token and what it says.
pub fn held_as<T, H>(token: &Local<T>, held: H, check: fn(&Local<T>, H)) {
    check(token, held);
}

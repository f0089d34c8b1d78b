//! Locals that contain texts.
//!
//! A borrowed text is saved as a text. The decoded text lives until the end of the step, which borrows from it.
//!
//! A `&'static str` cannot be decoded from bytes. It is saved as a text, and decoded to the single copy of that text
//! that the process keeps forever. A program has finitely many literals, which limits the number of copies.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde::Serialize as _;

use super::iteration::{Items, load_items_by, save_items};
use super::local::save;
use super::{Local, Parked, local};
use crate::codec::{self, CodecError, next_value};
use crate::machine::values::{Coding, SavedKind};

/// Makes the token of a `&str`. See `local`.
pub const fn lent_text() -> Local<String> {
    local()
}

/// Texts that a step has decoded, in lists of doubling length, so that texts never move.
#[derive(Debug, Default)]
pub struct Texts {
    lists: [OnceCell<Box<[OnceCell<String>]>>; 32],
    count: Cell<usize>,
}

impl Texts {
    /// Creates an empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps the text until the end of the step.
    pub fn keep(&self, text: String) -> &str {
        let number = self.count.get() + 1;
        self.count.set(number);
        let list = number.ilog2();
        let length = 1 << list;
        let places = || (0..length).map(|_| OnceCell::new()).collect();
        let list = self.lists[list as usize].get_or_init(places);
        list[number - length].get_or_init(|| text)
    }
}

/// Copies a borrowed text, for another part of the step.
pub fn owned_text(text: &str) -> String {
    text.to_owned()
}

/// Copies borrowed texts, for a loop over them.
pub fn owned_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = String> {
    texts.into_iter().map(str::to_owned)
}

impl Local<String> {
    /// Like [`put`](Local::put), for a borrowed text.
    pub fn put_text(&self, text: &str, parked: &mut Parked) {
        let written = text.serialize(parked.begin_local());
        parked.next.end_local(&self.coding.kind, written);
    }
}

/// Makes the token of a `&'static str`. See `local`.
pub fn static_text() -> Local<&'static str> {
    Local {
        coding: const {
            &Coding {
                save: save::<&str>,
                load: |saved| next_value::<String>(saved).map(|text| kept(text.as_str())),
                kind: SavedKind::of::<&str, String>(|_| {}),
            }
        },
    }
}

/// Makes the token of the rest of a list of `&'static str`. See
/// [`item_list`](super::item_list).
pub fn static_texts() -> Local<Items<&'static str>> {
    Local {
        coding: const {
            &Coding {
                save: save_items::<&'static str>,
                load: |saved| load_items_by(saved, first_text),
                kind: SavedKind::of::<&str, Vec<String>>(|_| {}),
            }
        },
    }
}

fn first_text(bytes: &[u8]) -> Result<(&'static str, usize), CodecError> {
    let (text, length) = codec::decode_first::<String>(bytes)?;
    Ok((kept(&text), length))
}

/// The copy of a text that the process keeps.
pub(super) fn kept(text: &str) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    if text.is_empty() {
        return "";
    }
    // A panic leaves the set with or without the text; both are consistent.
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(text) {
        return known;
    }
    let copy: &'static str = Box::leak(Box::from(text));
    texts.insert(copy);
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_where_they_are() {
        let texts = Texts::new();
        let kept: Vec<&str> = (0..100).map(|n: u8| texts.keep(n.to_string())).collect();
        let numbers: Vec<String> = (0..100).map(|n: u8| n.to_string()).collect();
        assert_eq!(kept, numbers);
    }

    #[test]
    fn a_text_is_kept_once() {
        let (one, two) = (kept(&String::from("a text")), kept(&String::from("a text")));
        assert_eq!(one, "a text");
        assert!(std::ptr::eq(one, two));
    }
}

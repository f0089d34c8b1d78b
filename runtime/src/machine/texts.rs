//! Locals that hold string literals.
//!
//! A `&'static str` cannot be read back from bytes, and it need not be: all such texts are in the
//! program. It is saved as its text, and given back as the one copy of that text which the process
//! keeps for good. A program has finitely many literals, so the copies are bounded by them.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::iteration::{Items, load_items_by, save_items};
use super::{Coding, Local};
use crate::codec::{self, CodecError, Described};

/// Makes the token of a `&'static str`. See [`local`](super::local).
pub fn static_text() -> Local<&'static str> {
    Local {
        coding: const {
            &Coding {
                save: |text, out| codec::encode_into(text, out),
                load: |saved| codec::decode::<String>(saved).map(|text| kept(&text)),
                described: Described::of::<String>(),
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
                described: Described::of::<Vec<String>>(),
            }
        },
    }
}

fn first_text(bytes: &[u8]) -> Result<(&'static str, usize), CodecError> {
    let (text, length) = codec::decode_first::<String>(bytes)?;
    Ok((kept(&text), length))
}

/// The copy of a text that the process keeps.
fn kept(text: &str) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    if text.is_empty() {
        return "";
    }
    // Whoever panicked has added a text or has not; either is fine.
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
    fn a_text_is_kept_once() {
        let (one, two) = (kept(&String::from("a text")), kept(&String::from("a text")));
        assert_eq!(one, "a text");
        assert!(std::ptr::eq(one, two));
    }
}

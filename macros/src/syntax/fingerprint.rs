//! Hashes of code, which identify awaits of equal names after an edit adds or removes one.
//!
//! They are stored, so they depend only on the words of the source: not on positions, spacing, trailing commas, or
//! names that the passes give.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use std::borrow::Cow;
use std::fmt;

/// A hash of tokens, 32 bits of FNV-1a.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Fingerprint(u32);

impl Fingerprint {
    /// The fingerprint of generated code.
    pub(crate) const NONE: Self = Self(0);

    /// The fingerprint of code as written.
    pub(crate) fn of(code: &impl ToTokens) -> Self {
        Self::with_names(code, |_| None)
    }

    /// The fingerprint of code, where `source_name` returns what counts for an identifier: the source name of a renamed
    /// one.
    pub(crate) fn with_names<'n>(
        code: &impl ToTokens,
        source_name: impl Fn(&str) -> Option<Cow<'n, str>>,
    ) -> Self {
        let mut hash = Hash::default();
        hash.tokens(code.to_token_stream(), &source_name);
        Self(hash.0.max(1))
    }

    /// The fingerprint of this code around the other.
    pub(crate) fn around(self, inner: Self) -> Self {
        if self == Self::NONE {
            return inner;
        }
        let mut hash = Hash(self.0);
        hash.bytes(&inner.0.to_le_bytes());
        Self(hash.0.max(1))
    }

    /// The fingerprint of the `index`th of `count` equal pieces, in source order.
    pub(crate) fn numbered(self, index: usize, count: usize) -> Self {
        let mut hash = Hash(self.0);
        hash.word(&format!("{index} of {count}"));
        Self(hash.0.max(1))
    }

    /// The fingerprint of the tokens of code in any order.
    pub(crate) fn unordered(code: &impl ToTokens) -> Self {
        let mut words = Vec::new();
        leaves(code.to_token_stream(), &mut words);
        words.sort_unstable();
        let mut hash = Hash::default();
        words.iter().for_each(|word| hash.word(word));
        Self(hash.0.max(1))
    }

    /// The fingerprint of a list without the element at `index`, whose position counts.
    pub(crate) fn of_others(all: &[Self], index: usize) -> Self {
        let mut hash = Hash::default();
        for (number, other) in all.iter().enumerate() {
            let other = if number == index { Self::NONE } else { *other };
            hash.bytes(&other.0.to_le_bytes());
        }
        Self(hash.0.max(1))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

/// The tokens of code, without the commas and the delimiters of groups.
fn leaves(tokens: TokenStream, words: &mut Vec<String>) {
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => leaves(group.stream(), words),
            TokenTree::Punct(punct) if punct.as_char() == ',' => {}
            tree => words.push(tree.to_string()),
        }
    }
}

/// FNV-1a, by Fowler, Noll and Vo: <http://www.isthe.com/chongo/tech/comp/fnv/>.
struct Hash(u32);

impl Default for Hash {
    fn default() -> Self {
        Self(0x811c_9dc5)
    }
}

impl Hash {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        }
    }

    /// Hashes a word and its end.
    fn word(&mut self, word: &str) {
        self.bytes(word.as_bytes());
        self.bytes(&[0]);
    }

    fn tokens<'n>(
        &mut self,
        tokens: TokenStream,
        source_name: &impl Fn(&str) -> Option<Cow<'n, str>>,
    ) {
        let mut trees = tokens.into_iter().peekable();
        while let Some(tree) = trees.next() {
            match tree {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::None => ("", ""),
                    };
                    self.bytes(open.as_bytes());
                    self.tokens(group.stream(), source_name);
                    self.bytes(close.as_bytes());
                }
                TokenTree::Ident(ident) => {
                    let name = ident.to_string();
                    self.word(source_name(&name).as_deref().unwrap_or(&name));
                }
                TokenTree::Punct(punct) if punct.as_char() == ',' && trees.peek().is_none() => {}
                TokenTree::Punct(punct) => {
                    self.bytes(&[u8::try_from(punct.as_char()).unwrap_or(0)])
                }
                TokenTree::Literal(literal) => self.word(&literal.to_string()),
            }
        }
    }
}

/// The position of an item among those of its name, with the fingerprint of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Counted from 1.
    pub(crate) index: usize,
    pub(crate) count: usize,
    pub(crate) fingerprint: Fingerprint,
    /// For a local, the fingerprint of the other locals of its name. For an await of an operation in a local, that of the
    /// code that binds the local.
    pub(crate) others: Fingerprint,
    /// For one of several awaits of a name, the fingerprint of the operation and its arguments. A local counts as the code
    /// that binds it, so that the fingerprint stays if the local gets another name.
    pub(crate) operation: Fingerprint,
}

impl Place {
    /// The place of the only item of its name.
    pub(crate) fn only(fingerprint: Fingerprint) -> Self {
        let (others, operation) = (Fingerprint::NONE, Fingerprint::NONE);
        Self { index: 1, count: 1, fingerprint, others, operation }
    }

    /// The place of one of `count` items with the same name.
    pub(crate) fn of_several(self, index: usize, count: usize) -> Self {
        let operation = if count > 1 { self.operation } else { Fingerprint::NONE };
        Self { index, count, operation, ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.index, self.count, self.fingerprint)?;
        match (self.others, self.operation) {
            (Fingerprint::NONE, Fingerprint::NONE) => Ok(()),
            (others, Fingerprint::NONE) => write!(f, "/{others}"),
            (others, operation) => write!(f, "/{others}/{operation}"),
        }
    }
}

/// The place of a local among the bindings of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BindingPlace {
    pub(crate) place: Place,
    /// If another binding has the same initializer: those of all bindings of the name, in source order. Empty otherwise.
    pub(crate) initializers: Vec<Fingerprint>,
    /// Of a temporary, the code that uses it.
    pub(crate) used_by: Fingerprint,
    /// Of a local that a pattern binds with others, the tokens of the value in any order.
    pub(crate) unordered: Fingerprint,
}

impl fmt::Display for BindingPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.place)?;
        self.initializers.iter().try_for_each(|initializer| write!(f, "+{initializer}"))?;
        for (mark, fingerprint) in [('>', self.used_by), ('~', self.unordered)] {
            if fingerprint != Fingerprint::NONE {
                write!(f, "{mark}{fingerprint}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn a_fingerprint_never_changes() {
        // The value is stored in databases.
        assert_eq!(Fingerprint::of(&quote!(charge(order.id, 5).retry(3))).to_string(), "76b054e6");
        assert_eq!(Fingerprint::NONE.to_string(), "00000000");
    }

    #[test]
    fn only_words_count() {
        let of = |code: &str| {
            let tokens: TokenStream = code.parse().expect("tokens");
            Fingerprint::of(&tokens)
        };
        assert_eq!(of("charge(order.id, 5)"), of("charge(\n    order . id,\n    5,\n)"));
        assert_ne!(of("charge(order.id, 5)"), of("charge(order.id, 6)"));
        assert_ne!(of("charge(ab, c)"), of("charge(a, bc)"));
        assert_ne!(of("(a, b)"), of("[a, b]"));
    }

    #[test]
    fn a_local_goes_by_its_name_in_the_source() {
        let renamed = quote!(charge(order_2));
        let names = |name: &str| (name == "order_2").then_some("order".into());
        assert_eq!(
            Fingerprint::with_names(&renamed, names),
            Fingerprint::of(&quote!(charge(order)))
        );
    }
}

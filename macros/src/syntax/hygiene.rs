//! Names of generated variables.
//!
//! Names that start with `__piton_` have the hygiene of the macro's definition, so the user's code cannot see them.
//! A temporary has such a name with the span of the user's expression, so that rustc reports errors there. A
//! renamed binding keeps the user's span and gets a name that does not occur in the function.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};

use crate::collections::by_name::NameSet;
use crate::syntax::names;

/// What keeps the texts that a step borrows from.
pub(crate) const TEXTS: &str = "texts";

/// What the compiler's own names start with.
const PREFIX: &str = "__piton_";

/// A name of the compiler's own.
pub(crate) fn hidden(name: &str) -> Ident {
    own(name, Span::mixed_site())
}

/// As [`hidden`], where the name is written with what it starts with, so that nothing has to be put together.
pub(crate) fn written(name: &'static str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// As [`hidden`], with a number behind it.
pub(crate) fn numbered(name: &str, number: usize) -> Ident {
    // Formatting it takes four times as long where nothing is optimized.
    let mut numbered = prefixed(name);
    numbered.push_str(&number.to_string());
    Ident::new(&numbered, Span::mixed_site())
}

/// As [`hidden`]. What rustc says about it, it says of the user's code at `span`.
pub(crate) fn hidden_at(name: &str, span: Span) -> Ident {
    own(name, Span::mixed_site().located_at(span))
}

/// A name of the compiler's own that rustc takes for one of the user's at `span`, so that what it says of
/// the variable does not seem to be about the macro.
pub(crate) fn in_source(name: &str, span: Span) -> Ident {
    own(name, span)
}

/// The name of a temporary that stands for what the user has written at `span`.
pub(crate) fn temporary(number: usize, span: Span) -> Ident {
    in_source(&number.to_string(), span)
}

fn prefixed(name: &str) -> String {
    let mut prefixed = String::with_capacity(PREFIX.len() + name.len() + 2);
    prefixed.push_str(PREFIX);
    prefixed.push_str(name);
    prefixed
}

fn own(name: &str, span: Span) -> Ident {
    let mut own = prefixed(name);
    // What it is made of may have been a raw name.
    if own.contains('#') {
        own = own.replace("r#", "");
    }
    Ident::new(&own, span)
}

/// Whether a name is one of the compiler's own.
pub(crate) fn is_hidden(name: &Ident) -> bool {
    name.to_string().starts_with(PREFIX)
}

/// The identifier that is spelled so, with its `r#` if it has one.
pub(crate) fn spelled(name: &str, span: Span) -> Ident {
    match name.strip_prefix("r#") {
        Some(plain) => Ident::new_raw(plain, span),
        None => Ident::new(name, span),
    }
}

/// The names in use in one function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(NameSet);

impl Names {
    /// All identifiers that occur in `tokens`.
    pub(crate) fn of(tokens: TokenStream) -> Self {
        let mut names = Self::default();
        names.scan(tokens);
        names
    }

    /// Whether `name` occurs.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Adds the names of `other`.
    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    fn scan(&mut self, tokens: TokenStream) {
        for tree in tokens {
            match tree {
                TokenTree::Ident(ident) => {
                    self.0.insert(ident.to_string());
                }
                TokenTree::Group(group) => self.scan(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    /// `ident` with a number that makes it unlike all others, at the same span.
    pub(crate) fn fresh(&mut self, ident: &Ident) -> Ident {
        let name = ident.to_string();
        let plain = names::without_prefix(&name);
        let mut number = 2_usize;
        loop {
            let candidate = format!("{plain}_{number}");
            if self.0.insert(candidate.clone()) {
                return Ident::new(&candidate, ident.span());
            }
            number += 1;
        }
    }
}

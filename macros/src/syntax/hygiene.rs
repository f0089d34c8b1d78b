//! Names of generated variables.
//!
//! Names that start with `__piton_` have the hygiene of the macro's definition, so the user's code cannot see them.
//! A temporary has such a name with the span of the user's expression, so that rustc reports errors there. A
//! renamed binding keeps the user's span and gets a name that does not occur in the function.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};

use crate::collections::by_name::NameSet;
use crate::syntax::names;

/// The variable that owns the texts from which a step borrows.
pub(crate) const TEXTS: &str = "texts";

/// The prefix of generated names.
const PREFIX: &str = "__piton_";

/// A generated name.
pub(crate) fn hidden(name: &str) -> Ident {
    own(name, Span::mixed_site())
}

/// As [`hidden`], for a name that includes the prefix, which saves an allocation.
pub(crate) fn written(name: &'static str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// As [`hidden`], with a number at the end.
pub(crate) fn numbered(name: &str, number: usize) -> Ident {
    // `format!` takes four times as long in an unoptimized build.
    let mut numbered = prefixed(name);
    numbered.push_str(&number.to_string());
    Ident::new(&numbered, Span::mixed_site())
}

/// As [`hidden`]. rustc reports errors about it at `span`.
pub(crate) fn hidden_at(name: &str, span: Span) -> Ident {
    own(name, Span::mixed_site().located_at(span))
}

/// A generated name with the hygiene of the user's code at `span`, so that rustc's messages do not attribute the
/// variable to the macro.
pub(crate) fn in_source(name: &str, span: Span) -> Ident {
    own(name, span)
}

/// The name of a temporary for the user's expression at `span`.
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
    // The base may be a raw identifier.
    if own.contains('#') {
        own = own.replace("r#", "");
    }
    Ident::new(&own, span)
}

/// Whether a name is a generated one.
pub(crate) fn is_hidden(name: &Ident) -> bool {
    name.to_string().starts_with(PREFIX)
}

/// The identifier with this spelling, perhaps with `r#`.
pub(crate) fn spelled(name: &str, span: Span) -> Ident {
    match name.strip_prefix("r#") {
        Some(plain) => Ident::new_raw(plain, span),
        None => Ident::new(name, span),
    }
}

/// The names in use in a function.
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

    /// `ident` with a number that makes it unique, at the same span.
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

//! Searching tokens for an identifier.

use proc_macro2::{Ident, TokenStream, TokenTree};

/// Whether the tokens contain the identifier.
pub(super) fn names(tokens: &TokenStream, ident: &Ident) -> bool {
    find(tokens, ident).is_some()
}

/// The first occurrence of the identifier.
pub(super) fn find(tokens: &TokenStream, ident: &Ident) -> Option<Ident> {
    tokens.clone().into_iter().find_map(|tree| match tree {
        TokenTree::Ident(found) => (found == *ident).then_some(found),
        TokenTree::Group(group) => find(&group.stream(), ident),
        _ => None,
    })
}

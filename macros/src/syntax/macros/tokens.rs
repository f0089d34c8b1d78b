//! Tokens that do not parse as expressions: names of variables in them, and jumps.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;

use super::captures;
use crate::syntax::names::is_any_of;

/// Calls `found` with every identifier in `tokens` that may name a variable, and every variable in a string literal.
pub(crate) fn scan_names(tokens: &TokenStream, found: &mut impl FnMut(&str)) {
    scan_leaves(tokens, &mut |tree| match tree {
        TokenTree::Ident(ident) => found(&ident.to_string()),
        leaf => {
            if let Ok(text) = syn::parse2::<syn::LitStr>(leaf.to_token_stream()) {
                captures(&text.value()).iter().for_each(|name| found(name));
            }
        }
    });
}

/// Calls `found` with every identifier in `tokens` that may name a variable, and every literal.
pub(crate) fn scan_leaves(tokens: &TokenStream, found: &mut impl FnMut(&TokenTree)) {
    let mut field = false;
    for tree in tokens.clone() {
        match &tree {
            TokenTree::Ident(_) if !field => found(&tree),
            TokenTree::Literal(_) => found(&tree),
            TokenTree::Group(group) => scan_leaves(&group.stream(), found),
            _ => {}
        }
        // After a single dot comes a field or method; after two, the end of a range.
        field = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '.') && !field;
    }
}

/// Whether the code in `tokens` may jump.
pub(crate) fn has_jump(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => is_any_of(&ident, &["return", "break", "continue"]),
        TokenTree::Punct(punct) => punct.as_char() == '?',
        TokenTree::Group(group) => has_jump(group.stream()),
        TokenTree::Literal(_) => false,
    })
}

/// `tokens` with variables renamed.
pub(crate) fn rename_tokens(
    tokens: TokenStream,
    rename: &impl Fn(&Ident) -> Option<Ident>,
) -> TokenStream {
    let mut field = false;
    let renamed = tokens.into_iter().map(|tree| {
        let was_field = field;
        field = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '.') && !field;
        match tree {
            TokenTree::Ident(ident) if !was_field => rename(&ident).unwrap_or(ident).into(),
            TokenTree::Group(group) if group.delimiter() != Delimiter::None => {
                let mut new = Group::new(group.delimiter(), rename_tokens(group.stream(), rename));
                new.set_span(group.span());
                new.into()
            }
            other => other,
        }
    });
    renamed.collect()
}

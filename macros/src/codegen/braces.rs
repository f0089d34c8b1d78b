//! Nested blocks of code, while they are printed.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::ir::ScopeId;

/// The scopes that are open where tokens are added, with those of each. They are put together at once: each
/// time takes several calls of rustc.
pub(super) struct Braces(pub(super) Vec<(ScopeId, Vec<TokenStream>)>);

impl Braces {
    pub(super) fn push(&mut self, tokens: TokenStream) {
        if let Some((_, top)) = self.0.last_mut()
            && !tokens.is_empty()
        {
            top.push(tokens);
        }
    }

    pub(super) fn open(&mut self, scope: ScopeId) {
        self.0.push((scope, Vec::new()));
    }

    pub(super) fn close(&mut self) {
        if let Some((_, inner)) = self.0.pop() {
            let group = Group::new(Delimiter::Brace, inner.into_iter().collect());
            self.push(TokenTree::from(group).into());
        }
    }

    /// Closes the scopes that are not around `scope`.
    pub(super) fn close_to(&mut self, scope: ScopeId) {
        while self.0.len() > 1 && self.0.last().is_some_and(|(open, _)| *open != scope) {
            self.close();
        }
    }

    pub(super) fn finish(mut self) -> TokenStream {
        while self.0.len() > 1 {
            self.close();
        }
        self.0.pop().map(|(_, tokens)| tokens.into_iter().collect()).unwrap_or_default()
    }
}

//! Nested blocks of code, while they are printed.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::ir::ScopeId;

/// The scopes that are open where tokens are added.
pub(super) struct Braces(pub(super) Vec<(ScopeId, TokenStream)>);

impl Braces {
    pub(super) fn push(&mut self, tokens: impl ToTokens) {
        if let Some((_, top)) = self.0.last_mut() {
            tokens.to_tokens(top);
        }
    }

    pub(super) fn open(&mut self, scope: ScopeId) {
        self.0.push((scope, TokenStream::new()));
    }

    pub(super) fn close(&mut self) {
        if let Some((_, inner)) = self.0.pop() {
            self.push(quote!({ #inner }));
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
        self.0.pop().map(|(_, tokens)| tokens).unwrap_or_default()
    }
}

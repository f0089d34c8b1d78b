//! The braces of nested scopes: the open ones, while their code is printed.

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::TokenStreamExt;

use crate::ir::ScopeId;

/// The open scopes, each with its tokens so far. Their streams are joined only at the end, because each join takes
/// several calls of rustc.
#[derive(Default)]
pub(super) struct Braces(Vec<(ScopeId, Vec<TokenStream>)>);

impl Braces {
    /// The innermost scope that is open.
    pub(super) fn innermost(&self) -> Option<ScopeId> {
        self.0.last().map(|(scope, _)| *scope)
    }

    /// Adds a stream to the innermost scope.
    pub(super) fn push(&mut self, tokens: TokenStream) {
        if let Some((_, top)) = self.0.last_mut()
            && !tokens.is_empty()
        {
            top.push(tokens);
        }
    }

    /// Adds tokens one by one to the innermost scope.
    pub(super) fn add(&mut self, add: impl FnOnce(&mut TokenStream)) {
        if let Some((_, top)) = self.0.last_mut() {
            if top.is_empty() {
                top.push(TokenStream::new());
            }
            if let Some(last) = top.last_mut() {
                add(last);
            }
        }
    }

    pub(super) fn open(&mut self, scope: ScopeId) {
        self.0.push((scope, Vec::new()));
    }

    pub(super) fn close(&mut self) {
        if let Some((_, inner)) = self.0.pop()
            && !inner.iter().all(TokenStream::is_empty)
        {
            let group = braced(inner);
            self.add(|out| out.append(group));
        }
    }

    /// Closes scopes until `scope` is the innermost.
    pub(super) fn close_to(&mut self, scope: ScopeId) {
        while self.0.len() > 1 && self.innermost().is_some_and(|open| open != scope) {
            self.close();
        }
    }

    /// The outermost scope. Scopes that are open in it end where it ends, and need no braces: Rust drops their
    /// variables first anyway.
    pub(super) fn finish(self) -> Group {
        braced(self.0.into_iter().flat_map(|(_, tokens)| tokens).collect())
    }
}

fn braced(tokens: Vec<TokenStream>) -> Group {
    Group::new(Delimiter::Brace, tokens.into_iter().collect())
}

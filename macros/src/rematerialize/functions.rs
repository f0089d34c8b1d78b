//! Functions and constructors by name, which a local may hold.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{Expr, Ident};

use crate::lower::Lower;
use crate::lower::borrows::Borrows;
use crate::syntax::names::is_any_of;

impl Lower<'_> {
    /// Whether the path names a constructor that the local `name` is called as. What is not called may be a
    /// value, such as a variant without fields.
    pub(crate) fn is_constructor(&self, expr: &Expr, name: &Ident) -> bool {
        let Expr::Path(path) = expr else { return false };
        let Some(last) = path.path.segments.last() else { return false };
        let is_general = is_any_of(&last.ident, &["Some", "Ok", "Err"]);
        last.ident.to_string().starts_with(char::is_uppercase)
            && (is_general || is_called(name, self.source.tokens().clone()))
    }
}

impl Borrows<'_> {
    /// Whether the path names a function, as far as its spelling shows.
    pub(crate) fn is_function(&self, expr: &Expr) -> bool {
        let Expr::Path(path) = expr else { return false };
        let local = path.path.get_ident().and_then(|ident| self.locals.find(ident));
        local.is_none()
            && path.path.segments.last().is_some_and(|segment| {
                segment.ident.to_string().starts_with(|c: char| c.is_lowercase())
            })
    }
}

/// Whether `name` is called in `tokens`.
fn is_called(name: &Ident, tokens: TokenStream) -> bool {
    let mut is_callee = false;
    tokens.into_iter().any(|tree| {
        let is_name = matches!(&tree, TokenTree::Ident(ident) if ident == name);
        let was_callee = std::mem::replace(&mut is_callee, is_name);
        let TokenTree::Group(group) = tree else { return false };
        let is_call = was_callee && group.delimiter() == Delimiter::Parenthesis;
        is_call || is_called(name, group.stream())
    })
}

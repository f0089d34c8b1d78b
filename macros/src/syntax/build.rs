//! Constructors of expressions, patterns and statements.

use proc_macro2::{Ident, Span};
use syn::{Expr, Pat, Stmt as Source};

/// `()` with the span at which rustc reports errors.
pub(crate) fn unit(span: Span) -> Expr {
    Expr::Tuple(syn::ExprTuple {
        attrs: Vec::new(),
        paren_token: syn::token::Paren(span),
        elems: Default::default(),
    })
}

pub(crate) fn ident_expr(ident: Ident) -> Expr {
    Expr::Path(syn::ExprPath { attrs: Vec::new(), qself: None, path: ident.into() })
}

pub(crate) fn ident_pat(ident: Ident, mutable: bool) -> Pat {
    Pat::Ident(syn::PatIdent {
        attrs: Vec::new(),
        by_ref: None,
        // With the span of the name, so that rustc does not attribute the binding to the macro.
        mutability: mutable.then(|| syn::Token![mut](ident.span())),
        ident,
        subpat: None,
    })
}

/// `_`
pub(crate) fn wild_pat() -> Pat {
    Pat::Wild(syn::PatWild { attrs: Vec::new(), underscore_token: Default::default() })
}

/// `let pat = value;`
pub(crate) fn let_stmt(pat: Pat, value: Expr) -> Source {
    Source::Local(syn::Local {
        attrs: Vec::new(),
        let_token: Default::default(),
        modifiers: Default::default(),
        pat,
        init: Some(syn::LocalInit {
            eq_token: Default::default(),
            expr: Box::new(value),
            diverge: None,
        }),
        semi_token: Default::default(),
    })
}

//! Generated calls that compute a borrow again: `::piton::__private::lent_by(…)`.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, Ident};

use super::text_types::is_borrow;
use crate::syntax::methods;
use crate::syntax::methods::is_shared;

/// A call of one of the functions by which something is lent again.
pub(crate) fn made(function: &str, arguments: impl ToTokens, of: &Expr) -> Expr {
    let span = of.span();
    let function = Ident::new(function, span);
    syn::parse_quote_spanned!(span=> ::piton::__private::#function(#arguments))
}

/// Whether the call is one that the compiler has made to lend a part of a local, and not one of the
/// source; then, whether others may look at it meanwhile.
pub(crate) fn lends(call: &ExprCall) -> Option<bool> {
    match &*function(call)? {
        "lent_by" => Some(true),
        "lent_mutably" => Some(false),
        "opened" => match call.args.first() {
            Some(Expr::Call(inner)) => lends(inner),
            _ => None,
        },
        "current_item" => call.args.first().map(methods::is_shared),
        "current_copy" => match call.args.first() {
            Some(Expr::Path(constant)) => constant_lends(&constant.path).then_some(true),
            Some(rows) if gives_borrows(rows) => Some(methods::is_shared(rows)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a constant of the file is a borrow, and lends its items.
fn constant_lends(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|last| is_borrow(&last.ident))
}

/// The function that the compiler has made a call of.
pub(crate) fn function(call: &ExprCall) -> Option<String> {
    let Expr::Path(path) = &*call.func else { return None };
    Some(path.path.segments.last().filter(|_| is_made(call))?.ident.to_string())
}

/// Whether such a call gives a borrow, and not an `Option` with one in it.
pub(crate) fn gives_borrow(call: &ExprCall) -> bool {
    match function(call).as_deref() {
        Some("lent_mutably") => matches!(call.args.last(), Some(Expr::Reference(_))),
        Some("opened" | "current_item") => true,
        Some("current_copy") => call.args.first().is_some_and(gives_borrows),
        _ => false,
    }
}

/// Whether the compiler has made the call.
pub(crate) fn is_made(call: &ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else { return false };
    let mut segments = path.path.segments.iter().map(|segment| &segment.ident);
    segments.next().is_some_and(|first| first == "piton")
        && segments.next().is_some_and(|second| second == "__private")
}

/// The rows that an iterable gives, if it is written so.
pub(crate) fn rows(iterable: &Expr) -> Option<&Expr> {
    match iterable {
        Expr::Paren(expr) => rows(&expr.expr),
        Expr::MethodCall(call) => rows(&call.receiver),
        Expr::Array(_) => Some(iterable),
        _ => None,
    }
}

/// Whether an iterable gives borrows, if its rows can be made again: perhaps others or constants beside each
/// that is shared, but nothing beside one to be changed.
pub(crate) fn gives_borrows(iterable: &Expr) -> bool {
    let Some(Expr::Array(rows)) = rows(iterable) else { return false };
    let is_borrow = |row: &Expr| matches!(row, Expr::Reference(_) | Expr::Path(_));
    rows.elems.iter().all(is_borrow) || is_shared(iterable)
}

//! Generated calls that rematerialize a borrow: `::piton::__private::lent_by(…)`.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, Ident};

use super::text_types::is_borrow;
use crate::syntax::methods;
use crate::syntax::methods::is_shared;

/// A call of one of the functions that rematerialize a borrow.
pub(crate) fn made(function: &str, arguments: impl ToTokens, of: &Expr) -> Expr {
    let span = of.span();
    let function = Ident::new(function, span);
    syn::parse_quote_spanned!(span=> ::piton::__private::#function(#arguments))
}

/// `Some` if the call is a generated one that borrows a part of a local: `true` for a shared borrow, `false` for a
/// mutable one.
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
            Some(Expr::Path(constant)) => constant_borrows(&constant.path).then_some(true),
            Some(rows) if gives_borrows(rows) => Some(methods::is_shared(rows)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a constant of the file is a borrow of a collection.
fn constant_borrows(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|last| is_borrow(&last.ident))
}

/// The name of the runtime function in a generated call.
pub(crate) fn function(call: &ExprCall) -> Option<String> {
    let Expr::Path(path) = &*call.func else { return None };
    Some(path.path.segments.last().filter(|_| is_made(call))?.ident.to_string())
}

/// Whether such a call returns a borrow, and not an `Option` of one.
pub(crate) fn gives_borrow(call: &ExprCall) -> bool {
    match function(call).as_deref() {
        Some("lent_mutably") => matches!(call.args.last(), Some(Expr::Reference(_))),
        Some("opened" | "current_item") => true,
        Some("current_copy") => call.args.first().is_some_and(gives_borrows),
        _ => false,
    }
}

/// Whether the compiler generated the call.
pub(crate) fn is_made(call: &ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else { return false };
    let mut segments = path.path.segments.iter().map(|segment| &segment.ident);
    segments.next().is_some_and(|first| first == "piton")
        && segments.next().is_some_and(|second| second == "__private")
}

/// The array that an iterable iterates over, if the source shows one.
pub(crate) fn rows(iterable: &Expr) -> Option<&Expr> {
    match iterable {
        Expr::Paren(expr) => rows(&expr.expr),
        Expr::MethodCall(call) => rows(&call.receiver),
        Expr::Array(_) => Some(iterable),
        _ => None,
    }
}

/// Whether an iterable yields borrows, if its items can be rematerialized. A shared iterator may be zipped with others
/// or constants, a mutable one may not.
pub(crate) fn gives_borrows(iterable: &Expr) -> bool {
    let Some(Expr::Array(rows)) = rows(iterable) else { return false };
    let is_borrow = |row: &Expr| matches!(row, Expr::Reference(_) | Expr::Path(_));
    rows.elems.iter().all(is_borrow) || is_shared(iterable)
}

//! Locals whose first value does not determine their type, such as `None` or `Vec::new()`.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, ExprCall, Lit, Local, Pat};

use crate::ir::usage::bound_locals;
use crate::ir::{Locals, Untold};

/// Notes those that a statement declares.
pub(crate) fn note(locals: &mut Locals, local: &Local) {
    let Some(init) = &local.init else { return };
    match &local.pat {
        Pat::Type(pat) if !has_gap(pat.ty.to_token_stream()) => {}
        Pat::Type(pat) => note_bound(locals, &pat.pat, &init.expr),
        pat => note_bound(locals, pat, &init.expr),
    }
}

fn note_bound(locals: &mut Locals, pat: &Pat, value: &Expr) {
    if let (Pat::Tuple(pat), Expr::Tuple(value)) = (pat, value)
        && pat.elems.len() == value.elems.len()
    {
        let parts = pat.elems.iter().zip(&value.elems);
        return parts.for_each(|(pat, value)| note_bound(locals, pat, value));
    }
    if tells(value) {
        return;
    }
    let untold = if is_number(value) { Untold::Number } else { Untold::Other };
    for local in bound_locals(locals, pat) {
        locals[local].untold = Some(untold);
    }
}

/// Whether a type leaves something to be inferred.
fn has_gap(ty: TokenStream) -> bool {
    ty.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "_",
        TokenTree::Group(group) => has_gap(group.stream()),
        _ => false,
    })
}

/// Whether the value tells more of its type than what it is made with.
fn tells(value: &Expr) -> bool {
    match value {
        Expr::Path(path) => !path.path.is_ident("None"),
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => !number.suffix().is_empty(),
            Lit::Float(number) => !number.suffix().is_empty(),
            _ => true,
        },
        Expr::Unary(value) => tells(&value.expr),
        Expr::Paren(value) => tells(&value.expr),
        Expr::Tuple(value) => value.elems.iter().all(tells),
        Expr::Array(value) => value.elems.first().is_some_and(tells),
        Expr::Repeat(value) => tells(&value.expr),
        Expr::Struct(value) => value.fields.iter().all(|field| tells(&field.expr)),
        Expr::Call(call) => tells_call(call),
        Expr::MethodCall(call) => match call.method.to_string().as_str() {
            "collect" | "default" | "into" | "parse" | "product" | "sum" | "try_into" => {
                call.turbofish.is_some()
            }
            "expect" | "unwrap" | "unwrap_or_default" => tells(&call.receiver),
            _ => true,
        },
        Expr::Try(value) => tells(&value.expr),
        Expr::Macro(call) => !call.mac.tokens.is_empty(),
        _ => true,
    }
}

fn tells_call(call: &ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else { return true };
    let mut names = path.path.segments.iter().rev().map(|segment| segment.ident.to_string());
    match (names.next().as_deref(), names.next().as_deref()) {
        (_, Some("String")) => true,
        (Some("with_capacity"), _) => false,
        (Some("Some" | "Ok" | "Err" | "new" | "from"), _) => {
            !call.args.is_empty() && call.args.iter().all(tells)
        }
        _ => !call.args.is_empty(),
    }
}

fn is_number(value: &Expr) -> bool {
    match value {
        Expr::Lit(_) => true,
        Expr::Unary(value) => is_number(&value.expr),
        Expr::Paren(value) => is_number(&value.expr),
        _ => false,
    }
}

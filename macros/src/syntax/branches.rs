//! Suspension points in the branches of an expression.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, Pat};

use super::suspend;

/// Whether a branch awaits, and not only its condition or scrutinee.
pub(crate) fn awaits_in_branch(value: &Expr) -> bool {
    match value {
        Expr::If(expr) => branches_await(expr),
        Expr::Match(expr) => arms_await(expr),
        Expr::Loop(expr) => suspend::block(&expr.body),
        Expr::Block(expr) => expr.label.is_some() && suspend::block(&expr.block),
        _ => false,
    }
}

pub(crate) fn branches_await(expr: &syn::ExprIf) -> bool {
    let otherwise = expr.else_branch.as_ref();
    suspend::block(&expr.then_branch) || otherwise.is_some_and(|(_, expr)| suspend::expr(expr))
}

pub(crate) fn arms_await(expr: &syn::ExprMatch) -> bool {
    expr.arms.iter().any(|arm| suspend::expr(&arm.body))
}

/// The code that decides whether an arm is taken: its pattern and, for a catch-all, the patterns `before` it. Adds the
/// pattern to `before`.
pub(crate) fn in_arm(pat: &Pat, before: &mut TokenStream) -> TokenStream {
    let takes_rest = match pat {
        Pat::Wild(_) => true,
        Pat::Ident(pat) => pat.subpat.is_none(),
        _ => false,
    };
    let own = pat.to_token_stream();
    let meant = if takes_rest { quote!(#before #own) } else { own.clone() };
    before.extend(quote!(#own =>));
    meant
}

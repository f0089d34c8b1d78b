//! `cx.timeout(limit, async { … }).await`: an `async` block with a time limit.
//!
//! An `async` block is code of the machine and not a value, so it cannot be passed to a method. The call is
//! rewritten as a `select!`:
//!
//! ```text
//! select! {
//!     biased;
//!     value = async { … } => Ok(value),
//!     elapsed = cx.elapse(limit) => Err(elapsed),
//! }
//! ```
//!
//! with the macro's name [`MACRO`], so that the state is named `timeout`. A time limit of an operation is an
//! operation itself and is not rewritten.

use proc_macro2::{TokenStream, TokenTree};
use quote::format_ident;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprAsync, ExprAwait, ExprMacro, ExprMethodCall, Item, Macro};

use crate::syntax::select;
use crate::syntax::suspend::MACRO;

/// Rewrites all such calls in the block.
pub(crate) fn write_out(block: &mut Block) {
    WriteOut.visit_block_mut(block);
}

struct WriteOut;

impl VisitMut for WriteOut {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        if let Expr::Await(wait) = expr
            && let Some(mac) = limited(wait)
        {
            *expr = Expr::Macro(ExprMacro { attrs: Vec::new(), mac });
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if names(&mac.tokens, "timeout") {
            select::visit_code_mut(mac, self);
        }
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// The `select!` that replaces such a call.
fn limited(wait: &ExprAwait) -> Option<Macro> {
    let Expr::MethodCall(ExprMethodCall { receiver, method, args, turbofish: None, .. }) =
        &*wait.base
    else {
        return None;
    };
    if method != "timeout" || args.len() != 2 {
        return None;
    }
    let (limit, block) = (&args[0], async_block(&args[1])?);
    let span = method.span();
    let (name, value) = (format_ident!("{MACRO}", span = span), format_ident!("__piton_value"));
    let elapse = format_ident!("elapse", span = span);
    Some(syn::parse_quote_spanned! {span=>
        #name! {
            biased;
            #value = #block => ::core::result::Result::Ok(#value),
            #value = #receiver.#elapse(#limit) => ::core::result::Result::Err(#value),
        }
    })
}

fn async_block(expr: &Expr) -> Option<&ExprAsync> {
    match expr {
        Expr::Async(block) => Some(block),
        Expr::Paren(expr) => async_block(&expr.expr),
        Expr::Group(expr) => async_block(&expr.expr),
        _ => None,
    }
}

/// Whether the tokens contain the name.
fn names(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => names(&group.stream(), name),
        _ => false,
    })
}

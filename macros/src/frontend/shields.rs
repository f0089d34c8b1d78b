//! `cx.shield(async { … })`: an `async` block that a request to cancel does not interrupt.
//!
//! An `async` block is code of the machine and not a value, so it cannot be passed to a method. It replaces the
//! call, with an attribute that is passed on to the [region](crate::ir::Region) that the block becomes:
//!
//! ```text
//! (#[__piton_shielded] async { … })
//! ```
//!
//! A shielded operation is an operation itself and is not rewritten.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, Expr, ExprAsync, ExprMethodCall, ExprParen, Item, Macro};

use crate::syntax::select;

/// The attribute that marks a shielded block.
const MARK: &str = "__piton_shielded";

/// The name of the method.
const METHOD: &str = "shield";

/// Replaces all such calls in the block by marked `async` blocks.
pub(crate) fn write_out(block: &mut Block) {
    WriteOut.visit_block_mut(block);
}

/// Removes the mark, and returns whether it was there.
pub(crate) fn take(attrs: &mut Vec<Attribute>) -> bool {
    attrs.extract_if(.., |attr| attr.path().is_ident(MARK)).count() > 0
}

struct WriteOut;

impl VisitMut for WriteOut {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        if let Expr::MethodCall(call) = expr
            && let Some(block) = shielded(call)
        {
            let mut block = block.clone();
            let mark = syn::Ident::new(MARK, call.method.span());
            block.attrs.push(syn::parse_quote!(#[#mark]));
            *expr = Expr::Paren(ExprParen {
                attrs: Vec::new(),
                paren_token: call.paren_token,
                expr: Box::new(Expr::Async(block)),
            });
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if names_method(&mac.tokens) {
            select::visit_code_mut(mac, self);
        }
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// The `async` block that the call shields.
fn shielded(call: &ExprMethodCall) -> Option<&ExprAsync> {
    if call.method != METHOD || call.turbofish.is_some() || call.args.len() != 1 {
        return None;
    }
    let mut argument = &call.args[0];
    loop {
        argument = match argument {
            Expr::Async(block) => return Some(block),
            Expr::Paren(expr) => &expr.expr,
            Expr::Group(expr) => &expr.expr,
            _ => return None,
        };
    }
}

/// Whether the tokens contain the method's name.
fn names_method(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => ident == METHOD,
        TokenTree::Group(group) => names_method(&group.stream()),
        _ => false,
    })
}

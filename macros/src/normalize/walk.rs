//! `for` loops over borrows: `for item in &order.items`, `for (n, line) in lines.iter().enumerate()`.
//!
//! The items are references, which cannot be saved. What they borrow from is saved, and as long as it
//! is borrowed it stays as it is, so a loop saves the position that it has come to, and the items are
//! made again: `item` stands for the item at that position of `&order.items`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Ident, Pat, Stmt};

use super::{Lower, collect_bindings};
use crate::hygiene::Names;
use crate::ir::LocalId;

/// Methods that lend the items of what they are called on.
const LENDING: [&str; 6] = ["iter", "iter_mut", "keys", "lines", "values", "values_mut"];

/// Methods that give the items of the iterator, or some of them, in an order of their own.
const ADAPTING: [&str; 7] =
    ["as_slice", "as_str", "enumerate", "rev", "skip", "take", "split_whitespace"];

impl Lower<'_> {
    /// Whether an iterable lends items of a local, and lends the same ones whenever it is evaluated.
    pub(super) fn is_walk(&self, iterable: &Expr) -> bool {
        match iterable {
            Expr::Reference(expr) => self.is_place(&expr.expr),
            Expr::Paren(expr) => self.is_walk(&expr.expr),
            Expr::Path(_) => self.is_shared_borrow(iterable),
            Expr::MethodCall(call) => {
                let is_constant =
                    |arg: &Expr| matches!(arg, Expr::Lit(_)) || self.is_constant_path(arg);
                let lends = LENDING.iter().any(|method| call.method == method);
                let adapts = ADAPTING.iter().any(|method| call.method == method);
                (lends && (self.is_place(&call.receiver) || self.is_walk(&call.receiver))
                    || adapts && self.is_walk(&call.receiver))
                    && call.args.iter().all(is_constant)
            }
            _ => false,
        }
    }

    /// Notes that the locals that `pat` binds are made again from the item of `iterable` at
    /// `position`. Gives a statement for the start of the body that uses those that it uses, perhaps
    /// only after they have been made again.
    pub(super) fn note_items(
        &mut self,
        pat: &Pat,
        iterable: &Expr,
        position: LocalId,
        body: &Block,
    ) -> Stmt {
        let span = iterable.span();
        let (names, text) = (Names::of(body.to_token_stream()), body.to_token_stream().to_string());
        // Also in a format string.
        let is_used =
            |ident: &Ident| names.has(&ident.to_string()) || text.contains(&format!("{{{ident}"));
        let position = &self.locals[position].ident;
        let item = of_item("current_item", iterable, &quote_spanned!(span=> &#position), span);
        let (mut bound, mut used) = (Vec::new(), Vec::new());
        collect_bindings(pat, &mut bound);
        for ident in bound {
            let Some(local) = self.locals.find(&ident) else { continue };
            let remade = match pat {
                Pat::Ident(_) => Some(item.clone()),
                _ => {
                    let alone = alone(pat, &ident);
                    Some(syn::parse_quote_spanned!(span=> match #item { #alone => #ident }))
                }
            };
            // Something else may be assigned to a `mut` binding.
            if !self.locals[local].mutable {
                self.locals[local].remade = remade;
                used.extend(Some(ident).filter(is_used));
            }
        }
        syn::parse_quote_spanned!(span=> let _ = (#(&#used,)*);)
    }
}

/// Whether a walk lends what others may look at meanwhile.
pub(super) fn is_shared(iterable: &Expr) -> bool {
    match iterable {
        Expr::Reference(expr) => expr.mutability.is_none(),
        Expr::Paren(expr) => is_shared(&expr.expr),
        Expr::MethodCall(call) => {
            !call.method.to_string().ends_with("_mut")
                && (!matches!(*call.receiver, Expr::MethodCall(_) | Expr::Reference(_))
                    || is_shared(&call.receiver))
        }
        _ => true,
    }
}

/// `next_item(iterable, &mut position)`
pub(super) fn next_item(iterable: &Expr, position: &Ident, span: Span) -> Expr {
    of_item("next_item", iterable, &quote_spanned!(span=> &mut #position), span)
}

fn of_item(function: &str, iterable: &Expr, position: &TokenStream, span: Span) -> Expr {
    let function = Ident::new(function, span);
    // What rustc says of the items, it says of the iterable.
    let start = iterable.to_token_stream().into_iter().next().map_or(span, |tree| tree.span());
    let function = quote_spanned!(start=> ::piton::__private::#function);
    syn::parse_quote_spanned!(span=> #function(#iterable, #position))
}

/// The pattern with one of its bindings and wildcards in place of the others.
pub(super) fn alone(pat: &Pat, ident: &Ident) -> Pat {
    struct Alone<'a>(&'a Ident);
    impl Alone<'_> {
        fn keeps(&self, pat: &syn::PatIdent) -> bool {
            pat.ident == *self.0 || !crate::resolve::is_binding(pat)
        }
    }
    impl VisitMut for Alone<'_> {
        fn visit_pat_mut(&mut self, pat: &mut Pat) {
            while let Pat::Ident(inner) = pat
                && !self.keeps(inner)
            {
                *pat = match inner.subpat.take() {
                    Some((_, inside)) => *inside,
                    None => Pat::Wild(syn::PatWild {
                        attrs: Vec::new(),
                        underscore_token: Default::default(),
                    }),
                };
            }
            visit_mut::visit_pat_mut(self, pat);
        }
        fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
            if let Pat::Ident(inner) = &*field.pat
                && !self.keeps(inner)
            {
                field.colon_token = Some(Default::default());
            }
            self.visit_pat_mut(&mut field.pat);
        }
        fn visit_expr_mut(&mut self, _: &mut Expr) {}
    }
    let mut pat = pat.clone();
    Alone(ident).visit_pat_mut(&mut pat);
    pat
}

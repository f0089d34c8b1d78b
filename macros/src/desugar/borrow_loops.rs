//! `for` loops over borrows: `for item in &order.items`, `for (n, line) in lines.iter().enumerate()`.
//!
//! The items are references, which cannot be saved. The collection is saved, and does not change while it is borrowed.
//! So the loop saves its position, and each use of `item` is rematerialized as the item of `&order.items` at that
//! position.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprMethodCall, Ident, Pat, Stmt};

use crate::ir::{LocalId, Rematerialized, SharedPattern};
use crate::lower::Lower;
use crate::lower::borrows::Borrows;
use crate::rematerialize::item_parts::{base_of_part, is_of_item};
use crate::rematerialize::patterns;
use crate::syntax::forms::{gives_option, is_made};
use crate::syntax::hygiene::Names;
use crate::syntax::methods::{Fact, is, is_shared, joins, shares, tried};
use crate::syntax::patterns::bindings;
use crate::values::text_types::may_return_owned;

impl Lower<'_> {
    /// Moves temporaries that an iterable borrows to locals, and saves the keys of its lookups.
    pub(crate) fn keep_lenders(&mut self, iterable: Expr) -> Expr {
        if self.borrows().lends(&iterable, true) { self.keep_lender(iterable) } else { iterable }
    }

    fn keep_lender(&mut self, iterable: Expr) -> Expr {
        match iterable {
            Expr::Reference(mut expr) if is_made_to_lend(&expr.expr, expr.mutability.is_none()) => {
                *expr.expr = self.keep_made(*expr.expr);
                Expr::Reference(expr)
            }
            // A lookup behind `&`.
            Expr::Reference(_)
                if is_shared(&iterable) && self.borrows().lookup_of(&iterable).is_some() =>
            {
                self.spill_found(iterable)
            }
            Expr::Reference(mut expr) => {
                *expr.expr = self.keep_part(*expr.expr);
                Expr::Reference(expr)
            }
            Expr::Paren(mut expr) => {
                *expr.expr = self.keep_lender(*expr.expr);
                Expr::Paren(expr)
            }
            Expr::MethodCall(mut call) => {
                let shares = shares(&call);
                *call.receiver = if is_made_to_lend(&call.receiver, shares) {
                    self.keep_made(*call.receiver)
                } else if self.borrows().is_part(&call.receiver) {
                    self.keep_part_of(*call.receiver, shares)
                } else {
                    self.keep_lender(*call.receiver)
                };
                if joins(&call) {
                    for arg in &mut call.args {
                        *arg = self.keep_lender(std::mem::replace(arg, Expr::PLACEHOLDER));
                    }
                } else {
                    self.save_arguments(&mut call);
                }
                Expr::MethodCall(call)
            }
            iterable => iterable,
        }
    }

    /// As [`keep_part`](Self::keep_part), for the receiver of a method.
    fn keep_part_of(&mut self, part: Expr, shares: bool) -> Expr {
        if self.borrows().lookup_of(&part).is_some() {
            return self.spill_found(part);
        }
        let borrow: Expr = syn::parse_quote_spanned!(part.span()=> &#part);
        if shares && self.borrows().lookup_of(&borrow).is_some() {
            return self.spill_found(borrow);
        }
        self.keep_part(part)
    }

    /// Saves the indices of a projection, so that it always denotes the same part.
    fn keep_part(&mut self, part: Expr) -> Expr {
        match part {
            Expr::Index(mut expr) => {
                *expr.expr = self.keep_part(*expr.expr);
                self.save_key(&mut expr.index);
                Expr::Index(expr)
            }
            Expr::Field(mut expr) => {
                *expr.base = self.keep_part(*expr.base);
                Expr::Field(expr)
            }
            Expr::Paren(mut expr) => {
                *expr.expr = self.keep_part(*expr.expr);
                Expr::Paren(expr)
            }
            chain if self.borrows().is_looked_up(&chain) => self.spill_found(chain),
            part => part,
        }
    }

    /// Moves a value to a temporary. A projection of a temporary is borrowed from it.
    fn keep_made(&mut self, value: Expr) -> Expr {
        match value {
            Expr::Paren(expr) => self.keep_made(*expr.expr),
            Expr::Field(mut expr) => {
                *expr.base = self.keep_made(*expr.base);
                Expr::Field(expr)
            }
            value => self.spill_lent(value),
        }
    }

    /// Records that the bindings of `pat` are rematerialized from the item of `iterable` at `position`. Returns a
    /// statement for the start of the body that uses the bindings, because later uses are rematerialized and rustc
    /// would report the bindings as unused.
    pub(crate) fn note_items(
        &mut self,
        pat: &Pat,
        iterable: &Expr,
        position: LocalId,
        body: &Block,
    ) -> Stmt {
        let span = iterable.span();
        let (names, text) = (Names::of(body.to_token_stream()), body.to_token_stream().to_string());
        // A format string may name the binding.
        let is_used =
            |ident: &Ident| names.has(&ident.to_string()) || text.contains(&format!("{{{ident}"));
        let position = &self.locals[position].ident;
        let item =
            self.borrows().item_of("current", iterable, &quote_spanned!(span=> &#position), span);
        let (bound, mut used) = (bindings(pat), Vec::new());
        let (is_shared, is_single) = (is_shared(iterable), bound.len() == 1);
        let finds = is_shared || patterns::finds_again(pat);
        for ident in bound {
            let Some(local) = self.locals.find(&ident) else { continue };
            // A `mut` binding may be assigned another value.
            if self.locals[local].mutable || !finds {
                continue;
            }
            let one = std::slice::from_ref(&ident);
            let expr = match pat {
                Pat::Ident(_) => item.clone(),
                _ => patterns::of_all(pat, &item, one),
            };
            let pattern = (!is_shared && !is_single).then(|| {
                let (pat, value) = (pat.clone(), item.clone());
                SharedPattern { pat, value, always_matches: true }
            });
            self.locals[local].rematerialized = Some(Rematerialized { expr, pattern });
            used.extend(Some(ident).filter(is_used));
        }
        syn::parse_quote_spanned!(span=> let _ = (#(&#used,)*);)
    }
}

impl Borrows<'_> {
    /// Whether the loop over an iterable can save a position: evaluating the iterable again yields the same items.
    pub(crate) fn is_walk(&self, iterable: &Expr) -> bool {
        self.lends(iterable, false)
            || self.is_constant_path(iterable)
            || self.has_constant_items(iterable)
            || is_of_item(iterable)
            || !matches!(iterable, Expr::Path(_)) && self.is_copied(iterable)
    }

    /// Whether the expression iterates over a constant: `["a", "b"].into_iter().enumerate()`.
    fn has_constant_items(&self, iterable: &Expr) -> bool {
        let Expr::MethodCall(call) = iterable else { return false };
        let is_constant = |expr: &Expr| {
            self.is_constant_path(expr) || matches!(expr, Expr::Array(_)) && is_literal(expr)
        };
        let items = match call.method == "into_iter" {
            true => is_constant(&call.receiver),
            false => is(call, Fact::Adapts) && self.has_constant_items(&call.receiver),
        };
        items && call.args.iter().all(|arg| self.is_fixed(arg))
    }

    /// Whether the expression is a part of a borrowed place. rustc allows no move out of it, so the part is `Copy`.
    fn is_copied(&self, part: &Expr) -> bool {
        base_of_part(part).is_some_and(|base| self.is_copied(base)) || self.is_shared_borrow(part)
    }

    /// As `is_walk`. With `makes`, the iterable may also borrow from a temporary, which becomes a local.
    pub(crate) fn lends(&self, iterable: &Expr, makes: bool) -> bool {
        let is_lender = |expr: &Expr, shares: bool| {
            let is_lasting = self.is_place(expr) || shares && is_literal(expr);
            is_lasting || makes && (is_made_to_lend(expr, shares) || self.is_part(expr))
        };
        // Other arguments are evaluated once, before the loop.
        let is_fixed = |arg: &Expr| match arg {
            Expr::Closure(_) => self.is_fixed_closure(arg),
            arg => makes || self.is_fixed(arg),
        };
        match iterable {
            Expr::Reference(expr) => is_lender(&expr.expr, expr.mutability.is_none()),
            Expr::Paren(expr) => self.lends(&expr.expr, makes),
            Expr::Path(_) => self.is_shared_borrow(iterable),
            Expr::Call(_) => once(iterable).is_some_and(|item| self.is_place(&item.expr)),
            Expr::MethodCall(call) => {
                let receiver = &call.receiver;
                (has_items(call)
                    && (is_lender(receiver, shares(call)) || self.lends(receiver, makes))
                    || is(call, Fact::Adapts) && self.lends(receiver, makes))
                    && call.args.iter().all(is_fixed)
                    || joins(call)
                        && self.lends(receiver, makes)
                        && call.args.iter().all(|arg| self.lends(arg, makes))
            }
            _ => false,
        }
    }

    /// Whether the expression is a projection of a place, perhaps by an index or key that changes.
    fn is_part(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Index(expr) => self.is_place(&expr.expr) || self.is_part(&expr.expr),
            Expr::Field(expr) => self.is_part(&expr.base),
            Expr::Paren(expr) => self.is_part(&expr.expr),
            chain => self.is_looked_up(chain),
        }
    }

    /// Whether a chain of methods returns a borrow and not an `Option` of one.
    pub(crate) fn is_looked_up(&self, chain: &Expr) -> bool {
        let is_chain = matches!(chain, Expr::MethodCall(_) | Expr::Try(_));
        is_chain
            && !gives_option(chain)
            && self.is_lookup_of_part(chain)
            && !asked(chain).is_some_and(may_return_owned)
    }

    /// The call `next_item(iterable, &mut position)`, or `next_copy` for a constant.
    pub(crate) fn next_item(&self, iterable: &Expr, position: &Ident, span: Span) -> Expr {
        self.item_of("next", iterable, &quote_spanned!(span=> &mut #position), span)
    }

    fn item_of(&self, which: &str, iterable: &Expr, position: &TokenStream, span: Span) -> Expr {
        let what = if self.lends(iterable, false) { "item" } else { "copy" };
        let function = format_ident!("{which}_{what}", span = span);
        // The span of the iterable, where rustc reports errors about the items.
        let start = iterable.to_token_stream().into_iter().next().map_or(span, |tree| tree.span());
        let function = quote_spanned!(start=> ::piton::__private::#function);
        syn::parse_quote_spanned!(span=> #function(#iterable, #position))
    }
}

/// The argument of `once(&item)`.
fn once(call: &Expr) -> Option<&syn::ExprReference> {
    let Expr::Call(call) = call else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    let is_once = path.path.segments.last().is_some_and(|last| last.ident == "once");
    match call.args.first() {
        Some(Expr::Reference(item)) if is_once => item.mutability.is_none().then_some(item),
        _ => None,
    }
}

/// The lookup method of a chain.
fn asked(chain: &Expr) -> Option<&Ident> {
    match chain {
        Expr::Try(expr) => asked(tried(expr)),
        Expr::MethodCall(call) if is(call, Fact::Unwraps) => asked(&call.receiver),
        Expr::MethodCall(call) => Some(&call.method),
        _ => None,
    }
}

/// Whether the method iterates over its receiver.
fn has_items(call: &ExprMethodCall) -> bool {
    is(call, Fact::Items) || is(call, Fact::Whole)
}

/// Whether the expression consists of literals, so that rustc promotes a borrow of it.
fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Array(expr) => expr.elems.iter().all(is_literal),
        Expr::Tuple(expr) => expr.elems.iter().all(is_literal),
        Expr::Reference(expr) => expr.mutability.is_none() && is_literal(&expr.expr),
        Expr::Unary(expr) => matches!(expr.op, syn::UnOp::Neg(_)) && is_literal(&expr.expr),
        Expr::Paren(expr) => is_literal(&expr.expr),
        _ => false,
    }
}

/// Whether the expression creates a temporary that a borrow can keep alive.
fn is_made_to_lend(expr: &Expr, shares: bool) -> bool {
    match expr {
        expr if is_literal(expr) => !shares,
        Expr::Paren(expr) => is_made_to_lend(&expr.expr, shares),
        Expr::Binary(_) | Expr::If(_) | Expr::Match(_) | Expr::Loop(_) => true,
        Expr::MethodCall(call) => !(has_items(call) || is(call, Fact::Adapts) || joins(call)),
        Expr::Try(expr) => matches!(*expr.expr, Expr::Path(_)) || is_made(&expr.expr),
        Expr::Field(expr) => {
            is_made(&expr.base)
                || matches!(*expr.base, Expr::Field(_)) && is_made_to_lend(&expr.base, shares)
        }
        expr => is_made(expr),
    }
}

//! Loops. A `for` loop saves its iterator, or a position in a borrowed collection.

use proc_macro2::Span;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Label, Lit, Pat};

use crate::ir::{Arm, LocalId, LocalKind, Shape, Stmt};
use crate::lower::borrows::Borrows;
use crate::lower::labels::JumpKind;
use crate::lower::{Dest, Lower};
use crate::syntax::build::{ident_pat, let_stmt, wild_pat};
use crate::syntax::forms::{is_range, without_parens};
use crate::syntax::hygiene::{TEXTS, hidden_at};
use crate::syntax::{methods, suspend};
use crate::values::borrowed_texts::may_borrow_text;
use crate::values::runtime_calls::rows;
use crate::values::shapes;

impl Lower<'_> {
    pub(crate) fn loop_expr(
        &mut self,
        label: Option<&Label>,
        kind: JumpKind,
        span: Span,
        dest: Dest,
        lower: impl FnOnce(&mut Self),
    ) {
        let dest = self.jump_dest(dest, span);
        let target = self.enter(label, kind, dest.0);
        let body = self.body(lower);
        self.jumps.leave();
        self.push(Stmt::Loop { target, dest: dest.0.local(), body });
        self.deliver(dest);
    }

    pub(crate) fn while_expr(&mut self, expr: syn::ExprWhile, dest: Dest) {
        let span = expr.while_token.span;
        self.loop_expr(expr.label.as_ref(), JumpKind::While, span, Dest::Discard, |this| {
            this.condition(
                *expr.cond,
                |this| this.branch(expr.body, Dest::Unit),
                Self::break_innermost,
            );
        });
        self.finish_unit(dest, span);
    }

    fn break_innermost(&mut self) {
        if let Some(scope) = self.jumps.innermost() {
            let target = scope.target;
            self.push(Stmt::Break(target));
        }
    }

    /// Lowers a `for` loop.
    pub(crate) fn for_expr(&mut self, expr: syn::ExprForLoop, dest: Dest) {
        let user = self.locals.fingerprint(&expr.pat);
        self.used_by(user, |this| this.lower_for(expr, dest));
    }

    fn lower_for(&mut self, mut expr: syn::ExprForLoop, dest: Dest) {
        let (start, span) = (expr.for_token.span, expr.in_token.span());
        if !suspend::block(&expr.body) {
            let iterator = self.hoist(*expr.expr);
            let whole = Expr::ForLoop(syn::ExprForLoop { expr: Box::new(iterator), ..expr });
            let whole = self.opaque(whole);
            self.finish(whole, Dest::Discard);
            return self.finish_unit(dest, start);
        }
        self.borrows().copy_out_of_table(&mut expr);
        let shape = shapes::of_value(&self.locals, &self.shapes, &expr.expr);
        let has_texts = has_texts(&shape);
        let may_be_text = !has_texts && may_borrow_text(&self.locals, &expr.expr);
        let iterated = &expr.expr;
        let head = quote!(in #iterated);
        let iterator = self.hoist(*expr.expr);
        let name = self.name_of_pattern(&expr.pat);
        // The iterator, or the borrowed collection, is dropped with the loop.
        let lower = |this: &mut Self| {
            let iterator = this.keep_looked_up(iterator);
            let (iterator, pat, body) = this.split_adapters(iterator, *expr.pat, expr.body);
            let iterator = this.keep_lenders(iterator);
            let iterator = this.borrows().make_item_again(iterator);
            if this.borrows().is_walk(&iterator) {
                return this.walk(expr.label.as_ref(), iterator, (&name, pat), body, span);
            }
            this.check_captures(&iterator, &body);
            let mut iterator = this.keep_receiver(iterator);
            let (mut pat, mut body) = (pat, body);
            let is_lent = this.borrows().binds_lent_text(&pat);
            if is_lent {
                this.own_texts(&mut iterator, &mut pat, &mut body);
            }
            let rest = this.rest(iterator, (&name, &pat), has_texts && !is_lent, span);
            if !has_texts {
                this.locals[rest].saving.shape = shape;
            }
            this.locals[rest].saving.may_be_text = may_be_text;
            let rest = Expr::Reference(syn::ExprReference {
                attrs: Vec::new(),
                and_token: syn::Token![&](span),
                mutability: Some(syn::Token![mut](span)),
                expr: Box::new(this.locals.path(rest)),
            });
            let next = quote_spanned!(span=> __piton::Iterator::next);
            let next = call(Expr::Verbatim(next), rest);
            this.each(expr.label.as_ref(), next, pat, body, span);
        };
        // Awaits of the same text may be in this loop and in another one.
        let scope = self.inside(&head, |this| this.body(lower));
        self.push(Stmt::Scope(scope));
        self.finish_unit(dest, start);
    }

    /// Saves the keys of a lookup that returns the collection: `for line in orders.get(&id).unwrap()`.
    fn keep_looked_up(&mut self, iterable: Expr) -> Expr {
        // A borrow that is moved into the loop is reborrowed: `let lines = &mut order.lines; for line in lines`.
        if self
            .borrows()
            .rematerialization_of(&iterable)
            .is_some_and(|made| self.borrows().gives_mutable_borrow(made))
        {
            return syn::parse_quote_spanned!(iterable.span()=> &mut *#iterable);
        }
        if self.borrows().lends(&iterable, true) || !self.borrows().is_looked_up(&iterable) {
            return iterable;
        }
        let path = self.spill_found(iterable);
        if self.borrows().is_mutable_borrow(&path) {
            return syn::parse_quote_spanned!(path.span()=> &mut *#path);
        }
        path
    }

    /// Lets a loop over borrowed texts save them as `String`s: `for tag in [name, "none"]`.
    fn own_texts(&mut self, items: &mut Expr, pat: &mut Pat, body: &mut syn::Block) {
        let span = pat.span();
        let (text, texts) = (hidden_at("text", span), hidden_at(TEXTS, span));
        *items = syn::parse_quote_spanned!(span=> ::piton::__private::owned_texts(#items));
        let borrowed = std::mem::replace(pat, ident_pat(text.clone(), false));
        let kept =
            syn::parse_quote_spanned!(span=> ::piton::__private::Texts::keep(&#texts, #text));
        body.stmts.insert(0, let_stmt(borrowed, kept));
    }

    /// Declares the iterator of the values zipped to borrowed items, and a local for the next value.
    pub(crate) fn zipped(&mut self, values: Expr, lent: &Expr) -> (Expr, Expr) {
        let span = values.span();
        let shape = shapes::of_value(&self.locals, &self.shapes, &values);
        let has_texts = has_texts(&shape);
        let may_be_text = !has_texts && may_borrow_text(&self.locals, &values);
        let values = match is_range(&values) {
            true => values,
            false => syn::parse_quote_spanned!(span=> ::piton::__private::beside(#values, #lent)),
        };
        let rest = self.rest(values, ("zipped", &wild_pat()), has_texts, span);
        self.locals[rest].saving.may_be_text = may_be_text;
        let kind = if has_texts { LocalKind::Text } else { LocalKind::Value };
        let value = self.new_temporary("zipped", kind, span);
        self.locals[value].identity.bound_by = self.locals[rest].identity.bound_by;
        self.locals[value].visibility.redacted = self.locals[rest].visibility.redacted;
        if let Shape::List(item) = &shape
            && !has_texts
        {
            self.locals[value].saving.shape = Shape::clone(item);
            self.locals[rest].saving.shape = shape;
        }
        (self.locals.path(rest), self.locals.path(value))
    }

    /// Declares the local for the remaining items of a loop.
    fn rest(
        &mut self,
        iterator: Expr,
        (name, item): (&str, &Pat),
        has_texts: bool,
        span: Span,
    ) -> LocalId {
        let (maker, kind) = if is_range(&iterator) {
            (quote_spanned!(span=> __piton::range), LocalKind::Value)
        } else {
            let kind = if has_texts { LocalKind::Texts } else { LocalKind::Items };
            (quote_spanned!(span=> __piton::items), kind)
        };
        let source = format!("rest of {name}");
        let rest = self.new_temporary(&source, kind, iterator.span());
        self.note_source(rest, &iterator);
        let pat = self.locals.pattern(rest);
        // A struct literal needs parentheses in the head of a loop, but not as an argument.
        let iterator = without_parens(iterator);
        self.code(let_stmt(pat, call(Expr::Verbatim(maker), iterator)));
        if let Pat::Ident(pat) = item
            && let Some(item) = self.locals.find(&pat.ident)
        {
            self.locals[item].saving.item_of = Some(rest);
        }
        rest
    }

    /// Lowers a `for` loop over borrowed items, which saves its position.
    fn walk(
        &mut self,
        label: Option<&Label>,
        iterable: Expr,
        (name, pat): (&str, Pat),
        mut body: syn::Block,
        span: Span,
    ) {
        let source = format!("position of {name}");
        let position = self.new_temporary(&source, LocalKind::Value, iterable.span());
        // A position is valid for this iterable only.
        self.note_source(position, &iterable);
        if methods::is_shared(&iterable) {
            // The collection, whose borrow has no destructor.
            self.locals[position].loop_borrow = Some(rows(&iterable).unwrap_or(&iterable).clone());
        } else {
            self.check_uses(&iterable, &body);
        }
        let made = Expr::Verbatim(quote_spanned!(span=> ::piton::__private::Position::START));
        let declared = self.locals.pattern(position);
        self.code(let_stmt(declared, made));
        body.stmts.insert(0, self.note_items(&pat, &iterable, position, &body));
        let next = self.borrows().next_item(&iterable, &self.locals[position].ident, span);
        self.each(label, next, pat, body, span);
    }

    /// Runs `body` for each item that `next` returns.
    fn each(&mut self, label: Option<&Label>, next: Expr, pat: Pat, body: syn::Block, span: Span) {
        self.loop_expr(label, JumpKind::For, span, Dest::Discard, |this| {
            let body = this.body(|this| this.block(body, Dest::Unit));
            let exit = this.body(Self::break_innermost);
            let end = Span::call_site();
            let item = Arm { pat: some(pat, span), body, end };
            let arms = vec![item, Arm { pat: none(span), body: exit, end }];
            this.push(Stmt::Match { scrutinee: next, arms });
        });
    }
}

impl Borrows<'_> {
    fn binds_lent_text(&self, pat: &Pat) -> bool {
        let Pat::Ident(pat) = pat else { return false };
        let local = self.locals.find(&pat.ident);
        pat.by_ref.is_none()
            && local.is_some_and(|local| self.locals[local].saving.kind == LocalKind::Lent)
    }

    /// Lets a loop over an array of literals copy its items, so that their texts need not be saved: `for (name, limit)
    /// in [("a", 1), ("b", 2)]` becomes `for &(name, limit) in &[…]`.
    fn copy_out_of_table(&self, expr: &mut syn::ExprForLoop) {
        let table = self.rematerialization_of(&expr.expr).unwrap_or(&expr.expr);
        let is_table = matches!(table, Expr::Array(table) if table.elems.iter().all(is_row));
        if !is_table {
            return;
        }
        let (attrs, and_token) = (Vec::new(), syn::Token![&](expr.expr.span()));
        let pat = std::mem::replace(&mut *expr.pat, Pat::Verbatim(Default::default()));
        let (attrs_of_pat, pat) = (attrs.clone(), Box::new(pat));
        *expr.pat = Pat::Reference(syn::PatReference {
            attrs: attrs_of_pat,
            and_token,
            mutability: None,
            pat,
        });
        let table = std::mem::replace(&mut *expr.expr, Expr::PLACEHOLDER);
        *expr.expr = Expr::Reference(syn::ExprReference {
            attrs,
            and_token,
            mutability: None,
            expr: Box::new(table),
        });
    }
}

/// Whether the items are texts.
fn has_texts(shape: &Shape) -> bool {
    matches!(shape, Shape::List(item) if item.is_text())
}

/// Whether the expression is a tuple of literals with a text among them.
fn is_row(expr: &Expr) -> bool {
    fn is_literal(expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) => true,
            Expr::Tuple(expr) => expr.elems.iter().all(is_literal),
            Expr::Unary(expr) => is_literal(&expr.expr),
            _ => false,
        }
    }
    let is_text = |part: &Expr| matches!(part, Expr::Lit(part) if matches!(part.lit, Lit::Str(_)));
    matches!(expr, Expr::Tuple(row) if row.elems.iter().any(is_text)) && is_literal(expr)
}

fn call(function: Expr, argument: Expr) -> Expr {
    Expr::Call(syn::ExprCall {
        attrs: Vec::new(),
        func: Box::new(function),
        paren_token: Default::default(),
        args: std::iter::once(argument).collect(),
    })
}

fn some(pat: Pat, span: Span) -> Pat {
    Pat::TupleStruct(syn::PatTupleStruct {
        attrs: Vec::new(),
        qself: None,
        path: variant("Some", span),
        paren_token: Default::default(),
        elems: std::iter::once(pat).collect(),
    })
}

fn none(span: Span) -> Pat {
    Pat::Path(syn::ExprPath { attrs: Vec::new(), qself: None, path: variant("None", span) })
}

/// The path of a variant of `Option`.
fn variant(name: &str, span: Span) -> syn::Path {
    syn::Path {
        leading_colon: None,
        segments: ["__piton", name]
            .map(|name| syn::PathSegment::from(syn::Ident::new(name, span)))
            .into_iter()
            .collect(),
    }
}

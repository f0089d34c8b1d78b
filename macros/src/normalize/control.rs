//! Expressions with parts that run or not: branches, loops, blocks and jumps.

use proc_macro2::Span;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprBinary, ExprLet, Label, Pat};

use super::labels::JumpScope;
use super::texts::{self, Shape};
use super::{Dest, Lower, guards, ident_expr, let_stmt, names, unit, walk};
use crate::ir::{Arm, Body, LocalId, LocalKind, Stmt, TargetId, discard, discarded};
use crate::suspend;

/// Whether the expression gives its value in several places.
pub(super) fn has_parts(expr: &Expr) -> bool {
    match expr {
        Expr::If(_)
        | Expr::Match(_)
        | Expr::Block(_)
        | Expr::Loop(_)
        | Expr::While(_)
        | Expr::ForLoop(_)
        | Expr::Return(_)
        | Expr::Break(_)
        | Expr::Continue(_)
        | Expr::Unsafe(_) => true,
        Expr::Macro(call) => suspend::awaiting(&call.mac) == Some(suspend::Awaiting::Select),
        _ => false,
    }
}

fn is_join(mac: &syn::Macro) -> bool {
    suspend::awaiting(mac).is_some_and(|awaiting| awaiting != suspend::Awaiting::Select)
}

impl Lower<'_> {
    /// Lowers an expression; its value goes to `dest`.
    pub(super) fn value(&mut self, expr: Expr, dest: Dest) {
        match expr {
            Expr::Return(expr) => self.return_expr(expr),
            Expr::Break(expr) if self.break_target(expr.label.as_ref()).is_some() => {
                self.break_expr(expr);
            }
            Expr::Break(mut expr)
                if expr.expr.as_ref().is_some_and(|value| suspend::expr(value)) =>
            {
                // There is no such loop, which is for rustc to say.
                if let Some(value) = expr.expr.take() {
                    self.value(*value, Dest::Discard);
                }
                self.finish(Expr::Break(expr), dest);
            }
            Expr::Continue(expr) => match self.continue_target(expr.label.as_ref()) {
                Some(target) => self.push(Stmt::Continue(target)),
                None => {
                    let expr = self.opaque(Expr::Continue(expr));
                    self.finish(expr, dest);
                }
            },
            expr if !suspend::expr(&expr) => {
                let expr = self.opaque(expr);
                self.finish(expr, dest);
            }
            Expr::Paren(expr) if expr.attrs.is_empty() => self.value(*expr.expr, dest),
            Expr::Group(expr) => self.value(*expr.expr, dest),
            Expr::Block(expr) => self.block_expr(expr, dest),
            Expr::If(expr) => self.if_expr(expr, dest),
            Expr::Match(expr) => self.match_expr(expr, dest),
            Expr::Loop(expr) => {
                self.loop_expr(expr.label.as_ref(), expr.loop_token.span, dest, |this| {
                    this.block(expr.body, Dest::Discard);
                });
            }
            Expr::While(expr) => self.while_expr(expr, dest),
            Expr::ForLoop(expr) => self.for_expr(expr, dest),
            Expr::Unsafe(expr) => {
                let help = "take the `.await` out of the block";
                self.unsupported(expr.unsafe_token.span, "an `unsafe` block", help);
            }
            Expr::Macro(call)
                if suspend::awaiting(&call.mac) == Some(suspend::Awaiting::Select) =>
            {
                self.select_expr(&call.mac, dest);
            }
            Expr::Await(expr) if matches!(dest, Dest::Discard) => {
                let point = self.future(expr);
                self.push_await(point, discarded(), None);
            }
            Expr::Macro(call) if matches!(dest, Dest::Discard) && is_join(&call.mac) => {
                let (start, end) = (call.mac.path.span(), call.mac.delimiter.span().close());
                let value = self.hoist(Expr::Macro(call));
                self.finish(Expr::Verbatim(discard(&value, start, end)), dest);
            }
            expr => {
                let expr = self.hoist(expr);
                self.finish(expr, dest);
            }
        }
    }

    fn return_expr(&mut self, expr: syn::ExprReturn) {
        match expr.expr {
            Some(value) => self.value(*value, Dest::Return),
            None => self.push(Stmt::Return(unit())),
        }
    }

    fn break_expr(&mut self, expr: syn::ExprBreak) {
        let Some((target, dest)) = self.break_target(expr.label.as_ref()) else { return };
        match expr.expr {
            Some(value) => self.value(*value, dest),
            None => self.finish_unit(dest),
        }
        self.push(Stmt::Break(target));
    }

    /// Gives `()` to `dest`, if anything.
    fn finish_unit(&mut self, dest: Dest) {
        if !matches!(dest, Dest::Discard) {
            self.finish(unit(), dest);
        }
    }

    fn block_expr(&mut self, expr: syn::ExprBlock, dest: Dest) {
        let Some(label) = expr.label else {
            let body = self.body(|this| this.block(expr.block, dest));
            return self.push(Stmt::Scope(body));
        };
        let dest = self.jump_dest(dest, label.name.span());
        let target = self.enter(Some(&label), false, dest.0);
        let body = self.body(|this| this.block(expr.block, dest.0));
        self.jumps.pop();
        self.push(Stmt::Labeled { target, dest: dest.0.local(), body });
        self.deliver(dest);
    }

    /// Where the value goes that jumps bring: a value to be returned first goes to a local, so that
    /// code with jumps in it can be treated alike.
    pub(super) fn jump_dest(&mut self, dest: Dest, span: Span) -> (Dest, bool) {
        match dest {
            Dest::Return => {
                let local = self.new_temporary("value", LocalKind::Value, span);
                self.push(Stmt::Declare(local));
                (Dest::Local(local), true)
            }
            dest => (dest, false),
        }
    }

    pub(super) fn deliver(&mut self, (dest, returns): (Dest, bool)) {
        if let (Dest::Local(local), true) = (dest, returns) {
            let value = self.path(local);
            self.push(Stmt::Return(value));
        }
    }

    pub(super) fn enter(&mut self, label: Option<&Label>, is_loop: bool, dest: Dest) -> TargetId {
        let target = TargetId(self.targets);
        self.targets += 1;
        self.jumps.push(JumpScope {
            label: label.map(|label| label.name.ident.to_string()),
            target,
            is_loop,
            dest,
        });
        target
    }

    fn loop_expr(
        &mut self,
        label: Option<&Label>,
        span: Span,
        dest: Dest,
        lower: impl FnOnce(&mut Self),
    ) {
        let dest = self.jump_dest(dest, span);
        let target = self.enter(label, true, dest.0);
        let body = self.body(lower);
        self.jumps.pop();
        self.push(Stmt::Loop { target, dest: dest.0.local(), body });
        self.deliver(dest);
    }

    fn while_expr(&mut self, expr: syn::ExprWhile, dest: Dest) {
        let span = expr.while_token.span;
        self.loop_expr(expr.label.as_ref(), span, Dest::Discard, |this| {
            this.condition(
                *expr.cond,
                |this| this.branch(expr.body, Dest::Discard),
                Self::break_innermost,
            );
        });
        self.finish_unit(dest);
    }

    fn break_innermost(&mut self) {
        if let Some(scope) = self.jumps.last() {
            let target = scope.target;
            self.push(Stmt::Break(target));
        }
    }

    /// `for` over an iterator of which the items that are left can be saved.
    fn for_expr(&mut self, expr: syn::ExprForLoop, dest: Dest) {
        let span = expr.in_token.span();
        let shape = texts::of_value(&self.locals, &self.shapes, &expr.expr);
        let has_texts = shape == Shape::List(Box::new(Shape::Text));
        let holds_text = shape.holds_text() && !has_texts;
        let iterator = self.hoist(*expr.expr);
        if suspend::block(&expr.body) && self.is_walk(&iterator) {
            self.walk(expr.label.as_ref(), iterator, *expr.pat, expr.body, span);
        } else if suspend::block(&expr.body) {
            // What is left of the items is dropped with the loop.
            let scope = self.body(|this| {
                let iterator = this.keep_receiver(iterator);
                let rest = this.rest(iterator, &expr.pat, has_texts, span);
                this.locals[rest].holds_text = holds_text;
                let rest = this.path(rest);
                let next = quote_spanned!(span=> ::core::iter::Iterator::next);
                let next = call(Expr::Verbatim(next), syn::parse_quote_spanned!(span=> &mut #rest));
                this.each(expr.label.as_ref(), next, *expr.pat, expr.body, span);
            });
            self.push(Stmt::Scope(scope));
        } else {
            let whole = Expr::ForLoop(syn::ExprForLoop { expr: Box::new(iterator), ..expr });
            let whole = self.opaque(whole);
            self.finish(whole, Dest::Discard);
        }
        self.finish_unit(dest);
    }

    /// Declares what is left of the items of a loop.
    fn rest(&mut self, iterator: Expr, item: &Pat, has_texts: bool, span: Span) -> LocalId {
        let (maker, kind) = if is_range(&iterator) {
            (quote_spanned!(span=> ::piton::__private::range), LocalKind::Value)
        } else {
            let kind = if has_texts { LocalKind::Texts } else { LocalKind::Items };
            (quote_spanned!(span=> ::piton::__private::items), kind)
        };
        let source = format!("rest of {}", names::of_pattern(item));
        let rest = self.new_temporary(&source, kind, iterator.span());
        let pat = self.local_pat(rest);
        // A struct literal needs parentheses in the head of a loop, and here it does not.
        let iterator = without_parentheses(iterator);
        self.code(let_stmt(pat, call(Expr::Verbatim(maker), iterator)));
        if let Pat::Ident(pat) = item
            && let Some(item) = self.locals.find(&pat.ident)
        {
            self.locals[item].item_of = Some(rest);
        }
        rest
    }

    /// `for` over the items that a local lends.
    fn walk(
        &mut self,
        label: Option<&Label>,
        iterable: Expr,
        pat: Pat,
        mut body: syn::Block,
        span: Span,
    ) {
        let source = format!("position of {}", names::of_pattern(&pat));
        let position = self.new_temporary(&source, LocalKind::Value, iterable.span());
        if walk::is_shared(&iterable) {
            self.locals[position].lent = Some(iterable.clone());
        } else {
            self.check_lent(&iterable, &body);
        }
        let made = Expr::Verbatim(quote_spanned!(span=> ::piton::__private::Position::START));
        let declared = self.local_pat(position);
        self.code(let_stmt(declared, made));
        body.stmts.insert(0, self.note_items(&pat, &iterable, position, &body));
        let next = walk::next_item(&iterable, &self.locals[position].ident, span);
        self.each(label, next, pat, body, span);
    }

    /// Runs `body` for every item that `next` gives.
    fn each(&mut self, label: Option<&Label>, next: Expr, pat: Pat, body: syn::Block, span: Span) {
        self.loop_expr(label, span, Dest::Discard, |this| {
            let body = this.body(|this| this.block(body, Dest::Discard));
            let exit = this.body(Self::break_innermost);
            let arms =
                vec![Arm { pat: some(pat, span), body }, Arm { pat: none(span), body: exit }];
            this.push(Stmt::Match { scrutinee: next, arms });
        });
    }

    fn match_expr(&mut self, expr: syn::ExprMatch, dest: Dest) {
        self.with_temporaries(|this| this.arms(expr, dest));
    }

    fn arms(&mut self, mut expr: syn::ExprMatch, dest: Dest) {
        let scrutinee = self.hoist(std::mem::replace(&mut *expr.expr, Expr::PLACEHOLDER));
        if expr.arms.iter().any(guards::awaits) {
            return self.guarded_match(expr, scrutinee, dest);
        }
        if !expr.arms.iter().any(|arm| suspend::expr(&arm.body)) {
            let whole = Expr::Match(syn::ExprMatch { expr: Box::new(scrutinee), ..expr });
            let whole = self.opaque(whole);
            return self.finish(whole, dest);
        }
        let arms = expr.arms.into_iter().map(|arm| {
            self.note_borrows(&arm.pat, &scrutinee);
            let mut pat = arm.pat;
            if let Pat::Guard(pat) = &mut pat {
                *pat.guard = self.opaque(std::mem::replace(&mut *pat.guard, Expr::PLACEHOLDER));
            }
            Arm { pat, body: self.body(|this| this.value(*arm.body, dest)) }
        });
        let arms = arms.collect();
        self.push(Stmt::Match { scrutinee, arms });
    }

    fn if_expr(&mut self, expr: syn::ExprIf, dest: Dest) {
        let branches_suspend = suspend::block(&expr.then_branch)
            || expr.else_branch.as_ref().is_some_and(|(_, expr)| suspend::expr(expr));
        let operands = chain(&expr.cond);
        let has_let = operands.iter().any(|operand| matches!(operand, Expr::Let(_)));
        let late = has_let && operands.iter().skip(1).any(|operand| suspend::expr(operand));
        if !(branches_suspend || late) {
            // Only what is evaluated first suspends.
            let cond = Box::new(self.simple_condition(*expr.cond));
            let whole = self.opaque(Expr::If(syn::ExprIf { cond, ..expr }));
            return self.finish(whole, dest);
        }
        self.condition(
            *expr.cond,
            |this| this.branch(expr.then_branch, dest),
            |this| match expr.else_branch {
                Some((_, otherwise)) => this.value(*otherwise, dest),
                None => this.finish_unit(dest),
            },
        );
    }

    /// A block that may not suspend, while what it is a part of does.
    fn branch(&mut self, block: syn::Block, dest: Dest) {
        let binds = block.stmts.iter().any(|stmt| matches!(stmt, syn::Stmt::Local(_)));
        if suspend::block(&block) || !binds {
            return self.block(block, dest);
        }
        // Its bindings are its own, whatever they are called.
        let attrs = Vec::new();
        self.value(Expr::Block(syn::ExprBlock { attrs, label: None, block }), dest);
    }

    /// Runs one of two parts, depending on a condition that may bind by `let`.
    pub(super) fn condition(
        &mut self,
        cond: Expr,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let operands = chain(&cond);
        let has_let = operands.iter().any(|operand| matches!(operand, Expr::Let(_)));
        if !has_let || !operands.iter().skip(1).any(|operand| suspend::expr(operand)) {
            return self.with_temporaries(|this| {
                let cond = this.simple_condition(cond);
                this.note_condition(&cond);
                let then = this.body(then);
                let otherwise = this.body(otherwise);
                this.push(Stmt::If { cond, then, otherwise });
            });
        }
        // Each operand of the chain is an `if` in the one before it; what runs otherwise follows
        // the outermost, and the innermost jumps over it.
        let operands: Vec<Expr> = operands.into_iter().cloned().collect();
        let target = self.enter(None, false, Dest::Discard);
        let body = self.body(|this| {
            this.chain(operands.into_iter(), target, then);
            this.jumps.pop();
            otherwise(this);
        });
        self.push(Stmt::Labeled { target, dest: None, body });
    }

    fn chain(
        &mut self,
        mut operands: std::vec::IntoIter<Expr>,
        target: TargetId,
        then: impl FnOnce(&mut Self),
    ) {
        match operands.next() {
            Some(operand) => {
                // The operand's temporaries are its own.
                let scope = self.body(|this| {
                    let cond = this.simple_condition(operand);
                    this.note_condition(&cond);
                    let then = this.body(|this| this.chain(operands, target, then));
                    this.push(Stmt::If { cond, then, otherwise: Body::default() });
                });
                self.push(Stmt::Scope(scope));
            }
            None => {
                then(self);
                self.push(Stmt::Break(target));
            }
        }
    }

    /// A condition of which only the first operand suspends, if it binds by `let`.
    fn note_condition(&mut self, cond: &Expr) {
        for operand in chain(cond) {
            if let Expr::Let(expr) = operand {
                self.note_borrows(&expr.pat, &expr.expr);
            }
        }
    }

    fn simple_condition(&mut self, cond: Expr) -> Expr {
        if !suspend::expr(&cond) {
            return self.opaque(cond);
        }
        match cond {
            Expr::Let(expr) => {
                let value = self.hoist(*expr.expr);
                Expr::Let(ExprLet { expr: Box::new(value), ..expr })
            }
            Expr::Binary(ExprBinary { attrs, left, op: op @ BinOp::And(_), right })
                if chain(&right).iter().chain(&chain(&left)).any(|o| matches!(o, Expr::Let(_))) =>
            {
                let left = Box::new(self.simple_condition(*left));
                let right = Box::new(self.opaque(*right));
                Expr::Binary(ExprBinary { attrs, left, op, right })
            }
            cond => self.without_temporaries(None, |this| this.hoist(cond)),
        }
    }
}

/// The operands of a chain of `&&`.
fn chain(cond: &Expr) -> Vec<&Expr> {
    match cond {
        Expr::Binary(ExprBinary { left, op: BinOp::And(_), right, .. }) => {
            let mut operands = chain(left);
            operands.extend(chain(right));
            operands
        }
        cond => vec![cond],
    }
}

/// Whether the expression is a range of integers, as far as its syntax shows.
fn is_range(expr: &Expr) -> bool {
    match expr {
        Expr::Range(range) => range.start.is_some(),
        Expr::Paren(paren) => is_range(&paren.expr),
        Expr::Group(group) => is_range(&group.expr),
        _ => false,
    }
}

fn without_parentheses(expr: Expr) -> Expr {
    match expr {
        Expr::Paren(paren) if paren.attrs.is_empty() => without_parentheses(*paren.expr),
        expr => expr,
    }
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
        path: core_option("Some", span),
        paren_token: Default::default(),
        elems: std::iter::once(pat).collect(),
    })
}

fn none(span: Span) -> Pat {
    Pat::Path(syn::ExprPath { attrs: Vec::new(), qself: None, path: core_option("None", span) })
}

/// `::core::option::Option::…`
fn core_option(variant: &str, span: Span) -> syn::Path {
    syn::Path {
        leading_colon: Some(syn::Token![::](span)),
        segments: ["core", "option", "Option", variant]
            .map(|name| syn::PathSegment::from(syn::Ident::new(name, span)))
            .into_iter()
            .collect(),
    }
}

/// `false`
pub(super) fn literal_bool(value: bool) -> Expr {
    ident_expr(syn::Ident::new(if value { "true" } else { "false" }, Span::mixed_site()))
}

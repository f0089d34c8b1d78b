//! Expressions with parts that are evaluated conditionally: branches, blocks and jumps.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Expr, Label, Pat, Stmt as Source};

use crate::ir::{
    Arm, Body, LocalId, LocalKind, Stmt, TargetId, discard, discarded, end_of, span_ends,
};
use crate::lower::labels::JumpKind;
use crate::lower::{Dest, Lower};
use crate::syntax::branches::{arms_await, branches_await, in_arm};
use crate::syntax::build::{ident_expr, unit};
use crate::syntax::conditions::chain;
use crate::syntax::operators::is_assignment;
use crate::syntax::select::Select;
use crate::syntax::{macros, results, suspend};
use crate::values::shapes::is_wrapper;

/// Whether several expressions may be the value of the expression: branches, blocks, and `break` with a value.
pub(crate) fn has_parts(expr: &Expr) -> bool {
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
        Expr::Await(expr) => suspend::awaited_block(expr).is_some(),
        _ => false,
    }
}

pub(crate) fn is_join(mac: &syn::Macro) -> bool {
    suspend::awaiting(mac).is_some_and(|awaiting| awaiting != suspend::Awaiting::Select)
}

impl Lower<'_> {
    /// Lowers an expression and stores its value in `dest`.
    pub(crate) fn value(&mut self, expr: Expr, dest: Dest) {
        match expr {
            Expr::Return(expr) => self.return_expr(expr),
            Expr::Break(expr) if self.jumps.scope(expr.label.as_ref()).is_some() => {
                self.break_expr(expr);
            }
            Expr::Break(mut expr)
                if expr.expr.as_ref().is_some_and(|value| suspend::expr(value)) =>
            {
                // The target does not exist, and rustc reports it.
                if let Some(value) = expr.expr.take() {
                    self.value(*value, Dest::Discard);
                }
                self.finish(Expr::Break(expr), dest);
            }
            Expr::Continue(expr) => match self.jumps.continue_target(&expr, self.diagnostics) {
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
                self.loop_expr(
                    expr.label.as_ref(),
                    JumpKind::Loop,
                    expr.loop_token.span,
                    dest,
                    |this| {
                        this.block(expr.body, Dest::Unit);
                    },
                );
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
            Expr::Await(ref expr) if let Some(block) = suspend::awaited_block(expr) => {
                self.await_block(block.clone(), expr.await_token.span, dest);
            }
            Expr::Await(expr) if dest.is_none() => {
                let ty = matches!(dest, Dest::Unit).then(|| syn::parse_quote!(()));
                let point = self.future(expr);
                self.push_await(point, discarded(), ty);
            }
            Expr::Macro(call) if dest.is_none() && is_join(&call.mac) => {
                let (start, end) = (call.mac.path.span(), call.mac.delimiter.span().close());
                let value = self.hoist(Expr::Macro(call));
                self.finish_from(value, start, end, dest);
            }
            expr => {
                let expr = self.hoist(expr);
                self.finish(expr, dest);
            }
        }
    }

    /// Lowers branches whose value is discarded. rustc checks that their types agree, and reports lints for the whole
    /// expression.
    pub(crate) fn discard_chosen(&mut self, expr: Expr) {
        let (start, end) = span_ends(expr.to_token_stream());
        let value = self.hoist(expr);
        let value = discard(&value, start, end);
        self.finish(syn::parse_quote!(#value), Dest::Discard);
    }

    fn return_expr(&mut self, expr: syn::ExprReturn) {
        match expr.expr {
            Some(value) => self.value(*value, Dest::Return),
            None => self.push(Stmt::Return(unit(expr.return_token.span))),
        }
    }

    fn break_expr(&mut self, expr: syn::ExprBreak) {
        let Some((target, dest)) = self.jumps.break_target(&expr, self.diagnostics) else { return };
        match expr.expr {
            Some(value) => self.value(*value, dest),
            None => self.finish_unit(dest, expr.break_token.span),
        }
        self.push(Stmt::Break(target));
    }

    /// Stores `()` in `dest`, unless `dest` discards it. `span` is where rustc reports errors.
    pub(crate) fn finish_unit(&mut self, dest: Dest, span: Span) {
        if !dest.is_none() {
            self.finish(unit(span), dest);
        }
    }

    fn block_expr(&mut self, expr: syn::ExprBlock, dest: Dest) {
        let Some(label) = expr.label else {
            let body = self.body(|this| this.block(expr.block, dest));
            return self.push(Stmt::Scope(body));
        };
        let dest = self.jump_dest(dest, label.name.span());
        let target = self.enter(Some(&label), JumpKind::Block, dest.0);
        let body = self.body(|this| this.block(expr.block, dest.0));
        self.jumps.leave();
        self.push(Stmt::Labeled { target, dest: dest.0.local(), body });
        self.deliver(dest);
    }

    /// The destination for the values of jumps. Jumps cannot store to [`Dest::Return`], so a returned value goes to a
    /// local first.
    pub(crate) fn jump_dest(&mut self, dest: Dest, span: Span) -> (Dest, bool) {
        match dest {
            Dest::Return => {
                let local = self.new_temporary("value", LocalKind::Value, span);
                self.push(Stmt::Declare(local));
                (Dest::Local(local), true)
            }
            dest => (dest, false),
        }
    }

    pub(crate) fn deliver(&mut self, (dest, returns): (Dest, bool)) {
        if let (Dest::Local(local), true) = (dest, returns) {
            let value = self.locals.path(local);
            self.push(Stmt::Return(value));
        }
    }

    pub(crate) fn enter(&mut self, label: Option<&Label>, kind: JumpKind, dest: Dest) -> TargetId {
        self.jumps.enter(label, kind, dest, self.declared.len())
    }

    fn match_expr(&mut self, mut expr: syn::ExprMatch, dest: Dest) {
        self.with_temporaries(|this| {
            let scrutinee = std::mem::replace(&mut *expr.expr, Expr::PLACEHOLDER);
            let is_taken_apart = arms_await(&expr);
            let pats: Vec<&Pat> = expr.arms.iter().map(|arm| &arm.pat).collect();
            let scrutinee = this.scrutinee(scrutinee, &pats, |this, value| {
                if is_taken_apart { this.keep_matched(value, &pats) } else { value }
            });
            this.arms(expr, scrutinee, dest);
        });
    }

    /// Lowers a `match` that is an operand: its scrutinee lives until the statement ends.
    pub(crate) fn match_operand(&mut self, mut expr: syn::ExprMatch, value: LocalId) {
        let scrutinee = std::mem::replace(&mut *expr.expr, Expr::PLACEHOLDER);
        let pats: Vec<&Pat> = expr.arms.iter().map(|arm| &arm.pat).collect();
        let scrutinee = self.scrutinee(scrutinee, &pats, |this, value| {
            let is_new = this.borrows().is_value(&value);
            let value = this.keep_receiver(value);
            if is_new { this.keep(value) } else { this.save_keys_for(&pats, value) }
        });
        // `value` is declared after the scrutinee, so it is dropped before it.
        self.push(Stmt::Declare(value));
        self.arms(expr, scrutinee, Dest::Local(value));
    }

    fn arms(&mut self, expr: syn::ExprMatch, scrutinee: Expr, dest: Dest) {
        let suspends = expr.arms.iter().any(|arm| suspend::expr(&arm.body));
        if !suspends {
            let whole = Expr::Match(syn::ExprMatch { expr: Box::new(scrutinee), ..expr });
            let whole = self.opaque(whole);
            return self.finish(whole, dest);
        }
        let mut before = TokenStream::new();
        let arms = expr.arms.into_iter().map(|arm| {
            self.note_borrows(&arm.pat, &scrutinee);
            let mut pat = arm.pat;
            let meant = in_arm(&pat, &mut before);
            if let Pat::Guard(pat) = &mut pat {
                *pat.guard = self.opaque(std::mem::replace(&mut *pat.guard, Expr::PLACEHOLDER));
            }
            let end = end_of(&arm.body);
            let is_call = matches!(*arm.body, Expr::Call(_) | Expr::MethodCall(_));
            let lower = |this: &mut Self| this.body(|this| this.value(*arm.body, dest));
            let mut body = self.inside(&meant, lower);
            if is_call && matches!(dest, Dest::Discard) {
                stay_an_arm(&mut body);
            }
            Arm { pat, body, end }
        });
        let arms = arms.collect();
        self.push(Stmt::Match { scrutinee, arms });
    }

    fn if_expr(&mut self, expr: syn::ExprIf, dest: Dest) {
        let dest = match dest {
            Dest::Discard if expr.else_branch.is_none() => Dest::Unit,
            dest => dest,
        };
        let branches_suspend = branches_await(&expr);
        let operands = chain(&expr.cond);
        let has_let = operands.iter().any(|operand| matches!(operand, Expr::Let(_)));
        let late = has_let && operands.iter().skip(1).any(|operand| suspend::expr(operand));
        let makes_temporaries = has_let && suspend::expr(&expr.cond);
        let is_taken_apart = branches_suspend || late || makes_temporaries;
        if !is_taken_apart {
            // Only the operand that is evaluated first suspends.
            let cond = Box::new(self.simple_condition(*expr.cond));
            let whole = self.opaque(Expr::If(syn::ExprIf { cond, ..expr }));
            return self.finish(whole, dest);
        }
        let cond = &*expr.cond;
        let (holds, otherwise) = (quote!(if #cond), quote!(else #cond));
        self.condition(
            *expr.cond,
            |this| this.inside(&holds, |this| this.branch(expr.then_branch, dest)),
            |this| match expr.else_branch {
                Some((_, branch)) => this.inside(&otherwise, |this| this.value(*branch, dest)),
                None => this.finish_unit(dest, expr.if_token.span),
            },
        );
    }

    /// Lowers a block of an expression that suspends; the block itself may not suspend.
    pub(crate) fn branch(&mut self, block: syn::Block, dest: Dest) {
        let binds = |stmt: &syn::Stmt| matches!(stmt, syn::Stmt::Local(_) | syn::Stmt::Item(_));
        let binds = block.stmts.iter().any(binds);
        if suspend::block(&block) || !binds {
            return self.block(block, dest);
        }
        // The block keeps its braces, so its bindings do not shadow others.
        let attrs = Vec::new();
        self.value(Expr::Block(syn::ExprBlock { attrs, label: None, block }), dest);
    }
}

/// Whether the source shows that a branch has a value other than `()`, or the expression may have one and is used as a
/// value.
pub(crate) fn gives_value(expr: &Expr) -> bool {
    let is_value = |end: &Expr| match end {
        Expr::Call(call) => is_wrapper(&call.func),
        Expr::Macro(call) => macros::name(&call.mac) == "vec",
        Expr::Tuple(tuple) => !tuple.elems.is_empty(),
        Expr::Binary(expr) => !is_assignment(&expr.op),
        Expr::Try(expr) => matches!(*expr.expr, Expr::Await(_)),
        Expr::Array(_) | Expr::Await(_) | Expr::Lit(_) | Expr::Path(_) | Expr::Struct(_) => true,
        _ => false,
    };
    let mut ends = results::ends(expr).into_iter();
    match expr {
        Expr::If(_) | Expr::Match(_) => ends.any(is_value),
        Expr::Loop(_) => ends.next().is_some(),
        Expr::Block(block) => block.label.is_some() && ends.next().is_some(),
        Expr::Macro(call) => Select::of(&call.mac).is_some_and(|select| {
            let mut handlers = select.arms.iter().map(|arm| &arm.handler);
            handlers.any(|handler| results::ends(handler).into_iter().any(is_value))
        }),
        _ => false,
    }
}

/// `false`
pub(crate) fn literal_bool(value: bool) -> Expr {
    ident_expr(syn::Ident::new(if value { "true" } else { "false" }, Span::mixed_site()))
}

/// Keeps a call that is the whole arm an expression of the arm. As a statement, it might get the lints
/// `unused_must_use` or `no_effect`.
fn stay_an_arm(body: &mut Body) {
    if let Some(Stmt::Code(Source::Expr(call, Some(_)))) = body.stmts.last_mut()
        && matches!(call, Expr::Call(_) | Expr::MethodCall(_))
    {
        *call = syn::parse_quote_spanned!(call.span()=> match () { () => #call });
    }
}

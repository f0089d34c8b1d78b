//! The rules for each kind of expression.

use syn::visit::{self, Visit};
use syn::{Expr, Macro, Pat, UnOp};

use super::{Analysis, Mode};
use crate::ir::ids::label_target;
use crate::ir::usage::Jump;
use crate::syntax::macros;
use crate::syntax::macros::{Piece, Role};
use crate::syntax::methods::{changes, only_looks, seems_to_look, takes};
use crate::syntax::operators::{is_assignment, is_comparison, is_lazy};
use crate::syntax::patterns::split_type;
use crate::syntax::select::Select;

impl Analysis<'_> {
    /// Visits the guard of a pattern, which runs only if the pattern matches.
    pub(in crate::ir::usage) fn guard(&mut self, pat: &Pat) {
        let Pat::Guard(guarded) = pat else { return };
        self.maybe(|this| {
            this.scoped(|this| {
                this.hide(pat);
                this.visit_expr(&guarded.guard);
            });
        });
    }

    /// Visits a branch's condition, and its operation, which runs only if the condition holds. If a region before it
    /// captures locals (`is_taken_over`), no assignment counts as certain.
    pub(in crate::ir::usage) fn begin(
        &mut self,
        cond: Option<&Expr>,
        operation: Option<&Expr>,
        is_taken_over: bool,
    ) {
        let run = |this: &mut Self, expr: Option<&Expr>, is_certain: bool| match expr {
            Some(expr) if is_certain => this.visit_expr(expr),
            Some(expr) => this.maybe(|this| this.visit_expr(expr)),
            None => {}
        };
        run(self, cond, !is_taken_over);
        run(self, operation, !is_taken_over && cond.is_none());
    }

    /// Visits the base of a struct expression: the fields that are not `given` move out of it, and the others stay.
    fn visit_rest(&mut self, rest: &Expr, given: &[&syn::Member]) {
        let Some(place) = self.place(rest) else { return self.visit(rest, Mode::Scrutinee) };
        self.usage.moved.insert(place.clone());
        // The given fields need not be initialized in the base.
        let before = self.flow.clone();
        given.iter().for_each(|field| self.fill(place.clone().field(field)));
        self.read(place, Mode::Scrutinee);
        self.flow = before;
    }

    /// Operations may or may not run; then one of the handlers does.
    fn select(&mut self, select: &Select) {
        for arm in &select.arms {
            self.maybe(|this| {
                arm.cond.iter().for_each(|cond| this.visit_expr(cond));
                this.visit_expr(&arm.future);
            });
        }
        let mut branches = Vec::new();
        for arm in &select.arms {
            self.scoped(|this| {
                this.hide(&arm.pat);
                branches.push(this.branch(|this| this.visit_expr(&arm.handler)));
            });
        }
        self.merge(branches);
    }
}

impl Visit<'_> for Analysis<'_> {
    fn visit_expr(&mut self, expr: &Expr) {
        let mode = std::mem::replace(&mut self.mode, Mode::Value);
        if let Some(place) = self.place(expr) {
            return self.read(place, mode);
        }
        match expr {
            Expr::Assign(expr) => {
                self.visit_expr(&expr.right);
                self.assign(&expr.left);
            }
            Expr::Binary(expr) if is_assignment(&expr.op) => {
                self.visit_expr(&expr.right);
                self.visit(&expr.left, Mode::BorrowMut);
            }
            Expr::Binary(expr) if is_comparison(&expr.op) => {
                self.visit(&expr.left, Mode::Borrow);
                self.visit(&expr.right, Mode::Borrow);
            }
            Expr::Binary(expr) if is_lazy(&expr.op) => {
                self.visit_expr(&expr.left);
                self.maybe(|this| this.visit_expr(&expr.right));
            }
            Expr::Reference(expr) => {
                let mode = if expr.mutability.is_some() { Mode::BorrowMut } else { Mode::Borrow };
                self.visit(&expr.expr, mode);
            }
            Expr::Field(expr) => self.visit(&expr.base, self.inner(mode)),
            Expr::Index(expr) => {
                self.visit(&expr.expr, self.inner(mode));
                self.visit_expr(&expr.index);
            }
            Expr::Unary(expr) if matches!(expr.op, UnOp::Deref(_)) => {
                // The value moves out of the box.
                if mode == Mode::Value
                    && let Some(place) = self.place(&expr.expr)
                {
                    self.usage.moved.insert(place);
                }
                self.visit(&expr.expr, self.inner(mode));
            }
            Expr::Paren(expr) => self.visit(&expr.expr, mode),
            Expr::Group(expr) => self.visit(&expr.expr, mode),
            Expr::MethodCall(expr) => {
                let mode = match expr {
                    call if only_looks(call) => Mode::Borrow,
                    call if changes(call) => Mode::BorrowMut,
                    call if takes(call) => Mode::TakeAny,
                    call if seems_to_look(call) => Mode::BorrowAlike,
                    _ => Mode::BorrowAny,
                };
                self.visit(&expr.receiver, mode);
                expr.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            Expr::Struct(expr) => {
                expr.fields.iter().for_each(|field| self.visit_expr(&field.expr));
                let given: Vec<_> = expr.fields.iter().map(|field| &field.member).collect();
                expr.rest.iter().for_each(|rest| self.visit_rest(rest, &given));
            }
            Expr::Let(expr) => {
                self.visit(&expr.expr, Mode::of_matched([&*expr.pat]));
                self.hide(&expr.pat);
            }
            Expr::If(expr) => {
                let mut then = None;
                let before = self.flow.clone();
                self.scoped(|this| {
                    this.visit_expr(&expr.cond);
                    then = this.branch(|this| this.visit_block(&expr.then_branch));
                });
                // A chain of conditions may end before its last operand.
                if matches!(&*expr.cond, Expr::Binary(_)) {
                    self.flow = before;
                }
                let otherwise = self.branch(|this| {
                    if let Some((_, otherwise)) = &expr.else_branch {
                        this.visit_expr(otherwise);
                    }
                });
                self.merge([then, otherwise]);
            }
            Expr::Match(expr) => {
                self.visit(&expr.expr, Mode::of_matched(expr.arms.iter().map(|arm| &arm.pat)));
                let mut branches = Vec::new();
                for arm in &expr.arms {
                    self.scoped(|this| {
                        this.hide(&arm.pat);
                        branches.push(this.branch(|this| {
                            if let Pat::Guard(pat) = &arm.pat {
                                this.visit_expr(&pat.guard);
                            }
                            this.visit_expr(&arm.body);
                        }));
                    });
                }
                self.merge(branches);
            }
            Expr::While(expr) => self.maybe(|this| {
                this.scoped(|this| {
                    this.visit_expr(&expr.cond);
                    this.visit_block(&expr.body);
                });
            }),
            Expr::Loop(expr) => self.maybe(|this| this.visit_block(&expr.body)),
            Expr::ForLoop(expr) => {
                self.visit_expr(&expr.expr);
                self.maybe(|this| {
                    this.scoped(|this| {
                        this.hide(&expr.pat);
                        this.visit_block(&expr.body);
                    });
                });
            }
            Expr::Block(expr) if expr.label.is_some() => {
                self.maybe(|this| this.visit_block(&expr.block));
            }
            Expr::Closure(expr) => self.detached(|this| {
                expr.inputs.iter().for_each(|pat| this.hide(pat));
                this.visit_expr(&expr.body);
            }),
            Expr::Async(expr) => {
                let mentioned = std::mem::take(&mut self.usage.mentions);
                let read = std::mem::take(&mut self.usage.reads);
                self.detached(|this| this.visit_block(&expr.block));
                if expr.capture.is_some() {
                    let taken = self.taken_over();
                    self.usage.moved.extend(taken);
                }
                self.usage.mentions.extend(mentioned);
                self.usage.reads.extend(read);
            }
            Expr::Return(expr) => {
                expr.expr.iter().for_each(|value| self.visit_expr(value));
                self.jump(Jump::Return);
            }
            Expr::Break(expr) => {
                expr.expr.iter().for_each(|value| self.visit_expr(value));
                match expr.label.as_ref().and_then(label_target) {
                    Some(target) => self.jump(Jump::Break(target)),
                    None => self.flow = None,
                }
            }
            Expr::Continue(expr) => match expr.label.as_ref().and_then(label_target) {
                Some(target) => self.jump(Jump::Continue(target)),
                None => self.flow = None,
            },
            Expr::Try(expr) => {
                self.visit_expr(&expr.expr);
                self.usage.jumps.insert(Jump::Return);
            }
            expr => visit::visit_expr(self, expr),
        }
    }

    fn visit_block(&mut self, block: &syn::Block) {
        self.scoped(|this| block.stmts.iter().for_each(|stmt| this.visit_stmt(stmt)));
    }

    fn visit_local(&mut self, local: &syn::Local) {
        if let Some(init) = &local.init {
            let mode = match split_type(&local.pat).0 {
                Pat::Ident(pat) if pat.by_ref.is_none() => Mode::Value,
                pat => Mode::of_matched([pat]),
            };
            self.visit(&init.expr, mode);
            if let Some((_, diverge)) = &init.diverge {
                self.maybe(|this| this.visit_expr(diverge));
            }
        }
        self.hide(&local.pat);
    }

    fn visit_macro(&mut self, mac: &Macro) {
        if macros::is_literal(mac) {
            return;
        }
        if let Some(select) = Select::of(mac) {
            return self.select(&select);
        }
        let Some(pieces) = macros::parse(mac) else {
            return macros::scan_names(&mac.tokens, &mut |name| {
                self.read_name(name, Mode::BorrowAny);
            });
        };
        let is_known = macros::is_known(mac);
        // In release builds, the macro expands to nothing.
        let runs = !macros::name(mac).starts_with("debug_");
        let format = macros::format_string(mac, &pieces);
        let named = macros::named_arguments(&pieces, format);
        for (index, piece) in pieces.iter().enumerate() {
            match piece {
                // Other tokens are separators, and names of arguments before `=`.
                Piece::Tokens(tokens) => {
                    if let Some((pat, guard)) = macros::matches_pattern(mac, tokens) {
                        self.scoped(|this| {
                            this.hide(&pat);
                            guard.iter().for_each(|guard| this.visit(guard, Mode::Borrow));
                        });
                    }
                }
                Piece::Expr(expr, role) => {
                    if let Some(text) = macros::literal_text(expr)
                        && (!is_known || format == Some(index))
                    {
                        let captured = macros::captures(&text.value());
                        let captured = captured.iter().filter(|name| !named.contains(name));
                        captured.for_each(|name| self.read_name(name, Mode::Borrow));
                    }
                    match role {
                        Role::Changed => self.visit(expr, Mode::BorrowMut),
                        Role::Value if runs => self.visit_expr(expr),
                        Role::Value => self.maybe(|this| this.visit_expr(expr)),
                        Role::Borrowed if runs => self.visit(expr, Mode::Borrow),
                        Role::Borrowed | Role::Lazy => {
                            self.maybe(|this| this.visit(expr, Mode::Borrow))
                        }
                        Role::Unknown => self.visit(expr, Mode::BorrowAny),
                    }
                }
            }
        }
    }

    fn visit_item(&mut self, _: &syn::Item) {}

    fn visit_type(&mut self, _: &syn::Type) {}
}

//! The analysis follows the code in evaluation order and knows scopes and branches, so that a read
//! after an assignment does not count, and neither does a binding of the same name in an inner
//! scope. Where it cannot see (an unknown macro) it takes every name for a read.

use syn::visit::{self, Visit};
use syn::{Expr, Macro, Pat, UnOp};

use super::{Flow, Jump, Place, Usage};
use crate::ir::{LocalId, Locals, label_target};
use crate::macros::{self, Piece, Role};
use crate::normalize::{collect_bindings, is_assignment, is_comparison, is_lazy};

/// What becomes of the value of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Value,
    Scrutinee,
    Borrow,
    BorrowMut,
}

pub(super) struct Analysis<'a> {
    locals: &'a Locals,
    usage: Usage,
    /// Names bound in inner scopes.
    hidden: Vec<String>,
    /// What is certain so far; `None` where control does not come.
    pub(super) flow: Option<Flow>,
    mode: Mode,
}

impl<'a> Analysis<'a> {
    pub(super) fn new(locals: &'a Locals) -> Self {
        Self {
            locals,
            usage: Usage::default(),
            hidden: Vec::new(),
            flow: Some(Flow::default()),
            mode: Mode::Value,
        }
    }

    pub(super) fn finish(mut self) -> Usage {
        // If control does not come to the end, nothing there reads what was before.
        match self.flow {
            Some(Flow { assigned, refilled, used_up }) => {
                self.usage.assigned = assigned;
                self.usage.refills = refilled;
                self.usage.used_up = used_up;
            }
            None => self.usage.assigned = self.locals.ids().collect(),
        }
        self.usage
    }

    fn find(&self, name: &str) -> Option<LocalId> {
        if self.hidden.iter().any(|hidden| hidden == name) {
            return None;
        }
        self.locals.find_name(name)
    }

    pub(super) fn visit(&mut self, expr: &Expr, mode: Mode) {
        self.mode = mode;
        self.visit_expr(expr);
    }

    fn read(&mut self, place: Place, mode: Mode) {
        let local = place.local;
        self.usage.mentions.insert(local);
        match mode {
            Mode::Value if place.fields.is_empty() => {
                self.usage.takes.insert(local);
                self.flow.iter_mut().for_each(|flow| {
                    flow.used_up.insert(local);
                });
            }
            Mode::Value | Mode::Scrutinee => {
                self.usage.moves.insert(place.clone());
            }
            Mode::Borrow => {}
            Mode::BorrowMut => {
                self.usage.changes.insert(local);
            }
        }
        let Some(flow) = self.flow.as_ref().filter(|flow| !flow.assigned.contains(&local)) else {
            return;
        };
        if !flow.refilled.iter().any(|part| part.holds(&place)) {
            let filled = flow.refilled.iter().filter(|part| place.holds(part)).cloned();
            let filled = filled.collect();
            self.usage.look(place.clone(), filled);
        }
        self.usage.reads.insert(place);
    }

    fn read_name(&mut self, name: &str, mode: Mode) {
        if let Some(local) = self.find(name) {
            self.read(Place::whole(local), mode);
        }
    }

    fn place(&self, expr: &Expr) -> Option<Place> {
        Place::of(expr, &|ident| self.find(&ident.to_string()))
    }

    /// Assigns to what stands on the left of `=`.
    fn assign(&mut self, left: &Expr) {
        match left {
            Expr::Path(_) => {
                if let Some(Place { local, .. }) = self.place(left) {
                    self.usage.mentions.insert(local);
                    self.usage.changes.insert(local);
                    self.usage.replaces.insert(local);
                    if let Some(flow) = &mut self.flow {
                        flow.assigned.insert(local);
                        flow.used_up.remove(&local);
                    }
                }
            }
            Expr::Field(_) if let Some(place) = self.place(left) => self.refill(place),
            Expr::Tuple(expr) => expr.elems.iter().for_each(|elem| self.assign(elem)),
            Expr::Array(expr) => expr.elems.iter().for_each(|elem| self.assign(elem)),
            Expr::Call(expr) => expr.args.iter().for_each(|argument| self.assign(argument)),
            Expr::Struct(expr) => expr.fields.iter().for_each(|field| self.assign(&field.expr)),
            Expr::Paren(expr) => self.assign(&expr.expr),
            Expr::Infer(_) | Expr::Range(_) => {}
            left => self.visit(left, Mode::BorrowMut),
        }
    }

    /// Assigns to a part of a local.
    fn refill(&mut self, place: Place) {
        self.usage.mentions.insert(place.local);
        self.usage.changes.insert(place.local);
        self.usage.fills.insert(place.clone());
        let Some(flow) = &mut self.flow else { return };
        if !flow.assigned.contains(&place.local) {
            self.usage.reads.insert(place.clone());
        }
        flow.refilled.insert(place);
    }

    /// Runs `visit` as code that may or may not run.
    fn maybe(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = self.flow.clone();
        visit(self);
        let after = std::mem::replace(&mut self.flow, before);
        if let (Some(flow), Some(after)) = (&mut self.flow, after) {
            flow.used_up.extend(after.used_up);
        }
    }

    /// Runs `visit` and gives what is certain after it; the state is as before.
    fn branch(&mut self, visit: impl FnOnce(&mut Self)) -> Option<Flow> {
        let before = self.flow.clone();
        visit(self);
        std::mem::replace(&mut self.flow, before)
    }

    /// Goes on after one of several branches.
    fn merge(&mut self, branches: impl IntoIterator<Item = Option<Flow>>) {
        self.flow = branches.into_iter().flatten().reduce(|all, one| all.and(&one));
    }

    /// Runs `visit` in a scope of its own.
    fn scoped(&mut self, visit: impl FnOnce(&mut Self)) {
        let count = self.hidden.len();
        visit(self);
        self.hidden.truncate(count);
    }

    fn hide(&mut self, pat: &Pat) {
        let mut idents = Vec::new();
        collect_bindings(pat, &mut idents);
        self.hidden.extend(idents.iter().map(ToString::to_string));
    }
}

/// Whether the method only looks at what it is called on, by the traits and types of the standard library
/// that have these methods.
fn only_looks(call: &syn::ExprMethodCall) -> bool {
    let methods = ["clone", "is_empty", "len", "to_owned", "to_string"];
    call.args.is_empty() && methods.iter().any(|method| call.method == method)
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
                self.visit(&expr.expr, self.inner(mode));
            }
            Expr::Paren(expr) => self.visit(&expr.expr, mode),
            Expr::Group(expr) => self.visit(&expr.expr, mode),
            Expr::MethodCall(expr) => {
                let mode = if only_looks(expr) { Mode::Borrow } else { Mode::BorrowMut };
                self.visit(&expr.receiver, mode);
                expr.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            Expr::Let(expr) => {
                self.visit(&expr.expr, Mode::Scrutinee);
                self.hide(&expr.pat);
            }
            Expr::If(expr) => {
                let mut then = None;
                let before = self.flow.clone();
                self.scoped(|this| {
                    this.visit_expr(&expr.cond);
                    then = this.branch(|this| this.visit_block(&expr.then_branch));
                });
                // A chain that fails half-way has not run all of its operands.
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
                self.visit(&expr.expr, Mode::Scrutinee);
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
            Expr::Async(expr) => self.detached(|this| this.visit_block(&expr.block)),
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
            let mode = match &local.pat {
                Pat::Ident(_) => Mode::Value,
                _ => Mode::Scrutinee,
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
        let Some(pieces) = macros::parse(mac) else {
            return macros::scan_names(&mac.tokens, &mut |name| {
                self.read_name(name, Mode::BorrowMut);
            });
        };
        let is_known = macros::is_known(mac);
        let format = macros::format_string(mac, &pieces);
        let named = macros::named_arguments(&pieces);
        for (index, piece) in pieces.iter().enumerate() {
            match piece {
                // Otherwise these are separators, and names of arguments before `=`.
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
                        Role::Value => self.visit_expr(expr),
                        Role::Borrowed => self.visit(expr, Mode::Borrow),
                        Role::Lazy => self.maybe(|this| this.visit(expr, Mode::Borrow)),
                        Role::Unknown => self.visit(expr, Mode::BorrowMut),
                    }
                }
            }
        }
    }

    fn visit_item(&mut self, _: &syn::Item) {}

    fn visit_type(&mut self, _: &syn::Type) {}
}

impl Analysis<'_> {
    /// What is done with a place when this is done with a part of it.
    fn inner(&self, mode: Mode) -> Mode {
        match mode {
            Mode::BorrowMut => Mode::BorrowMut,
            Mode::Value | Mode::Scrutinee | Mode::Borrow => Mode::Borrow,
        }
    }

    fn jump(&mut self, jump: Jump) {
        self.usage.jumps.insert(jump);
        if let Some(flow) = self.flow.take() {
            let known = self.usage.at_jumps.get(&jump).map(|known| known.and(&flow));
            self.usage.at_jumps.insert(jump, known.unwrap_or(flow));
        }
    }

    /// Visits a body that runs at another time: it may read what it captures, and its jumps are its
    /// own.
    fn detached(&mut self, visit: impl FnOnce(&mut Self)) {
        let jumps = self.usage.jumps.clone();
        self.maybe(|this| this.scoped(visit));
        self.usage.jumps = jumps;
    }
}

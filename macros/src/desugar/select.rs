//! `select!`, `join!` and `try_join!`.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, Macro};

use super::refutability::refusal;
use crate::frontend::shields;
use crate::ir::{AsyncBlock, Branch, LocalKind, PointId, PointKind, SelectArm, Stmt};
use crate::lower::{Dest, Lower};
use crate::syntax::fingerprint::Place;
use crate::syntax::select::Select;
use crate::syntax::suspend;

impl Lower<'_> {
    pub(crate) fn select_expr(&mut self, mac: &Macro, dest: Dest) {
        let select: Select = match mac.parse_body() {
            Ok(select) => select,
            Err(error) => return self.diagnostics.push(error),
        };
        let mut select = select;
        let otherwise = select.arms.pop_if(|arm| arm.is_else);
        let (mut arms, mut names) = (Vec::new(), Vec::new());
        for mut arm in select.arms {
            if let Some(cond) = &arm.cond
                && suspend::expr(cond)
            {
                let help = "await before the `select!`, into a variable";
                self.unsupported(cond.span(), "the condition of a branch", help);
            }
            let pin = self.take_pin_attrs(&mut arm.attrs);
            let condition = arm.cond.as_ref().map(|cond| self.locals.fingerprint(cond));
            let name = self.name_branch(&arm.future, pin);
            names.push(name.under(condition.unwrap_or_default()));
            let future = self.make_branch(arm.future);
            let cond = arm.cond.map(|cond| self.opaque(cond));
            arms.push((arm.pat, cond, future, arm.handler));
        }
        let name = if mac.path.is_ident(suspend::MACRO) { "timeout" } else { "select" };
        let place = Place::only(self.locals.fingerprint(&mac.tokens));
        let point = self.points.add((name.to_owned(), place), PointKind::Select, mac.path.span());
        self.points.set_branches(point, names, self.diagnostics);
        let mut futures = Vec::new();
        for (index, (pat, cond, future, handler)) in arms.into_iter().enumerate() {
            futures.push((pat, cond, self.region(point, index, future), handler));
        }
        let arms = futures.into_iter().map(|(pat, cond, future, handler)| SelectArm {
            refusal: refusal(&pat),
            pat,
            cond,
            future,
            body: self.body(|this| this.value(handler, dest)),
        });
        let arms = arms.collect();
        let otherwise = otherwise.map(|arm| self.body(|this| this.value(arm.handler, dest)));
        self.push(Stmt::Select { point, arms, otherwise, is_biased: select.is_biased });
    }

    /// Lowers an `async` block that is awaited directly: a `select!` with one branch.
    pub(crate) fn await_block(&mut self, block: syn::ExprAsync, span: Span, dest: Dest) {
        let start = block.async_token.span;
        // A shield does not change the saved state.
        let fingerprint =
            self.locals.fingerprint(&syn::ExprAsync { attrs: Vec::new(), ..block.clone() });
        let block = Expr::Async(block);
        let name = self.name_branch(&block, None);
        let point = self.points.add(
            ("async".to_owned(), Place::only(fingerprint)),
            PointKind::Select,
            span,
        );
        self.points.set_branches(point, vec![name], self.diagnostics);
        let Expr::Async(block) = block else { return };
        let future = self.region(point, 0, Branch::Region(block));
        let given = self.new_temporary("async", LocalKind::Value, span);
        let value = self.locals.path(given);
        let body = self.body(|this| this.finish_from(value, start, span, dest));
        let pat = self.locals.pattern(given);
        let arm = SelectArm { pat, refusal: None, cond: None, future, body };
        self.push(Stmt::Select { point, arms: vec![arm], otherwise: None, is_biased: true });
    }

    pub(crate) fn hoist_join(&mut self, mac: &Macro, fail_fast: bool) -> Expr {
        let branches = match suspend::joined(mac) {
            Ok(branches) => branches,
            Err(error) => {
                self.diagnostics.push(error);
                return Expr::PLACEHOLDER;
            }
        };
        if branches.is_empty() {
            self.diagnostics.push(syn::Error::new(mac.path.span(), "there is nothing to wait for"));
        }
        let mut names = Vec::new();
        let branches = branches.into_iter().map(|mut branch| {
            let pin = self.take_pin(&mut branch);
            names.push(self.name_branch(&branch, pin));
            self.make_branch(branch)
        });
        let branches: Vec<_> = branches.collect();
        let name = if fail_fast { "try_join" } else { "join" };
        let fingerprint = self.locals.fingerprint(&mac.tokens);
        let point = self.points.add(
            (name.to_owned(), Place::only(fingerprint)),
            PointKind::Join,
            mac.path.span(),
        );
        self.points.set_branches(point, names, self.diagnostics);
        let branches = branches
            .into_iter()
            .enumerate()
            .map(|(index, branch)| self.region(point, index, branch))
            .collect();
        let local = self.new_temporary(&format!("{name}!"), LocalKind::Value, mac.path.span());
        self.locals[local].is_temporary = true;
        self.locals[local].identity.bound_by = fingerprint;
        let pat = self.locals.pattern(local);
        self.push(Stmt::Join { point, branches, pat, fail_fast });
        self.locals.path(local)
    }

    /// Emits the evaluation of a branch's future. Creating an `async` block has no effects.
    fn make_branch(&mut self, future: Expr) -> Branch<syn::ExprAsync> {
        match future {
            Expr::Async(block) => Branch::Region(block),
            Expr::Paren(expr) => self.make_branch(*expr.expr),
            Expr::Group(expr) => self.make_branch(*expr.expr),
            operation => Branch::Operation(self.hoist(operation)),
        }
    }

    /// Lowers the `async` block of a branch. Its jumps and its value stay within it.
    fn region(
        &mut self,
        point: PointId,
        index: usize,
        branch: Branch<syn::ExprAsync>,
    ) -> Branch<AsyncBlock> {
        let mut block = match branch {
            Branch::Operation(operation) => return Branch::Operation(operation),
            Branch::Region(block) => block,
        };
        let is_shielded = shields::take(&mut block.attrs);
        let span = block.async_token.span;
        let around = self.jumps.enter_block();
        let outer = self.points.enter_branch(point, index);
        let body = self.body(|this| this.block(block.block, Dest::Return));
        self.points.leave_branch(outer);
        self.jumps.leave_block(around);
        let is_move = block.capture.is_some();
        Branch::Region(AsyncBlock { body, is_move, is_shielded, span })
    }
}

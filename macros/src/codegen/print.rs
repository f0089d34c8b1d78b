//! The content of an arm of the step function: the blocks of its segment.

use std::borrow::Cow;

use proc_macro2::{Group, Span, TokenStream};
use quote::{ToTokens, TokenStreamExt, quote};
use syn::visit_mut::VisitMut;
use syn::{Expr, Lifetime, Pat, Stmt};

use super::add::add;
use super::braces::Braces;
use super::printer::Printer;
use super::rewrite::{Rewrite, enclose_last};
use super::variables::token_of_await;
use super::{add, variables};
use crate::ir::usage::{Usage, bound_locals};
use crate::ir::{BlockId, Branch, Node, Terminator};
use crate::layout::{Link, is_made_elsewhere};
use crate::syntax::patterns::let_patterns;

impl Printer<'_> {
    /// Prints a block and what follows it without a jump.
    pub(super) fn chain(&self, first: BlockId, braces: &mut Braces) {
        let mut id = first;
        loop {
            let block = &self.machine.graph[id];
            for (index, (node, usage)) in block.nodes.iter().zip(&block.usages).enumerate() {
                self.at.set((id, index));
                braces.push(self.tie_parts(usage));
                braces.push(self.copy_moved_parts());
                self.node(node, usage, braces);
                braces.push(self.fill_moved_parts());
                self.note_moved(usage);
            }
            self.at.set((id, block.nodes.len()));
            braces.push(self.tie_parts(&block.end_usage));
            braces.push(self.copy_moved_parts());
            let usage = &block.end_usage;
            let merge = match &block.end {
                Terminator::Goto(to) => match self.machine.layout.links[to.0] {
                    // The end that the merge belongs to is being printed.
                    Link::After | Link::Branch => return,
                    Link::Follow => {
                        braces.close_to(self.machine.graph[*to].scope);
                        id = *to;
                        continue;
                    }
                    Link::Segment => return braces.add(|out| self.goto(out, *to)),
                },
                Terminator::If { cond, then, otherwise, merge } => {
                    let see = self.see_lent(&let_patterns(cond));
                    let cond = self.expr(cond, usage);
                    let [filled, fill] =
                        [*then, *otherwise].map(|to| self.fill_moved_parts_after(&block.end, to));
                    braces.add(|out| {
                        add!(out, if #cond);
                        out.append(self.branch(*then, *merge, [filled, see]));
                        add!(out, else);
                        out.append(self.branch(*otherwise, *merge, [fill]));
                    });
                    *merge
                }
                Terminator::Match { scrutinee, arms, ends, merge } => {
                    let scrutinee = self.expr(scrutinee, usage);
                    let fill = |to: BlockId| self.fill_moved_parts_after(&block.end, to);
                    let fills: Vec<_> = arms.iter().map(|(_, to)| fill(*to)).collect();
                    braces.add(|out| {
                        add!(out, match #scrutinee);
                        add::braces(out, Span::call_site(), |out| {
                            for (((pat, block), end), fill) in arms.iter().zip(ends).zip(fills) {
                                let (see, pat) = (self.see_lent(&[pat]), self.pat(pat));
                                add!(out, #pat =>);
                                let mut body = self.branch(*block, *merge, [fill, see]);
                                body.set_span(*end);
                                out.append(body);
                            }
                        });
                    });
                    *merge
                }
                Terminator::Chosen { point, arms, merge } => {
                    let bodies = arms
                        .iter()
                        .map(|(pat, block)| (pat, self.branch(*block, *merge, []).stream()));
                    braces.push(self.chosen(*point, bodies.collect()));
                    *merge
                }
                Terminator::LetElse { local, otherwise, next } => {
                    let mut local = local.clone();
                    let [filled, fill] =
                        [*next, *otherwise].map(|to| self.fill_moved_parts_after(&block.end, to));
                    let otherwise = self.branch(*otherwise, *next, [fill]);
                    let pat = &local.pat;
                    let see = self.see_lent(&[pat]);
                    if let Some(init) = &mut local.init {
                        enclose_last(&mut init.expr);
                        let value = self.expr(&init.expr, usage);
                        braces.push(quote!(let #pat = #value else #otherwise; #see #filled));
                    }
                    *next
                }
                Terminator::Await { point, future, .. } => {
                    let (token, future) =
                        (token_of_await(*point, future), self.expr(future, usage));
                    return braces.add(|out| self.suspend_await(out, *point, &token, &future));
                }
                Terminator::Select { point, .. } | Terminator::Join { point, .. }
                    if self.machine.graph.has_regions(*point) =>
                {
                    return braces.push(self.enter_wait(*point, usage));
                }
                Terminator::Select { point, arms, .. } => {
                    return braces.push(self.suspend_select(*point, arms, usage));
                }
                Terminator::Join { point, branches, fail_fast, .. } => {
                    let branches = branches.iter().filter_map(Branch::operation);
                    let branches: Vec<_> =
                        branches.map(|branch| self.expr(branch, usage)).collect();
                    return braces.push(self.suspend_join(*point, &branches, *fail_fast));
                }
                Terminator::Return(value) => {
                    braces.push(self.complete(&self.expr(value, usage), Span::call_site()));
                    return braces.add(|out| add!(out, ;));
                }
                Terminator::Unreachable => return,
            };
            match self.machine.layout.links.get(merge.0) {
                Some(Link::After) => id = merge,
                _ => return,
            }
        }
    }

    /// The label of what a `break` leaves to end the step without a return value.
    pub(super) fn leave(&self) -> Lifetime {
        variables::step_label(self.machine.graph[self.segment.block].region)
    }

    /// A branch that goes on at `merge`, with what is done `first` there.
    fn branch<const N: usize>(
        &self,
        block: BlockId,
        merge: BlockId,
        first: [TokenStream; N],
    ) -> Group {
        let mut braces = Braces::default();
        braces.open(self.machine.graph[block].scope);
        first.into_iter().for_each(|tokens| braces.push(tokens));
        let before = self.whole.borrow().clone();
        self.chain(block, &mut braces);
        braces.push(self.take_apart_for(&before, merge));
        braces.finish()
    }

    fn node(&self, node: &Node, usage: &Usage, braces: &mut Braces) {
        match node {
            // What is made where it is needed need not be made here.
            node if self.is_made_elsewhere(node, usage) => {}
            Node::Code(stmt) => {
                let tied = self.tied_when_given(stmt, usage);
                let printed = self.stmt(tied.as_ref().unwrap_or(stmt), usage);
                braces.add(|out| match ends_alone(stmt) {
                    true => printed.to_tokens(out),
                    false => add!(out, { #printed }),
                });
                if let Stmt::Local(local) = stmt {
                    braces.push(self.see(&local.pat));
                    braces.push(self.tie_again(usage.binds.iter().copied()));
                    braces.push(self.tie(usage.binds.iter().copied()));
                }
            }
            // Where it is not assigned, rustc could not tell its type.
            Node::Declare(local) if !self.segment.named.contains(local) => {}
            Node::Declare(local) => braces.push(self.declare(*local)),
            Node::Define { local, value } => {
                let value = self.expr(value, usage);
                braces.push(self.give(*local, &value));
            }
            Node::Enter(scope) => braces.open(*scope),
            Node::Leave => {
                braces.close();
            }
        }
    }

    fn is_made_elsewhere(&self, node: &Node, usage: &Usage) -> bool {
        let segments = &self.machine.layout.segments;
        is_made_elsewhere(self.machine.graph, segments, self.segment, (node, usage))
    }

    /// Whether code can be printed as it is.
    fn is_plain(&self, usage: &Usage) -> bool {
        usage.jumps.is_empty() && self.parts.is_empty()
    }

    fn stmt<'s>(&self, stmt: &'s Stmt, usage: &Usage) -> Cow<'s, Stmt> {
        let mut stmt = self.closure_made_again(stmt).map_or(Cow::Borrowed(stmt), Cow::Owned);
        if !self.is_plain(usage) {
            Rewrite::new(self).visit_stmt_mut(stmt.to_mut());
        }
        stmt
    }

    /// The statement without the `move` of a closure that is made again later: what it would take over
    /// is saved.
    fn closure_made_again(&self, stmt: &Stmt) -> Option<Stmt> {
        let Stmt::Local(local) = stmt else { return None };
        let Expr::Closure(closure) = &*local.init.as_ref()?.expr else { return None };
        closure.capture.as_ref()?;
        let bound = bound_locals(&self.machine.graph.locals, &local.pat);
        if !bound.into_iter().any(|local| self.machine.layout.is_remade(local)) {
            return None;
        }
        let mut local = local.clone();
        if let Some(Expr::Closure(closure)) = local.init.as_mut().map(|init| &mut *init.expr) {
            closure.capture = None;
        }
        Some(Stmt::Local(local))
    }

    pub(super) fn expr<'e>(&self, expr: &'e Expr, usage: &Usage) -> Cow<'e, Expr> {
        let mut expr = Cow::Borrowed(expr);
        if !self.is_plain(usage) {
            Rewrite::new(self).visit_expr_mut(expr.to_mut());
        }
        expr
    }

    fn pat<'p>(&self, pat: &'p Pat) -> Cow<'p, Pat> {
        let mut pat = Cow::Borrowed(pat);
        if let Pat::Guard(_) = &*pat
            && let Pat::Guard(pat) = pat.to_mut()
        {
            Rewrite::new(self).visit_expr_mut(&mut pat.guard);
        }
        pat
    }
}

/// Whether code is a statement by itself, and not the end of a block only.
fn ends_alone(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Expr(expr, None) => matches!(
            expr,
            Expr::Block(_)
                | Expr::ForLoop(_)
                | Expr::If(_)
                | Expr::Loop(_)
                | Expr::Match(_)
                | Expr::Unsafe(_)
                | Expr::While(_)
        ),
        _ => true,
    }
}

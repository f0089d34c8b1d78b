//! The content of an arm: the blocks of its segment.

use std::borrow::Cow;

use proc_macro2::{Group, Span, TokenStream};
use quote::{ToTokens, TokenStreamExt, quote};
use syn::visit_mut::VisitMut;
use syn::{Expr, Pat, Stmt};

use super::add;
use super::add::add;
use super::arm::Arm;
use super::copies::Copies;
use super::entry::declare;
use super::machine::Machine;
use super::printer::Printer;
use super::rewrite::{Rewrite, enclose_last};
use super::scopes::Braces;
use super::select::chosen;
use super::type_ties::{assign, tie, tie_again, tie_parts, with_tied_values};
use super::unused_variables::{use_borrows, use_bound};
use super::variables::token_of_await;
use crate::ir::usage::{Usage, bound_locals};
use crate::ir::{BlockId, Branch, Node, Terminator};
use crate::layout::{Link, is_made_elsewhere};
use crate::syntax::patterns::let_patterns;

impl Printer<'_> {
    /// Prints a block, and the blocks that follow it in the same segment.
    pub(super) fn chain(&mut self, first: BlockId, braces: &mut Braces) {
        let Arm { machine, .. } = self.arm;
        let mut id = first;
        loop {
            let block = &machine.graph[id];
            for (index, (node, usage)) in block.nodes.iter().zip(&block.usages).enumerate() {
                self.begin_node(id, index, usage, braces);
                self.node(node, usage, braces);
                braces.push(self.copies.fill(&self.split));
                self.split.note_moves(usage);
            }
            let usage = &block.end_usage;
            self.begin_node(id, block.nodes.len(), usage, braces);
            let (arm, copies) = (self.arm, self.copies);
            let merge = match &block.end {
                Terminator::Goto(to) => match machine.layout.links[to.0] {
                    // The terminator that the merge belongs to is being printed.
                    Link::After | Link::Branch => return,
                    Link::Follow => {
                        braces.close_to(machine.graph[*to].scope);
                        id = *to;
                        continue;
                    }
                    Link::Segment => return braces.add(|out| self.goto(out, *to)),
                },
                Terminator::If { cond, then, otherwise, merge } => {
                    let uses = use_borrows(arm, &let_patterns(cond));
                    let cond = self.expr(cond, usage);
                    let [filled, fill] = [*then, *otherwise]
                        .map(|to| copies.fill_after(&self.split, &block.end, to));
                    braces.add(|out| {
                        add!(out, if #cond);
                        out.append(self.branch(*then, *merge, [filled, uses]));
                        add!(out, else);
                        out.append(self.branch(*otherwise, *merge, [fill]));
                    });
                    *merge
                }
                Terminator::Match { scrutinee, arms, ends, merge } => {
                    let scrutinee = self.expr(scrutinee, usage);
                    let fill =
                        |(_, to): &(_, BlockId)| copies.fill_after(&self.split, &block.end, *to);
                    let fills: Vec<_> = arms.iter().map(fill).collect();
                    braces.add(|out| {
                        add!(out, match #scrutinee);
                        add::braces(out, Span::call_site(), |out| {
                            for (((pat, block), end), fill) in arms.iter().zip(ends).zip(fills) {
                                let (uses, pat) = (use_borrows(arm, &[pat]), self.pat(pat));
                                add!(out, #pat =>);
                                let mut body = self.branch(*block, *merge, [fill, uses]);
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
                    braces.push(chosen(machine.graph, *point, bodies.collect()));
                    *merge
                }
                Terminator::LetElse { local, otherwise, next } => {
                    let (pat, Some(mut init)) = (&local.pat, local.init.clone()) else { return };
                    enclose_last(&mut init.expr);
                    let value = self.expr(&init.expr, usage);
                    let [filled, fill] = [*next, *otherwise]
                        .map(|to| copies.fill_after(&self.split, &block.end, to));
                    let (uses, otherwise) =
                        (use_borrows(arm, &[pat]), self.branch(*otherwise, *next, [fill]));
                    braces.push(quote!(let #pat = #value else #otherwise; #uses #filled));
                    *next
                }
                Terminator::Await { point, future, .. } => {
                    let (token, future) =
                        (token_of_await(*point, future), self.expr(future, usage));
                    return braces.add(|out| self.suspend_await(out, *point, &token, &future));
                }
                Terminator::Select { point, .. } | Terminator::Join { point, .. }
                    if machine.graph.has_regions(*point) =>
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
                    let value = self.expr(value, usage);
                    braces.push(self.complete(&value, Span::call_site()));
                    return braces.add(|out| add!(out, ;));
                }
                Terminator::Unreachable => return,
            };
            match machine.layout.links.get(merge.0) {
                Some(Link::After) => id = merge,
                _ => return,
            }
        }
    }

    /// Begins a node, or the end of a block, and copies the parts that it moves out.
    fn begin_node(&mut self, block: BlockId, node: usize, usage: &Usage, braces: &mut Braces) {
        self.block = block;
        self.copies = Copies::at(self.arm.machine, block, node);
        braces.push(tie_parts(self.arm.machine.layout, &self.split, usage));
        braces.push(self.copies.make(&self.split));
    }

    /// A branch that ends at `merge`, and begins with `first`.
    fn branch<const N: usize>(
        &mut self,
        block: BlockId,
        merge: BlockId,
        first: [TokenStream; N],
    ) -> Group {
        let mut braces = Braces::default();
        braces.open(self.arm.machine.graph[block].scope);
        first.into_iter().for_each(|tokens| braces.push(tokens));
        let before = self.split.whole().clone();
        self.chain(block, &mut braces);
        braces.push(self.split.split_again_for(before, merge));
        braces.finish()
    }

    fn node(&mut self, node: &Node, usage: &Usage, braces: &mut Braces) {
        let Arm { machine, segment } = self.arm;
        let segments = &machine.layout.segments;
        if is_made_elsewhere(machine.graph, segments, segment, (node, usage)) {
            return;
        }
        match node {
            Node::Code(stmt) => {
                let tied = with_tied_values(machine, stmt, usage);
                let printed = self.stmt(tied.as_ref().unwrap_or(stmt), usage);
                braces.add(|out| match ends_alone(stmt) {
                    true => printed.to_tokens(out),
                    false => add!(out, { #printed }),
                });
                if let Stmt::Local(local) = stmt {
                    braces.push(use_bound(self.arm, &local.pat));
                    braces.push(tie_again(machine, usage.binds.iter().copied()));
                    braces.push(tie(machine, usage.binds.iter().copied()));
                }
            }
            // Without an assignment, rustc could not infer its type.
            Node::Declare(local) if !segment.named.contains(local) => {}
            Node::Declare(local) => braces.push(declare(machine, *local)),
            Node::Define { local, value } => {
                let value = self.expr(value, usage);
                braces.push(assign(machine, *local, &value));
            }
            Node::Enter(scope) => braces.open(*scope),
            Node::Leave => {
                braces.close();
            }
        }
    }

    /// Whether code needs no rewriting.
    fn is_plain(&self, usage: &Usage) -> bool {
        usage.jumps.is_empty() && self.split.is_empty()
    }

    fn stmt<'s>(&mut self, stmt: &'s Stmt, usage: &Usage) -> Cow<'s, Stmt> {
        let mut stmt = without_move(self.arm.machine, stmt).map_or(Cow::Borrowed(stmt), Cow::Owned);
        if !self.is_plain(usage) {
            Rewrite::new(self).visit_stmt_mut(stmt.to_mut());
        }
        stmt
    }

    pub(super) fn expr<'e>(&mut self, expr: &'e Expr, usage: &Usage) -> Cow<'e, Expr> {
        let mut expr = Cow::Borrowed(expr);
        if !self.is_plain(usage) {
            Rewrite::new(self).visit_expr_mut(expr.to_mut());
        }
        expr
    }

    fn pat<'p>(&mut self, pat: &'p Pat) -> Cow<'p, Pat> {
        let mut pat = Cow::Borrowed(pat);
        if let Pat::Guard(_) = &*pat
            && let Pat::Guard(pat) = pat.to_mut()
        {
            Rewrite::new(self).visit_expr_mut(&mut pat.guard);
        }
        pat
    }
}

/// A `let` of a rematerialized closure without the `move` of the closure: states save the locals that it would move.
fn without_move(machine: &Machine<'_>, stmt: &Stmt) -> Option<Stmt> {
    let Stmt::Local(local) = stmt else { return None };
    let Expr::Closure(closure) = &*local.init.as_ref()?.expr else { return None };
    closure.capture.as_ref()?;
    let bound = bound_locals(&machine.graph.locals, &local.pat);
    if !bound.into_iter().any(|local| machine.layout.is_rematerialized(local)) {
        return None;
    }
    let mut local = local.clone();
    if let Some(Expr::Closure(closure)) = local.init.as_mut().map(|init| &mut *init.expr) {
        closure.capture = None;
    }
    Some(Stmt::Local(local))
}

/// Whether code is a whole statement, and not only the last expression of a block.
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

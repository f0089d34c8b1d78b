//! What is in an arm of the step function: the blocks that belong to its root.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::Range;

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, quote};
use syn::visit_mut::VisitMut;
use syn::{Expr, Lifetime, Pat, Stmt};

use super::add::add;
use super::braces::Braces;
use super::parts::parts_in;
use super::rewrite::{Rewrite, enclose_last};
use super::tokens::token_of_await;
use super::{Machine, add, step};
use crate::hygiene::{in_source, numbered};
use crate::ir::{BlockId, BlockKind, Branch, LocalId, Node, PointId, Terminator};
use crate::layout::{Link, Root, VariableId, is_made_elsewhere};
use crate::sets::Set;
use crate::syntax::patterns::let_patterns;
use crate::usage::{Place, Usage, bound_locals};

/// Prints the blocks of one root.
pub(super) struct Printer<'a> {
    pub(super) machine: &'a Machine<'a>,
    pub(super) root: &'a Root,
    /// The parts of locals that are not whole here, each with its variable.
    pub(super) parts: Vec<(Place, Ident)>,
    /// Whether the root begins with a variable for a local, for each of them.
    pub(super) made: Vec<bool>,
    /// The node that is being printed, by its block and position.
    pub(super) at: Cell<(BlockId, usize)>,
    /// What fills the parts that the end being printed has taken.
    pub(super) filling: RefCell<TokenStream>,
    /// The copies that the node or end being printed may take away, each with a variable that says
    /// whether it is still there.
    pub(super) flags: RefCell<Vec<(Place, Ident)>>,
    /// The copies that have been forgotten for the return whose value is being printed.
    pub(super) returning: RefCell<Vec<(Place, Ident)>>,
    /// The positions, in the state before, of what is dropped as it is there if the workflow ends here.
    pub(super) untouched: RefCell<Vec<Range<usize>>>,
    /// The locals that have been assigned as a whole since parts of them were variables.
    pub(super) whole: RefCell<Set<LocalId>>,
    /// The parts that have been moved out of them since.
    pub(super) moved: RefCell<Set<Place>>,
}

/// The root that follows a suspension, and that waits for its regions.
pub(super) fn root_after<'a>(machine: &Machine<'a>, point: PointId) -> Option<&'a Root> {
    let kind = BlockKind::Resume(point);
    machine.layout.roots.iter().find(|root| machine.graph[root.block].kind == kind)
}

impl<'a> Printer<'a> {
    pub(super) fn new(machine: &'a Machine<'a>, root: &'a Root) -> Self {
        Self {
            machine,
            root,
            parts: parts_in(machine, root),
            made: Self::made_in(machine, root),
            at: Cell::new((root.block, 0)),
            filling: RefCell::default(),
            flags: RefCell::default(),
            returning: RefCell::default(),
            untouched: RefCell::default(),
            whole: RefCell::default(),
            moved: RefCell::default(),
        }
    }

    /// Prints a block and what follows it without a jump.
    pub(super) fn chain(&self, first: BlockId, braces: &mut Braces) {
        let mut id = first;
        loop {
            let block = &self.machine.graph[id];
            for (index, (node, usage)) in block.nodes.iter().zip(&block.usages).enumerate() {
                self.at.set((id, index));
                let (copy, fill) = self.copy_parts(usage);
                braces.push(self.tie_parts(usage));
                braces.push(copy);
                self.node(node, usage, braces);
                self.note_moved(usage);
                braces.push(fill);
            }
            self.at.set((id, block.nodes.len()));
            let (copy, fill) = self.copy_parts(&block.end_usage);
            braces.push(self.tie_parts(&block.end_usage));
            braces.push(copy);
            self.filling.replace(fill.clone());
            let usage = &block.end_usage;
            let merge = match &block.end {
                Terminator::Goto(to) => match self.machine.layout.links[to.0] {
                    // The end that the merge belongs to is being printed.
                    Link::After | Link::Branch => {
                        braces.push(self.turn(*to));
                        return braces.push(self.hand_on(id));
                    }
                    Link::Follow => {
                        braces.push(self.turn(*to));
                        braces.close_to(self.machine.graph[*to].scope);
                        id = *to;
                        continue;
                    }
                    Link::Root => return braces.add(|out| self.goto(out, *to, None)),
                },
                Terminator::If { cond, then, otherwise, merge } => {
                    let see = self.see_lent(&let_patterns(cond));
                    let cond = self.expr(cond, usage);
                    braces.add(|out| {
                        add!(out, if #cond);
                        out.append(self.branch(*then, *merge, [fill.clone(), see]));
                        add!(out, else);
                        out.append(self.branch(*otherwise, *merge, [fill]));
                    });
                    *merge
                }
                Terminator::Match { scrutinee, arms, merge } => {
                    let scrutinee = self.expr(scrutinee, usage);
                    braces.add(|out| {
                        add!(out, match #scrutinee);
                        add::braces(out, Span::call_site(), |out| {
                            for (pat, block) in arms {
                                let (see, pat) = (self.see_lent(&[pat]), self.pat(pat));
                                add!(out, #pat =>);
                                out.append(self.branch(*block, *merge, [fill.clone(), see]));
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
                    let otherwise = self.branch(*otherwise, *next, [fill.clone()]);
                    let pat = &local.pat;
                    let see = self.see_lent(&[pat]);
                    if let Some(init) = &mut local.init {
                        enclose_last(&mut init.expr);
                        let value = self.expr(&init.expr, usage);
                        braces.push(quote!(let #pat = #value else #otherwise; #see #fill));
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
                    let complete = if self.is_plain(usage) {
                        self.complete(value, &[], Span::call_site())
                    } else {
                        Rewrite::new(self).returned(&mut value.clone(), Span::call_site())
                    };
                    braces.push(complete);
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
        step::step_label(self.machine.graph[self.root.block].region)
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
            Node::Declare(local) if !self.root.named.contains(local) => {}
            Node::Declare(local) => braces.push(self.declare(*local)),
            Node::Define { local, value } => {
                let value = self.expr(value, usage);
                let forget = self.forget_in(&Place::whole(*local), &[]);
                braces.push(forget);
                braces.push(self.give(*local, &value));
            }
            Node::Enter(scope) => braces.open(*scope),
            Node::Leave => {
                if let Some(scope) = braces.innermost() {
                    braces.push(self.forget_of(scope));
                }
                braces.close();
            }
        }
    }

    fn is_made_elsewhere(&self, node: &Node, usage: &Usage) -> bool {
        let roots = &self.machine.layout.roots;
        is_made_elsewhere(self.machine.graph, roots, self.root, (node, usage))
    }

    /// Whether code can be printed as it is.
    fn is_plain(&self, usage: &Usage) -> bool {
        usage.jumps.is_empty() && self.parts.is_empty() && !self.has_flags()
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

/// Whether the identifier is among the tokens.
pub(super) fn names(tokens: &TokenStream, ident: &Ident) -> bool {
    find(tokens, ident).is_some()
}

/// The first of the tokens that is this identifier.
pub(super) fn find(tokens: &TokenStream, ident: &Ident) -> Option<Ident> {
    tokens.clone().into_iter().find_map(|tree| match tree {
        TokenTree::Ident(found) => (found == *ident).then_some(found),
        TokenTree::Group(group) => find(&group.stream(), ident),
        _ => None,
    })
}

/// The variable that holds what is only to be dropped.
pub(super) fn carried(id: VariableId) -> Ident {
    numbered("c", id.0)
}

/// The variable that holds an operation while it is outstanding.
pub(super) fn call(index: usize) -> Ident {
    numbered("call", index)
}

/// The variable that holds what an operation gave.
pub(super) fn ready(index: usize) -> Ident {
    numbered("ready", index)
}

/// The value of the await that a root follows.
pub(super) fn awaited(span: Span) -> Ident {
    in_source("value", span)
}

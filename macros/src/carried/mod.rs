//! Values that no code needs any more and that are not dropped yet.
//!
//! rustc drops a local at the end of its scope. A root whose code ends before that hands such a value
//! on to the next root, unless the machine parks in between. Input: the graph, and what each root is
//! given because its code needs it. Output: [`Carried`]. Guarantees: what is said to be held at a
//! place has been initialized there, has not been moved, and nothing borrows from it; what is carried
//! borrows from no other local. Where that cannot be seen from the source (the last use of the value
//! is a method call, which may take it), the value is not carried.

mod bindings;
mod blocks;
mod calls;
mod early;
mod looks;
mod owned;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use syn::visit_mut::VisitMut;
use syn::{Expr, Stmt};

pub(crate) use self::bindings::has_ref;
use self::early::Early;
use self::looks::Looks;
use self::owned::{borrowing, plain};
pub(crate) use self::owned::{gives_own, local_of, takes_receiver};
use crate::captures::Captures;
use crate::cfg::always_jumps;
use crate::ir::{Block, BlockId, BlockKind, Graph, LocalId, LocalKind, Locals, Node, Terminator};
use crate::liveness::Liveness;
use crate::normalize::{binds_nothing, chain};
use crate::usage::{Jump, Place, Usage, bound_locals};

/// The result of the analysis.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    /// What is certainly held while each node of a block runs, and, last, at its end.
    held: Vec<Vec<BTreeSet<LocalId>>>,
    /// What may come to a root beside what its code needs.
    carried: BTreeMap<BlockId, BTreeSet<LocalId>>,
    /// What is handed on where a block ends, though others follow it in its root.
    early: Early,
    /// Neither handed on nor said to be held: what borrows, and what has no destructor.
    left_out: BTreeSet<LocalId>,
}

impl Carried {
    /// What is held while a node of a block runs; its end comes after the last node.
    pub(crate) fn held(&self, block: BlockId, node: usize) -> &BTreeSet<LocalId> {
        &self.held[block.0][node]
    }

    /// What is handed on at the end of a block to where its branches meet, because it is not known there
    /// whether it has been moved.
    pub(crate) fn handed_on(&self, block: BlockId) -> impl Iterator<Item = LocalId> + '_ {
        self.early.at_end(block)
    }

    /// Whether a local that a `break` gives its value is to be dropped later.
    pub(crate) fn holds_when_given(&self, local: LocalId) -> bool {
        !self.left_out.contains(&local)
    }

    /// What may come to a root beside what its code needs.
    pub(crate) fn come_to(&self, root: BlockId) -> impl Iterator<Item = LocalId> + '_ {
        self.carried.get(&root).into_iter().flatten().copied()
    }
}

/// What the analysis knows of a root.
#[derive(Debug)]
pub(crate) struct Entry {
    /// What its code is given, and of that what is whole.
    pub(crate) locals: BTreeSet<LocalId>,
    pub(crate) whole: BTreeSet<LocalId>,
    /// What its code names.
    pub(crate) named: BTreeSet<LocalId>,
    /// Everything that is in scope where it begins.
    pub(crate) open: BTreeSet<LocalId>,
}

/// Analyzes the graph. `roots` are those that are entered within a step and those that are not;
/// `root_of` is by block. `lacks_part` says whether a part of a local is gone before or after a node of a
/// block.
pub(crate) fn analyze(
    graph: &Graph,
    liveness: &Liveness,
    roots: &BTreeMap<BlockId, Entry>,
    root_of: &[BlockId],
    lacks_part: &impl Fn((BlockId, usize), LocalId) -> bool,
) -> Carried {
    let borrowing = borrowing(graph);
    let left_out = &borrowing.locals | &plain(graph);
    let filled: BTreeSet<&Place> = graph.usages().flat_map(|usage| &usage.fills).collect();
    // Whether a branch that has been waited for may have given a borrow of the local.
    let is_lent = |resume: BlockId, local: LocalId| {
        let BlockKind::Resume(point) = graph[resume].kind else { return false };
        let mut regions = graph.regions_of(point).filter(|it| borrowing.regions.contains(it));
        regions.any(|region| liveness.captures().is_used_outside(region, local))
    };
    let mut held_at: Vec<Option<BTreeSet<LocalId>>> = vec![None; graph.blocks.len()];
    let mut carried = Carried::default();
    // Within a root control goes forward only.
    for id in graph.block_ids() {
        if let Some(entry) = roots.get(&id) {
            let given = entry.whole.iter().copied().chain(bound_before(graph, id));
            let given = given.filter(|local| !left_out.contains(local) && !is_lent(id, *local));
            held_at[id.0] = Some(given.collect());
        }
        let mut held = held_at[id.0].clone().unwrap_or_default();
        let block = &graph[id];
        let mut at_nodes = Vec::with_capacity(block.nodes.len() + 1);
        let live = liveness.after_nodes(graph, id);
        for ((node, usage), live) in block.nodes.iter().zip(&block.usages).zip(&live) {
            let seen = without_looks(&graph.locals, node, usage);
            let kept = kept(node, &seen, live, &filled).filter(|local| held.contains(local));
            let kept: Vec<_> = kept.collect();
            held = &(&held - &seen.mentions) - &given_by(&graph.locals, &seen.mentions);
            // Where control does not go on, all counts as assigned.
            let assigned = match node {
                Node::Code(stmt) if always_jumps(stmt) => &usage.replaces,
                _ => &usage.assigned,
            };
            held = &held - assigned;
            at_nodes.push(held.clone());
            held.extend(kept);
            held.extend(made(graph, node, usage, &seen).filter(|local| !left_out.contains(local)));
        }
        let before = held.clone();
        let taken = taken_at_end(&graph.locals, block);
        held = &(&held - &taken) - &given_by(&graph.locals, &taken);
        // What regions take over they hand back themselves.
        for region in block.end.regions() {
            held = &held - liveness.captures().owned(region);
        }
        at_nodes.push(held.clone());
        carried.held.push(at_nodes);
        let used_up = taken_in_chain(&graph.locals, &block.end);
        for (to, bound) in graph.edges(id) {
            if roots.contains_key(to) {
                continue;
            }
            let is_held = |local: &LocalId| !left_out.contains(local) && !used_up.contains(local);
            let bound = bound.iter().copied().filter(is_held);
            let looked_at = looked_at(&graph.locals, &block.end, *to);
            let looked_at = looked_at.filter(|local| before.contains(local));
            let mut here: BTreeSet<_> =
                held.iter().copied().chain(bound).chain(looked_at).collect();
            if let Some(items) = exhausted(&graph.locals, &block.end, *to) {
                here.remove(&items);
            }
            held_at[to.0] = Some(match held_at[to.0].take() {
                Some(others) => &others & &here,
                None => here,
            });
        }
    }
    carried.left_out = left_out;
    for (id, nodes) in graph.block_ids().zip(&mut carried.held) {
        for (node, held) in nodes.iter_mut().enumerate() {
            held.retain(|local| !lacks_part((id, node), *local));
        }
    }
    carried.early = Early::find(graph, liveness, roots, root_of, &carried.held, &held_at);
    loop {
        let mut changed = false;
        for id in graph.block_ids() {
            changed |= carried.hand_on(graph, roots, id, root_of[id.0]);
            changed |= carried.hand_back(graph, liveness.captures(), roots, id, root_of[id.0]);
        }
        if !changed {
            return carried;
        }
    }
}

impl Carried {
    /// Adds what the block hands on to the roots that it goes to. Whether that is new.
    fn hand_on(
        &mut self,
        graph: &Graph,
        roots: &BTreeMap<BlockId, Entry>,
        id: BlockId,
        root: BlockId,
    ) -> bool {
        let block = &graph[id];
        let here = self.carried.get(&root).cloned().unwrap_or_default();
        let here = &here - &roots[&root].named;
        let mut changed = false;
        let usages = block.all_usages().enumerate();
        let mut goes: Vec<(usize, BlockId, Option<LocalId>)> = usages
            .flat_map(|(node, usage)| usage.jumps.iter().map(move |jump| (node, *jump)))
            .filter_map(|(node, jump)| {
                Some((node, jump_target(graph, jump)?, jump_dest(graph, jump)))
            })
            .collect();
        goes.extend(block.end.successors().into_iter().map(|to| (block.nodes.len(), to, None)));
        for (node, to, given) in goes {
            // Branches that are regions are begun in the root that waits for them.
            let is_within = match graph[to].kind {
                BlockKind::Start | BlockKind::Region(_) => false,
                BlockKind::Resume(point) => graph.has_regions(point),
                _ => true,
            };
            let Some(entry) = roots.get(&to).filter(|_| is_within) else { continue };
            let mut all = &(&self.held[id.0][node] | &here) | self.early.before(id);
            all.extend(given.filter(|local| self.holds_when_given(*local)));
            let carried = self.carried.entry(to).or_default();
            let count = carried.len();
            carried.extend((&all & &entry.open).difference(&entry.locals));
            changed |= carried.len() != count;
        }
        changed
    }

    /// Adds what a region hands back where it ends to what follows the wait for it. Whether that is new.
    fn hand_back(
        &mut self,
        graph: &Graph,
        captures: &Captures,
        roots: &BTreeMap<BlockId, Entry>,
        id: BlockId,
        root: BlockId,
    ) -> bool {
        let block = &graph[id];
        let Some(region) = block.region else { return false };
        let wait = BlockKind::Resume(graph[region].point);
        let Some((to, entry)) = roots.iter().find(|(to, _)| graph[**to].kind == wait) else {
            return false;
        };
        let here = self.carried.get(&root).cloned().unwrap_or_default();
        let mut all = &here - &roots[&root].named;
        for (node, usage) in block.all_usages().enumerate() {
            let is_end = node == block.nodes.len();
            if usage.jumps.contains(&Jump::Return)
                || is_end && matches!(block.end, Terminator::Return(_))
            {
                all.extend(&self.held[id.0][node]);
            }
        }
        // What it was not given stands elsewhere.
        let given = &roots[&graph[region].entry].whole;
        let borrowed = captures.borrowed(graph, region);
        let back = borrowed.filter(|local| {
            all.contains(local)
                && given.contains(local)
                && entry.open.contains(local)
                && !entry.locals.contains(local)
        });
        let carried = self.carried.entry(*to).or_default();
        let count = carried.len();
        carried.extend(back);
        carried.len() != count
    }
}

fn jump_target(graph: &Graph, jump: Jump) -> Option<BlockId> {
    match jump {
        Jump::Break(target) => graph.targets[target.0].exit,
        Jump::Continue(target) => graph.targets[target.0].head,
        Jump::Return => None,
    }
}

/// What a jump gives a value.
fn jump_dest(graph: &Graph, jump: Jump) -> Option<LocalId> {
    match jump {
        Jump::Break(target) => graph.targets[target.0].dest,
        Jump::Continue(_) | Jump::Return => None,
    }
}

/// What is bound where a root begins: parameters, and what an await gives.
fn bound_before(graph: &Graph, root: BlockId) -> Vec<LocalId> {
    if graph[root].kind == BlockKind::Start {
        return graph.params.clone();
    }
    let pats = graph.blocks.iter().filter_map(|block| match &block.end {
        Terminator::Await { pat, resume, .. } | Terminator::Join { pat, resume, .. } => {
            (*resume == root).then_some(pat)
        }
        _ => None,
    });
    pats.flat_map(|pat| bound_locals(&graph.locals, pat)).collect()
}

/// The locals that a node gives a value.
fn made(graph: &Graph, node: &Node, usage: &Usage, seen: &Usage) -> impl Iterator<Item = LocalId> {
    let made = match node {
        Node::Code(Stmt::Local(local)) if local.init.is_some() => {
            bound_locals(&graph.locals, &local.pat)
        }
        Node::Code(Stmt::Expr(Expr::Assign(expr), _)) => {
            let whole = Some(&*expr.left).filter(|left| matches!(left, Expr::Path(_)));
            whole.and_then(|left| local_of(&graph.locals, left)).into_iter().collect()
        }
        Node::Define { local, .. } => vec![*local],
        Node::Code(_) => {
            let assigned = &usage.assigned & &usage.replaces;
            assigned.difference(&seen.mentions).copied().collect()
        }
        _ => Vec::new(),
    };
    made.into_iter()
}

/// What a node does with the locals, but for what only looks at them: it may have moved or borrowed what
/// this mentions.
fn without_looks(locals: &Locals, node: &Node, usage: &Usage) -> Usage {
    if usage.mentions.is_empty() {
        return Usage::default();
    }
    match node {
        Node::Code(stmt) => {
            let mut stmt = stmt.clone();
            Looks(locals).visit_stmt_mut(&mut stmt);
            Usage::of_stmt(locals, &stmt)
        }
        Node::Define { value, .. } => value_without_looks(locals, value),
        _ => Usage::default(),
    }
}

/// What a statement names and has not moved, because it is used later, and what nothing borrows from,
/// because the statement leaves nothing behind. A part of it may have been moved that is `filled` before.
fn kept<'a>(
    node: &Node,
    seen: &'a Usage,
    live: &'a BTreeSet<Place>,
    filled: &'a BTreeSet<&'a Place>,
) -> impl Iterator<Item = LocalId> + 'a {
    let is_statement = matches!(node, Node::Code(Stmt::Expr(..)));
    let is_filled = |part: &&Place| filled.iter().any(|filled| filled.overlaps(part));
    let emptied: BTreeSet<LocalId> =
        seen.moves.iter().filter(is_filled).map(|part| part.local).collect();
    seen.mentions.iter().copied().filter(move |local| {
        is_statement
            && live.contains(&Place::whole(*local))
            && !emptied.contains(local)
            && seen.changes.iter().all(|changed| changed == local)
    })
}

/// What closures that are made again, and are among the locals that code names, may give away of what they have
/// taken over.
fn given_by(locals: &Locals, named: &BTreeSet<LocalId>) -> BTreeSet<LocalId> {
    let made = named.iter().filter_map(|local| locals[*local].remade.as_ref());
    let closures = made.filter(|made| matches!(made, Expr::Closure(_)));
    let spent = closures.flat_map(|closure| Usage::of_expr(locals, closure).spends);
    spent.map(|place| place.local).collect()
}

fn taken_at_end(locals: &Locals, block: &Block) -> BTreeSet<LocalId> {
    match &block.end {
        Terminator::If { cond, .. } => taken_by(locals, cond),
        Terminator::Match { scrutinee, arms, .. } => {
            let guards = arms.iter().filter_map(|(pat, _)| match pat {
                syn::Pat::Guard(pat) => Some(taken_by(locals, &pat.guard)),
                _ => None,
            });
            taken_by(locals, scrutinee).into_iter().chain(guards.flatten()).collect()
        }
        Terminator::Return(value) => taken_by(locals, value),
        _ => block.end_usage.mentions.clone(),
    }
}

/// What the operands of a condition take, perhaps of what those before them have bound.
fn taken_in_chain(locals: &Locals, end: &Terminator) -> BTreeSet<LocalId> {
    let Terminator::If { cond, .. } = end else { return BTreeSet::new() };
    let taken = chain(cond).into_iter().map(|operand| match operand {
        Expr::Let(expr) => taken_by(locals, &expr.expr),
        operand => taken_by(locals, operand),
    });
    taken.flatten().collect()
}

/// What is matched, where an arm takes nothing of it.
fn looked_at(locals: &Locals, end: &Terminator, arm: BlockId) -> Option<LocalId> {
    let Terminator::Match { scrutinee: scrutinee @ Expr::Path(_), arms, .. } = end else {
        return None;
    };
    let matched = local_of(locals, scrutinee)?;
    let is_in_guard = |pat: &syn::Pat| Usage::of_guard(locals, pat).mentions.contains(&matched);
    let looks = arms.iter().any(|(pat, block)| *block == arm && binds_nothing(pat))
        && !arms.iter().any(|(pat, _)| is_in_guard(pat));
    looks.then_some(matched)
}

/// The items of a loop where there are none left.
fn exhausted(locals: &Locals, end: &Terminator, arm: BlockId) -> Option<LocalId> {
    let Terminator::Match { scrutinee: Expr::Call(call), arms, .. } = end else { return None };
    let Some(Expr::Reference(items)) = call.args.first() else { return None };
    let items = local_of(locals, &items.expr)?;
    let is_none = arms.iter().any(|(pat, to)| *to == arm && matches!(pat, syn::Pat::Path(_)));
    (locals[items].kind == LocalKind::Items && is_none).then_some(items)
}

fn taken_by(locals: &Locals, expr: &Expr) -> BTreeSet<LocalId> {
    value_without_looks(locals, expr).mentions
}

fn value_without_looks(locals: &Locals, value: &Expr) -> Usage {
    let mut value = value.clone();
    Looks(locals).visit_expr_mut(&mut value);
    Usage::of_expr(locals, &value)
}

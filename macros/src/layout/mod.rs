//! What the machine consists of: states with their saved places, and the pieces that its step
//! function is made of.
//!
//! Input: the graph and its liveness. Output: [`Layout`]. A *root* is a block that is an arm of the
//! step function's `match`: the start, what follows a suspension, loop heads and exits, and places
//! where several ways meet. Every other block is printed inside the root that leads to it, so that
//! its borrows and temporaries work as in the source. Guarantees: see [`validate`].

mod parts;
mod states;
mod validate;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use syn::Ident;

use self::parts::{forget_late, taken};
use self::states::{edges, states};
pub(crate) use self::validate::validate;
use crate::captures::Captures;
use crate::carried::{self, Carried};
use crate::holes;
use crate::hygiene::hidden;
use crate::ir::{
    BlockId, BlockKind, Graph, LocalId, LocalKind, Node, PointId, RegionId, ScopeId, Terminator,
};
use crate::liveness::Liveness;
use crate::usage::{Jump, Place, Usage, bound_locals};

/// Index into [`Layout::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct VariableId(pub(crate) usize);

/// A local, or a part of one, that outlives its block.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) place: Place,
    /// The name of the variable in the step function: that of the local, or one for the part.
    pub(crate) ident: Ident,
    /// The name under which it is stored.
    pub(crate) stored: String,
    pub(crate) mutable: bool,
    pub(crate) kind: LocalKind,
    /// Whether a state has it.
    pub(crate) is_saved: bool,
    /// The machines, the function's own or that of a region, in which it goes from root to root
    /// within a step.
    pub(crate) passed_in: BTreeSet<Option<RegionId>>,
    /// Whether it may do so as it was saved, without having been loaded.
    pub(crate) comes_saved: bool,
}

/// How control comes to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// It is an arm of its own.
    Root,
    /// It is a part of the end before it.
    Branch,
    /// It follows the structured end before it.
    After,
    /// It follows the one jump to it.
    Follow,
}

/// An arm of the step function.
#[derive(Debug)]
pub(crate) struct Root {
    pub(crate) block: BlockId,
    /// What it is given.
    pub(crate) entry: Vec<VariableId>,
    /// What it makes again, in order.
    pub(crate) remade: Vec<LocalId>,
    /// What it declares because it assigns it.
    pub(crate) declared: Vec<LocalId>,
    /// What its code names.
    pub(crate) named: BTreeSet<LocalId>,
    /// What its code uses, directly or by way of locals that are made again.
    pub(crate) needed: BTreeSet<LocalId>,
    /// What the regions use from outside that it steps because it waits for them.
    pub(crate) used_by_regions: BTreeSet<LocalId>,
    /// What the regions take over that it begins.
    given: BTreeSet<LocalId>,
    /// What of `entry` its code does not touch and all of its exits need.
    kept: BTreeSet<VariableId>,
    /// What other roots read, and this one neither reads nor hands on.
    pub(crate) idle: BTreeSet<LocalId>,
    /// What may come to it to be dropped at the end of its scope.
    pub(crate) carried: Vec<VariableId>,
    /// The parts of what it is given that have been moved out.
    pub(crate) gone: Vec<Place>,
    /// Parts of locals that it fills before it reads them, and is not given.
    pub(crate) unfilled: Vec<VariableId>,
}

impl Root {
    /// Whether the variable only passes through: it is neither loaded nor saved, but stays in the
    /// bytes of the state, or in its slot.
    pub(crate) fn keeps(&self, id: VariableId) -> bool {
        self.kept.contains(&id)
    }
}

/// A state of the machine.
#[derive(Debug)]
pub(crate) struct State {
    /// `None` for the start, of the function or of a region.
    pub(crate) point: Option<PointId>,
    /// The region whose state it is.
    pub(crate) region: Option<RegionId>,
    pub(crate) name: String,
    pub(crate) variant: Ident,
    pub(crate) fields: Vec<VariableId>,
}

#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) variables: Vec<Variable>,
    pub(crate) roots: Vec<Root>,
    /// By block.
    pub(crate) links: Vec<Link>,
    /// The start, then a state per suspension point that is reached, in source order; those of
    /// regions follow in the same way, region by region.
    pub(crate) states: Vec<State>,
    /// From state to state, or to the end.
    pub(crate) edges: BTreeSet<(usize, Option<usize>)>,
    /// The locals that are read anywhere.
    pub(crate) read: BTreeSet<LocalId>,
    /// What is held where control leaves a root.
    pub(crate) carried: Carried,
    /// The parts that a node of a block, or its end, takes out of locals that are saved as a whole.
    pub(crate) taken: BTreeMap<(BlockId, usize), Vec<Place>>,
}

/// Lays the machine out.
pub(crate) fn lay_out(graph: &Graph, liveness: &Liveness) -> Layout {
    let (links, root_of) = link(graph);
    let mut variables = Variables::default();
    let bound = bound_at_entry(graph);
    let holes = holes::analyze(graph, liveness);
    let mut roots = Vec::new();
    for block in graph.block_ids().filter(|block| links[block.0] == Link::Root) {
        let bound = &bound[block.0];
        let places = liveness.entry(graph, block, bound);
        // What the start reads without having assigned it, rustc complains about.
        let is_start = graph[block].kind == BlockKind::Start;
        let places = places.into_iter().filter(|_| !is_start);
        let (unfilled, places): (Vec<_>, Vec<_>) =
            places.partition(|place| !place.fields.is_empty() && holes.is_vacant(block, place));
        let unfilled: Vec<_> =
            unfilled.into_iter().map(|place| variables.id(graph, place)).collect();
        let places = places.into_iter();
        let mut entry: Vec<_> = places.map(|place| variables.id(graph, place)).collect();
        // They are loaded in the order of their declarations, because they are dropped in reverse.
        let open = open_at(graph, block);
        let declared = |id: &VariableId| {
            open.iter().position(|local| *local == variables.list[id.0].place.local)
        };
        entry.sort_by_cached_key(declared);
        let (named, bound) = names_in(graph, block, &root_of);
        let needed = needed_in(graph, block, &root_of);
        let remade = liveness.remade(graph, block);
        let remade: Vec<_> = remade.into_iter().filter(|local| needed.contains(local)).collect();
        let mut declared = &named - &bound;
        let given = entry.iter().chain(&unfilled).map(|id| variables.list[id.0].place.local);
        for known in given.chain(remade.iter().copied()) {
            declared.remove(&known);
        }
        // What names one that is made again, and is not made itself, is not there.
        declared.retain(|local| graph.locals[*local].remade.is_none());
        let region = graph[block].region;
        let captures = liveness.captures();
        if let Some(region) = region {
            declared.retain(|local| !captures.is_used_outside(region, *local));
        }
        for id in &entry {
            let variable = &mut variables.list[id.0];
            variable.is_saved |= matches!(graph[block].kind, BlockKind::Resume(_));
            if is_entered_within(graph, block) {
                variable.passed_in.insert(region);
            }
        }
        let whole = entry.iter().map(|id| &variables.list[id.0].place);
        let whole = whole.filter(|place| place.fields.is_empty());
        let gone = whole.flat_map(|place| holes.at_entry(block, place.local)).collect();
        roots.push(Root {
            block,
            entry,
            remade,
            declared: declared.into_iter().collect(),
            named,
            needed,
            used_by_regions: used_by_regions(graph, captures, block),
            given: given_in(graph, captures, block, &root_of),
            kept: BTreeSet::new(),
            idle: BTreeSet::new(),
            carried: Vec::new(),
            gone,
            unfilled,
        });
    }
    let carried = carry(graph, &root_of, &mut roots, &mut variables);
    let read = find_idle(graph, &links, &root_of, &mut roots, &variables.list);
    keep(graph, &links, &root_of, &mut roots, &mut variables.list);
    let states = states(graph, &roots);
    let edges = edges(graph, &states);
    let taken = taken(graph, &links, &root_of, &holes, &roots, &variables.list);
    forget_late(graph, &links, &root_of, &mut roots);
    Layout { variables: variables.list, roots, links, states, edges, read, carried, taken }
}

impl Layout {
    pub(crate) fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0]
    }

    /// The root that begins with `block`.
    pub(crate) fn root(&self, block: BlockId) -> Option<&Root> {
        self.roots.iter().find(|root| root.block == block)
    }

    /// Whether a root makes the local again.
    pub(crate) fn is_remade(&self, local: LocalId) -> bool {
        self.roots.iter().any(|root| root.remade.contains(&local))
    }

    /// The states of the function itself, or those of a region.
    pub(crate) fn states_of(&self, owner: Option<RegionId>) -> impl Iterator<Item = &State> {
        self.states.iter().filter(move |state| state.region == owner)
    }

    /// The state before a region has been stepped.
    pub(crate) fn start_of(&self, region: RegionId) -> Option<&State> {
        self.states.iter().find(|state| state.region == Some(region) && state.point.is_none())
    }

    /// The state in which `point` is awaited.
    pub(crate) fn state(&self, point: PointId) -> Option<&State> {
        self.states.iter().find(|state| state.point == Some(point))
    }
}

/// The locals that are in scope where a block begins, as they are declared.
fn open_at(graph: &Graph, block: BlockId) -> Vec<LocalId> {
    let scopes = scope_path(graph, graph[block].scope);
    scopes.iter().flat_map(|scope| &graph.scopes[scope.0].locals).copied().collect()
}

/// Finds out what goes from root to root to be dropped where its scope ends.
fn carry(
    graph: &Graph,
    root_of: &[BlockId],
    roots: &mut [Root],
    variables: &mut Variables,
) -> Carried {
    let entries = roots.iter().map(|root| {
        let own = graph[root.block].region.map(|region| graph[region].scope);
        let scopes = scope_path(graph, graph[root.block].scope);
        let outside = scopes.iter().position(|scope| Some(*scope) == own).unwrap_or(0);
        let open = scopes[outside..].iter().flat_map(|scope| &graph.scopes[scope.0].locals);
        let places = root.entry.iter().map(|id| &variables.list[id.0].place);
        let whole = places.clone().filter(|place| place.fields.is_empty());
        let entry = carried::Entry {
            whole: whole.map(|place| place.local).collect(),
            locals: places.map(|place| place.local).collect(),
            named: root.named.clone(),
            open: open.copied().collect(),
        };
        (root.block, entry)
    });
    let entries = entries.collect();
    let carried = carried::analyze(graph, &entries, root_of);
    for root in roots {
        for local in carried.come_to(root.block) {
            let id = variables.id(graph, Place::whole(local));
            variables.list[id.0].passed_in.insert(graph[root.block].region);
            root.carried.push(id);
        }
    }
    carried
}

/// Finds out which values nobody sees, though others of the same local are read: rustc would take
/// the variable of such a value for an unused one. Gives all locals that are read.
fn find_idle(
    graph: &Graph,
    links: &[Link],
    root_of: &[BlockId],
    roots: &mut [Root],
    variables: &[Variable],
) -> BTreeSet<LocalId> {
    let local_of = |id: &VariableId| variables[id.0].place.local;
    let entries: HashMap<BlockId, BTreeSet<LocalId>> =
        roots.iter().map(|root| (root.block, root.entry.iter().map(local_of).collect())).collect();
    let mut all = BTreeSet::new();
    let mut used: HashMap<BlockId, BTreeSet<LocalId>> = HashMap::new();
    for id in graph.block_ids() {
        let used = used.entry(root_of[id.0]).or_default();
        let usages = graph[id].usages.iter().chain([&graph[id].end_usage]);
        for read in usages.flat_map(|usage| &usage.reads) {
            all.insert(read.local);
            used.insert(read.local);
        }
        for exit in exits_of(graph, links, id).into_iter().flatten() {
            used.extend(&entries[&exit]);
        }
    }
    for root in roots {
        root.idle = &all - &used.remove(&root.block).unwrap_or_default();
    }
    all
}

/// Finds out what only passes through the roots.
fn keep(
    graph: &Graph,
    links: &[Link],
    root_of: &[BlockId],
    roots: &mut [Root],
    variables: &mut [Variable],
) {
    let entries: HashMap<BlockId, Vec<VariableId>> =
        roots.iter().map(|root| (root.block, root.entry.clone())).collect();
    let mut exits: HashMap<BlockId, Vec<Option<BlockId>>> = HashMap::new();
    for id in graph.block_ids() {
        exits.entry(root_of[id.0]).or_default().extend(exits_of(graph, links, id));
    }
    // What a region is given when it begins is not in the slots of its roots.
    let is_given = |root: &Root| matches!(graph[root.block].kind, BlockKind::Region(_));
    for root in roots.iter_mut().filter(|root| !is_given(root)) {
        let exits = exits.get(&root.block).map(Vec::as_slice).unwrap_or_default();
        let is_kept = |id: &VariableId| {
            let local = variables[id.0].place.local;
            !root.named.contains(&local)
                && !root.needed.contains(&local)
                && !root.used_by_regions.contains(&local)
                && !root.given.contains(&local)
                // Where it ends, it must be there to be dropped.
                && exits.iter().all(|exit| exit.is_some_and(|exit| entries[&exit].contains(id)))
        };
        let kept: BTreeSet<_> = root.entry.iter().copied().filter(is_kept).collect();
        let goes_on = exits.iter().flatten().any(|exit| is_entered_within(graph, *exit));
        if goes_on && !is_entered_within(graph, root.block) {
            kept.iter().for_each(|id| variables[id.0].comes_saved = true);
        }
        root.kept = kept;
    }
}

/// Whether a root is entered within a step.
pub(crate) fn is_entered_within(graph: &Graph, root: BlockId) -> bool {
    !matches!(graph[root].kind, BlockKind::Start | BlockKind::Region(_) | BlockKind::Resume(_))
}

fn used_by_regions(graph: &Graph, captures: &Captures, root: BlockId) -> BTreeSet<LocalId> {
    match graph[root].kind {
        BlockKind::Resume(point) => {
            graph.regions_of(point).flat_map(|region| captures.used_outside(region)).collect()
        }
        _ => BTreeSet::new(),
    }
}

fn given_in(
    graph: &Graph,
    captures: &Captures,
    root: BlockId,
    root_of: &[BlockId],
) -> BTreeSet<LocalId> {
    let blocks = graph.block_ids().filter(|id| root_of[id.0] == root);
    let regions = blocks.flat_map(|id| graph[id].end.regions());
    regions.flat_map(|region| captures.owned(region)).copied().collect()
}

/// The roots that a block goes to, also by way of a suspension; `None` is the end of the workflow.
fn exits_of(graph: &Graph, links: &[Link], id: BlockId) -> Vec<Option<BlockId>> {
    let block = &graph[id];
    let jumps = block.usages.iter().chain([&block.end_usage]).flat_map(|usage| &usage.jumps);
    let mut exits: Vec<_> = jumps
        .filter_map(|jump| match jump {
            Jump::Break(target) => graph.targets[target.0].exit.map(Some),
            Jump::Continue(target) => graph.targets[target.0].head.map(Some),
            Jump::Return => Some(None),
        })
        .collect();
    match &block.end {
        Terminator::Return(_) => exits.push(None),
        end => {
            let roots = end.successors().into_iter().filter(|to| links[to.0] == Link::Root);
            exits.extend(roots.map(Some));
        }
    }
    exits
}

#[derive(Default)]
struct Variables {
    list: Vec<Variable>,
    by_place: HashMap<Place, VariableId>,
}

impl Variables {
    fn id(&mut self, graph: &Graph, place: Place) -> VariableId {
        if let Some(id) = self.by_place.get(&place) {
            return *id;
        }
        let id = VariableId(self.list.len());
        let local = &graph.locals[place.local];
        let (ident, stored) = if place.fields.is_empty() {
            (local.ident.clone(), local.stored.clone())
        } else {
            let path = place.fields.join("_");
            let mut ident = hidden(&format!("part_{}_{}_{path}", id.0, local.ident));
            ident.set_span(ident.span().located_at(local.ident.span()));
            (ident, format!("{}.{}", local.stored, place.fields.join(".")))
        };
        self.list.push(Variable {
            place: place.clone(),
            ident,
            stored,
            mutable: local.mutable,
            kind: local.kind,
            is_saved: false,
            passed_in: BTreeSet::new(),
            comes_saved: false,
        });
        self.by_place.insert(place, id);
        id
    }
}

/// Decides how control comes to each block, and to which root it belongs.
fn link(graph: &Graph) -> (Vec<Link>, Vec<BlockId>) {
    let count = graph.blocks.len();
    let mut sources: Vec<Vec<BlockId>> = vec![Vec::new(); count];
    let mut jumped_to = BTreeSet::new();
    let mut branch_of: BTreeMap<BlockId, BlockId> = BTreeMap::new();
    let mut next_of: BTreeMap<BlockId, BlockId> = BTreeMap::new();
    let mut merge_of: BTreeMap<BlockId, BlockId> = BTreeMap::new();
    for id in graph.block_ids() {
        let block = &graph[id];
        for usage in block.usages.iter().chain([&block.end_usage]) {
            jumped_to.extend(usage.jumps.iter().filter_map(|jump| match jump {
                Jump::Break(target) => graph.targets[target.0].exit,
                Jump::Continue(target) => graph.targets[target.0].head,
                Jump::Return => None,
            }));
        }
        match &block.end {
            Terminator::Goto(to) => sources[to.0].push(id),
            Terminator::If { then, otherwise, merge, .. } => {
                branch_of.extend([(*then, id), (*otherwise, id)]);
                merge_of.insert(*merge, id);
            }
            Terminator::Match { arms, merge, .. } | Terminator::Chosen { arms, merge, .. } => {
                branch_of.extend(arms.iter().map(|(_, block)| (*block, id)));
                merge_of.insert(*merge, id);
            }
            Terminator::LetElse { otherwise, next, .. } => {
                branch_of.insert(*otherwise, id);
                next_of.insert(*next, id);
            }
            _ => {}
        }
    }
    let mut links = vec![Link::Root; count];
    let mut root_of: Vec<BlockId> = graph.block_ids().collect();
    // Whether the block is printed inside braces that its root does not close.
    let mut nested = vec![false; count];
    for id in graph.block_ids() {
        if graph[id].kind != BlockKind::Plain || jumped_to.contains(&id) {
            continue;
        }
        let (link, from, is_nested) = if let Some(owner) = branch_of.get(&id) {
            (Link::Branch, *owner, true)
        } else if let Some(owner) = next_of.get(&id) {
            (Link::After, *owner, nested[owner.0])
        } else if let Some(owner) = merge_of.get(&id)
            && sources[id.0].iter().all(|from| root_of[from.0] == root_of[owner.0])
        {
            (Link::After, *owner, nested[owner.0])
        } else if let [from] = sources[id.0].as_slice()
            && !nested[from.0]
        {
            (Link::Follow, *from, false)
        } else {
            continue;
        };
        links[id.0] = link;
        root_of[id.0] = root_of[from.0];
        nested[id.0] = is_nested;
    }
    (links, root_of)
}

/// The locals bound where a block begins, by block: parameters, and what an await gives.
fn bound_at_entry(graph: &Graph) -> Vec<Vec<LocalId>> {
    let mut bound = vec![Vec::new(); graph.blocks.len()];
    bound[0].clone_from(&graph.params);
    for block in &graph.blocks {
        if let Terminator::Await { pat, resume, .. } | Terminator::Join { pat, resume, .. } =
            &block.end
        {
            bound[resume.0] = bound_locals(&graph.locals, pat);
        }
    }
    bound
}

/// The locals that the code of a root needs, with what those that are made again are made of. A
/// statement that makes one needs nothing by itself.
fn needed_in(graph: &Graph, root: BlockId, root_of: &[BlockId]) -> BTreeSet<LocalId> {
    let mut needed = BTreeSet::new();
    for id in graph.block_ids().filter(|id| root_of[id.0] == root) {
        let block = &graph[id];
        for (node, usage) in block.nodes.iter().zip(&block.usages) {
            if !makes_remade(graph, node) {
                needed.extend(&usage.mentions);
            }
        }
        needed.extend(&block.end_usage.mentions);
    }
    let mut todo: Vec<LocalId> = needed.iter().copied().collect();
    while let Some(local) = todo.pop() {
        if let Some(expr) = &graph.locals[local].remade {
            let made_of = Usage::of_expr(&graph.locals, expr).mentions;
            todo.extend(made_of.into_iter().filter(|local| needed.insert(*local)));
        }
    }
    needed
}

fn makes_remade(graph: &Graph, node: &Node) -> bool {
    let Node::Code(syn::Stmt::Local(local)) = node else { return false };
    let bound = bound_locals(&graph.locals, &local.pat);
    bound.iter().any(|local| graph.locals[*local].remade.is_some())
}

/// The locals that the blocks of a root name, and those that they bind or declare.
fn names_in(
    graph: &Graph,
    root: BlockId,
    root_of: &[BlockId],
) -> (BTreeSet<LocalId>, BTreeSet<LocalId>) {
    let mut named = BTreeSet::new();
    let mut bound: BTreeSet<LocalId> = bound_at_entry(graph)[root.0].iter().copied().collect();
    for id in graph.block_ids().filter(|id| root_of[id.0] == root) {
        let block = &graph[id];
        for usage in block.usages.iter().chain([&block.end_usage]) {
            named.extend(&usage.mentions);
            for jump in &usage.jumps {
                if let Jump::Break(target) = jump {
                    named.extend(graph.targets[target.0].dest);
                }
            }
        }
        for node in &block.nodes {
            match node {
                Node::Code(syn::Stmt::Local(local)) => {
                    bound.extend(bound_locals(&graph.locals, &local.pat));
                }
                Node::Declare(local) => {
                    bound.insert(*local);
                }
                _ => {}
            }
        }
        match &block.end {
            Terminator::If { cond, .. } => {
                for pat in crate::cfg::let_patterns(cond) {
                    bound.extend(bound_locals(&graph.locals, pat));
                }
            }
            Terminator::Match { arms, .. } | Terminator::Chosen { arms, .. } => {
                for (pat, _) in arms {
                    bound.extend(bound_locals(&graph.locals, pat));
                }
            }
            Terminator::LetElse { local, .. } => {
                bound.extend(bound_locals(&graph.locals, &local.pat));
            }
            _ => {}
        }
    }
    (named, bound)
}

/// The scopes from the outermost to `scope`.
pub(crate) fn scope_path(graph: &Graph, scope: ScopeId) -> Vec<ScopeId> {
    let mut path: Vec<_> =
        std::iter::successors(Some(scope), |scope| graph.scopes[scope.0].parent).collect();
    path.reverse();
    path
}

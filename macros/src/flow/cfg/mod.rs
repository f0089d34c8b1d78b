//! Lowers the tree to a control flow graph.
//!
//! Input: [`Tree`]. Output: [`Graph`]: blocks in source order, each with one terminator. The reads, assignments and
//! jumps of every piece are recorded; from here on, expressions are only printed. Guarantees: every block is
//! reachable from the first; a block is entered either by falling through from the one before it or by jumps;
//! scopes nest as in the source.

mod borrowed;
mod edges;
mod terminators;
mod waits;

use std::collections::HashMap;

use syn::{Pat, PatType};

use crate::collections::sets::Set;
use crate::ir::usage::{Jump, Sources, Usage, bound_locals};
use crate::ir::{
    Block, BlockId, BlockKind, Body, Graph, LocalId, Locals, Node, Point, Region, RegionId, Scope,
    ScopeId, Stmt, Target, TargetId, Terminator, Touched, Tree,
};
use crate::syntax::divergence;
use crate::syntax::patterns::let_patterns;

/// Builds the graph.
pub(crate) fn build(tree: Tree, params: &[PatType]) -> Graph {
    let Tree { locals, points, items, body } = tree;
    let mut builder = Builder {
        locals,
        params: Vec::new(),
        blocks: Vec::new(),
        order: Vec::new(),
        scopes: vec![Scope { path: vec![ScopeId(0)], locals: Vec::new() }],
        targets: HashMap::new(),
        regions: Vec::new(),
        current: BlockId(0),
        scope: ScopeId(0),
        region: None,
    };
    let start = builder.new_block(BlockKind::Start);
    builder.begin(start);
    params.iter().for_each(|param| builder.declare_pat(&param.pat));
    builder.params.clone_from(&builder.scopes[0].locals);
    builder.body(body);
    builder.finish(points, items)
}

struct Builder {
    locals: Locals,
    params: Vec<LocalId>,
    blocks: Vec<Block>,
    /// The blocks in source order.
    order: Vec<BlockId>,
    scopes: Vec<Scope>,
    targets: HashMap<TargetId, Target>,
    regions: Vec<Region>,
    current: BlockId,
    scope: ScopeId,
    region: Option<RegionId>,
}

impl Builder {
    fn new_block(&mut self, kind: BlockKind) -> BlockId {
        self.blocks.push(Block {
            kind,
            region: self.region,
            scope: self.scope,
            nodes: Vec::new(),
            usages: Vec::new(),
            end: Terminator::Unreachable,
            end_usage: Usage::default(),
        });
        BlockId(self.blocks.len() - 1)
    }

    /// Continues in `block`, at this position of the source.
    fn begin(&mut self, block: BlockId) {
        self.blocks[block.0].scope = self.scope;
        self.order.push(block);
        self.current = block;
    }

    fn node(&mut self, node: Node, usage: Usage) {
        let block = &mut self.blocks[self.current.0];
        block.nodes.push(node);
        block.usages.push(usage);
    }

    fn end(&mut self, end: Terminator, usage: Usage) {
        let block = &mut self.blocks[self.current.0];
        block.end = end;
        block.end_usage = usage;
    }

    /// Ends the block with a jump. The code after it is unreachable.
    fn jump(&mut self, end: Terminator, usage: Usage) {
        self.end(end, usage);
        let dead = self.new_block(BlockKind::Plain);
        self.begin(dead);
    }

    fn declare(&mut self, local: LocalId) {
        self.scopes[self.scope.0].locals.push(local);
    }

    fn declare_pat(&mut self, pat: &Pat) {
        bound_locals(&self.locals, pat).into_iter().for_each(|local| self.declare(local));
    }

    /// Runs `build` in a new scope.
    fn scoped(&mut self, build: impl FnOnce(&mut Self)) {
        let inner = ScopeId(self.scopes.len());
        let mut path = self.scopes[self.scope.0].path.clone();
        path.push(inner);
        self.scopes.push(Scope { path, locals: Vec::new() });
        let outer = std::mem::replace(&mut self.scope, inner);
        build(self);
        self.scope = outer;
    }

    /// Creates the block of an arm, in a scope for the bindings of its pattern.
    fn branch(&mut self, pats: &[&Pat], body: Body, merge: BlockId) -> BlockId {
        let block = self.new_block(BlockKind::Plain);
        self.scoped(|this| {
            this.begin(block);
            pats.iter().for_each(|pat| this.declare_pat(pat));
            this.body(body);
            this.end(Terminator::Goto(merge), Usage::default());
        });
        block
    }

    fn body(&mut self, body: Body) {
        body.stmts.into_iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: Stmt) {
        match stmt {
            Stmt::Code(stmt) => {
                let usage = Usage::of_stmt(&self.locals, &stmt);
                for local in &usage.binds {
                    self.declare(*local);
                }
                let goes_on = !divergence::always(&stmt);
                self.node(Node::Code(stmt), usage);
                if !goes_on {
                    self.jump(Terminator::Unreachable, Usage::default());
                }
            }
            Stmt::Declare(local) => {
                self.declare(local);
                // The declaration ends the live range before it.
                let assigned = Set::from([local]);
                self.node(Node::Declare(local), Usage { assigned, ..Usage::default() });
            }
            Stmt::Define { local, value } => {
                let mut usage = Usage::of_expr(&self.locals, &value);
                usage.assigned.insert(local);
                usage.mentions.insert(local);
                let goes_on = !divergence::always_within(&value);
                self.node(Node::Define { local, value }, usage);
                if !goes_on {
                    self.jump(Terminator::Unreachable, Usage::default());
                }
            }
            Stmt::Await { point, future, pat, ty } => {
                let usage = Usage::of_expr(&self.locals, &future);
                let resume = self.new_block(BlockKind::Resume(point));
                self.end(Terminator::Await { point, future, pat: pat.clone(), ty, resume }, usage);
                self.begin(resume);
                self.declare_pat(&pat);
            }
            Stmt::Join { point, branches, pat, fail_fast } => {
                let usage =
                    Usage::of_branches(&self.locals, branches.iter().map(|branch| (None, branch)));
                let resume = self.new_block(BlockKind::Resume(point));
                let declared = pat.clone();
                let branches = self.branches(point, branches);
                self.end(Terminator::Join { point, branches, pat, fail_fast, resume }, usage);
                self.begin(resume);
                self.declare_pat(&declared);
            }
            Stmt::Select { point, arms, otherwise, is_biased } => {
                self.select(point, arms, otherwise, is_biased);
            }
            Stmt::Scope(body) => self.scoped(|this| {
                let scope = this.scope;
                this.node(Node::Enter(scope), Usage::default());
                this.body(body);
                this.node(Node::Leave, Usage::default());
            }),
            Stmt::If { cond, then, otherwise } => {
                let usage = Usage::of_expr(&self.locals, &cond);
                let origin = self.current;
                let merge = self.new_block(BlockKind::Plain);
                let pats = let_patterns(&cond);
                let then = self.branch(&pats, then, merge);
                let otherwise = self.branch(&[], otherwise, merge);
                self.current = origin;
                self.end(Terminator::If { cond, then, otherwise, merge }, usage);
                self.begin(merge);
            }
            Stmt::Match { scrutinee, arms } => {
                let pats = arms.iter().map(|arm| &arm.pat);
                let usage = Usage::of_match(&self.locals, &scrutinee, pats);
                let ends = arms.iter().map(|arm| arm.end).collect();
                let origin = self.current;
                let merge = self.new_block(BlockKind::Plain);
                let arms = arms.into_iter().map(|arm| {
                    let block = self.branch(&[&arm.pat], arm.body, merge);
                    (arm.pat, block)
                });
                let arms = arms.collect();
                self.current = origin;
                self.end(Terminator::Match { scrutinee, arms, ends, merge }, usage);
                self.begin(merge);
            }
            Stmt::LetElse { local, otherwise } => {
                let usage = local
                    .init
                    .as_ref()
                    .map(|init| Usage::of_scrutinee(&self.locals, &init.expr))
                    .unwrap_or_default();
                let origin = self.current;
                let next = self.new_block(BlockKind::Plain);
                let otherwise = {
                    let block = self.new_block(BlockKind::Plain);
                    self.scoped(|this| {
                        this.begin(block);
                        this.body(otherwise);
                    });
                    block
                };
                self.current = origin;
                let pat = local.pat.clone();
                self.end(Terminator::LetElse { local, otherwise, next }, usage);
                self.begin(next);
                self.declare_pat(&pat);
            }
            Stmt::Loop { target, dest, body } => {
                let head = self.new_block(BlockKind::Head);
                let exit = self.new_block(BlockKind::Exit);
                self.targets.insert(target, Target { exit: Some(exit), head: Some(head), dest });
                self.end(Terminator::Goto(head), Usage::default());
                self.begin(head);
                self.scoped(|this| {
                    let scope = this.scope;
                    this.node(Node::Enter(scope), Usage::default());
                    this.body(body);
                    this.end(Terminator::Goto(head), Usage::default());
                });
                self.begin(exit);
            }
            Stmt::Labeled { target, dest, body } => {
                let exit = self.new_block(BlockKind::Plain);
                self.targets.insert(target, Target { exit: Some(exit), head: None, dest });
                self.scoped(|this| {
                    let scope = this.scope;
                    this.node(Node::Enter(scope), Usage::default());
                    this.body(body);
                    this.end(Terminator::Goto(exit), Usage::default());
                });
                self.begin(exit);
            }
            Stmt::Break(target) => {
                if let Some(exit) = self.targets.get(&target).and_then(|target| target.exit) {
                    self.jump(Terminator::Goto(exit), Usage::default());
                }
            }
            Stmt::Continue(target) => {
                if let Some(head) = self.targets.get(&target).and_then(|target| target.head) {
                    self.jump(Terminator::Goto(head), Usage::default());
                }
            }
            Stmt::Return(value) => {
                let usage = Usage::of_expr(&self.locals, &value);
                self.jump(Terminator::Return(value), usage);
            }
        }
    }

    /// Removes unreachable blocks, and numbers the others in source order.
    fn finish(mut self, points: Vec<Point>, items: Vec<syn::Item>) -> Graph {
        let mut reached = vec![false; self.blocks.len()];
        let mut todo = vec![BlockId(0)];
        while let Some(block) = todo.pop() {
            if !std::mem::replace(&mut reached[block.0], true) {
                todo.extend(self.successors(block));
            }
        }
        let kept: Vec<_> = self.order.iter().copied().filter(|block| reached[block.0]).collect();
        let mut numbers = vec![None; self.blocks.len()];
        for (new, old) in kept.iter().enumerate() {
            numbers[old.0] = Some(BlockId(new));
        }
        // A terminator may name a merge block that is unreachable.
        let lost = BlockId(usize::MAX);
        let renumber = |block: &mut BlockId| *block = numbers[block.0].unwrap_or(lost);
        let mut blocks: Vec<_> = self.blocks.drain(..).map(Some).collect();
        let blocks = kept.iter().filter_map(|block| {
            let mut block = blocks[block.0].take()?;
            block.end.blocks_mut().into_iter().for_each(renumber);
            Some(block)
        });
        let blocks: Vec<_> = blocks.collect();
        for region in &mut self.regions {
            renumber(&mut region.entry);
        }
        let count = self.targets.keys().map(|target| target.0 + 1).max().unwrap_or(0);
        let mut targets = vec![Target::default(); count];
        let number = |block: Option<BlockId>| block.and_then(|block| numbers[block.0]);
        for (id, Target { exit, head, dest }) in self.targets {
            targets[id.0] = Target { exit: number(exit), head: number(head), dest };
        }
        let Self { locals, params, scopes, regions, .. } = self;
        let mut graph = Graph {
            edges: Vec::new(),
            sources: Sources::all(&locals),
            touched: Touched::by(&blocks),
            locals,
            points,
            items,
            params,
            blocks,
            scopes,
            targets,
            regions,
        };
        borrowed::note(&mut graph);
        graph.edges = edges::find(&graph);
        graph
    }

    fn successors(&self, block: BlockId) -> Vec<BlockId> {
        let block = &self.blocks[block.0];
        let mut successors = block.end.successors();
        let regions = block.end.regions();
        successors.extend(regions.into_iter().map(|region| self.regions[region.0].entry));
        let usages = block.all_usages();
        for jump in usages.flat_map(|usage| &usage.jumps) {
            match jump {
                Jump::Break(target) => {
                    successors.extend(self.targets.get(target).and_then(|target| target.exit));
                }
                Jump::Continue(target) => {
                    successors.extend(self.targets.get(target).and_then(|target| target.head));
                }
                Jump::Return => {}
            }
        }
        successors
    }
}

//! The control flow graph of a function.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::visit::Visit;
use syn::{Expr, Pat, Type};

use super::ids::{BlockId, LocalId, PointId, RegionId, ScopeId};
use super::locals::Locals;
use super::tree::{Branch, Point};
use crate::collections::sets::Set;
use crate::ir::usage::{Place, Sources, Usage};

/// A function after `cfg`: blocks, numbered in source order.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) locals: Locals,
    pub(crate) points: Vec<Point>,
    pub(crate) items: Vec<syn::Item>,
    /// The locals that the parameters bind.
    pub(crate) params: Vec<LocalId>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) scopes: Vec<Scope>,
    /// The jump targets of `break` and `continue`, by [`TargetId`](super::TargetId).
    pub(crate) targets: Vec<Target>,
    pub(crate) regions: Vec<Region>,
    /// By block: see [`edges`](Self::edges).
    pub(crate) edges: Vec<Vec<Edge>>,
    /// By local: the locals from which it is rematerialized.
    pub(crate) sources: Vec<Sources>,
    pub(crate) touched: Touched,
}

/// The places that any code of the function assigns or moves.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// The projections that may be assigned.
    pub(crate) maybe_assigned_parts: Set<Place>,
    /// The projections that may be moved, and the scrutinees out of which patterns may move.
    pub(crate) partial_moves: Set<Place>,
    /// The places that are moved, unless they are `Copy`.
    pub(crate) moved: Set<Place>,
}

impl Touched {
    pub(crate) fn by(blocks: &[Block]) -> Self {
        let mut touched = Self::default();
        for usage in blocks.iter().flat_map(Block::all_usages) {
            touched.maybe_assigned_parts.add(&usage.maybe_assigned_parts);
            touched.partial_moves.add(&usage.partial_moves);
            touched.moved.add(&usage.moved);
        }
        touched
    }
}

/// The successor of a block, and the locals bound on the edge.
pub(crate) type Edge = (BlockId, Vec<LocalId>);

/// An `async` block that is a branch of a suspension point. It is a machine within the machine: it has its own states,
/// and the same step function steps it.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// The point that awaits it, and its index among the branches.
    pub(crate) point: PointId,
    pub(crate) index: usize,
    /// The region around it.
    pub(crate) parent: Option<RegionId>,
    /// Its first block.
    pub(crate) entry: BlockId,
    /// The scope of its body.
    pub(crate) scope: ScopeId,
    pub(crate) is_move: bool,
    /// Whether requests to cancel leave it running.
    pub(crate) is_shielded: bool,
    pub(crate) span: Span,
}

/// A lexical scope of the source.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// The scopes from the outermost to it.
    pub(crate) path: Vec<ScopeId>,
    /// The locals declared directly in it.
    pub(crate) locals: Vec<LocalId>,
}

/// The jump targets of a loop or labeled block. A target is `None` if its block is unreachable, so that the graph does
/// not contain it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Target {
    pub(crate) exit: Option<BlockId>,
    pub(crate) head: Option<BlockId>,
    /// The local that a `break` assigns its value to.
    pub(crate) dest: Option<LocalId>,
}

/// Why a block begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// The first block.
    Start,
    /// The first block of a region.
    Region(RegionId),
    /// Entered when a state is resumed.
    Resume(PointId),
    /// The head of a loop.
    Head,
    /// The block after a loop.
    Exit,
    /// Anything else.
    Plain,
}

/// Straight-line code with one terminator.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// The region around it.
    pub(crate) region: Option<RegionId>,
    /// The innermost scope at its start.
    pub(crate) scope: ScopeId,
    pub(crate) nodes: Vec<Node>,
    /// The usage of each node.
    pub(crate) usages: Vec<Usage>,
    pub(crate) end: Terminator,
    /// The usage of the terminator.
    pub(crate) end_usage: Usage,
}

impl Block {
    /// The code of its nodes and terminator, in order.
    pub(crate) fn code(&self) -> Vec<TokenStream> {
        struct Code(Vec<TokenStream>);
        impl Visit<'_> for Code {
            fn visit_stmt(&mut self, stmt: &syn::Stmt) {
                self.0.push(stmt.to_token_stream());
            }

            fn visit_expr(&mut self, expr: &Expr) {
                self.0.push(expr.to_token_stream());
            }

            fn visit_local(&mut self, local: &syn::Local) {
                self.0.push(local.to_token_stream());
            }
        }
        let mut code = Code(Vec::new());
        self.visit(&mut code);
        code.0
    }

    /// Visits the code of its nodes and terminator, in order.
    pub(crate) fn visit<'ast>(&'ast self, visitor: &mut impl Visit<'ast>) {
        for node in &self.nodes {
            match node {
                Node::Code(stmt) => visitor.visit_stmt(stmt),
                Node::Define { value, .. } => visitor.visit_expr(value),
                Node::Declare(_) | Node::Enter(_) | Node::Leave => {}
            }
        }
        match &self.end {
            Terminator::If { cond: value, .. }
            | Terminator::Match { scrutinee: value, .. }
            | Terminator::Await { future: value, .. }
            | Terminator::Return(value) => visitor.visit_expr(value),
            Terminator::LetElse { local, .. } => visitor.visit_local(local),
            Terminator::Select { arms, .. } => {
                for arm in arms {
                    let code = arm.cond.iter().chain(arm.future.operation());
                    code.for_each(|expr| visitor.visit_expr(expr));
                }
            }
            Terminator::Join { branches, .. } => {
                let code = branches.iter().filter_map(Branch::operation);
                code.for_each(|expr| visitor.visit_expr(expr));
            }
            Terminator::Goto(_) | Terminator::Chosen { .. } | Terminator::Unreachable => {}
        }
    }

    /// The usages of its nodes and terminator, in order.
    pub(crate) fn all_usages(&self) -> impl Iterator<Item = &Usage> {
        self.usages.iter().chain([&self.end_usage])
    }
}

/// A statement of a block.
#[derive(Debug)]
pub(crate) enum Node {
    Code(syn::Stmt),
    Declare(LocalId),
    Define { local: LocalId, value: Expr },
    Enter(ScopeId),
    Leave,
}

/// The terminator of a block.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "every block has one")]
pub(crate) enum Terminator {
    Goto(BlockId),
    If {
        cond: Expr,
        then: BlockId,
        otherwise: BlockId,
        merge: BlockId,
    },
    Match {
        scrutinee: Expr,
        arms: Vec<(Pat, BlockId)>,
        /// The end of each arm in the source.
        ends: Vec<Span>,
        merge: BlockId,
    },
    LetElse {
        local: syn::Local,
        otherwise: BlockId,
        next: BlockId,
    },
    Await {
        point: PointId,
        future: Expr,
        pat: Pat,
        ty: Option<Type>,
        resume: BlockId,
    },
    /// Suspends; `resume` ends in a [`Terminator::Chosen`].
    Select {
        point: PointId,
        arms: Vec<Choice>,
        /// Whether the `Chosen` has one more arm, for the case that all branches are disabled.
        has_else: bool,
        is_biased: bool,
        resume: BlockId,
    },
    /// Continues in the arm of the branch that was ready.
    Chosen {
        point: PointId,
        arms: Vec<(Pat, BlockId)>,
        merge: BlockId,
    },
    Join {
        point: PointId,
        branches: Vec<Branch<RegionId>>,
        pat: Pat,
        fail_fast: bool,
        resume: BlockId,
    },
    Return(Expr),
    /// The end of the block is unreachable.
    Unreachable,
}

/// A branch of a `select!`.
#[derive(Debug)]
pub(crate) struct Choice {
    /// See [`SelectArm::refusal`](super::SelectArm::refusal).
    pub(crate) refusal: Option<Pat>,
    pub(crate) cond: Option<Expr>,
    pub(crate) future: Branch<RegionId>,
}

impl std::ops::Index<BlockId> for Graph {
    type Output = Block;

    fn index(&self, id: BlockId) -> &Block {
        &self.blocks[id.0]
    }
}

impl std::ops::Index<RegionId> for Graph {
    type Output = Region;

    fn index(&self, id: RegionId) -> &Region {
        &self.regions[id.0]
    }
}

impl Graph {
    /// The regions among the branches of a point, in source order.
    pub(crate) fn regions_of(&self, point: PointId) -> impl Iterator<Item = RegionId> + '_ {
        self.region_ids().filter(move |region| self[*region].point == point)
    }

    /// Whether a branch of the point is a region.
    pub(crate) fn has_regions(&self, point: PointId) -> bool {
        self.regions_of(point).next().is_some()
    }

    /// Whether `region` is `outer` or nested in it.
    pub(crate) fn is_within(&self, region: Option<RegionId>, outer: RegionId) -> bool {
        std::iter::successors(region, |region| self[*region].parent).any(|id| id == outer)
    }

    /// Whether `scope` is `outer` or nested in it.
    pub(crate) fn is_in_scope(&self, scope: ScopeId, outer: ScopeId) -> bool {
        self.scopes[scope.0].path.contains(&outer)
    }

    /// The locals declared in the region or in regions nested in it.
    pub(crate) fn locals_within(&self, region: RegionId) -> Set<LocalId> {
        let outer = self[region].scope;
        let scopes = (0..self.scopes.len()).map(ScopeId);
        let inside = scopes.filter(|scope| self.is_in_scope(*scope, outer));
        inside.flat_map(|scope| &self.scopes[scope.0].locals).copied().collect()
    }

    /// The usages in the region and in regions nested in it.
    pub(crate) fn usages_within(&self, region: RegionId) -> impl Iterator<Item = &Usage> {
        let blocks = self.blocks.iter().filter(move |block| self.is_within(block.region, region));
        blocks.flat_map(Block::all_usages)
    }

    /// All usages.
    pub(crate) fn usages(&self) -> impl Iterator<Item = &Usage> {
        self.blocks.iter().flat_map(Block::all_usages)
    }

    /// The local, and, if it is rematerialized, all locals that this takes.
    pub(crate) fn sources_of(&self, local: LocalId) -> &Set<LocalId> {
        &self.sources[local.0].locals
    }

    pub(crate) fn region_ids(&self) -> impl Iterator<Item = RegionId> + use<> {
        (0..self.regions.len()).map(RegionId)
    }

    /// The successors of a block, including the block after its suspension.
    pub(crate) fn edges(&self, block: BlockId) -> &[Edge] {
        &self.edges[block.0]
    }

    /// By block, the locals bound at its start: parameters, and the pattern of an await.
    pub(crate) fn bound_at_entry(&self) -> Vec<&[LocalId]> {
        let mut bound: Vec<&[LocalId]> = vec![&[]; self.blocks.len()];
        bound[0] = &self.params;
        for (block, edges) in self.blocks.iter().zip(&self.edges) {
            if let Terminator::Await { resume, .. } | Terminator::Join { resume, .. } = block.end
                && let Some((_, given)) = edges.iter().find(|(to, _)| *to == resume)
            {
                bound[resume.0] = given;
            }
        }
        bound
    }

    pub(crate) fn block_ids(&self) -> impl DoubleEndedIterator<Item = BlockId> + use<> {
        (0..self.blocks.len()).map(BlockId)
    }
}

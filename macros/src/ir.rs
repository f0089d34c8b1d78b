//! The data that passes hand to each other.
//!
//! Three forms: the locals of a function with unique names ([`Locals`], made by `resolve`), the body
//! as a tree in which every suspension point is a statement of its own ([`Body`], made by
//! `normalize`), and blocks with terminators ([`Graph`], made by `cfg`). Expressions inside are the
//! user's own syntax; none of them suspends.

use std::collections::HashMap;

use proc_macro2::Span;
use syn::{Expr, Ident, Pat, Type};

use crate::usage::Usage;

macro_rules! indexes {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub(crate) struct $name(pub(crate) usize);
        )*
    };
}

indexes! {
    /// Index into [`Locals`].
    LocalId;
    /// Index into [`Graph::blocks`].
    BlockId;
    /// Index into [`Graph::scopes`].
    ScopeId;
    /// A loop or labeled block that is taken apart; the number is in its rewritten label.
    TargetId;
    /// Index into [`Tree::points`]: a suspension point.
    PointId;
    /// Index into [`Graph::regions`].
    RegionId;
}

/// A binding that can be alive across a suspension point.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    /// Its name, unique in the function.
    pub(crate) ident: Ident,
    /// The name under which it is stored: that of the source, with the number of the binding if
    /// there are several of one name.
    pub(crate) stored: String,
    /// Whether it is declared `mut`.
    pub(crate) mutable: bool,
    /// Its type, where the source gives it.
    pub(crate) ty: Option<Type>,
    /// How it is made again after a suspension instead of being saved.
    pub(crate) remade: Option<Expr>,
    /// The items that it is one of.
    pub(crate) item_of: Option<LocalId>,
    /// What saves it.
    pub(crate) kind: LocalKind,
    /// Whether it has a `&'static str` in it, beside other things.
    pub(crate) holds_text: bool,
}

/// How a local is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocalKind {
    /// By its own serde implementation.
    Value,
    /// The iterator of a `for` loop, as the items that are left.
    Items,
    /// A `&'static str`, as its text.
    Text,
    /// As `Items`, of `&'static str`.
    Texts,
}

/// The locals of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locals {
    list: Vec<Local>,
    by_name: HashMap<String, LocalId>,
    stored: HashMap<String, usize>,
}

impl Locals {
    /// Adds a local whose `ident` no other local has; `source` is its name for people.
    pub(crate) fn add(
        &mut self,
        ident: Ident,
        source: &str,
        mutable: bool,
        kind: LocalKind,
    ) -> LocalId {
        let id = LocalId(self.list.len());
        let count = self.stored.entry(source.to_owned()).or_default();
        *count += 1;
        let stored = if *count == 1 { source.to_owned() } else { format!("{source}#{count}") };
        self.by_name.insert(ident.to_string(), id);
        self.list.push(Local {
            ident,
            stored,
            mutable,
            ty: None,
            remade: None,
            item_of: None,
            kind,
            holds_text: false,
        });
        id
    }

    /// The local with this unique name.
    pub(crate) fn find(&self, ident: &Ident) -> Option<LocalId> {
        self.by_name.get(&ident.to_string()).copied()
    }

    /// As [`find`](Self::find), by text.
    pub(crate) fn find_name(&self, name: &str) -> Option<LocalId> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = LocalId> + use<> {
        (0..self.list.len()).map(LocalId)
    }
}

impl std::ops::Index<LocalId> for Locals {
    type Output = Local;

    fn index(&self, id: LocalId) -> &Local {
        &self.list[id.0]
    }
}

impl std::ops::IndexMut<LocalId> for Locals {
    fn index_mut(&mut self, id: LocalId) -> &mut Local {
        &mut self.list[id.0]
    }
}

/// A function after `normalize`.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) locals: Locals,
    pub(crate) points: Vec<Point>,
    /// Items of the body, in source order.
    pub(crate) items: Vec<syn::Item>,
    /// The parameters' bindings, then the statements.
    pub(crate) body: Body,
}

/// A suspension point.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// The stored name of its state, unique in the workflow.
    pub(crate) name: String,
    pub(crate) kind: PointKind,
    /// The `await`, or the name of the macro.
    pub(crate) span: Span,
    /// The point that waits for the `async` block that this one is in, and which of its branches
    /// the block is.
    pub(crate) within: Option<(PointId, usize)>,
    /// The name that it shares with points before it, which it is told apart from by its number.
    pub(crate) repeats: Option<String>,
}

/// What is awaited, as far as the source shows it. The variants are those of
/// `piton::model::AwaitKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointKind {
    Call,
    Timer,
    Signal,
    Select,
    Join,
    Other,
}

/// Statements in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) stmts: Vec<Stmt>,
}

/// A statement of the normalized tree.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a function has few statements, and they move little"
)]
pub(crate) enum Stmt {
    /// A statement without suspension points. It may jump to targets by their rewritten labels.
    Code(syn::Stmt),
    /// Declares a local that is assigned later.
    Declare(LocalId),
    /// Gives a declared local its value.
    Define {
        local: LocalId,
        value: Expr,
    },
    /// Awaits and binds the result.
    Await {
        point: PointId,
        future: Expr,
        pat: Pat,
        ty: Option<Type>,
    },
    /// Awaits the first of several.
    Select {
        point: PointId,
        arms: Vec<SelectArm>,
    },
    /// Awaits all of several. With `fail_fast`, the first error ends it.
    Join {
        point: PointId,
        branches: Vec<Branch<AsyncBlock>>,
        pat: Pat,
        fail_fast: bool,
    },
    /// A block of its own.
    Scope(Body),
    /// `cond` may bind by `let`.
    If {
        cond: Expr,
        then: Body,
        otherwise: Body,
    },
    Match {
        scrutinee: Expr,
        arms: Vec<Arm>,
    },
    /// `let … else`: the `else` part suspends.
    LetElse {
        local: syn::Local,
        otherwise: Body,
    },
    /// `dest` is the local that `break` gives a value.
    Loop {
        target: TargetId,
        dest: Option<LocalId>,
        body: Body,
    },
    /// A block that `Break` leaves.
    Labeled {
        target: TargetId,
        dest: Option<LocalId>,
        body: Body,
    },
    Break(TargetId),
    Continue(TargetId),
    Return(Expr),
}

/// An arm of a `match` that is taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    /// With its guard, which does not suspend.
    pub(crate) pat: Pat,
    pub(crate) body: Body,
}

/// An arm of `select!`.
#[derive(Clone, Debug)]
pub(crate) struct SelectArm {
    pub(crate) pat: Pat,
    pub(crate) cond: Option<Expr>,
    pub(crate) future: Branch<AsyncBlock>,
    pub(crate) body: Body,
}

/// One of several futures that are awaited together.
#[derive(Clone, Debug)]
pub(crate) enum Branch<R> {
    /// A durable operation.
    Operation(Expr),
    /// An `async` block, compiled as a part of the same step function.
    Region(R),
}

impl<R> Branch<R> {
    /// The operation, if it is one.
    pub(crate) fn operation(&self) -> Option<&Expr> {
        match self {
            Self::Operation(expr) => Some(expr),
            Self::Region(_) => None,
        }
    }
}

/// An `async` block in the tree.
#[derive(Clone, Debug)]
pub(crate) struct AsyncBlock {
    pub(crate) body: Body,
    /// Whether it is `async move`.
    pub(crate) is_move: bool,
    /// The `async`.
    pub(crate) span: Span,
}

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
    /// Where `break` and `continue` go, by [`TargetId`].
    pub(crate) targets: Vec<Target>,
    pub(crate) regions: Vec<Region>,
}

/// An `async` block that is a branch of a suspension point: a machine within the machine, with
/// states of its own, that is stepped by the same step function.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// Where it is awaited, and which of the branches it is.
    pub(crate) point: PointId,
    pub(crate) index: usize,
    /// The region that it is in.
    pub(crate) parent: Option<RegionId>,
    /// Its first block.
    pub(crate) entry: BlockId,
    /// The scope that all of its own locals are in.
    pub(crate) scope: ScopeId,
    pub(crate) is_move: bool,
    pub(crate) span: Span,
}

/// A lexical scope of the source.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) parent: Option<ScopeId>,
    /// The locals declared directly in it.
    pub(crate) locals: Vec<LocalId>,
}

/// Where the jumps of a loop or labeled block go.
///
/// A block that control does not come to is not in the graph.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Target {
    pub(crate) exit: Option<BlockId>,
    pub(crate) head: Option<BlockId>,
    /// The local that gets the value of a `break`.
    pub(crate) dest: Option<LocalId>,
}

/// What a block is to the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// The first block.
    Start,
    /// The first block of a region.
    Region(RegionId),
    /// Entered after a suspension.
    Resume(PointId),
    /// The head of a loop.
    Head,
    /// Where a loop is left to.
    Exit,
    /// Anything else.
    Plain,
}

/// Straight code with one end.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// The region that it is in.
    pub(crate) region: Option<RegionId>,
    /// The scope that is open where it begins.
    pub(crate) scope: ScopeId,
    pub(crate) nodes: Vec<Node>,
    /// What each node does with the locals.
    pub(crate) usages: Vec<Usage>,
    pub(crate) end: Terminator,
    /// What the end does with the locals before it goes on.
    pub(crate) end_usage: Usage,
}

/// A piece of a block.
#[derive(Debug)]
pub(crate) enum Node {
    Code(syn::Stmt),
    Declare(LocalId),
    Define { local: LocalId, value: Expr },
    Enter(ScopeId),
    Leave,
}

/// The end of a block.
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
        resume: BlockId,
    },
    /// Goes on in the arm that was ready.
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
    /// Nothing comes here.
    Unreachable,
}

/// One of the operations of a `select!`.
#[derive(Debug)]
pub(crate) struct Choice {
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
        (0..self.regions.len()).map(RegionId).filter(move |region| self[*region].point == point)
    }

    /// Whether a branch of the point is a region.
    pub(crate) fn has_regions(&self, point: PointId) -> bool {
        self.regions_of(point).next().is_some()
    }

    /// Whether `region` is `outer` or in it.
    pub(crate) fn is_within(&self, region: Option<RegionId>, outer: RegionId) -> bool {
        std::iter::successors(region, |region| self[*region].parent).any(|id| id == outer)
    }

    pub(crate) fn block_ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len()).map(BlockId)
    }
}

/// The label of a loop or block that is taken apart, as it stands in the code that jumps to it.
pub(crate) fn target_label(target: TargetId, span: Span) -> syn::Lifetime {
    syn::Lifetime::new(&format!("'__piton_{}", target.0), span)
}

/// The target that a label names, if it is one of [`target_label`].
pub(crate) fn label_target(label: &syn::Lifetime) -> Option<TargetId> {
    label.ident.to_string().strip_prefix("__piton_")?.parse().ok().map(TargetId)
}

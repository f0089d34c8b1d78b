//! The data that passes hand to each other.
//!
//! Three forms: the locals of a function with unique names ([`Locals`], made by `resolve`), the body
//! as a tree in which every suspension point is a statement of its own ([`Body`], made by
//! `normalize`), and blocks with terminators ([`Graph`], made by `cfg`). Expressions inside are the
//! user's own syntax; none of them suspends.

mod field;
mod graph;
pub(crate) mod locals;
mod shape;
mod tree;

use proc_macro2::Span;

pub(crate) use self::field::Field;
pub(crate) use self::graph::Block;
pub(crate) use self::graph::BlockKind;
pub(crate) use self::graph::Choice;
pub(crate) use self::graph::Edge;
pub(crate) use self::graph::Graph;
pub(crate) use self::graph::Node;
pub(crate) use self::graph::Region;
pub(crate) use self::graph::Scope;
pub(crate) use self::graph::Target;
pub(crate) use self::graph::Terminator;
pub(crate) use self::graph::Touched;
pub(crate) use self::locals::Local;
pub(crate) use self::locals::LocalKind;
pub(crate) use self::locals::Locals;
pub(crate) use self::locals::MadeWith;
pub(crate) use self::locals::Untold;
pub(crate) use self::shape::Shape;
pub(crate) use self::tree::Arm;
pub(crate) use self::tree::AsyncBlock;
pub(crate) use self::tree::Body;
pub(crate) use self::tree::Branch;
pub(crate) use self::tree::NamedBranch;
pub(crate) use self::tree::Point;
pub(crate) use self::tree::PointKind;
pub(crate) use self::tree::SelectArm;
pub(crate) use self::tree::Stmt;
pub(crate) use self::tree::Tree;
pub(crate) use self::tree::discard;
pub(crate) use self::tree::discarded;
pub(crate) use self::tree::span_ends;
pub(crate) use self::tree::start_of;
pub(crate) use self::tree::whole;

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

/// The label of a loop or block that is taken apart, as it stands in the code that jumps to it.
pub(crate) fn target_label(target: TargetId, span: Span) -> syn::Lifetime {
    syn::Lifetime::new(&format!("'__piton_{}", target.0), span)
}

/// The target that a label names, if it is one of [`target_label`].
pub(crate) fn label_target(label: &syn::Lifetime) -> Option<TargetId> {
    label.ident.to_string().strip_prefix("__piton_")?.parse().ok().map(TargetId)
}

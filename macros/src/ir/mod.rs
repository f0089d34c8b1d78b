//! The data that passes exchange.
//!
//! Three forms: the locals of a function with unique names ([`Locals`], built by `resolve`), the body as a tree in
//! which every suspension point is a statement ([`Body`], built by `anf`), and blocks with terminators ([`Graph`],
//! built by `flow/cfg`). The expressions inside are the user's syntax; none of them suspends.
//!
//! ```text
//! let parcel = ship(order).await;    Body: Await { future: ship(order), pat: parcel }, Return(parcel)
//! parcel                             Graph: block 0 ends in Await { resume: 1 }, block 1 ends in Return(parcel)
//! ```

mod field;
mod graph;
mod local;
pub(crate) mod locals;
mod shape;
mod tree;
pub(crate) mod usage;

use proc_macro2::Span;

pub(crate) use self::field::Field;
pub(crate) use self::graph::{
    Block, BlockKind, Choice, Edge, Graph, Node, Region, Scope, Target, Terminator, Touched,
};
pub(crate) use self::local::{Local, LocalKind, Rematerialized, SharedPattern};
pub(crate) use self::locals::Locals;
pub(crate) use self::shape::Shape;
pub(crate) use self::tree::{
    Arm, AsyncBlock, Body, Branch, NamedBranch, Point, PointKind, SelectArm, Stmt, Tree, discard,
    discarded, end_of, span_ends, start_of, whole,
};

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
    /// A loop or labeled block whose body suspends. Its label in the code contains the number.
    TargetId;
    /// Index into [`Tree::points`]: a suspension point.
    PointId;
    /// Index into [`Graph::regions`].
    RegionId;
}

/// The label of a target, as the code that jumps to it contains it.
pub(crate) fn target_label(target: TargetId, span: Span) -> syn::Lifetime {
    syn::Lifetime::new(&format!("'__piton_{}", target.0), span)
}

/// The target that a label names, if it is one of [`target_label`].
pub(crate) fn label_target(label: &syn::Lifetime) -> Option<TargetId> {
    label.ident.to_string().strip_prefix("__piton_")?.parse().ok().map(TargetId)
}

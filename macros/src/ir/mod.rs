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
mod ids;
mod local;
pub(crate) mod locals;
mod shape;
mod tree;
pub(crate) mod usage;

pub(crate) use self::field::Field;
pub(crate) use self::graph::{
    Block, BlockKind, Choice, Edge, Graph, Node, Region, Scope, Target, Terminator, Touched,
};
pub(crate) use self::ids::{
    BlockId, LocalId, PointId, RegionId, ScopeId, TargetId, label_target, target_label,
};
pub(crate) use self::local::{Local, LocalKind, Rematerialized, SharedPattern};
pub(crate) use self::locals::Locals;
pub(crate) use self::shape::Shape;
pub(crate) use self::tree::{
    Arm, AsyncBlock, Body, Branch, NamedBranch, Point, PointKind, SelectArm, Stmt, Tree, discard,
    discarded, end_of, span_ends, start_of, whole,
};

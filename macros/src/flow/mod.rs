//! Control flow and data flow of a function.
//!
//! Input: the tree of the lowering ([`Tree`](crate::ir::Tree)). Output: a [`Graph`](crate::ir::Graph) of blocks, and for
//! each block the places that are live there.
//!
//! ```text
//! let parcel = ship(order).await?;      block 0: await ship(order)      live after: (order_id)
//! note(&order_id, parcel);              block 1, resumed: note(…)       live after: ()
//! ```
//!
//! `cfg` builds the graph, `liveness` the live places. The other modules derive facts from both: which parts of a
//! local are moved out (`move_paths`), and what a branch captures (`captures`).

pub(crate) mod captures;
pub(crate) mod cfg;
pub(crate) mod exposed;
pub(crate) mod liveness;
pub(crate) mod move_paths;

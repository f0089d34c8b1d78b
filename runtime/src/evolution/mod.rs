//! Evolution: continuing saved states in changed code.
//!
//! A frame was written by some definition of its workflow. This build reads it directly if that is its own, and
//! otherwise evolves it: the [`StoredDefinition`] of the writer says what the frame holds, a plan says
//! where each part of it belongs today, and values of other types go through [`codec::Value`](crate::codec). What
//! cannot be decided for certain is a [`Finding`](crate::model::Finding), and the run stays as it is.
//!
//! One function makes plans, `plan`, for the load of a run, for the check of `piton.lock` and for that of a
//! database, so the three cannot disagree.

mod check;
mod frame;
mod known;
mod migrate;
mod names;
mod narrow;
mod old_struct;
mod plan;
mod stored;

pub use check::{Concern, check};
pub(crate) use frame::{Unfit, evolve_snapshot, version_of};
pub(crate) use known::{find, learn, own, with_awaited};
pub use migrate::Resume;
#[doc(hidden)]
pub use migrate::{Migration, SavedLocals, Target};
pub(crate) use old_struct::old_struct;
pub(crate) use plan::{Inside, finding, plan};
pub use stored::{
    StoredAwaited, StoredBranch, StoredDefinition, StoredEdge, StoredLocal, StoredParameter,
    StoredState,
};

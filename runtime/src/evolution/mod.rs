//! Evolution: continuing saved states in changed code.
//!
//! A frame is written by some definition of its workflow. If that is this build's own definition, the build reads
//! the frame directly. Otherwise it converts the frame: the writer's [`StoredDefinition`] describes the content of
//! the frame, a plan maps each part to the present code, and values of other types are converted through
//! [`codec::Value`](crate::codec). A part that cannot be mapped with certainty is a
//! [`Finding`](crate::model::Finding), and the run does not change.
//!
//! A single function, `plan`, makes the plans for loading a run, for the check of `piton.lock` and for the check of
//! a database, so the three cannot disagree.

mod alignment;
mod check;
mod exchange;
mod frame;
mod known;
mod loops;
mod migrate;
mod names;
mod narrow;
mod old_struct;
mod order;
mod plan;
mod stored;

pub use crate::machine::id_pattern::IdPattern;
pub(crate) use check::check_with_awaited;
pub use check::{Concern, check};
pub(crate) use frame::{Unfit, evolve_snapshot, try_locals, version_of};
pub(crate) use known::{find, learn, own, with_awaited};
pub use migrate::Resume;
#[doc(hidden)]
pub use migrate::{Migration, SavedLocals, Target};
pub(crate) use names::written;
pub(crate) use old_struct::old_struct;
pub(crate) use plan::{Inside, finding, plan};
pub use stored::{
    StoredAwaited, StoredBorrow, StoredBranch, StoredDefinition, StoredEdge, StoredLocal,
    StoredParameter, StoredState,
};

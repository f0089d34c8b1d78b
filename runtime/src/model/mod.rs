//! Plain data of the engine: identities, statuses, policies and what a snapshot holds.
//!
//! Invariant: nothing in here does I/O or knows tokio, sqlx or a particular store.

pub(crate) mod graph;
mod ids;
mod operation;
mod payload;
mod retry;
mod snapshot;
mod status;
mod text;
mod time;
mod token;
mod wait;

pub use graph::{AwaitKind, Edge, Graph, Node, SavedLocal, SavedLocals};
pub use ids::{DefinitionHash, Epoch, Handle, RunId, StepNo, WorkerId};
pub use operation::{ActivityOperation, AwaitedToken, Operation};
pub(crate) use payload::as_bytes;
pub use payload::{Encoding, Payload};
pub use retry::RetryPolicy;
pub use snapshot::Snapshot;
pub use status::{BlockedReason, RunStatus};
pub(crate) use text::recorded;
pub use time::{Timestamp, days, hours, minutes, seconds};
pub use token::{ActivityToken, InvalidToken};
pub use wait::Wait;

//! The contract of a store: a trait for each subject, and [`Store`], which combines them.
//!
//! A trait stands in the file of its subject, together with what goes into its methods and comes out of
//! them. Each store, and the [suite](super::conformance) that says what they have in common, has files by
//! the same names. What holds for all of them is said in the [module above](super).
//!
//! `use piton::store::contract::*` brings all methods of a store into scope; a `dyn Store` has them without.

pub(super) mod activities;
pub(super) mod activity_transaction;
mod attendance;
pub(super) mod audit;
pub(super) mod changes;
pub(super) mod definitions;
pub(super) mod details;
pub(super) mod edits;
pub(super) mod effects;
pub(super) mod history;
pub(super) mod kin;
pub(super) mod lifecycle;
pub(super) mod lists;
pub(super) mod messages;
pub(super) mod pauses;
pub(super) mod promises;
pub(super) mod queues;
pub(super) mod retention;
pub(super) mod runs;
pub(super) mod schedules;
pub(super) mod visibility;
pub(super) mod workers;

use std::sync::Arc;

use async_trait::async_trait;

pub use self::activities::Activities;
pub use self::attendance::Attendance;
pub use self::definitions::Definitions;
pub use self::lifecycle::Lifecycle;
pub use self::messages::Messages;
pub use self::promises::Promises;
pub use self::queues::Queues;
pub use self::retention::Retention;
pub use self::runs::Runs;
pub use self::schedules::Schedules;
pub use self::visibility::Visibility;
pub use self::workers::Workers;
use super::Hub;
use crate::error::StoreError;
use crate::model::{RunId, Timestamp};

/// A database that keeps runs. All methods are cancellation safe in the sense that a dropped call
/// has either had its whole effect or none; which of the two, the caller finds out by asking again.
///
/// A worker's lease is *valid* if the worker's row has its epoch and has not run out by the database's
/// clock. Unless a method says more, its only errors are those of the database:
///
/// # Errors
/// - [`StoreError::Database`]: what was asked for may have been written, wholly or of some of the things
///   that it was about, each of which is whole. Asked again, a method does what is left to be done; only
///   a worker, and an arrival without a dedup key, may be there twice then.
/// - [`StoreError::Unstorable`]: a value is not one that the database keeps, and nothing was written of
///   what it belongs to. Asked one by one, the store tells which it is.
/// - [`StoreError::Corrupt`]: a row that was read holds what no piton writes.
#[async_trait]
pub trait Store:
    Runs
    + Workers
    + Activities
    + Messages
    + Promises
    + Queues
    + Definitions
    + Visibility
    + Retention
    + Schedules
    + Lifecycle
    + Attendance
    + std::fmt::Debug
    + 'static
{
    /// In-process news of what this store has committed, and, where the database can tell, of what
    /// other processes have.
    fn hub(&self) -> &Arc<Hub>;

    /// The database's clock. Locks nothing.
    async fn now(&self) -> Result<Timestamp, StoreError>;

    /// Whether its clock can stand still for long: it follows tokio's, which tests pause, or moves by hand. By default it
    /// cannot.
    fn has_virtual_clock(&self) -> bool {
        false
    }

    /// The id of a run to be started. By default from the clock and random bits of this process; a
    /// store for simulations gives ids that can be repeated.
    fn new_run_id(&self) -> RunId {
        RunId::new()
    }

    /// Ends background tasks and closes connections.
    async fn close(&self);
}

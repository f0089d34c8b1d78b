//! The contract of a store: a trait for each subject, and [`Store`], which combines them.
//!
//! The trait of a subject is in the file of that subject, with the types of its parameters and results. Each store,
//! and the [conformance suite](super::conformance), has files of the same names. The [parent module](super)
//! documents the rules common to all stores.
//!
//! `use piton::store::contract::*` brings the methods of all traits into scope. Calls on a `dyn Store` do not need
//! it.

pub(super) mod activities;
pub(super) mod activity_transaction;
mod attendance;
pub(super) mod audit;
pub(super) mod changes;
pub(super) mod definitions;
pub(super) mod details;
pub(super) mod edits;
pub(super) mod effects;
pub(super) mod failed_calls;
pub(super) mod history;
pub(super) mod kin;
pub(super) mod lifecycle;
pub(super) mod lists;
pub(super) mod messages;
pub(super) mod partitions;
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
pub use self::failed_calls::FailedCalls;
pub use self::lifecycle::Lifecycle;
pub use self::messages::Messages;
pub use self::partitions::Partitions;
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

/// A database that stores runs.
///
/// All methods are cancellation safe: a call that is dropped has had its whole effect or none. Call again to find
/// out which.
///
/// A worker's lease is *valid* if the worker's row has its epoch and the lease has not expired by the database's
/// clock. Unless a method documents more, its only errors are those of the database:
///
/// # Errors
/// - [`StoreError::Database`]: the write may have happened, entirely or for some of the items of the request; each
///   item is written entirely or not at all. Calling again does the rest. Only a registration of a worker, and an
///   arrival without a dedup key, may then be stored twice.
/// - [`StoreError::Unstorable`]: the database cannot store a value. Nothing of the request was written. Send the
///   items one by one to find out which one it is.
/// - [`StoreError::Corrupt`]: a row contains something that piton does not write.
#[async_trait]
pub trait Store:
    Runs
    + Workers
    + Activities
    + Messages
    + Promises
    + Queues
    + Partitions
    + FailedCalls
    + Definitions
    + Visibility
    + Retention
    + Schedules
    + Lifecycle
    + Attendance
    + std::fmt::Debug
    + 'static
{
    /// In-process notifications of commits of this store and, if the database can announce them, of other
    /// processes.
    fn hub(&self) -> &Arc<Hub>;

    /// The database's clock. Locks nothing.
    async fn now(&self) -> Result<Timestamp, StoreError>;

    /// Whether the clock can stand still, because it is tokio's clock, which tests pause, or is moved by hand.
    /// `false` by default.
    fn has_virtual_clock(&self) -> bool {
        false
    }

    /// A new run id. By default it consists of the clock and random bits of this process. Stores for simulations
    /// return reproducible ids.
    fn new_run_id(&self) -> RunId {
        RunId::new()
    }

    /// Stops background tasks and closes connections.
    async fn close(&self);
}

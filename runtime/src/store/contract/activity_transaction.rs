//! The transaction of an activity, which also puts the outcome into the run's inbox.

use std::any::Any;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::store::{ArrivalOutcome, NewArrival};

/// A transaction that was begun by [`Activities::begin_activity`](super::Activities::begin_activity).
/// Dropped, it is rolled back.
#[async_trait]
pub trait ActivityTransaction: Send {
    /// The connection on which it was begun: an `sqlx::SqliteConnection` or `sqlx::PgConnection`.
    fn connection(&mut self) -> &mut (dyn Any + Send);

    /// Adds an arrival, as [`Messages::deliver`](super::Messages::deliver) does, and commits. If the
    /// arrival is not accepted, everything is rolled back.
    ///
    /// # Errors
    /// If the error cannot be retried, everything was rolled back. Otherwise it may have been
    /// committed or may still be: [`Runs::settle_run`](super::Runs::settle_run), then the inbox,
    /// tell.
    async fn commit(self: Box<Self>, arrival: NewArrival) -> Result<ArrivalOutcome, StoreError>;

    /// Undoes what was written.
    ///
    /// # Errors
    /// The database failed; it has rolled back or will.
    async fn roll_back(self: Box<Self>) -> Result<(), StoreError>;
}

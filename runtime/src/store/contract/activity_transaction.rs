//! The transaction of an activity, which also delivers the outcome to the run's inbox.

use std::any::Any;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::store::{ArrivalOutcome, NewArrival};

/// A transaction begun by [`Activities::begin_activity`](super::Activities::begin_activity). Dropping it rolls it
/// back.
#[async_trait]
pub trait ActivityTransaction: Send {
    /// The connection of the transaction: an `sqlx::SqliteConnection` or `sqlx::PgConnection`.
    fn connection(&mut self) -> &mut (dyn Any + Send);

    /// Adds an arrival, as [`Messages::deliver`](super::Messages::deliver) does, and commits. If the arrival is not
    /// accepted, the transaction is rolled back.
    ///
    /// # Errors
    /// If the error is not retryable, the transaction was rolled back. Otherwise it may have been committed, or may
    /// be yet: call [`Runs::settle_run`](super::Runs::settle_run), then read the inbox to find out.
    async fn commit(self: Box<Self>, arrival: NewArrival) -> Result<ArrivalOutcome, StoreError>;

    /// Rolls the transaction back.
    ///
    /// # Errors
    /// The database failed. The transaction is rolled back, now or when the connection closes.
    async fn roll_back(self: Box<Self>) -> Result<(), StoreError>;
}

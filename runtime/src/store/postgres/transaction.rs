//! Transactions that survive being dropped at any moment.
//!
//! sqlx's own forgets that a transaction has begun if the call is dropped while the server's answer
//! to `BEGIN` is under way; whoever gets the connection next would then write into a transaction
//! that nobody commits. Here a connection goes back only from a transaction that has ended;
//! otherwise it is closed, and the server rolls back.

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres};

use super::PostgresStore;
use super::lanes::{Lane, Lanes};

/// A transaction in read-committed isolation.
#[derive(Debug)]
pub(super) struct Transaction<C: Connection = PoolConnection<Postgres>> {
    /// `None` once it has ended.
    connection: Option<C>,
}

/// A connection that belongs somewhere.
pub(super) trait Connection {
    fn get(&mut self) -> &mut PgConnection;

    /// Leaves it to the next caller.
    fn give_back(self);

    /// Has it closed when it is dropped.
    fn discard(&mut self);
}

impl Transaction {
    pub(super) async fn begin(store: &PostgresStore) -> Result<Self, sqlx::Error> {
        Self::begin_on(store.connection().await?).await
    }
}

impl Transaction<Lane> {
    pub(super) async fn begin_in(lanes: &Lanes) -> Result<Self, sqlx::Error> {
        Self::begin_on(lanes.lane().await?).await
    }
}

impl<C: Connection> Transaction<C> {
    async fn begin_on(connection: C) -> Result<Self, sqlx::Error> {
        let mut transaction = Self { connection: Some(connection) };
        sqlx::raw_sql("BEGIN ISOLATION LEVEL READ COMMITTED").execute(transaction.get()).await?;
        Ok(transaction)
    }

    pub(super) fn get(&mut self) -> &mut PgConnection {
        self.connection.as_mut().expect("only the end takes it").get()
    }

    pub(super) async fn commit(self) -> Result<(), sqlx::Error> {
        self.end("COMMIT").await
    }

    pub(super) async fn roll_back(self) -> Result<(), sqlx::Error> {
        self.end("ROLLBACK").await
    }

    async fn end(mut self, how: &'static str) -> Result<(), sqlx::Error> {
        sqlx::raw_sql(how).execute(self.get()).await?;
        if let Some(connection) = self.connection.take() {
            connection.give_back();
        }
        Ok(())
    }
}

impl<C: Connection> Drop for Transaction<C> {
    fn drop(&mut self) {
        if let Some(connection) = &mut self.connection {
            connection.discard();
        }
    }
}

impl Connection for PoolConnection<Postgres> {
    fn get(&mut self) -> &mut PgConnection {
        self
    }

    fn give_back(self) {}

    fn discard(&mut self) {
        self.close_on_drop();
    }
}

impl Connection for Lane {
    fn get(&mut self) -> &mut PgConnection {
        self.get()
    }

    fn give_back(self) {
        self.done();
    }

    fn discard(&mut self) {}
}

//! Transactions that survive being dropped at any moment.
//!
//! sqlx's own forgets that a transaction has begun if the call is dropped while the server's answer
//! to `BEGIN` is under way; whoever gets the connection next would then write into a transaction
//! that nobody commits. Here a connection goes back to the pool only from a transaction that has
//! ended; otherwise it is closed, and the server rolls back.

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, PgPool, Postgres};

/// A transaction in read-committed isolation.
#[derive(Debug)]
pub(super) struct Transaction {
    connection: PoolConnection<Postgres>,
    ended: bool,
}

impl Transaction {
    pub(super) async fn begin(pool: &PgPool) -> Result<Self, sqlx::Error> {
        let mut transaction = Self { connection: pool.acquire().await?, ended: false };
        sqlx::raw_sql("BEGIN ISOLATION LEVEL READ COMMITTED").execute(transaction.get()).await?;
        Ok(transaction)
    }

    pub(super) fn get(&mut self) -> &mut PgConnection {
        &mut self.connection
    }

    pub(super) async fn commit(mut self) -> Result<(), sqlx::Error> {
        sqlx::raw_sql("COMMIT").execute(self.get()).await?;
        self.ended = true;
        Ok(())
    }

    pub(super) async fn roll_back(mut self) -> Result<(), sqlx::Error> {
        sqlx::raw_sql("ROLLBACK").execute(self.get()).await?;
        self.ended = true;
        Ok(())
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if !self.ended {
            self.connection.close_on_drop();
        }
    }
}

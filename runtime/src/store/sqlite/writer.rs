//! The one connection that writes.
//!
//! SQLite has one writer at a time anyway; queuing for it here, in order, costs less than meeting
//! at the file's lock. Other processes are met there, with a busy timeout.
//!
//! Each connection has a thread. Should that die, the next turn opens the file again.

use std::sync::Arc;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _, Error};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::script::{Rows, Script};

/// What is queued for.
#[derive(Debug)]
struct Slot {
    /// `None` once the store is closed, and after the connection's thread has died.
    connection: Option<SqliteConnection>,
    /// How to open the file again; `None` for a database in memory, which ends with its connection,
    /// and once the store is closed.
    again: Option<SqliteConnectOptions>,
    /// A transaction may be open that nobody will end.
    abandoned: bool,
}

/// The queue for the writing connection.
#[derive(Clone, Debug)]
pub(super) struct Writer(Arc<Mutex<Slot>>);

/// A turn at the writing connection. Dropped in the middle of a transaction, it rolls back.
pub(super) struct Turn(Option<OwnedMutexGuard<Slot>>);

impl Writer {
    /// Queues callers for `connection`, which can be made `again` if it is one to a file.
    pub(super) fn new(connection: SqliteConnection, again: Option<SqliteConnectOptions>) -> Self {
        let connection = Some(connection);
        Self(Arc::new(Mutex::new(Slot { connection, again, abandoned: false })))
    }

    /// Waits for a turn.
    pub(super) async fn turn(&self) -> Turn {
        Turn(Some(Arc::clone(&self.0).lock_owned().await))
    }

    /// Closes the connection; later turns fail with [`Error::PoolClosed`].
    pub(super) async fn close(&self) {
        let mut slot = self.0.lock().await;
        slot.again = None;
        let connection = slot.connection.take();
        drop(slot);
        if let Some(connection) = connection {
            // Nothing is lost if this fails: every commit has been flushed.
            let _ = connection.close().await;
        }
    }
}

impl Turn {
    /// Runs a script that is a transaction of its own: a single statement.
    pub(super) async fn run(&mut self, script: Script) -> Result<Rows, Error> {
        self.ready().await?;
        self.go_on(script).await
    }

    /// Runs a script that begins a transaction.
    pub(super) async fn begin(&mut self, script: Script) -> Result<Rows, Error> {
        self.ready().await?;
        self.slot().abandoned = true;
        self.go_on(script).await
    }

    /// Runs a script within the transaction.
    pub(super) async fn go_on(&mut self, script: Script) -> Result<Rows, Error> {
        let slot = self.slot();
        let rows = script.run(slot.connection.as_mut().ok_or(Error::PoolClosed)?).await;
        if let Err(Error::WorkerCrashed) = rows {
            slot.lose_connection();
        }
        rows
    }

    /// Runs a script whose last statement commits.
    pub(super) async fn commit(mut self, script: Script) -> Result<Rows, Error> {
        let rows = self.go_on(script).await?;
        self.slot().abandoned = false;
        Ok(rows)
    }

    /// Runs a script that begins a transaction and commits it.
    pub(super) async fn transact(mut self, script: Script) -> Result<Rows, Error> {
        let rows = self.begin(script).await?;
        self.slot().abandoned = false;
        Ok(rows)
    }

    /// The connection, for statements within a transaction that was begun.
    pub(super) fn connection(&mut self) -> &mut SqliteConnection {
        self.slot().connection.as_mut().expect("a store with a turn under way is not closed")
    }

    /// Ends the transaction without effect.
    pub(super) async fn roll_back(&mut self) {
        roll_back(self.connection()).await;
        self.slot().abandoned = false;
    }

    /// The connection, outside any transaction.
    pub(super) async fn ready(&mut self) -> Result<&mut SqliteConnection, Error> {
        let slot = self.slot();
        if let (None, Some(again)) = (&slot.connection, &slot.again) {
            slot.connection = Some(again.connect().await?);
        }
        let connection = slot.connection.as_mut().ok_or(Error::PoolClosed)?;
        if slot.abandoned {
            roll_back(connection).await;
            slot.abandoned = false;
        }
        Ok(connection)
    }

    fn slot(&mut self) -> &mut Slot {
        self.0.as_mut().expect("only drop takes the guard")
    }
}

impl Slot {
    /// The database rolls back with the connection.
    fn lose_connection(&mut self) {
        self.connection = None;
        self.abandoned = false;
    }
}

impl Drop for Turn {
    /// Rolls back at once where there is a runtime to do it, so that the file's lock is not held
    /// for nothing; otherwise whoever has the next turn does.
    fn drop(&mut self) {
        let Some(mut guard) = self.0.take().filter(|guard| guard.abandoned) else {
            return;
        };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Some(connection) = guard.connection.as_mut() {
                    roll_back(connection).await;
                }
                guard.abandoned = false;
            });
        }
    }
}

async fn roll_back(connection: &mut SqliteConnection) {
    // It fails if the database has rolled back by itself, which is as good.
    let _ = sqlx::raw_sql("ROLLBACK").execute(connection).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_is_opened_again_and_what_was_not_committed_is_gone() {
        let directory = tempfile::tempdir().expect("a directory");
        let options = SqliteConnectOptions::new()
            .filename(directory.path().join("some.db"))
            .create_if_missing(true);
        let connection = options.connect().await.expect("a new file");
        let writer = Writer::new(connection, Some(options));
        let sql = |sql: &str| {
            let mut script = Script::new();
            script.sql(sql);
            script
        };
        writer.turn().await.run(sql("CREATE TABLE t (n)")).await.expect("it can be written");
        let mut turn = writer.turn().await;
        turn.begin(sql("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")).await.expect("as before");
        turn.slot().lose_connection();
        drop(turn);
        let mut turn = writer.turn().await;
        let rows = turn.run(sql("SELECT n FROM t")).await.expect("it is there again");
        assert!(!rows.any(0));
        drop(turn);
        writer.close().await;
        let closed = writer.turn().await.run(sql("SELECT 1")).await;
        assert!(matches!(closed, Err(Error::PoolClosed)));
    }
}

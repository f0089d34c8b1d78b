//! The one connection that writes.
//!
//! SQLite has one writer at a time anyway; queuing for it here, in order, costs less than meeting
//! at the file's lock. Other processes are met there, with a busy timeout.

use std::sync::Arc;

use sqlx::Connection as _;
use sqlx::sqlite::SqliteConnection;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::script::{Rows, Script};

/// What is queued for.
#[derive(Debug)]
struct Slot {
    /// `None` once the store is closed.
    connection: Option<SqliteConnection>,
    /// A transaction may be open that nobody will end.
    abandoned: bool,
}

/// The queue for the writing connection.
#[derive(Clone, Debug)]
pub(super) struct Writer(Arc<Mutex<Slot>>);

/// A turn at the writing connection. Dropped in the middle of a transaction, it rolls back.
pub(super) struct Turn(Option<OwnedMutexGuard<Slot>>);

impl Writer {
    pub(super) fn new(connection: SqliteConnection) -> Self {
        Self(Arc::new(Mutex::new(Slot { connection: Some(connection), abandoned: false })))
    }

    /// Waits for a turn.
    pub(super) async fn turn(&self) -> Turn {
        Turn(Some(Arc::clone(&self.0).lock_owned().await))
    }

    /// Closes the connection; later turns fail with [`sqlx::Error::PoolClosed`].
    pub(super) async fn close(&self) {
        let connection = self.0.lock().await.connection.take();
        if let Some(connection) = connection {
            // Nothing is lost if this fails: every commit has been flushed.
            let _ = connection.close().await;
        }
    }
}

impl Turn {
    /// Runs a script that is a transaction of its own: a single statement.
    pub(super) async fn run(&mut self, script: Script) -> Result<Rows, sqlx::Error> {
        script.run(self.ready().await?).await
    }

    /// Runs a script that begins a transaction.
    pub(super) async fn begin(&mut self, script: Script) -> Result<Rows, sqlx::Error> {
        self.ready().await?;
        let slot = self.slot();
        slot.abandoned = true;
        script.run(slot.connection.as_mut().ok_or(sqlx::Error::PoolClosed)?).await
    }

    /// Runs a script within the transaction.
    pub(super) async fn go_on(&mut self, script: Script) -> Result<Rows, sqlx::Error> {
        script.run(self.slot().connection.as_mut().ok_or(sqlx::Error::PoolClosed)?).await
    }

    /// Runs a script whose last statement commits.
    pub(super) async fn commit(mut self, script: Script) -> Result<Rows, sqlx::Error> {
        let rows = self.go_on(script).await?;
        self.slot().abandoned = false;
        Ok(rows)
    }

    /// Runs a script that begins a transaction and commits it.
    pub(super) async fn transact(mut self, script: Script) -> Result<Rows, sqlx::Error> {
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
    pub(super) async fn ready(&mut self) -> Result<&mut SqliteConnection, sqlx::Error> {
        let slot = self.slot();
        let connection = slot.connection.as_mut().ok_or(sqlx::Error::PoolClosed)?;
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

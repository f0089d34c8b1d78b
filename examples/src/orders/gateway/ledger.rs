//! The gateway's books: one SQLite file, written by one task.
//!
//! Calls that come in while a transaction is being flushed wait and share the next one, so the price
//! of a flush is paid per batch and not per call. Invariants:
//! - A caller gets its answer after the transaction with its effect is on disk (WAL, `synchronous =
//!   FULL`), so killing the process at any moment loses no effect that anybody has heard of.
//! - The books take what callers post. Two keys make two effects, even where a real gateway would
//!   refuse the second, so that a caller's mistake shows in the books.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};
use tracing::{debug, warn};

use super::posting::{self, Posted};
use super::{Call, Faults};
use crate::orders::catalog::Catalog;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS calls (
    key TEXT PRIMARY KEY NOT NULL,
    request TEXT NOT NULL,
    attempts INTEGER NOT NULL CHECK (attempts > 0),
    answer TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS effects (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE REFERENCES calls (key),
    order_id TEXT NOT NULL,
    operation TEXT NOT NULL
        CHECK (operation IN ('charge', 'refund', 'reserve', 'release', 'ship')),
    cents INTEGER,
    sku TEXT,
    quantity INTEGER,
    undoes INTEGER REFERENCES effects (id)
) STRICT;

CREATE TABLE IF NOT EXISTS stock (
    sku TEXT PRIMARY KEY NOT NULL,
    initial INTEGER NOT NULL,
    available INTEGER NOT NULL CHECK (available >= 0)
) STRICT, WITHOUT ROWID;
";

/// The most calls that share a transaction, so that the first of them does not wait for long.
const MAX_BATCH: usize = 256;
/// How long to wait for another process that writes to the same books.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The gateway's books. Cheap to clone; all clones write to the same file.
#[derive(Clone, Debug)]
pub struct Ledger {
    posts: mpsc::Sender<Post>,
}

/// What is sent to the writing task.
#[derive(Debug)]
enum Post {
    /// A call to be entered.
    Call { key: String, call: Call, reply: oneshot::Sender<Result<Posted, LedgerError>> },
    /// Close the file and end.
    Close { done: oneshot::Sender<()> },
}

/// Why the books could not be kept.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LedgerError {
    /// The file cannot be opened or is not a ledger.
    #[error("cannot open the gateway's ledger `{}`", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: Arc<sqlx::Error>,
    },
    /// A transaction failed; none of its calls had an effect.
    #[error("the gateway's ledger cannot be written")]
    Write(#[source] Arc<sqlx::Error>),
    /// The ledger has been closed.
    #[error("the gateway's ledger is closed")]
    Closed,
}

impl Ledger {
    /// Opens the books in a file, which is made if need be, and begins to write.
    ///
    /// # Errors
    /// [`LedgerError::Open`].
    pub async fn open(path: &Path, catalog: &Catalog, faults: Faults) -> Result<Self, LedgerError> {
        let connection = connect(path, catalog)
            .await
            .map_err(|source| LedgerError::Open { path: path.into(), source: source.into() })?;
        let (posts, inbox) = mpsc::channel(4 * MAX_BATCH);
        tokio::spawn(write(connection, inbox, faults));
        Ok(Self { posts })
    }

    /// Enters a call and says what to answer.
    ///
    /// Cancellation safe in the way of the real world: the call may or may not have been entered,
    /// and can be repeated with its key.
    ///
    /// # Errors
    /// [`LedgerError::Write`] or [`LedgerError::Closed`]; then the call had no effect.
    pub(super) async fn post(&self, key: String, call: Call) -> Result<Posted, LedgerError> {
        let (reply, replied) = oneshot::channel();
        let post = Post::Call { key, call, reply };
        self.posts.send(post).await.map_err(|_| LedgerError::Closed)?;
        replied.await.map_err(|_| LedgerError::Closed)?
    }

    /// Closes the file. Calls that come later fail with [`LedgerError::Closed`].
    pub async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.posts.send(Post::Close { done }).await.is_ok() {
            // An error says that the writer is gone, which is as good.
            let _ = closed.await;
        }
    }
}

async fn connect(path: &Path, catalog: &Catalog) -> sqlx::Result<SqliteConnection> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT);
    let mut connection = SqliteConnection::connect_with(&options).await?;
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::raw_sql(SCHEMA).execute(&mut *transaction).await?;
    for (sku, article) in catalog.iter() {
        sqlx::query("INSERT OR IGNORE INTO stock (sku, initial, available) VALUES (?1, ?2, ?2)")
            .bind(sku)
            .bind(article.stock)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    Ok(connection)
}

/// Writes batch after batch until the ledger is closed or nobody can post any more.
async fn write(mut connection: SqliteConnection, mut inbox: mpsc::Receiver<Post>, faults: Faults) {
    let mut batch = Vec::with_capacity(MAX_BATCH);
    let mut closing = Vec::new();
    while closing.is_empty() && inbox.recv_many(&mut batch, MAX_BATCH).await > 0 {
        let mut calls = Vec::with_capacity(batch.len());
        let mut replies = Vec::with_capacity(batch.len());
        for post in batch.drain(..) {
            match post {
                Post::Call { key, call, reply } => {
                    calls.push((key, call));
                    replies.push(reply);
                }
                Post::Close { done } => closing.push(done),
            }
        }
        // A reply that nobody waits for any more is a caller who has given up.
        match enter(&mut connection, &calls, &faults).await {
            Ok(posted) => {
                debug!(calls = calls.len(), "entered a batch");
                for (reply, posted) in replies.into_iter().zip(posted) {
                    let _ = reply.send(Ok(posted));
                }
            }
            Err(error) => {
                warn!(%error, "the ledger cannot be written");
                let error = LedgerError::Write(Arc::new(error));
                for reply in replies {
                    let _ = reply.send(Err(error.clone()));
                }
            }
        }
    }
    if let Err(error) = connection.close().await {
        warn!(%error, "the ledger was not closed cleanly");
    }
    for done in closing {
        let _ = done.send(());
    }
}

/// Enters calls in one transaction.
async fn enter(
    connection: &mut SqliteConnection,
    calls: &[(String, Call)],
    faults: &Faults,
) -> sqlx::Result<Vec<Posted>> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let mut posted = Vec::with_capacity(calls.len());
    for (key, call) in calls {
        posted.push(posting::enter(&mut transaction, key, call, faults).await?);
    }
    transaction.commit().await?;
    Ok(posted)
}

//! Errors of the database.

use std::error::Error;

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The URL does not name a store that this build has.
    #[error("cannot connect to `{url}`: {reason}")]
    Url {
        /// The URL as given, without its password.
        url: String,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// The name of a [namespace](crate::store::StoreOptions::namespace) is not allowed.
    #[error("`{namespace}` cannot be a namespace of {target}: {reason}")]
    Namespace {
        /// The URL as given, without its password.
        target: String,
        /// The name as given.
        namespace: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file or server cannot be reached or written.
    #[error("cannot open the database {target}: {reason}")]
    Unreachable {
        /// The file or server.
        target: String,
        /// What was found.
        reason: String,
        /// The database's own error.
        #[source]
        source: Option<sqlx::Error>,
    },
    /// The file exists and is not a database, or is damaged.
    #[error("{target} is not a usable piton database: {reason}")]
    NotADatabase {
        /// The file.
        target: String,
        /// What was found.
        reason: String,
        /// The database's own error.
        #[source]
        source: Option<sqlx::Error>,
    },
    /// The database keeps texts in another encoding than UTF-8, so it would refuse some of those that
    /// programs and people write. Nothing was written.
    #[error(
        "the database {target} has the encoding {encoding}, and piton needs UTF8: a database has its \
         encoding for good, so make another with `{command}`"
    )]
    Encoding {
        /// The server and the database.
        target: String,
        /// The encoding found.
        encoding: String,
        /// The statement that makes a database for piton, in any locale of the server.
        command: String,
    },
    /// The database was written by a newer piton.
    #[error(
        "{target} was written by a newer piton (schema version {found}, this build knows \
         {known}); upgrade this program"
    )]
    NewerSchema {
        /// The file or server.
        target: String,
        /// The schema version found.
        found: i64,
        /// The newest schema version that this build knows.
        known: i64,
    },
    /// A migration failed; the database is as it was before it.
    #[error("cannot apply migrations to {target}")]
    Migration {
        /// The file or server.
        target: String,
        /// What went wrong.
        #[source]
        source: sqlx::migrate::MigrateError,
    },
}

/// Why a store could not carry out a transition.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The worker's lease has run out or it has been fenced; nothing was written. Retrying does not
    /// help: the worker has to register anew.
    #[error("this worker has lost its lease")]
    Fenced,
    /// The database failed. `retryable` is judged by its error code: the connection was lost, the
    /// database was busy, or a serialization failure.
    #[error("the database failed during `{operation}`")]
    Database {
        /// The store method.
        operation: &'static str,
        /// Whether trying again may help. The transition may have taken effect.
        retryable: bool,
        /// The database's own error; of the stores of this crate, an `sqlx::Error`.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The database keeps no such value: a text with the character NUL on Postgres, or more than 256 MiB
    /// for the arguments of one start, one signal or one step. Its source says how long it is. Nothing was written, and trying again does not help.
    #[error("the database refused the data that `{operation}` was to write")]
    Unstorable {
        /// The store method.
        operation: &'static str,
        /// The database's own error; of the stores of this crate, an `sqlx::Error`.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The store has no transactions that activities could write in.
    #[error("this store has no transactions for activities")]
    NoTransactions,
    /// A row holds what no piton writes.
    #[error("the database holds an unreadable {what}: {reason}")]
    Corrupt {
        /// What was being read.
        what: &'static str,
        /// What is wrong.
        reason: String,
    },
}

impl StoreError {
    /// Whether trying again may help.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Database { retryable: true, .. })
    }
}

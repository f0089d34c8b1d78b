//! Errors of the database.

use std::error::Error;

use super::KeyError;

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The URL does not name a store that this build has.
    #[error("cannot connect to `{url}`: {reason}")]
    Url {
        /// The URL as given, without its password.
        url: String,
        /// What is wrong with it, and how to fix it.
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
        /// The reason.
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
        /// The reason.
        reason: String,
        /// The database's own error.
        #[source]
        source: Option<sqlx::Error>,
    },
    /// The database does not use UTF-8, so it could not store some texts of programs and people. Nothing was
    /// written.
    #[error(
        "the database {target} has the encoding {encoding}, and piton needs UTF8: a database has its \
         encoding for good, so make another with `{command}`"
    )]
    Encoding {
        /// The server and the database.
        target: String,
        /// The encoding of the database.
        encoding: String,
        /// The statement that creates a suitable database, in any locale of the server.
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
        /// The schema version of the database.
        found: i64,
        /// The newest schema version that this build knows.
        known: i64,
    },
    /// A migration failed and was rolled back.
    #[error("cannot apply migrations to {target}")]
    Migration {
        /// The file or server.
        target: String,
        /// The database's error.
        #[source]
        source: sqlx::migrate::MigrateError,
    },
}

/// Why a store method failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The worker's lease has expired or the worker was fenced; nothing was written. Retrying does not help: the
    /// worker has to register anew.
    #[error("this worker has lost its lease")]
    Fenced,
    /// The database failed. `retryable` depends on the error code: it is `true` if the connection was lost, the
    /// database was busy, or the transaction could not be serialized.
    #[error("the database failed during `{operation}`")]
    Database {
        /// The store method.
        operation: &'static str,
        /// Whether retrying may help. The method may have taken effect.
        retryable: bool,
        /// The database's own error; for stores of this crate, an `sqlx::Error`.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The database cannot store a value: a text with the character NUL on Postgres, or more than 256 MiB for the
    /// arguments of a start, a signal or a step. The source states the size. Nothing was written, and retrying does
    /// not help.
    #[error("the database refused the data that `{operation}` was to write")]
    Unstorable {
        /// The store method.
        operation: &'static str,
        /// The database's own error; for stores of this crate, an `sqlx::Error`.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// No queue can have this name. Nothing was written, and retrying does not help.
    #[error("{queue:?} cannot be the name of a queue: {reason}")]
    QueueName {
        /// The name, or the beginning of a long one.
        queue: String,
        /// The rule that it breaks.
        reason: KeyError,
    },
    /// No partition of a queue can have this name. Nothing was written, and retrying does not help.
    #[error("{partition:?} cannot be the name of a partition: {reason}")]
    PartitionName {
        /// The name, or the beginning of a long one.
        partition: String,
        /// The rule that it breaks.
        reason: KeyError,
    },
    /// The store does not support transactions of activities.
    #[error("this store has no transactions for activities")]
    NoTransactions,
    /// A row contains something that piton does not write.
    #[error("the database holds an unreadable {what}: {reason}")]
    Corrupt {
        /// What was being read.
        what: &'static str,
        /// The problem.
        reason: String,
    },
}

impl StoreError {
    /// Whether retrying may help.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Database { retryable: true, .. })
    }
}

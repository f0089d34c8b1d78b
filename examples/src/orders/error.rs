//! Errors that stop the job, each with its fix.

use std::io;
use std::path::PathBuf;

use piton::error::{ConnectError, LookupError, SignalError, StartError, StoreError, WorkerError};

use super::gateway::LedgerError;
use super::input::InputError;

/// Why the job could not continue. Its progress so far is kept.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The orders cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A file or directory cannot be made or deleted.
    #[error("cannot write to `{}`", path.display())]
    Data {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The database cannot be opened.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The database failed.
    #[error("the runs cannot be read")]
    Store(#[from] StoreError),
    /// The runs cannot be carried out.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// An order cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// An order cannot be found to be approved.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// An order cannot be approved.
    #[error(transparent)]
    Signal(#[from] SignalError),
    /// The runs cannot be handed back.
    #[error("{0:#}")]
    Shutdown(piton::Error),
    /// The gateway's books cannot be kept.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The gateway cannot listen.
    #[error("the gateway cannot listen on the loopback interface")]
    Socket(#[source] io::Error),
    /// The gateway's client cannot be set up.
    #[error("the gateway's client cannot be set up")]
    Client(#[source] reqwest::Error),
    /// The files cannot be measured.
    #[error("cannot count the rows that were written")]
    Storage(#[source] sqlx::Error),
    /// A task of the program ended before its time.
    #[error("a task of the program ended early")]
    Panicked(#[source] tokio::task::JoinError),
    /// The ledger belongs to runs that are not in the database.
    #[error("the ledger `{}` has entries, but the database `{database}` has no runs", ledger.display())]
    ForeignLedger {
        /// The ledger.
        ledger: PathBuf,
        /// The database.
        database: String,
    },
    /// There is nothing to verify.
    #[error("there is no `{}` to verify", path.display())]
    NothingToVerify {
        /// The missing file.
        path: PathBuf,
    },
    /// The database is not a file that could be deleted.
    #[error("cannot start over: the database `{url}` is not a file")]
    NotAFile {
        /// The database.
        url: String,
    },
}

impl JobError {
    /// What the person at the terminal can do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Input(_) => {
                "give the path of a CSV file of orders, or none for the bundled \
                 examples/data/orders.csv"
            }
            Self::Data { .. } => "choose a directory that can be written with --data",
            Self::Connect(_) | Self::Ledger(_) => {
                "name another place with --data or --database, or start over with --fresh"
            }
            Self::Store(_)
            | Self::Worker(_)
            | Self::Start(_)
            | Self::Lookup(_)
            | Self::Signal(_)
            | Self::Shutdown(_)
            | Self::Storage(_) => "nothing is lost; run the same command again to continue",
            Self::Socket(_) | Self::Client(_) => {
                "the example needs the network interface 127.0.0.1 and nothing else"
            }
            Self::Panicked(_) => "run it again with RUST_LOG=debug to see what happened",
            Self::ForeignLedger { .. } => {
                "start over with --fresh, or keep the files of another job elsewhere with --data"
            }
            Self::NothingToVerify { .. } => "run the same command without --verify first",
            Self::NotAFile { .. } => "delete its tables by hand, or leave --fresh out",
        }
    }
}

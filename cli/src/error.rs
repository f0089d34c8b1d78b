//! What goes wrong, and the exit codes.

use std::error::Error;
use std::process::ExitCode;

use piton::error::{BulkError, ConnectError, EditError, LookupError, StoreError};
use piton::lock::LockError;

/// Why a command has failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("there is no database to look at")]
    NoDatabase,
    #[error("there is no file `{0}`")]
    NoFile(String),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("there is no run with the id or workflow id `{0}`")]
    NoRun(String),
    #[error("there is no definition `{0}`")]
    NoDefinition(String),
    #[error("`{workflow}` has several definitions: {}", hashes.join(", "))]
    SeveralDefinitions { workflow: String, hashes: Vec<String> },
    #[error(transparent)]
    Edit(EditError),
    #[error(transparent)]
    Bulk(BulkError),
    #[error("`{path}` cannot be read")]
    LockFile { path: String, source: std::io::Error },
    #[error("`{path}` is no lock file")]
    Lock { path: String, source: LockError },
    #[error("what was found cannot be written")]
    Output(#[from] std::io::Error),
}

/// What was asked for is not there, or a check has found something.
pub(crate) const FOUND: u8 = 1;
/// As clap has it for command lines that it does not understand.
const USAGE: u8 = 2;
/// The database fails.
const DATABASE: u8 = 3;

impl Failure {
    /// Tells it on stderr.
    pub(crate) fn report(self) -> ExitCode {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            let reason = error.to_string();
            // Some errors print their cause as well.
            if !text.ends_with(&reason) {
                text = format!("{text}: {reason}");
            }
            cause = error.source();
        }
        eprintln!("error: {text}");
        if let Some(hint) = self.hint() {
            eprintln!("\nhint: {hint}");
        }
        ExitCode::from(self.code())
    }

    fn code(&self) -> u8 {
        match self {
            Self::NoRun(_) | Self::NoDefinition(_) | Self::Edit(_) => FOUND,
            Self::Bulk(_) => USAGE,
            Self::NoDatabase | Self::SeveralDefinitions { .. } => USAGE,
            Self::LockFile { .. } | Self::Lock { .. } => USAGE,
            Self::Connect(ConnectError::Url { .. }) => USAGE,
            Self::NoFile(_) | Self::Connect(_) | Self::Store(_) | Self::Output(_) => DATABASE,
        }
    }

    fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoDatabase => {
                "name it with `--database sqlite:path` or `--database postgres://…`, or set PITON_DATABASE"
            }
            Self::NoFile(_) => "a path without a leading `/` begins at the current directory",
            Self::NoRun(_) => "`piton run list` shows the runs that there are",
            Self::NoDefinition(_) => "`piton definition list` shows the definitions that there are",
            Self::SeveralDefinitions { .. } => "name one of them",
            Self::LockFile { .. } => {
                "`PITON_LOCK=accept cargo test piton_lock` in the crate of the workflows writes it"
            }
            Self::Edit(
                EditError::NoVariable { .. }
                | EditError::Value { .. }
                | EditError::NoAwait { .. }
                | EditError::SeveralAwaits { .. },
            ) => "`piton run show` shows variables, their types, and what the run waits for",
            Self::Edit(EditError::Closed { .. }) => {
                "a run that has failed, was cancelled or terminated can be opened again with `--reopen`"
            }
            Self::Edit(EditError::NoHistory { .. }) => {
                "a workflow keeps past states of its runs with `#[workflow(history = 10)]`"
            }
            _ => return None,
        })
    }
}

impl From<LookupError> for Failure {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::Store(error) => Self::Store(error),
            LookupError::Unknown(key) => Self::NoRun(match key {
                piton::store::RunKey::RunId(run_id) => run_id.to_string(),
                piton::store::RunKey::WorkflowId(id) => id,
            }),
            // Runs are looked up without a workflow here.
            other => Self::NoRun(other.to_string()),
        }
    }
}

impl From<BulkError> for Failure {
    fn from(error: BulkError) -> Self {
        match error {
            BulkError::Store(error) => Self::Store(error),
            error => Self::Bulk(error),
        }
    }
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Lookup(error) => error.into(),
            error => Self::Edit(error),
        }
    }
}

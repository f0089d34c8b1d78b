//! Errors of commands, and the exit codes.

use std::borrow::Cow;
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use piton::error::{
    BulkError, CompleteError, ConnectError, EditError, LookupError, QueryError, ScheduleError,
    SignalError, StoreError, UpdateError,
};
use piton::lock::LockError;
use piton::model::RunStatus;
use serde_json::Value;

use crate::output::{plain_lines, tell};
use crate::shell::quoted;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("no database is given")]
    NoDatabase,
    #[error("there is no file `{0}`")]
    NoFile(String),
    #[error("the database has no namespace `{0}`")]
    NoNamespace(String),
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
    #[error(transparent)]
    Signal(SignalError),
    #[error(transparent)]
    Query(QueryError),
    #[error("{}", update_error(.0))]
    Update(UpdateError<Value>),
    #[error("the run `{id}` has not answered the update `{name}` within {limit:?}")]
    NoAnswer { id: String, name: String, request: Value, update_id: String, limit: Duration },
    #[error("the run `{id}` has not closed within {limit:?}")]
    StillOpen { id: String, limit: Duration },
    #[error("{0}")]
    Run(String),
    #[error("the run `{id}` is already {status}")]
    Over { id: String, status: RunStatus },
    #[error("the run `{id}` is {status}, and only a closed run can be deleted")]
    Open { id: String, status: RunStatus },
    #[error(transparent)]
    Promise(CompleteError),
    #[error("no run awaits the promise `{token}`{}", awaited(.names))]
    NotAwaited { token: String, names: Vec<String> },
    #[error("the queue `{queue}` has {moved} of these {named} failed calls, which were moved")]
    NoCalls { queue: String, named: usize, moved: u64 },
    #[error("the promise is already {status}")]
    Completed { status: &'static str },
    #[error("the database failed")]
    Asked(#[source] Arc<StoreError>),
    #[error("`{path}` cannot be read")]
    LockFile { path: String, source: std::io::Error },
    #[error("`{path}` is not a lock file")]
    Lock { path: String, source: LockError },
    #[error(transparent)]
    Schedule(ScheduleError),
    #[error("no cron string is given")]
    NoCron,
    #[error("{0}")]
    Usage(String),
    #[error("standard input cannot be read")]
    Input(#[source] std::io::Error),
    #[error("the output cannot be written")]
    Output(#[from] std::io::Error),
}

/// The subject of the command does not exist, or a check has found something.
pub(crate) const FOUND: u8 = 1;
/// The exit code that clap uses for invalid command lines.
const USAGE: u8 = 2;
/// The database failed.
const DATABASE: u8 = 3;
/// The command has not waited to the end.
const LATE: u8 = 4;

impl Failure {
    /// Prints it to stderr.
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
        tell(&format!("error: {}", plain_lines(&text)));
        if let Some(hint) = self.hint() {
            tell(&format!("\nhint: {}", plain_lines(&hint)));
        }
        ExitCode::from(self.code())
    }

    fn code(&self) -> u8 {
        match self {
            Self::Signal(SignalError::Store(_))
            | Self::Update(UpdateError::Store(_))
            | Self::Promise(CompleteError::Store(_)) => DATABASE,
            Self::NoRun(_)
            | Self::NoNamespace(_)
            | Self::NoDefinition(_)
            | Self::Edit(_)
            | Self::Signal(_)
            | Self::Query(_)
            | Self::Update(_)
            | Self::Run(_)
            | Self::Promise(_)
            | Self::NotAwaited { .. }
            | Self::NoCalls { .. }
            | Self::Completed { .. }
            | Self::Schedule(_)
            | Self::Over { .. }
            | Self::Open { .. } => FOUND,
            Self::Bulk(_)
            | Self::NoDatabase
            | Self::SeveralDefinitions { .. }
            | Self::LockFile { .. }
            | Self::Lock { .. }
            | Self::NoCron
            | Self::Usage(_)
            | Self::Input(_) => USAGE,
            Self::NoAnswer { .. } | Self::StillOpen { .. } => LATE,
            Self::Connect(ConnectError::Url { .. } | ConnectError::Namespace { .. })
            | Self::Store(StoreError::QueueName { .. }) => USAGE,
            Self::NoFile(_)
            | Self::Connect(_)
            | Self::Store(_)
            | Self::Asked(_)
            | Self::Output(_) => DATABASE,
        }
    }

    fn hint(&self) -> Option<Cow<'static, str>> {
        Some(Cow::Borrowed(match self {
            Self::NoAnswer { id, name, request, update_id, .. } => {
                let request = request.to_string();
                let words = [id, name, &request, "--update-id", update_id].map(quoted);
                return Some(Cow::Owned(format!(
                    "the run may answer later; this asks again and sends nothing twice: `piton run update {}`",
                    words.join(" ")
                )));
            }
            Self::NoDatabase => {
                "name it with `--database sqlite:path` or `--database postgres://…`, or set PITON_DATABASE"
            }
            Self::NoFile(_) => "a path without a leading `/` begins at the current directory",
            Self::NoNamespace(_) => "`piton namespace list` lists the namespaces",
            Self::Schedule(ScheduleError::Unknown { .. }) => {
                "`piton schedule list` lists the schedules"
            }
            Self::Schedule(ScheduleError::Awaited(SignalError::NotAwaited { .. })) => {
                "`piton definition show` shows what each state of a workflow waits for"
            }
            Self::NoCalls { .. } => "`piton queue failed` lists the failed calls of a queue",
            Self::NotAwaited { .. } => {
                "`piton promise list` lists the promises that runs await; `--ahead` completes one that no run awaits yet"
            }
            Self::NoRun(_) => "`piton run list` lists the runs",
            Self::NoDefinition(_) => "`piton definition list` lists the definitions",
            Self::SeveralDefinitions { .. } => "name one of them",
            Self::LockFile { .. } => {
                "`PITON_LOCK=accept cargo test piton_lock` in the crate of the workflows writes it"
            }
            Self::Completed { .. } => "`piton promise show` shows its outcome",
            Self::NoCron => "pass one, or pass `--json` and write specs to standard input",
            Self::Edit(
                EditError::NoVariable { .. }
                | EditError::Value { .. }
                | EditError::NoAwait { .. }
                | EditError::SeveralAwaits { .. },
            ) => "`piton run show` shows variables, their types, and what the run waits for",
            Self::Edit(EditError::Arrived { .. }) => {
                "`piton run set-aside` moves a signal to the dead letters, so that the run does not take it"
            }
            Self::Query(QueryError::NotExposed { .. }) => {
                "a workflow exposes a variable with `#[expose] let …`, from there to the end of its scope"
            }
            Self::Signal(SignalError::NotAwaited { .. })
            | Self::Update(UpdateError::NotAwaited { .. }) => {
                "`piton definition show` shows what each state of a workflow waits for"
            }
            Self::Update(UpdateError::Store(_)) => {
                "with `--update-id`, the update can be sent again and is carried out once"
            }
            Self::Edit(EditError::Closed { status, .. }) if *status != RunStatus::Completed => {
                "`piton run edit ID --reopen` opens a run again that has failed, was cancelled or terminated"
            }
            Self::Edit(EditError::NoHistory { .. }) => {
                "a workflow keeps past states of its runs with `#[workflow(history = 10)]`"
            }
            _ => return None,
        }))
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

/// The names of the promises that are awaited instead.
fn awaited(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => {
            let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
            format!("; of the same run are awaited: {}", names.join(", "))
        }
    }
}

/// The error of a refused update, as JSON.
fn update_error(error: &UpdateError<Value>) -> String {
    match error {
        UpdateError::Refused(reason) => format!("the update was refused: {reason}"),
        other => other.to_string(),
    }
}

impl From<CompleteError> for Failure {
    fn from(error: CompleteError) -> Self {
        Self::Promise(error)
    }
}

impl From<SignalError> for Failure {
    fn from(error: SignalError) -> Self {
        Self::Signal(error)
    }
}

impl From<UpdateError<Value>> for Failure {
    fn from(error: UpdateError<Value>) -> Self {
        Self::Update(error)
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Lookup(error) => error.into(),
            error => Self::Query(error),
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

impl From<ScheduleError> for Failure {
    fn from(error: ScheduleError) -> Self {
        match error {
            ScheduleError::Store(error) => Self::Store(error),
            error => Self::Schedule(error),
        }
    }
}

//! The body of the test that [`test!`](super::test) defines.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use super::Lock;
use super::check::compare;
use crate::machine::WorkflowEntry;

/// The environment variable that selects the mode.
const VARIABLE: &str = "PITON_LOCK";

/// The mode of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Compare.
    Check,
    /// Compare, and add missing definitions to the file.
    Accept,
    /// Compare, and fail if the file lacks definitions.
    Locked,
}

impl Mode {
    fn from_env() -> Result<Self, String> {
        match env::var(VARIABLE) {
            Err(env::VarError::NotPresent) => Ok(Self::Check),
            Err(error) => Err(format!("{VARIABLE} cannot be read: {error}")),
            Ok(mode) => match &*mode {
                "" | "check" => Ok(Self::Check),
                "accept" => Ok(Self::Accept),
                "locked" => Ok(Self::Locked),
                other => {
                    Err(format!("{VARIABLE} is {other:?}; it can be `accept`, `locked` or `check`"))
                }
            },
        }
    }
}

/// Runs the test for the crate in this directory.
pub fn run(directory: &str) -> ExitCode {
    let mode = Mode::from_env().map_err(|error| format!("error: {error}\n"));
    let result = mode.and_then(|mode| run_as(mode, Path::new(directory), WorkflowEntry::all()));
    let (text, code) = match result {
        Ok(text) => (text, ExitCode::SUCCESS),
        Err(text) => (text, ExitCode::FAILURE),
    };
    // Not by `eprint!`, of which nobody sees anything if a test passes: there may be warnings. If nobody reads it, the
    // exit code tells.
    let _ = io::stderr().write_all(text.as_bytes());
    code
}

/// Runs the test on these workflows. Returns the report.
///
/// # Errors
/// The report, if the test fails.
pub fn run_as(
    mode: Mode,
    directory: &Path,
    workflows: impl IntoIterator<Item = &'static WorkflowEntry>,
) -> Result<String, String> {
    let path = directory.join("piton.lock");
    let failed = |what: &str, error: io::Error| {
        format!("error: {} cannot be {what}: {error}\n", path.display())
    };
    let text = match fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed("read", error)),
    };
    let lock = match text {
        Some(text) => Lock::parse(&text).map_err(|error| {
            format!(
                "error: {error}\n  --> {}\n   = help: restore it from version control\n",
                path.display()
            )
        })?,
        None if mode == Mode::Accept => Lock::default(),
        None => {
            return Err(format!(
                "error: there is no `piton.lock`\n  --> {}\n   = help: make it with `{VARIABLE}=accept cargo test \
                 piton_lock`, and commit it: it is what later edits are compared with\n",
                path.display()
            ));
        }
    };
    let workflows: Vec<_> = workflows.into_iter().collect();
    let mut report = compare(&lock, workflows.iter().copied());
    if mode == Mode::Accept {
        let mut lock = lock;
        if lock.record(workflows) > 0 {
            fs::write(&path, lock.to_string()).map_err(|error| failed("written", error))?;
        }
        report.unrecorded.clear();
    }
    let text = report.to_string();
    let is_locked = mode != Mode::Locked || report.unrecorded.is_empty();
    match report.is_ok() && is_locked {
        true => Ok(text),
        false => Err(format!("\n{text}")),
    }
}

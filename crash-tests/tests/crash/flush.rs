//! A disk that fails during the flush of a commit: the process gets an error, but the writes may exist nevertheless.
//!
//! A preloaded library simulates such a disk. The test compiles it with the C compiler of SQLite.

use std::ops::Range;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use piton_crash_tests::at_once::at_once;
use piton_crash_tests::workload::check;

const SIGKILL: i32 = 9;

/// The first flush that fails, in different parts of the work, and how many fail from there on. Four
/// come before the worker is ready; an error there is the caller's.
const FAILURES: [(u32, u32); 4] = [(6, 1), (9, 2), (15, 1), (25, 3)];

/// After the error, the process writes the same again, and no row exists twice.
#[test]
fn a_commit_that_is_not_flushed_is_made_again() {
    let library = library();
    at_once(FAILURES, |(from, count)| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let ended = failing(folder.path(), &library, from..from + count).output();
        let ended = ended.expect("the program starts");
        assert!(ended.status.success(), "{from}, {count}: {ended:?}");
        assert_eq!(failures(&ended), count, "{from}, {count}");
        check(folder.path(), &[]);
    });
}

/// The process dies after the error, and the next one finds the commit. Only the run's row shows whether the step was
/// committed.
#[test]
fn a_commit_that_failed_and_is_there_counts_once() {
    let library = library();
    at_once(FAILURES, |(from, count)| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let killed = failing(folder.path(), &library, from..from + count)
            .env("FLUSH_KILLS", (from + count).to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let process_id = killed.id();
        let killed = killed.wait_with_output().expect("it ran");
        assert_eq!(killed.status.signal(), Some(SIGKILL), "{from}, {count}: {killed:?}");
        assert_eq!(failures(&killed), count, "{from}, {count}");
        let ended = program(folder.path()).output().expect("the program starts");
        assert!(ended.status.success(), "{from}, {count}: {ended:?}");
        check(folder.path(), &[process_id]);
    });
}

/// The library, as long as its folder exists.
struct Library {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

fn library() -> Library {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("failing_flush.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/failing_flush.c");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&path, &source])
        .arg("-ldl")
        .status();
    assert!(compiled.expect("SQLite was compiled by it, too").success());
    Library { path, _folder: folder }
}

fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_piton-crash-tests"));
    command.arg(folder).env_remove("PITON_FAILPOINT");
    command
}

/// The program on a disk that fails these flushes.
fn failing(folder: &Path, library: &Library, flushes: Range<u32>) -> Command {
    let mut command = program(folder);
    command
        .env("LD_PRELOAD", &library.path)
        .env("FLUSH_FAILS_FROM", flushes.start.to_string())
        .env("FLUSH_FAILS_TO", flushes.end.to_string());
    command
}

/// The number of failed flushes.
fn failures(ended: &Output) -> u32 {
    let errors = String::from_utf8_lossy(&ended.stderr);
    errors.lines().filter(|line| line.starts_with("flush ") && line.ends_with(" fails")).count()
        as u32
}

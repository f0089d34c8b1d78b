//! The order desk as a process: killed, started again, and its books checked.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program with its files in `data`, its output not mixed with logs.
fn orders(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orders"));
    command.arg("--data").arg(data).args(arguments).env_remove("RUST_LOG");
    command
}

fn run(data: &Path, arguments: &[&str]) -> Output {
    orders(data, arguments).output().expect("the program can be started")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Starts the program and kills it when it has printed how far it is.
fn kill_in_progress(data: &Path, arguments: &[&str]) {
    let mut child =
        orders(data, arguments).stdout(Stdio::piped()).spawn().expect("the program can be started");
    let printed = BufReader::new(child.stdout.take().expect("piped"));
    let is_under_way = printed
        .lines()
        .map(|line| line.expect("text"))
        .any(|line| line.contains(" done, ") && line.contains(" running, "));
    assert!(is_under_way, "the program ended before it told of any progress");
    child.kill().expect("the program is still there");
    child.wait().expect("a child");
}

#[test]
fn killed_twice_it_finishes_and_the_books_add_up() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path();
    // Nobody approves, so the first two starts cannot end before they are killed.
    let slow = ["--approve", "none", "--approval-window", "1h"];
    kill_in_progress(data, &slow);
    kill_in_progress(data, &slow);

    let unfinished = run(data, &["--verify"]);
    assert_eq!(unfinished.status.code(), Some(1));
    assert!(stdout(&unfinished).contains(": is unfinished\n"), "{}", stdout(&unfinished));

    let finished = run(data, &["--calm"]);
    assert!(finished.status.success(), "{}{}", stdout(&finished), stderr(&finished));
    assert!(stdout(&finished).contains("\nFound 209 runs: "), "{}", stdout(&finished));

    let verified = run(data, &["--verify"]);
    assert!(verified.status.success(), "{}", stdout(&verified));

    let again = run(data, &["--calm"]);
    assert!(again.status.success());
    assert!(stdout(&again).contains("Found 209 runs, all finished.\n"), "{}", stdout(&again));
    assert!(stdout(&again).contains(" for 0 steps"), "{}", stdout(&again));
}

#[test]
fn orders_that_nobody_approves_expire() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path();
    let output = run(data, &["--calm", "--approve", "none", "--approval-window", "100ms"]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let table = stdout(&output);
    let count = |outcome: &str| {
        let row = table.lines().find(|line| line.contains(outcome)).expect("a row");
        row.split_whitespace().rev().nth(2).expect("a column").to_owned()
    };
    assert_eq!(
        ["completed", "declined", "out of stock", "expired", "all"].map(count),
        ["183", "9", "5", "12", "209"]
    );
    assert!(run(data, &["--verify"]).status.success());
}

#[test]
fn a_ledger_without_its_database_is_refused() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path();
    assert!(run(data, &["--calm"]).status.success());
    std::fs::remove_file(data.join("orders.db")).expect("a file");
    let refused = run(data, &["--calm"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("\n\nhint: start over with --fresh"), "{}", stderr(&refused));
    assert!(run(data, &["--calm", "--fresh"]).status.success());
}

#[test]
fn what_cannot_be_done_is_said_with_a_way_out() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path();
    for (arguments, error) in [
        (["--verify"].as_slice(), "error: there is no "),
        (&["no-such-file.csv"], "error: cannot read the orders in `no-such-file.csv`: "),
        (&["--database", "oracle:orders"], "error: cannot connect to `oracle:orders`: "),
    ] {
        let output = run(data, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).starts_with(error), "{}", stderr(&output));
        assert!(stderr(&output).contains("\n\nhint: "), "{}", stderr(&output));
    }
}

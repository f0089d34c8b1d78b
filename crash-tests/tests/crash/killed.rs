//! Real processes that are killed. After the last restart every run has the result of a program that was never killed,
//! and every attempt of every activity is accounted for.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use piton_crash_tests::at_once::at_once;
use piton_crash_tests::random::Random;
use piton_crash_tests::workload::check;

/// The maximum number of restarts, so that a program without progress fails the test.
const MAX_RESTARTS: u32 = 60;

#[test]
fn without_a_crash_nothing_is_attempted_twice() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert!(start(folder.path(), None).wait().expect("it ran").success());
    check(folder.path(), &[]);
}

#[test]
fn killed_at_every_kind_of_point() {
    let points = [
        "before_commit",
        "after_commit",
        "before_activity",
        "after_activity",
        "before_deliver",
        "after_deliver",
        "after_start",
        "after_claim",
        "after_claim_activities",
        "before_finish",
        "after_finish",
    ];
    let cases = points.into_iter().flat_map(|point| [1, 3, 10].map(|count| (point, count)));
    at_once(cases, |(point, count)| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut killed = Vec::new();
        // A claim takes the runs of a killed program.
        let (first, again) = match point {
            "after_claim" => (format!("before_activity:{count}=kill"), "after_claim=kill".into()),
            _ => (format!("{point}:{count}=kill"), format!("{point}:{count}=kill")),
        };
        let ended = run(folder.path(), Some(&first), &mut killed);
        // The number of runs in a claim depends on the number of due runs.
        let is_certain = count == 1 || point != "after_claim_activities";
        assert!(killed.len() == 1 || ended.success(), "{first}: {ended}");
        assert!(killed.len() == 1 || !is_certain, "{first} was never reached: {ended}");
        // The same point once more, on the way through recovery, which may not reach it that often.
        let before = killed.len();
        let ended = run(folder.path(), Some(&again), &mut killed);
        let is_reached = killed.len() > before;
        assert!(is_reached || ended.success(), "{again}: {ended}");
        assert!(
            is_reached || (count > 1 && point != "after_claim"),
            "{again} was never reached: {ended}"
        );
        finish(folder.path());
        check(folder.path(), &killed);
    });
}

#[test]
fn killed_at_random_instants() {
    let mut random = Random::from_environment();
    let waits: [[u64; 8]; 3] =
        std::array::from_fn(|_| std::array::from_fn(|_| random.below(60_000)));
    at_once(waits, |waits| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut killed = Vec::new();
        for wait in waits {
            let mut child = start(folder.path(), None);
            await_ready(&mut child);
            // The test is about the instant, so this waits for a time and not for an event.
            std::thread::sleep(Duration::from_micros(wait));
            child.kill().expect("it was there to be killed");
            killed.push(child.id());
            child.wait().expect("it ran");
        }
        finish(folder.path());
        check(folder.path(), &killed);
    });
}

/// Lets the program run until it ends, and records whether it was killed.
fn run(folder: &Path, fail_point: Option<&str>, killed: &mut Vec<u32>) -> ExitStatus {
    let mut child = start(folder, fail_point);
    let ended = child.wait().expect("it ran");
    if was_killed(ended) {
        killed.push(child.id());
    }
    ended
}

/// Starts the program on `folder`.
fn start(folder: &Path, fail_point: Option<&str>) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_piton-crash-tests"));
    command.arg(folder).stdout(Stdio::piped()).env_remove("PITON_FAILPOINT");
    if let Some(spec) = fail_point {
        command.env("PITON_FAILPOINT", spec);
    }
    command.spawn().expect("the program starts")
}

fn await_ready(child: &mut Child) {
    let output = child.stdout.as_mut().expect("piped");
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).expect("readable");
    assert_eq!(line, "ready\n");
}

/// Starts the program until it finishes.
fn finish(folder: &Path) {
    for _ in 0..MAX_RESTARTS {
        if start(folder, None).wait().expect("it ran").success() {
            return;
        }
    }
    panic!("the program did not finish in {MAX_RESTARTS} lives");
}

fn was_killed(status: ExitStatus) -> bool {
    const SIGKILL: i32 = 9;
    status.signal() == Some(SIGKILL)
}

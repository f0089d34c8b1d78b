//! Runs that count on SQLite, in a program that is killed: children, continued runs, updates and pauses count once.

use piton_crash_tests::at_once::at_once;
use piton_crash_tests::program::Program;
use piton_crash_tests::random::Random;

/// How often a process is killed at any instant. A run that is lost with 16 in a row is blocked.
const KILLS: usize = 6;

/// The latest instant of a kill, in milliseconds, when most of the work is done.
const LATEST: u64 = 150;

#[test]
fn killed_at_every_kind_of_point() {
    let points = ["before_commit", "after_commit", "before_relay", "after_relay"];
    let cases = points.into_iter().flat_map(|point| [2, 15].map(|count| (point, count)));
    let others = ["before_deliver", "after_deliver"].map(|point| (point, 7));
    at_once(cases.chain(others), |(point, count)| {
        on_sqlite(|program| {
            program.is_killed_at(point, count);
            program.finish();
            // Closed runs stay closed, and have the same answers.
            program.finish();
        });
    });
}

#[test]
fn killed_at_random_instants() {
    let mut random = Random::from_environment();
    let cases: [[u64; KILLS]; 3] =
        std::array::from_fn(|_| std::array::from_fn(|_| random.below(LATEST)));
    at_once(cases, |waits| {
        on_sqlite(|program| program.survives(waits));
    });
}

fn on_sqlite(test: impl FnOnce(&Program<'_>)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = vec![folder.path().into()];
    test(&Program { path: env!("CARGO_BIN_EXE_piton-counter"), arguments });
}

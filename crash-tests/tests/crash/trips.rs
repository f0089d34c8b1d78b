//! Trips on SQLite, booked by a program that is killed: a trip is booked completely, or each of its bookings is
//! cancelled once.

use piton_crash_tests::at_once::at_once;
use piton_crash_tests::program::Program;
use piton_crash_tests::random::Random;
use piton_crash_tests::trips::check;
use std::path::Path;

/// How often a process is killed at any instant. A run that is lost with 16 in a row is blocked.
const KILLS: usize = 8;

/// The points are around the booking, the step that registers the compensation, and the compensations.
#[test]
fn killed_at_every_kind_of_point() {
    let points = ["before_commit", "after_commit", "before_activity", "after_activity"];
    let cases = points.into_iter().flat_map(|point| [1, 4, 9, 16].map(|count| (point, count)));
    at_once(cases, |(point, count)| {
        on_sqlite(|program| {
            program.is_killed_at(point, count);
            program.is_killed_at(point, 2);
            program.finish();
        });
    });
}

#[test]
fn killed_at_random_instants() {
    let mut random = Random::from_environment();
    let cases: [[u64; KILLS]; 3] =
        std::array::from_fn(|_| std::array::from_fn(|_| random.below(40)));
    at_once(cases, |waits| {
        on_sqlite(|program| program.survives(waits));
    });
}

fn on_sqlite(test: impl FnOnce(&Program<'_>)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path: &Path = folder.path();
    let arguments = vec![path.into()];
    test(&Program { path: env!("CARGO_BIN_EXE_piton-travel-desk"), arguments });
    check(path);
}

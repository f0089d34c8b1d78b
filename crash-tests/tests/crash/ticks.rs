//! A schedule of a second on SQLite, served by processes that are killed: each second has one run.

use std::path::Path;
use std::time::Duration;

use piton_crash_tests::at_once::at_once;
use piton_crash_tests::program::Program;
use piton_crash_tests::random::Random;

/// How often each process is killed at any instant.
const KILLS: usize = 6;

/// How many milliseconds a process lives at most.
const LIFE_MS: u64 = 800;

/// Between the claim and the write another process takes over only after a while, so this takes as long.
#[test]
fn killed_at_every_kind_of_point() {
    let points = ["after_claim_schedules", "after_start_scheduled", "before_save_schedules"];
    at_once(points, |point| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let program = program(folder.path());
        program.is_killed_at(point, 2);
        program.finish();
    });
}

/// Two processes serve it, and both are killed again and again.
#[test]
fn killed_at_random_instants() {
    let mut random = Random::from_environment();
    let lives: [[u64; KILLS]; 2] =
        std::array::from_fn(|_| std::array::from_fn(|_| random.below(LIFE_MS)));
    let folder = tempfile::tempdir().expect("a temporary folder");
    at_once(lives, |waits| {
        let program = program(folder.path());
        for wait in waits {
            program.is_killed_after(Duration::from_millis(wait));
        }
        program.finish();
    });
}

fn program(folder: &Path) -> Program<'static> {
    Program { path: env!("CARGO_BIN_EXE_piton-ticker"), arguments: vec![folder.into()] }
}

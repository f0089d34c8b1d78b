//! Notes from run to run on SQLite, in one process that is killed: each is taken once and in order.

use std::time::Duration;

use piton_crash_tests::at_once::at_once;
use piton_crash_tests::environment::number;
use piton_crash_tests::exchange::{CLIENT_POINT, Exchange, SMALL, WORKER_POINTS};
use piton_crash_tests::program::Program;
use piton_crash_tests::random::Random;

/// How often the process is killed at any instant, if the environment says nothing else.
const KILLS: u64 = 6;

/// How long the process lives at the most before that.
const MAX_LIFE_MS: u64 = 500;

#[test]
fn killed_at_every_kind_of_point() {
    let points = WORKER_POINTS.into_iter().chain([CLIENT_POINT]);
    let cases = points.flat_map(|point| [1, 3].map(|count| (point, count)));
    at_once(cases, |(point, count)| {
        on_sqlite(SMALL, |program| {
            program.is_killed_at(point, count);
            program.is_killed_at(point, 1);
            program.finish();
        });
    });
}

/// `PITON_EXCHANGE_KILLS` makes it as many as one likes.
#[test]
fn killed_at_random_instants() {
    let mut random = Random::from_environment();
    on_sqlite(Exchange::whole(), |program| {
        for _ in 0..number("PITON_EXCHANGE_KILLS", KILLS) {
            program.is_killed_after(Duration::from_millis(random.below(MAX_LIFE_MS)));
        }
        program.finish();
    });
}

fn on_sqlite(exchange: Exchange, test: impl FnOnce(&Program<'_>)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("runs.db").display());
    test(&exchange.program(env!("CARGO_BIN_EXE_piton-exchange"), &url));
}

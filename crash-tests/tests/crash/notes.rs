//! Notes from run to run on SQLite, in one process that is killed: each is taken once and in order.

use piton_crash_tests::at_once::at_once;
use piton_crash_tests::environment::number;
use piton_crash_tests::exchange::{CLIENT_POINT, Exchange, SMALL, WORKER_POINTS};
use piton_crash_tests::program::Program;
use piton_crash_tests::random::Random;

/// How often a process is killed at any instant. A run that is lost with 16 in a row is blocked.
const KILLS: usize = 6;

/// The default number of small exchanges that are interrupted at random instants.
const ROUNDS: u64 = 5;

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

/// One full exchange, and `PITON_EXCHANGE_ROUNDS` small ones.
#[test]
fn killed_at_random_instants() {
    let mut random = Random::from_environment();
    let mut case = |exchange, max_life_ms| -> (Exchange, [u64; KILLS]) {
        (exchange, std::array::from_fn(|_| random.below(max_life_ms)))
    };
    let mut cases = vec![case(Exchange::whole(), 500)];
    cases.extend((0..number("PITON_EXCHANGE_ROUNDS", ROUNDS)).map(|_| case(SMALL, 100)));
    at_once(cases, |(exchange, waits)| {
        on_sqlite(exchange, |program| program.survives(waits));
    });
}

fn on_sqlite(exchange: Exchange, test: impl FnOnce(&Program<'_>)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("runs.db").display());
    test(&exchange.program(env!("CARGO_BIN_EXE_piton-exchange"), &url));
}

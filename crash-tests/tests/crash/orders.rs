//! Orders with children on SQLite, in a process that is killed, and receipts from another: the books balance.

use std::time::Duration;

use piton_crash_tests::at_once::at_once;
use piton_crash_tests::environment::number;
use piton_crash_tests::program::Program;
use piton_crash_tests::random::Random;

/// How often a process is killed at any instant. A run that is lost with 16 in a row is blocked.
const KILLS: usize = 6;

/// The number of orders for a kill at one point.
const FEW: u64 = 8;

/// The default number of orders for kills at random instants.
const MANY: u64 = 40;

#[test]
fn killed_at_every_kind_of_point() {
    let points = ["before_commit", "after_commit", "before_relay", "after_relay"];
    let cases = points.into_iter().flat_map(|point| [2, 9].map(|count| (point, count)));
    at_once(cases, |(point, count)| {
        let desk = Desk::new(FEW);
        desk.program().is_killed_at(point, count);
        desk.cashier().is_killed_at("before_complete_promises", 2);
        desk.program().is_killed_at(point, 2);
        desk.cashier().is_killed_at("after_complete_promises", 2);
        desk.finish();
    });
}

/// `PITON_ORDERS` sets the number of orders, `PITON_ORDER_ROUNDS` the number of rounds.
#[test]
fn killed_at_random_instants() {
    let mut random = Random::from_environment();
    let orders = number("PITON_ORDERS", MANY);
    let cases = (0..number("PITON_ORDER_ROUNDS", 2))
        .map(|_| -> [u64; KILLS] { std::array::from_fn(|_| random.below(10 * orders)) });
    let cases: Vec<_> = cases.collect();
    at_once(cases, |waits| {
        let desk = Desk::new(orders);
        for wait in waits {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    desk.cashier().is_killed_after(Duration::from_millis(wait / 2));
                });
                desk.program().is_killed_after(Duration::from_millis(wait));
            });
        }
        desk.finish();
    });
}

struct Desk {
    folder: tempfile::TempDir,
    orders: u64,
}

impl Desk {
    fn new(orders: u64) -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder"), orders }
    }

    fn program(&self) -> Program<'_> {
        self.at(env!("CARGO_BIN_EXE_piton-order-desk"))
    }

    fn cashier(&self) -> Program<'_> {
        self.at(env!("CARGO_BIN_EXE_piton-cashier"))
    }

    fn at<'a>(&self, path: &'a str) -> Program<'a> {
        let orders = self.orders.to_string().into();
        Program { path, arguments: vec![self.folder.path().into(), orders] }
    }

    /// Lets both programs finish concurrently. The desk checks the books.
    fn finish(&self) {
        std::thread::scope(|scope| {
            scope.spawn(|| self.cashier().finish());
            self.program().finish();
        });
    }
}

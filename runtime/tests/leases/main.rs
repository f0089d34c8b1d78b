//! The lease of a worker whose runtime makes no progress, on both databases.
//!
//! Without Postgres binaries its tests are reported as ignored, or as failed if
//! `PITON_REQUIRE_POSTGRES=1`.

#![allow(missing_docs, unreachable_pub, clippy::unwrap_used)]

mod cases;
mod scene;

use libtest_mimic::{Arguments, Trial};
use piton_postgres_cluster::{run_tests, trial};

use crate::scene::{Scene, runtime};

const EMPTY: &str = "DROP SCHEMA public CASCADE; CREATE SCHEMA public";

type Test = fn(&Scene);

macro_rules! tests {
    ($($module:ident::$name:ident),* $(,)?) => {
        &[$((stringify!($name), $module::$name as Test)),*]
    };
}

const TESTS: &[(&str, Test)] = tests![
    cases::blocked_threads_do_not_cost_the_lease,
    cases::a_worker_without_progress_gives_up_its_lease,
];

/// For stores with a single writing connection.
const FILE_TESTS: &[(&str, Test)] =
    tests![cases::a_transaction_in_which_everything_stops_does_not_cost_the_lease];

fn main() {
    run_tests(&Arguments::from_args(), "", |cluster| {
        let on_file = TESTS.iter().chain(FILE_TESTS).map(|(name, test)| {
            Trial::test(format!("sqlite::{name}"), move || {
                let folder = tempfile::tempdir()?;
                let url = format!("sqlite:{}", folder.path().join("some.db").display());
                test(&Scene::open(&url));
                Ok(())
            })
        });
        let on_server = TESTS.iter().map(|(name, test)| {
            trial(format!("postgres::{name}"), cluster, move |cluster| {
                let database = runtime().block_on(cluster.database(EMPTY))?;
                test(&Scene::open(database.url()));
                Ok(())
            })
        });
        on_file.chain(on_server).collect()
    })
}

//! Activities whose writes are committed with their outcome, on both databases.
//!
//! Without Postgres binaries its tests are reported as ignored, or as failed if
//! `PITON_REQUIRE_POSTGRES=1`.

#![allow(missing_docs, unreachable_pub, clippy::unwrap_used)]

mod books;
mod cases;

use std::pin::Pin;

use libtest_mimic::{Arguments, Failed, Trial};
use piton_postgres_cluster::{run_tests, trial};

use crate::books::{Books, on_postgres, on_sqlite};

const EMPTY: &str = "DROP SCHEMA public CASCADE; CREATE SCHEMA public";

type Test = fn(Books) -> Pin<Box<dyn Future<Output = ()>>>;

macro_rules! tests {
    ($($module:ident::$name:ident),* $(,)?) => {
        &[$((stringify!($name), |books| Box::pin($module::$name(books)))),*]
    };
}

const TESTS: &[(&str, Test)] = tests![
    cases::every_entry_is_made_once,
    cases::the_writes_of_a_failed_attempt_are_rolled_back,
    cases::a_panic_rolls_back,
    cases::an_attempt_that_takes_too_long_rolls_back,
    cases::outcomes_that_wait_for_others_are_kept,
    cases::a_worker_that_has_lost_its_run_writes_nothing,
    cases::a_refused_outcome_rolls_the_writes_back,
    cases::the_wrong_database_is_named,
    cases::an_entry_dropped_before_its_commit_is_not_made,
    cases::a_client_that_is_closed_at_work_says_so_and_loses_nothing,
];

const POSTGRES_TESTS: &[(&str, Test)] = tests![
    cases::a_constraint_that_is_looked_at_last_fails_the_activity,
    cases::a_connection_lost_in_the_commit_is_found_out_about,
    cases::a_swallowed_error_fails_the_activity,
    cases::an_entry_dropped_during_its_commit_is_made_once,
];

fn main() {
    run_tests(&Arguments::from_args(), "", |cluster| {
        let on_file = TESTS.iter().map(|(name, test)| {
            Trial::test(format!("sqlite::{name}"), move || {
                let folder = tempfile::tempdir()?;
                let url = format!("sqlite:{}", folder.path().join("books.db").display());
                run(async move {
                    test(Books::open(&url, on_sqlite::KIND).await).await;
                    Ok(())
                })
            })
        });
        let on_server = TESTS.iter().chain(POSTGRES_TESTS).map(|(name, test)| {
            trial(format!("postgres::{name}"), cluster, move |cluster| {
                run(async move {
                    let database = cluster.database(EMPTY).await?;
                    test(Books::open(database.url(), on_postgres::KIND).await).await;
                    Ok(())
                })
            })
        });
        on_file.chain(on_server).collect()
    })
}

fn run(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_all().build()?.block_on(test)
}

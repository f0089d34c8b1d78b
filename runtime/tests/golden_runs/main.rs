//! A database of an earlier build stays readable.
//!
//! `sqlite.v1.sql` and `postgres.v1.sql` have the rows of runs that wait at each kind of await, and of a closed run.
//! The test inserts them into a new database and lets the current build finish the runs. The files were written by the
//! build of their time. After a release they are never rewritten: a change of the stored format adds files with the
//! next number, by
//!
//! ```text
//! PITON_GOLDEN=write cargo test -p piton --test golden_runs
//! ```
//!
//! Without Postgres binaries its test is reported as ignored, or as failed if `PITON_REQUIRE_POSTGRES=1`.

mod blocked;
mod chains;
mod closed;
mod dump;
mod kept;
mod messages;
mod parked;
mod promised;
mod queued;
mod shop;
mod waits;

use std::path::PathBuf;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use piton::client::Client;
use piton_postgres_cluster::{Cluster, run_tests, trial};

/// Columns that say which worker has a row, how often it was taken from one, and until when. Nobody has one in a file.
const OF_WORKERS: [&str; 6] = [
    "piton_activities.end_by",
    "piton_activities.epoch",
    "piton_activities.worker_id",
    "piton_runs.epoch",
    "piton_runs.takeovers",
    "piton_runs.worker_id",
];

/// The number of the newest files.
const NEWEST: u32 = 1;

fn main() {
    run_tests(&Arguments::from_args(), "", |cluster| {
        vec![
            Trial::test("runs_of_sqlite", || {
                block_on(async {
                    let directory = tempfile::tempdir()?;
                    for number in 1..=NEWEST {
                        let file = |name: &str| directory.path().join(format!("{name}{number}.db"));
                        let url = |name: &str| format!("sqlite:{}", file(name).display());
                        check("sqlite", number, &url("old"), &url("new")).await?;
                    }
                    Ok(())
                })
            }),
            trial("runs_of_postgres".into(), cluster, |cluster: Arc<Cluster>| {
                block_on(async {
                    for number in 1..=NEWEST {
                        let (old, new) =
                            (cluster.new_database().await?, cluster.new_database().await?);
                        check("postgres", number, &old, &new).await?;
                    }
                    Ok(())
                })
            }),
        ]
    })
}

fn block_on(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(test)
}

/// Finishes the runs in the file. Writes the file first, if requested.
async fn check(database: &str, number: u32, old: &str, new: &str) -> Result<(), Failed> {
    let name = format!("{database}.v{number}.sql");
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden_runs").join(&name);
    let is_asked = std::env::var_os("PITON_GOLDEN").is_some_and(|value| value == "write");
    if is_asked && number == NEWEST && !file.exists() {
        shop::park_runs(&Client::connect(old).await?, old).await?;
        std::fs::write(&file, dump::dump(old).await?)?;
    }
    let rows = std::fs::read_to_string(&file).map_err(|error| format!("{name}: {error}"))?;
    let client = Client::connect(new).await?;
    dump::execute(new, &rows).await?;
    if number == NEWEST {
        let mut empty = dump::empty_columns(new).await?;
        empty.retain(|column| !OF_WORKERS.contains(&&**column));
        empty.retain(|column| dump::LEFT_OUT.iter().all(|table| !column.starts_with(table)));
        assert_eq!(empty, [""; 0], "{name} has a value of each other column");
    }
    shop::finish_runs(&client).await
}

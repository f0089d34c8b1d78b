//! The conformance suite on every store of this crate: one test for each case and store.
//!
//! Without Postgres binaries its tests are reported as ignored, or as failed if
//! `PITON_REQUIRE_POSTGRES=1`.

use std::path::Path;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use piton::model::Timestamp;
use piton::store::conformance::{Case, StoreUnderTest, cases};
use piton::store::{Clock, ManualClock, MemoryStore, StoreOptions};
use piton_postgres_cluster::{self as cluster, Cluster};

/// The connections of one store. Each case has two stores, and many cases run at the same time.
const CONNECTIONS: u32 = 4;

/// Empties a database.
const RESET: &str = "TRUNCATE piton_workers, piton_runs, piton_inbox, piton_arrival_keys, piton_update_replies, \
    piton_definitions, piton_schemas, piton_audit, piton_history, piton_activities, piton_outbox, piton_dead_letters, \
    piton_promises, piton_promise_waits, piton_schedule_log, piton_schedules, piton_chains, piton_children, \
    piton_child_waits, piton_paused_queues, piton_partitioned_queues, piton_partitions, piton_failed_calls, piton_terms, piton_attendance, piton_pauses, \
    piton_attributes, piton_memos";

fn main() {
    let arguments = Arguments::from_args();
    let cases = cases().into_iter();
    let mut trials: Vec<Trial> =
        cases.clone().flat_map(|case| [memory(case), sqlite(case)]).collect();
    let postgres = |case: &Case| format!("postgres::{}", case.name());
    let wanted = cases.clone().any(|case| is_wanted(&arguments, &postgres(&case)));
    // Dropped at the end of the block, also if a test fails.
    let conclusion = {
        let cluster = if wanted { Cluster::start() } else { Err("they are not wanted".into()) };
        let cluster = cluster.map(|cluster| {
            block_on(migrate_template(&cluster)).expect("the schema can be made");
            Arc::new(cluster)
        });
        trials.extend(cases.map(|case| on_postgres(case, postgres(&case), &cluster)));
        libtest_mimic::run(&arguments, trials)
    };
    conclusion.exit();
}

/// Whether a test with this name would run.
fn is_wanted(arguments: &Arguments, name: &str) -> bool {
    let matches = |filter: &String| match arguments.exact {
        true => name == filter,
        false => name.contains(filter.as_str()),
    };
    !arguments.list && arguments.filter.iter().all(matches) && !arguments.skip.iter().any(matches)
}

fn memory(case: Case) -> Trial {
    Trial::test(format!("memory::{}", case.name()), move || {
        let clock = ManualClock::new(Timestamp::now());
        block_on(async {
            let store = MemoryStore::with_clock(Arc::clone(&clock));
            case.run(StoreUnderTest::new(store.connect(), store, clock)).await;
            Ok(())
        })
    })
}

/// A case on a new file.
fn sqlite(case: Case) -> Trial {
    Trial::test(format!("sqlite::{}", case.name()), move || {
        let directory = tempfile::tempdir()?;
        block_on(async {
            let store = open_sqlite(&directory.path().join("runs.db")).await?;
            case.run(store).await;
            Ok(())
        })
    })
}

/// A case on its own database.
fn on_postgres(case: Case, name: String, cluster: &Result<Arc<Cluster>, String>) -> Trial {
    cluster::trial(name, cluster, move |cluster| {
        block_on(async {
            let database = cluster.database(RESET).await?;
            case.run(open_twice(database.url()).await?).await;
            Ok(())
        })
    })
}

/// Creates a template database, so that cases need not run the migrations.
async fn migrate_template(cluster: &Cluster) -> Result<(), Failed> {
    piton::store::connect(&cluster.url("template1")).await?.close().await;
    Ok(())
}

async fn open_sqlite(path: &Path) -> Result<StoreUnderTest, Failed> {
    open_twice(&format!("sqlite:{}", path.display())).await
}

async fn open_twice(url: &str) -> Result<StoreUnderTest, Failed> {
    let clock = ManualClock::new(Timestamp::now());
    let options =
        StoreOptions::default().clock(Clock::Manual(Arc::clone(&clock))).connections(CONNECTIONS);
    let store = options.connect(url).await?;
    let other = options.connect(url).await?;
    Ok(StoreUnderTest::new(store, other, clock))
}

fn block_on(case: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?
        .block_on(case)
}

//! Several worker processes on one database, mostly Postgres: killed, paused, with a wrong clock, cut off.
//!
//! Without Postgres binaries the tests are reported as ignored, or as failed if `PITON_REQUIRE_POSTGRES=1`. So is the
//! test of wrong clocks without libfaketime, unless `PITON_REQUIRE_FAKETIME=1`. Random choices follow from
//! `PITON_CRASH_SEED`, which every run prints.

mod audit;
mod books;
mod clock;
mod failover;
mod file_audit;
mod idle;
mod kill;
mod lost_answers;
mod many;
mod member;
mod notes;
mod one_file;
mod outage;
mod pause;
mod progress;
mod proxy;
mod queues;
mod scene;
mod soak;
mod ticks;

use std::pin::Pin;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use piton_postgres_cluster::{Cluster, run_tests, trial};

use crate::scene::Scene;

type Test = fn(Scene) -> Pin<Box<dyn Future<Output = ()>>>;

macro_rules! tests {
    ($($module:ident::$name:ident),* $(,)?) => {
        &[$((stringify!($name), |scene| Box::pin($module::$name(scene)))),*]
    };
}

const TESTS: &[(&str, Test)] = tests![
    books::a_killed_bookkeeper_makes_every_entry_once,
    idle::an_idle_process_asks_a_few_times_a_second,
    kill::runs_of_a_killed_worker_go_on_within_a_second,
    pause::a_worker_that_was_paused_for_too_long_commits_nothing,
    pause::a_commit_that_comes_after_the_lease_is_refused,
    pause::a_commit_of_a_fenced_worker_is_refused,
    clock::a_clock_that_jumps_moves_no_timer_and_no_lease,
    many::random_kills_lose_nothing,
    lost_answers::what_a_worker_commits_without_hearing_of_it_counts_once,
    lost_answers::what_a_claim_gives_long_after_its_connection_broke_is_found,
    lost_answers::what_a_step_takes_and_asks_for_without_hearing_of_it_counts_once,
    lost_answers::what_an_activity_commits_without_hearing_of_it_is_there_once,
    lost_answers::what_a_client_asks_without_hearing_of_it_counts_once,
    outage::a_server_that_restarts_loses_nothing,
    outage::a_quick_restart_takes_nobodys_runs,
    outage::what_arrives_late_from_a_cut_off_worker_changes_nothing,
    outage::a_silent_server_is_given_up,
    failover::another_server_takes_over,
    progress::what_heartbeats_said_outlives_a_killed_worker,
    progress::a_token_outlives_a_killed_worker,
    queues::activities_of_a_killed_worker_go_on_elsewhere,
    queues::a_worker_that_was_paused_for_too_long_ends_no_attempt,
    queues::limits_hold_while_workers_are_killed,
    notes::a_killed_process_sends_every_note_once,
    notes::notes_of_killed_workers_are_taken_once,
    ticks::each_time_starts_one_run_whoever_is_killed,
    soak::kills_pauses_cuts_and_restarts_at_once_lose_nothing,
];

/// The test that needs two servers.
const FAILOVER: &str = "another_server_takes_over";

/// The test that needs a library.
const CLOCK: &str = "a_clock_that_jumps_moves_no_timer_and_no_lease";

/// Statements can be counted by what the server writes into its log.
const SETTINGS: &str = "log_line_prefix = '%d '\n";

fn main() {
    let mut arguments = Arguments::from_args();
    // Each test starts several processes.
    arguments.test_threads.get_or_insert(3);
    run_tests(&arguments, SETTINGS, |cluster| {
        // Not every package of Postgres has the program by which one server follows another.
        let follows = |cluster: &Arc<Cluster>| match cluster.has("pg_basebackup") {
            true => Ok(Arc::clone(cluster)),
            false => Err("there is no pg_basebackup".to_owned()),
        };
        let can_follow = cluster.as_ref().map_err(String::clone).and_then(follows);
        let trials = TESTS.iter().map(|(name, test)| {
            if *name == CLOCK && clock::library().is_none() {
                let required = std::env::var("PITON_REQUIRE_FAKETIME").is_ok_and(|it| it == "1");
                return Trial::test(CLOCK, || Err("libfaketime is not installed".into()))
                    .with_ignored_flag(!required);
            }
            let cluster = if *name == FAILOVER { &can_follow } else { cluster };
            trial((*name).to_owned(), cluster, move |cluster| {
                run(async move {
                    test(Scene::new(cluster).await?).await;
                    Ok(())
                })
            })
        });
        let mut trials: Vec<Trial> = trials.collect();
        trials.push(on_a_file("random_kills_on_one_file_lose_nothing", || {
            Box::pin(one_file::random_kills_on_one_file_lose_nothing())
        }));
        trials.push(on_a_file("runs_of_a_worker_killed_on_one_file_go_on_within_a_second", || {
            Box::pin(one_file::runs_of_a_worker_killed_on_one_file_go_on_within_a_second())
        }));
        trials.push(on_a_file("notes_of_workers_killed_on_one_file_are_taken_once", || {
            Box::pin(notes::notes_of_workers_killed_on_one_file_are_taken_once())
        }));
        trials.push(on_a_file("each_time_starts_one_run_on_one_file", || {
            Box::pin(ticks::each_time_starts_one_run_on_one_file())
        }));
        trials.push(on_a_file("a_full_disk_is_waited_for", || {
            Box::pin(one_file::a_full_disk_is_waited_for())
        }));
        trials
    })
}

/// A test that needs no server.
fn on_a_file(name: &str, test: fn() -> Pin<Box<dyn Future<Output = ()>>>) -> Trial {
    Trial::test(name, move || {
        run(async move {
            test().await;
            Ok(())
        })
    })
}

fn run(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_all().build()?.block_on(test)
}

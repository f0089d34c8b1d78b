//! Postgres servers: refused databases, several processes on one database, query plans, and locks.
//!
//! Without Postgres binaries the tests are reported as ignored, or as failed if
//! `PITON_REQUIRE_POSTGRES=1`.

mod away;
mod blockers;
mod child;
mod connections;
mod fixture;
mod hanging;
mod list_plans;
mod locks;
mod namespaces;
mod opening;
mod plans;
mod pooler;
mod processes;
mod rows;
mod stopped;
mod switchover;
mod way;

use std::pin::Pin;

use libtest_mimic::{Arguments, Failed};
use piton_postgres_cluster::{run_tests, trial};

use crate::locks::{edits, fencing, order, recheck, relay};

/// Needs the program that creates a standby server, which not every package of Postgres has.
const SWITCHOVER: &str = "writes_survive_a_switchover";

/// Every test gets a new database.
const NEVER_REUSED: &str = "DROP SCHEMA public CASCADE; CREATE SCHEMA public";

type Test = fn(String) -> Pin<Box<dyn Future<Output = ()> + Send>>;

macro_rules! tests {
    ($($module:ident::$name:ident),* $(,)?) => {
        &[$((stringify!($name), |url| Box::pin($module::$name(url)))),*]
    };
}

const TESTS: &[(&str, Test)] = tests![
    opening::a_database_that_is_not_there_is_named,
    opening::a_server_that_is_not_there_is_unreachable,
    opening::a_schema_of_a_newer_piton_is_refused,
    opening::a_database_that_does_not_keep_every_text_is_refused,
    opening::commits_are_durable_whatever_the_settings_of_the_user,
    opening::ten_processes_may_start_on_an_empty_database,
    namespaces::ten_processes_may_open_a_new_namespace,
    namespaces::a_user_who_may_not_create_a_namespace_gets_an_error,
    namespaces::a_namespace_gets_no_notifications_of_another,
    namespaces::a_worker_of_one_namespace_says_nothing_of_those_of_another,
    processes::a_killed_process_is_found_dead_soon,
    processes::a_worker_whose_lock_is_held_by_another_expires_by_its_lease,
    processes::a_worker_whose_session_breaks_during_registration_gets_its_lock,
    processes::news_reaches_other_processes,
    processes::other_processes_hear_of_queues,
    away::calls_to_a_server_that_refuses_connections_fail_soon,
    away::calls_to_a_silent_server_fail_soon,
    away::calls_to_a_stopped_server_fail_soon,
    away::the_error_of_a_server_that_refuses_connections_is_returned,
    switchover::writes_survive_a_switchover,
    connections::connections_that_are_cut_are_made_again,
    connections::a_look_outlasts_a_way_without_a_server,
    connections::an_idle_transaction_is_retried,
    connections::a_timed_out_transaction_is_retried,
    pooler::a_pooler_that_loses_statements_is_refused,
    pooler::a_pooler_that_carries_statements_over_is_refused,
    pooler::a_pooler_that_keeps_commits_from_being_durable_is_refused,
    rows::a_fenced_worker_is_kept_for_a_week,
    rows::a_kept_run_stays_in_its_page,
    plans::rows_that_are_named_are_looked_up,
    list_plans::lists_and_sweeps_read_few_of_many_rows,
    plans::the_look_for_blocked_runs_reads_no_others,
    hanging::hanging_reads_delay_no_commit_and_no_renewal,
    hanging::hanging_commits_delay_no_renewal,
    stopped::a_process_stopped_in_a_long_response_delays_others_briefly,
    blockers::the_log_names_the_session_that_blocks_statements,
    rows::a_failure_with_nul_is_kept_without_it,
    fencing::a_claim_delays_fencing,
    fencing::a_start_with_an_owner_delays_fencing,
    fencing::an_adoption_delays_fencing,
    fencing::a_claim_of_activities_delays_fencing,
    fencing::a_commit_delays_fencing,
    fencing::a_delivery_by_the_owner_delays_fencing,
    fencing::an_end_of_an_attempt_delays_fencing,
    fencing::a_heartbeat_delays_fencing,
    fencing::a_commit_delays_the_release_of_its_worker,
    fencing::fencing_delays_a_claim,
    fencing::a_process_stopped_while_fencing_delays_nobody,
    order::commits_lock_in_order,
    order::claims_lock_their_worker,
    order::starts_lock_their_owners_in_order,
    order::arrivals_lock_in_order,
    order::outcomes_of_attempts_lock_in_order,
    order::outcomes_by_token_lock_in_order,
    order::ends_of_attempts_without_outcome_lock_in_order,
    order::signs_of_life_lock_in_order,
    order::fencing_locks_in_order,
    order::a_release_locks_in_order,
    order::unblocking_runs_locks_in_order,
    order::ending_or_settling_a_run_locks_it,
    recheck::a_run_that_is_adopted_meanwhile_is_not_unblocked,
    recheck::a_run_that_is_adopted_meanwhile_is_not_adopted_again,
    recheck::a_run_that_ends_meanwhile_is_not_taken_away,
    recheck::an_attempt_that_ends_meanwhile_is_not_cut_off,
    recheck::a_report_on_an_ended_attempt_is_stale,
    recheck::arrivals_of_one_run_wait_for_each_other,
    recheck::outcomes_of_one_run_wait_for_each_other,
    recheck::a_step_sees_concurrent_arrivals,
    recheck::a_run_that_is_terminated_keeps_only_signals_that_arrive_meanwhile,
    recheck::claims_do_not_wait_for_each_other,
    recheck::a_start_waits_for_another_of_its_id,
    recheck::an_ended_run_does_not_block_a_start,
    recheck::common_rows_are_written_in_one_order,
    edits::a_run_that_is_taken_meanwhile_is_not_edited,
    edits::a_run_that_moves_meanwhile_is_not_edited,
    edits::a_claim_skips_a_run_that_is_being_edited,
    edits::an_arrival_during_an_edit_makes_the_run_due,
    edits::a_start_and_a_run_that_is_opened_again_share_no_workflow_id,
    relay::relays_lock_in_order,
    relay::a_relay_delays_no_sender,
    relay::a_run_that_ends_meanwhile_gets_no_message,
    relay::a_message_that_is_taken_meanwhile_is_not_delivered_again,
    relay::redeliveries_lock_in_order,
];

fn main() {
    if let Ok(url) = std::env::var(child::URL) {
        return run(child::live(url)).expect("a child does its part");
    }
    run_tests(&Arguments::from_args(), "", |cluster| {
        let can_follow = cluster.clone().and_then(|cluster| match cluster.has("pg_basebackup") {
            true => Ok(cluster),
            false => Err("there is no pg_basebackup".to_owned()),
        });
        let trials = TESTS.iter().map(|(name, test)| {
            let cluster = if *name == SWITCHOVER { &can_follow } else { cluster };
            trial((*name).to_owned(), cluster, move |cluster| {
                run(async move {
                    let database = cluster.database(NEVER_REUSED).await?;
                    test(database.url().to_owned()).await;
                    Ok(())
                })
            })
        });
        trials.collect()
    })
}

fn run(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_all().build()?.block_on(test)
}

//! Postgres servers: what is refused and why, how processes on one database get along, how statements are
//! carried out, and what waits for what.
//!
//! Without Postgres binaries the tests are reported as ignored, or as failed if
//! `PITON_REQUIRE_POSTGRES=1`.

mod away;
mod blockers;
mod child;
mod connections;
mod fixture;
mod hanging;
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
use crate::plans::sweeps;

/// Needs the program by which one server follows another, which not every package of Postgres has.
const SWITCHOVER: &str = "who_takes_the_place_of_a_server_is_believed";

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
    namespaces::a_user_who_may_not_create_a_namespace_is_told,
    namespaces::a_namespace_hears_no_news_of_another,
    namespaces::a_worker_of_one_namespace_says_nothing_of_those_of_another,
    processes::a_killed_process_is_found_dead_soon,
    processes::a_worker_whose_lock_another_has_is_not_found_dead,
    processes::a_worker_whose_session_is_cut_off_as_it_registers_gets_its_lock,
    processes::news_reaches_other_processes,
    processes::other_processes_hear_of_queues,
    away::a_program_hears_soon_that_connections_are_refused,
    away::a_program_hears_soon_that_a_server_is_silent,
    away::a_program_hears_soon_that_a_server_is_stopped,
    away::what_a_server_says_that_lets_nobody_in_is_told,
    switchover::who_takes_the_place_of_a_server_is_believed,
    connections::connections_that_are_cut_are_made_again,
    connections::a_look_outlasts_a_way_without_a_server,
    connections::what_was_idle_for_too_long_is_tried_again,
    connections::what_took_too_long_is_tried_again,
    pooler::a_pooler_that_loses_statements_is_refused,
    pooler::a_pooler_that_carries_statements_over_is_refused,
    pooler::a_pooler_that_keeps_commits_from_being_durable_is_refused,
    rows::a_fenced_worker_is_kept_for_a_week,
    rows::a_kept_run_stays_in_its_page,
    plans::rows_that_are_named_are_looked_up,
    plans::the_look_for_blocked_runs_reads_no_others,
    sweeps::rows_that_are_looked_for_are_found_by_an_index,
    hanging::reads_that_hang_hold_up_no_commit_and_no_renewal,
    hanging::commits_that_hang_hold_up_no_renewal,
    stopped::who_is_stopped_in_a_long_answer_holds_up_nobody_for_long,
    blockers::who_keeps_statements_waiting_is_named_in_the_log,
    rows::a_failure_with_nul_is_kept_without_it,
    rows::a_step_that_cannot_be_kept_blocks_its_run,
    fencing::a_claim_holds_up_fencing,
    fencing::a_start_with_an_owner_holds_up_fencing,
    fencing::an_adoption_holds_up_fencing,
    fencing::a_claim_of_activities_holds_up_fencing,
    fencing::a_commit_holds_up_fencing,
    fencing::what_an_owner_delivers_holds_up_fencing,
    fencing::an_end_of_an_attempt_holds_up_fencing,
    fencing::a_sign_of_life_holds_up_fencing,
    fencing::a_commit_holds_up_the_release_of_its_worker,
    fencing::fencing_holds_up_a_claim,
    fencing::who_stands_still_while_fencing_holds_up_nobody,
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
    order::who_sets_blocked_runs_going_locks_in_order,
    order::who_ends_or_settles_a_run_locks_it,
    recheck::a_run_that_is_adopted_meanwhile_is_not_unblocked,
    recheck::a_run_that_is_adopted_meanwhile_is_not_adopted_again,
    recheck::a_run_that_ends_meanwhile_is_not_taken_away,
    recheck::an_attempt_that_ends_meanwhile_is_not_cut_off,
    recheck::what_is_said_of_an_attempt_that_is_over_meanwhile_is_stale,
    recheck::arrivals_of_one_run_wait_for_each_other,
    recheck::outcomes_of_one_run_wait_for_each_other,
    recheck::a_step_knows_of_what_arrives_meanwhile,
    recheck::a_run_that_is_terminated_leaves_nothing_that_arrives_meanwhile,
    recheck::nobody_waits_for_another_claim,
    recheck::a_start_waits_for_another_of_its_id,
    recheck::what_was_in_the_way_of_a_start_and_has_ended_is_not,
    recheck::what_all_write_is_written_in_one_order,
    edits::a_run_that_is_taken_meanwhile_is_not_edited,
    edits::a_run_that_moves_meanwhile_is_not_edited,
    edits::nobody_claims_a_run_that_is_being_edited,
    edits::what_arrives_while_a_run_is_edited_makes_it_due,
    edits::a_start_and_a_run_that_is_opened_again_share_no_workflow_id,
    relay::relays_lock_in_order,
    relay::a_relay_holds_up_no_sender,
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

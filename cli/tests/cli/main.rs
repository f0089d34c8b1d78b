//! The command line, as a program of its own, on runs in both databases. Both show the same.
//!
//! Without Postgres binaries the tests on it are reported as ignored, or as failed if
//! `PITON_REQUIRE_POSTGRES=1`.

#![allow(missing_docs, unreachable_pub)]

mod act;
mod change;
mod dead_letters;
mod look;
mod misspelt;
mod namespaces;
mod operate;
mod queues;
mod schedules;
mod shell;
mod terminal;
mod waiting;
mod waits;
mod workflows;

use libtest_mimic::{Arguments, Failed, Trial};
use piton_postgres_cluster::{run_tests, trial};

use crate::shell::Shell;

type Case = fn(Shell) -> Result<(), Failed>;

const CASES: &[(&str, Case)] = &[
    ("a_parked_run_is_shown", look::a_parked_run_is_shown),
    ("code_that_is_awaited_is_shown", look::code_that_is_awaited_is_shown),
    ("a_failing_activity_is_shown", look::a_failing_activity_is_shown),
    ("compensations_are_shown", look::compensations_are_shown),
    ("closed_runs_are_shown", look::closed_runs_are_shown),
    (
        "a_token_that_an_activity_waits_for_is_shown",
        waits::a_token_that_an_activity_waits_for_is_shown,
    ),
    ("each_kind_of_wait_is_shown", waits::each_kind_of_wait_is_shown),
    ("a_run_that_no_worker_claims_is_told", waits::a_run_that_no_worker_claims_is_told),
    ("each_status_is_shown", waits::each_status_is_shown),
    ("what_is_agreed_on_a_run_is_shown", look::what_is_agreed_on_a_run_is_shown),
    ("definitions_are_shown", look::definitions_are_shown),
    ("parked_runs_are_compared_with_a_lock", look::parked_runs_are_compared_with_a_lock),
    ("schedules_are_compared_with_a_lock", look::schedules_are_compared_with_a_lock),
    ("what_is_not_there_is_told", look::what_is_not_there_is_told),
    ("a_variable_is_set", change::a_variable_is_set),
    ("a_signal_is_given_by_hand", change::a_signal_is_given_by_hand),
    ("an_activity_is_ended_by_hand", change::an_activity_is_ended_by_hand),
    ("an_activity_on_a_queue_is_ended_by_hand", change::an_activity_on_a_queue_is_ended_by_hand),
    ("a_run_is_moved_to_another_state", change::a_run_is_moved_to_another_state),
    ("a_failed_run_is_opened_again", change::a_failed_run_is_opened_again),
    ("a_run_is_acted_on", act::a_run_is_acted_on),
    (
        "an_update_without_an_answer_is_asked_for_again",
        act::an_update_without_an_answer_is_asked_for_again,
    ),
    (
        "a_schedule_is_created_changed_and_removed",
        schedules::a_schedule_is_created_changed_and_removed,
    ),
    ("runs_are_started_and_paused", operate::runs_are_started_and_paused),
    ("a_dry_run_of_one_run_changes_nothing", operate::a_dry_run_of_one_run_changes_nothing),
    ("changes_of_one_run_are_audited", operate::changes_of_one_run_are_audited),
    ("no_name_controls_the_terminal", terminal::no_name_controls_the_terminal),
    (
        "whoever_closes_the_output_has_seen_enough",
        terminal::whoever_closes_the_output_has_seen_enough,
    ),
    ("a_list_that_may_go_on_says_so", terminal::a_list_that_may_go_on_says_so),
    ("queues_are_paused_drained_and_resumed", queues::queues_are_paused_drained_and_resumed),
    ("queues_are_limited_and_partitions_listed", queues::queues_are_limited_and_partitions_listed),
    ("failed_calls_are_redriven_and_discarded", queues::failed_calls_are_redriven_and_discarded),
    (
        "dead_letters_are_redelivered_and_dropped",
        dead_letters::dead_letters_are_redelivered_and_dropped,
    ),
    (
        "a_promise_that_no_run_awaits_is_not_completed",
        misspelt::a_promise_that_no_run_awaits_is_not_completed,
    ),
    ("a_blank_condition_changes_no_run", misspelt::a_blank_condition_changes_no_run),
    ("a_queue_with_nothing_on_it_is_told", misspelt::a_queue_with_nothing_on_it_is_told),
    ("an_attribute_that_no_run_has_is_told", misspelt::an_attribute_that_no_run_has_is_told),
    ("a_workflow_without_runs_is_told", misspelt::a_workflow_without_runs_is_told),
    ("a_run_has_the_id_that_its_code_derives", misspelt::a_run_has_the_id_that_its_code_derives),
    (
        "a_schedule_that_could_start_nothing_is_refused",
        misspelt::a_schedule_that_could_start_nothing_is_refused,
    ),
    ("namespaces_are_apart", namespaces::namespaces_are_apart),
    ("a_run_goes_back", change::a_run_goes_back),
    ("a_run_is_forked", change::a_run_is_forked),
    ("what_does_not_fit_is_refused", change::what_does_not_fit_is_refused),
];

fn main() {
    run_tests(&Arguments::from_args(), "", |cluster| {
        let mut trials = Vec::new();
        for (name, case) in CASES {
            trials.push(Trial::test(format!("sqlite::{name}"), || {
                let folder = tempfile::tempdir()?;
                let path = folder.path().join("runs.db");
                case(Shell::new(format!("sqlite:{}", path.display()))?)
            }));
            trials.push(trial(format!("postgres::{name}"), cluster, |cluster| {
                let runtime = tokio::runtime::Runtime::new()?;
                let database = runtime.block_on(cluster.new_database())?;
                case(Shell::new(database)?)
            }));
        }
        trials
    })
}

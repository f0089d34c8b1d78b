//! A migration names a workflow and a state, takes the saved locals, and gives a place in the workflow.

use piton::evolution::Resume;
use piton::migrate;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[activity]
async fn charge(cents: u64) {
    drop(cents);
}

#[activity]
async fn refund(cents: u64) {
    drop(cents);
}

#[workflow]
async fn fulfill(cents: u64) -> u64 {
    charge(cents).await;
    cents
}

#[workflow]
async fn give_back(cents: u64) -> u64 {
    refund(cents).await;
    cents
}

#[derive(Serialize, Deserialize)]
struct Old {
    total: u64,
}

#[migrate(workflow = fulfill)]
fn without_a_state(old: Old) -> Resume<fulfill> {
    Resume::at(fulfill::Charge).with("cents", &old.total)
}

#[migrate(workflow = fulfill, from = "pay", into = "charge")]
fn with_an_unknown_option(old: Old) -> Resume<fulfill> {
    Resume::at(fulfill::Charge).with("cents", &old.total)
}

#[migrate(workflow = fulfill, from = "pay")]
fn of_two_arguments(old: Old, more: u64) -> Resume<fulfill> {
    Resume::at(fulfill::Charge).with("cents", &(old.total + more))
}

#[migrate(workflow = fulfill, from = "pay")]
async fn that_waits(old: Old) -> Resume<fulfill> {
    Resume::at(fulfill::Charge).with("cents", &old.total)
}

#[migrate(workflow = fulfill, from = "pay")]
fn into_another_workflow(old: Old) -> Resume<give_back> {
    Resume::at(give_back::Refund).with("cents", &old.total)
}

#[migrate(workflow = charge, from = "pay")]
fn of_an_activity(old: Old) -> Resume<fulfill> {
    Resume::at(fulfill::Charge).with("cents", &old.total)
}

fn main() {}

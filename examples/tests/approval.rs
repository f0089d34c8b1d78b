//! The expense on virtual time, and as a program that is run again and again.

#![allow(clippy::unwrap_used)]

use std::process::Command;

use piton::prelude::*;
use piton::store::MemoryStore;
use piton_examples::approval::{Approved, Refusal, expense};

/// The token that the run has sent to the approver of this number.
fn token(run: &RunHandle<expense>, attempt: u32) -> PromiseToken {
    PromiseToken::of_run("expense", run.run_id(), "approval").for_attempt(attempt)
}

#[tokio::test(start_paused = true)]
async fn the_second_is_asked_after_three_days() {
    let client = Client::new(MemoryStore::new());
    let worker = Worker::new(&client).start().await.unwrap();
    let run = client.start(expense(7, 12_900)).await.unwrap();
    tokio::time::sleep(days(3) + hours(1)).await;
    let ada = Approved { by: "Ada".to_owned() };
    // Too late.
    assert!(client.promise(&token(&run, 1)).resolve(&ada).await.unwrap().is_first());
    let no = Refusal::Refused("too much".to_owned());
    assert!(client.promise(&token(&run, 2)).reject(&no).await.unwrap().is_first());
    let Err(RunError::Failed(refusal)) = run.result().await else { panic!("it is refused") };
    assert_eq!(refusal, no);

    let run = client.start(expense(8, 12_900)).await.unwrap();
    let Err(RunError::Failed(refusal)) = run.result().await else { panic!("nobody decides") };
    assert_eq!(refusal, Refusal::Undecided);
    worker.shutdown().await.unwrap();
}

#[test]
fn the_program_waits_until_somebody_approves() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("expenses.db");
    let says = |arguments: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_approval"));
        let output = program.arg(&database).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let asked = says(&["claim", "7", "12900"]);
    assert!(asked.starts_with("to team-lead: 129.00 EUR? promise1."), "{asked}");
    assert!(asked.ends_with("\nwaits\n"), "{asked}");
    let token = asked.lines().next().unwrap().rsplit(' ').next().unwrap();
    assert_eq!(says(&["approve", token, "Ada"]), "noted\n");
    assert_eq!(says(&["refuse", token, "no"]), "somebody has decided before\n");
    assert_eq!(says(&["claim", "7", "12900"]), "paid, approved by Ada\n");
}

//! The expense as a program that is run again and again.

#![allow(clippy::unwrap_used)]

use std::process::Command;

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

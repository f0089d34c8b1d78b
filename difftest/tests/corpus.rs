//! Every hand-written program does under the machine what it does under rustc's own lowering.

use difftest::batch::{Verdict, Workshop};
use difftest::corpus;

/// Programs that the compiler refuses, though rustc would not. One that has come to agree must go
/// from here.
const OPEN: &[&str] = &[];

#[test]
fn programs_mean_what_rustc_makes_of_them() {
    let programs = corpus::load().expect("the programs can be read");
    let reports = Workshop::new("corpus").run(&programs).expect("the batch builds");
    let mut wrong = String::new();
    for (program, report) in programs.iter().zip(reports) {
        let agrees = matches!(report.verdict, Verdict::Agrees(_)) && report.warnings.is_empty();
        let is_open = OPEN.contains(&report.id.as_str());
        if agrees && is_open {
            wrong.push_str(&format!("{} agrees by now: take it off the list\n", report.id));
        } else if !agrees && !is_open {
            wrong.push_str(&report.to_text(&program.source));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_is_open_is_a_program() {
    let programs = corpus::load().expect("the programs can be read");
    for open in OPEN {
        assert!(programs.iter().any(|program| program.id == *open), "there is no {open}");
    }
}

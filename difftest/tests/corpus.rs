//! Hand-written programs do under the machine what they do under rustc's own lowering: one in eight of
//! them, and all with `PITON_CORPUS=all`, as before a change lands.

use std::path::Path;

use difftest::batch::{Verdict, Workshop};
use difftest::corpus;

/// Programs that the compiler refuses, though rustc does not. One that agrees must be removed from here.
const OPEN: &[&str] = &[];

/// Makes the test compare all programs and not a share of them.
const ALL: &str = "PITON_CORPUS";

/// One program in so many is compared unless all are wanted: building all takes minutes.
const SHARE: usize = 8;

/// How many programs are built into one crate at most.
const BATCH: usize = 50;

#[test]
fn programs_mean_what_rustc_makes_of_them() {
    let mut programs = corpus::load().expect("the programs can be read");
    if std::env::var(ALL).as_deref() != Ok("all") {
        programs = programs.into_iter().step_by(SHARE).collect();
    }
    let reports = Workshop::new("corpus").run_in_batches(&programs, BATCH);
    let mut wrong = String::new();
    for (program, report) in programs.iter().zip(reports.expect("the batches build")) {
        let agrees = matches!(report.verdict, Verdict::Agrees(_)) && report.warnings.is_empty();
        let is_open = OPEN.contains(&report.id.as_str());
        if agrees && is_open {
            wrong.push_str(&format!("{} agrees now: remove it from the list\n", report.id));
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

/// `docs/compiles.md` names programs for everything that it says compiles, and they exist.
#[test]
fn what_is_said_to_compile_is_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/compiles.md")).expect("the page is there");
    let programs = corpus::load().expect("the programs can be read");
    let mut wrong = Vec::new();
    let mut rows = 0;
    for line in page.lines().filter(|line| line.starts_with("| ") && !line.ends_with("shown by |"))
    {
        let shown = line.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default();
        let names: Vec<_> = shown.split('`').skip(1).step_by(2).collect();
        if names.is_empty() {
            wrong.push(format!("nothing shows: {line}"));
        }
        for name in names {
            let is_program = programs.iter().any(|program| program.id == name);
            if !is_program && !root.join(name).is_file() {
                wrong.push(format!("there is no `{name}`"));
            }
        }
        rows += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows > 40, "the tables are not read");
}

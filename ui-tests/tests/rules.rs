//! Every rule is explained and shown at work, and every refused program is about a rule.

use std::collections::BTreeSet;
use std::path::Path;

/// Folders that are not about one rule: several errors at once, and errors that are rustc's.
const OTHER_FOLDERS: [&str; 2] = ["all_at_once", "types"];

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(path).expect("the file is there")
}

/// The rules in the macro crate's table: lines such as `CLOCK = "clock", levels;`.
fn rules() -> BTreeSet<String> {
    let source = read("../macros/src/diagnostics/rules.rs");
    let table = source.split("\nrules! {").nth(1).expect("a table");
    let table = table.split("\n}").next().expect("its end");
    let names = table.lines().filter_map(|line| line.split('"').nth(1));
    names.map(str::to_owned).collect()
}

#[test]
fn every_rule_has_a_section_and_every_section_a_rule() {
    let limits = read("../docs/limits.md");
    let sections = limits.lines().filter_map(|line| line.strip_prefix("## "));
    let sections: BTreeSet<String> = sections.map(str::to_owned).collect();
    assert_eq!(sections, rules());
}

#[test]
fn every_rule_has_refused_programs_and_every_program_a_rule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fail");
    let folders: BTreeSet<String> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("plain text"))
        .filter(|folder| !OTHER_FOLDERS.contains(&folder.as_str()))
        .collect();
    assert_eq!(folders, rules());
}

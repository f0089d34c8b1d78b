//! Every rule is explained, and every refused program is about a rule.

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn every_folder_of_refused_programs_has_a_section() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let limits =
        std::fs::read_to_string(root.join("../docs/limits.md")).expect("the page is there");
    let sections: BTreeSet<&str> =
        limits.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    for folder in std::fs::read_dir(root.join("tests/fail")).expect("the folder is there") {
        let folder = folder.expect("readable").file_name();
        let rule = folder.to_str().expect("plain text");
        // Two folders are not about one rule: several errors at once, and errors that are rustc's.
        let is_rule = !["all_at_once", "types"].contains(&rule);
        assert!(!is_rule || sections.contains(rule), "`{rule}` has no section in docs/limits.md");
    }
}

#[test]
fn every_rule_of_the_checker_has_a_section() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let limits =
        std::fs::read_to_string(root.join("../docs/limits.md")).expect("the page is there");
    let rules =
        std::fs::read_to_string(root.join("../macros/src/check/rules.rs")).expect("readable");
    let mut count = 0;
    for line in rules.lines().filter(|line| line.starts_with("    ") && line.ends_with(';')) {
        let Some((_, rest)) = line.split_once(" = \"") else { continue };
        let rule = rest.split('"').next().expect("a name");
        assert!(limits.contains(&format!("\n## {rule}\n")), "`{rule}` has no section");
        count += 1;
    }
    assert!(count >= 20, "only {count} rules were found in the source");
}

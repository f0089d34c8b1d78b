//! Three builds of one program take each other's subscriptions over.

use std::path::Path;
use std::process::Command;

const V1: &str = env!("CARGO_BIN_EXE_subscription_v1");
const V2: &str = env!("CARGO_BIN_EXE_subscription_v2");
const V3: &str = env!("CARGO_BIN_EXE_subscription_v3");

/// What a build writes, its lines in alphabetical order.
fn says(build: &str, folder: &Path, arguments: &[&str]) -> Vec<String> {
    let output = Command::new(build).current_dir(folder).args(arguments).output();
    let output = output.expect("the program can be started");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn each_build_takes_over_what_is_parked() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let says = |build, arguments: &[&str]| says(build, folder.path(), arguments);
    for customer in ["ann", "ben"] {
        says(V1, &["subscribe", customer]);
    }
    let worked = ["ann pays 900", "ann running", "ben pays 900", "ben running"];
    assert_eq!(says(V1, &["work"]), worked);

    assert_eq!(says(V2, &["check"]), ["2 parked, 0 would be blocked"]);
    says(V2, &["renew", "ann"]);
    let worked =
        ["ann has paid 900 so far, thank you", "ann pays 900", "ann running", "ben running"];
    assert_eq!(says(V2, &["work"]), worked);

    // One was saved by the second build, and one still by the first.
    assert_eq!(says(V3, &["check"]), ["2 parked, 0 would be blocked"]);
    says(V3, &["renew", "ann"]);
    says(V3, &["stop", "ben"]);
    let worked =
        ["ann has paid 1800 so far, thank you", "ann pays 0", "ann running", "ben completed"];
    assert_eq!(says(V3, &["work"]), worked);

    // The way back is told of before it is gone.
    let check = says(V2, &["check"]);
    assert_eq!(check[0], "1 parked, 1 would be blocked");
    assert!(check[1].contains("`paid` is needed after the await and was not saved"), "{check:?}");
    says(V2, &["stop", "ann"]);
    let worked = says(V2, &["work"]);
    assert!(worked[0].starts_with("ann blocked: the state `signal<Month>`"), "{worked:?}");
    assert_eq!(says(V3, &["work"]), ["ann completed", "ben completed"]);
}

//! What a machine without Postgres binaries reports: each test that needs a server by its name, as
//! ignored, or as failed where `PITON_REQUIRE_POSTGRES=1`.

use std::process::{Command, Output};
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use piton_postgres_cluster::{Cluster, trial};

/// In the children of this test: that they are.
const CHILD: &str = "PITON_MISSING_CHILD";

fn main() {
    let arguments = Arguments::from_args();
    let tests = match std::env::var_os(CHILD) {
        Some(_) => {
            let cluster = Cluster::start().map(Arc::new);
            vec![trial("needs_a_server".into(), &cluster, |_| Ok(()))]
        }
        None => vec![
            Trial::test("is_reported_as_not_run", is_reported_as_not_run),
            Trial::test("is_a_failure_where_it_is_required", is_a_failure_where_it_is_required),
        ],
    };
    libtest_mimic::run(&arguments, tests).exit();
}

/// This program, as on a machine that has no binaries in the directory where they should be.
fn without_binaries(required: Option<&str>) -> Result<Output, Failed> {
    let empty = tempfile::tempdir()?;
    let mut child = Command::new(std::env::current_exe()?);
    child.env(CHILD, "1").env("PITON_POSTGRES_BIN", empty.path());
    child.env_remove("PITON_REQUIRE_POSTGRES");
    child.envs(required.map(|value| ("PITON_REQUIRE_POSTGRES", value)));
    Ok(child.output()?)
}

fn is_reported_as_not_run() -> Result<(), Failed> {
    for required in [None, Some("0")] {
        let output = without_binaries(required)?;
        let text = String::from_utf8(output.stdout)?;
        assert!(output.status.success(), "{text}");
        assert!(text.contains("needs_a_server ... ignored"), "{text}");
        assert!(text.contains("0 passed; 0 failed; 1 ignored"), "{text}");
    }
    Ok(())
}

fn is_a_failure_where_it_is_required() -> Result<(), Failed> {
    let output = without_binaries(Some("1"))?;
    let text = String::from_utf8(output.stdout)?;
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("needs_a_server ... FAILED"), "{text}");
    assert!(text.contains("PITON_POSTGRES_BIN: there is no initdb in"), "{text}");
    Ok(())
}

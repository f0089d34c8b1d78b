//! Runs are started by name, paused and resumed.

use libtest_mimic::Failed;
use serde_json::Value;

use crate::shell::Shell;
use crate::workflows::tally;

/// Who changes runs here, and why.
const SIGNED: [&str; 4] = ["--by", "ann", "--because", "ticket 311"];

fn shown(shell: &Shell, id: &str) -> Result<Value, Failed> {
    Ok(serde_json::from_str(&shell.prints(&["run", "show", id, "--json"])?)?)
}

pub(crate) fn runs_are_started_and_paused(shell: Shell) -> Result<(), Failed> {
    // Whoever starts one with the code records the definition.
    shell.block_on(async {
        shell.client.start(tally()).id("tally-1").await?;
        Ok(())
    })?;
    let start = ["run", "start", "tally", "--id", "tally-2", "--run-timeout", "2h", "--json"];
    let started: Value = serde_json::from_str(&shell.prints(&start)?)?;
    assert_eq!(started["workflow_id"], "tally-2");
    assert_eq!(shown(&shell, "tally-2")?["status"], "running");
    let fails = |arguments: &[&str]| {
        let (code, text) = shell.fails(arguments)?;
        assert_eq!(code, Some(1), "{text}");
        Ok::<_, Failed>(text)
    };
    let taken = fails(&start)?;
    assert!(taken.contains("the workflow id `tally-2` is taken"), "{taken}");
    let unknown = fails(&["run", "start", "talley"])?;
    assert!(unknown.contains("no definition of the workflow `talley` is recorded"), "{unknown}");
    let extra = fails(&["run", "start", "tally", "--args", "[1]"])?;
    assert!(extra.contains("1 arguments are given, and it has no parameters"), "{extra}");

    let pause = [&["run", "pause", "tally-2"], &SIGNED[..]].concat();
    assert_eq!(shell.prints(&pause)?, "the run is paused\n");
    assert_eq!(shell.prints(&pause)?, "the run is paused already, or over\n");
    let paused = shown(&shell, "tally-2")?;
    assert_eq!((&paused["status"], &paused["paused"]["by"]), (&"paused".into(), &"ann".into()));
    let text = shell.prints(&["run", "show", "tally-2"])?;
    assert!(text.contains("by ann: ticket 311"), "{text}");
    let resume = [&["run", "resume", "tally-2"], &SIGNED[..]].concat();
    assert_eq!(shell.prints(&resume)?, "the run continues\n");
    assert_eq!(shell.prints(&resume)?, "the run was not paused\n");
    // One run needs no author.
    let unsigned = ["run", "pause", "tally-2", "--by", "", "--because", "later"];
    assert_eq!(shell.prints(&unsigned)?, "the run is paused\n");
    assert_eq!(shown(&shell, "tally-2")?["paused"]["by"], "program");
    assert_eq!(shell.prints(&resume)?, "the run continues\n");
    assert_eq!(shown(&shell, "tally-2")?["status"], "running");

    let retry = [&["run", "retry", "tally-2"], &SIGNED[..]].concat();
    assert_eq!(shell.prints(&retry)?, "the run continues anyway\n");
    let nothing = fails(&[&["run", "set-aside", "tally-2", "1"], &SIGNED[..]].concat())?;
    assert!(nothing.contains("has no signal with the number 1"), "{nothing}");
    Ok(())
}

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
    let start = ["run", "start", "tally", "--id", "tally-2", "--run-timeout", "1h30m", "--json"];
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

    let late = ["run", "result", "tally-2", "--timeout", "1ms"];
    let (code, text) = shell.fails(&late)?;
    assert_eq!(code, Some(4), "{text}");
    assert_eq!(text, "error: the run `tally-2` has not closed within 1ms\n");

    let pause = [&["run", "pause", "tally-2"], &SIGNED[..]].concat();
    assert_eq!(shell.prints(&pause)?, "the run is paused\n");
    assert_eq!(shell.prints(&pause)?, "the run was paused already\n");
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
    assert_eq!(shell.prints(&retry)?, "the run is neither blocked nor failed\n");
    let nothing = fails(&[&["run", "set-aside", "tally-2", "1"], &SIGNED[..]].concat())?;
    assert!(nothing.contains("has no signal with the number 1"), "{nothing}");
    Ok(())
}

/// The audit entries of a run, the oldest first: who has done what, and why.
fn audited(shell: &Shell, id: &str) -> Result<Vec<[String; 3]>, Failed> {
    let entries: Value = serde_json::from_str(&shell.prints(&["run", "audit", id, "--json"])?)?;
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    let entries = entries.as_array().into_iter().flatten().rev();
    Ok(entries.map(|entry| ["who", "action", "reason"].map(|name| text(entry, name))).collect())
}

pub(crate) fn a_dry_run_of_one_run_changes_nothing(shell: Shell) -> Result<(), Failed> {
    shell.block_on(async { Ok(shell.client.start(tally()).id("tally-1").await.map(drop)?) })?;
    for (verb, runs) in
        [("cancel", 1), ("terminate", 1), ("pause", 1), ("resume", 0), ("retry", 0), ("delete", 0)]
    {
        let counted = shell.prints(&["run", verb, "tally-1", "--dry-run"])?;
        assert_eq!(counted, format!("{runs} would be changed\n"), "{verb}");
        // What has a meaning for many runs only is not ignored.
        for option in ["--key=a", "--after=-run_id::00000000-0000-0000-0000-000000000001"] {
            let change = [&["run", verb, "tally-1", option], &SIGNED[..]].concat();
            let (code, text) = shell.fails(&change)?;
            assert_eq!(code, Some(2), "{verb} {option}: {text}");
            assert!(text.contains("`--after` and `--key` need `--filter`"), "{text}");
        }
    }
    for value in [&[][..], &["7"], &[r#"{"by": "ann"}"#]] {
        let signal = [&["run", "signal", "tally-1", "Approve", "--dry-run"], value].concat();
        let (code, text) = shell.fails(&signal)?;
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("`--dry-run` of a signal needs `--filter`"), "{text}");
    }
    let run = shown(&shell, "tally-1")?;
    assert_eq!((&run["status"], &run["unread_count"]), (&"running".into(), &0.into()));
    assert_eq!(run["cancel_requested"], Value::Null);
    assert!(audited(&shell, "tally-1")?.is_empty());
    Ok(())
}

pub(crate) fn changes_of_one_run_are_audited(shell: Shell) -> Result<(), Failed> {
    shell.block_on(async { Ok(shell.client.start(tally()).id("tally-1").await.map(drop)?) })?;
    let change = |verb: &'static str| [&["run", verb, "tally-1"], &SIGNED[..]].concat();
    let refused = |verb: &'static str, expected: &str| {
        let (code, text) = shell.fails(&change(verb))?;
        assert_eq!((code, &*text), (Some(1), &*format!("error: {expected}\n")), "{verb}");
        Ok::<_, Failed>(())
    };
    refused("delete", "the run `tally-1` is running, and only a closed run can be deleted")?;
    assert_eq!(shell.prints(&change("cancel"))?, "the request to cancel was sent\n");
    let unsigned = ["run", "terminate", "tally-1", "--by", "", "--because", "enough", "--json"];
    assert_eq!(shell.prints(&unsigned)?, "{\n  \"terminated\": true\n}\n");
    for verb in ["cancel", "terminate", "pause", "resume"] {
        refused(verb, "the run `tally-1` is already terminated")?;
    }
    let done = [["ann", "cancel", "ticket 311"], ["program", "terminate", "enough"]];
    assert_eq!(audited(&shell, "tally-1")?, done);
    assert_eq!(shell.prints(&change("delete"))?, "the run is deleted\n");
    let (code, text) = shell.fails(&change("delete"))?;
    assert_eq!(code, Some(1), "{text}");
    Ok(())
}

//! What the command writes to a terminal, and to a pipe that somebody closes.

use std::process::Stdio;

use libtest_mimic::Failed;
use serde_json::Value;

use crate::shell::Shell;
use crate::workflows::tally;

pub(crate) fn no_name_controls_the_terminal(shell: Shell) -> Result<(), Failed> {
    let name = "line\nbreak \u{1b}[31mred";
    let run = shell.block_on(async { Ok(shell.client.start(tally()).id(name).await?) })?;
    let escaped = r"line\nbreak \u{1b}[31mred";
    let list = shell.prints(&["run", "list"])?;
    assert_eq!(list.lines().count(), 2, "a row for each run: {list}");
    assert!(list.contains(&format!("  {escaped}  tally")), "{list}");
    let shown = shell.prints(&["run", "show", name])?;
    assert!(shown.contains(&format!("  workflow id {escaped}\n")), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
    let (_, error) = shell.fails(&["run", "show", "\u{1b}[2J"])?;
    assert!(error.starts_with(r"error: there is no run with the id or workflow id `\u{1b}[2J`"));
    let json: Value = serde_json::from_str(&shell.prints(&["run", "list", "--json"])?)?;
    assert_eq!(json[0]["workflow_id"], name);

    let terminate = ["run", "terminate", name, "--by", "ann", "--because", "one\ntwo"];
    shell.prints(&terminate)?;
    let shown = shell.prints(&["run", "show", &run.run_id().to_string()])?;
    assert!(shown.contains("\n  failure     one\n              two\n"), "{shown}");
    Ok(())
}

pub(crate) fn whoever_closes_the_output_has_seen_enough(shell: Shell) -> Result<(), Failed> {
    let list = ["run", "list", "--filter", "custmer = 'ann'"];
    for (arguments, code) in [(&list[..], 0), (&["run", "show", "nobody"], 1)] {
        // Nobody reads what goes into the pipes.
        let closed = || std::io::pipe().map(|(_, writer)| Stdio::from(writer));
        let mut command = shell.command(arguments);
        let status = command.stdout(closed()?).stderr(closed()?).status()?;
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    }
    Ok(())
}

pub(crate) fn a_list_that_may_go_on_says_so(shell: Shell) -> Result<(), Failed> {
    let first = shell.block_on(async {
        let first = shell.client.start(tally()).id("tally-1").await?;
        shell.client.start(tally()).id("tally-2").await?;
        for name in ["a", "b"] {
            let token = piton::model::PromiseToken::shared(name);
            assert!(shell.client.promise(&token).resolve(&1_u64).await?.is_first());
        }
        Ok(first.run_id())
    })?;
    let list = ["run", "list", "--order", "started_at", "--limit", "1", "--json"];
    let more = shell.hints(&list)?;
    let page = more.strip_prefix("there may be more: ").ok_or("it is told")?.trim_end();
    let rest = shell.prints(&["run", "list", page, "--json"])?;
    assert!(rest.contains("tally-2") && !rest.contains(&first.to_string()), "{rest}");
    let more = shell.hints(&["promise", "list", "--limit", "1"])?;
    let page = more.strip_prefix("there may be more: ").ok_or("it is told")?.trim_end();
    let rest = shell.prints(&["promise", "list", page])?;
    assert!(rest.contains("shared..b") && !rest.contains("shared..a"), "{rest}");
    Ok(())
}

//! Dead letters are listed, redelivered and dropped.

use insta::assert_snapshot;
use libtest_mimic::Failed;
use serde_json::Value;

use crate::shell::{Shell, redacted};
use crate::workflows::{bill, customer};

const SIGNED: [&str; 4] = ["--by", "ann", "--because", "a typo"];

pub(crate) fn dead_letters_are_redelivered_and_dropped(shell: Shell) -> Result<(), Failed> {
    let run = shell.run_until(bill(customer("zoe")), "bill-7", async |_, run| {
        Ok(run.owner.is_none() && run.step_no.0 > 0)
    })?;
    for by in ["Ben", "Cem"] {
        let value = format!("{{\"by\":\"{by}\"}}");
        shell.prints(&["run", "signal", "bill-7", "Approve", &value])?;
    }
    for number in ["1", "2"] {
        shell.prints(&[&["run", "set-aside", "bill-7", number], &SIGNED[..]].concat())?;
    }
    let mut all = String::new();
    let mut said = |arguments: &[&str], code: i32| {
        let arguments = [&["dead-letter"][..], arguments].concat();
        let (found, text) = shell.finds(&arguments)?;
        assert_eq!(found, Some(code), "{text}");
        let text = redacted(&text, &[(&run, "[run]")]);
        all += &format!("$ piton {}\n{text}\n", arguments.join(" "));
        Ok::<_, Failed>(())
    };
    said(&["list"], 0)?;
    said(&["list", "--run", "bill-7", "--limit", "1", "--json"], 0)?;
    said(&["list", "--workflow-id", "bill-8"], 0)?;
    said(&["redeliver", "2", "7"], 1)?;
    said(&["redeliver", "7", "--json"], 1)?;
    said(&["drop", "1"], 0)?;
    said(&["drop", "1", "--json"], 1)?;
    said(&["list", "--json"], 0)?;
    assert_snapshot!("dead_letters", all);
    let shown: Value = serde_json::from_str(&shell.prints(&["run", "show", "bill-7", "--json"])?)?;
    assert_eq!(shown["unread_count"], 1, "{shown}");
    Ok(())
}

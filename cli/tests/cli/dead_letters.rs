//! Dead letters are listed, redelivered and dropped.

use libtest_mimic::Failed;
use serde_json::{Value, json};

use crate::shell::Shell;
use crate::workflows::{bill, customer};

const SIGNED: [&str; 4] = ["--by", "ann", "--because", "a typo"];

fn said(shell: &Shell, arguments: &[&str], code: i32) -> Result<String, Failed> {
    let (found, text) = shell.finds(&[&["dead-letter"][..], arguments].concat())?;
    assert_eq!(found, Some(code), "{arguments:?}: {text}");
    Ok(text)
}

fn listed(shell: &Shell, arguments: &[&str]) -> Result<Value, Failed> {
    let text = said(shell, &[&["list", "--json"][..], arguments].concat(), 0)?;
    Ok(serde_json::from_str(&text)?)
}

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
    let all = listed(&shell, &[])?;
    let [first, second] = all.as_array().map_or(&[][..], |all| &all[..]) else {
        return Err(format!("there are two: {all}").into());
    };
    assert_eq!((&first["kind"], &first["name"]), (&json!("signal"), &json!("Approve")));
    assert_eq!((&first["value"], &second["value"]), (&json!({"by": "Ben"}), &json!({"by": "Cem"})));
    assert_eq!(
        (&first["workflow_id"], &first["run_id"]),
        (&json!("bill-7"), &json!(run.run_id.to_string()))
    );
    assert!(first["reason"].as_str().is_some_and(|why| why.contains("a typo")), "{first}");
    assert_eq!(listed(&shell, &["--run", "bill-7"])?, json!([first, second]));
    let more = "there may be more: --limit sets the number\n";
    assert_eq!(shell.hints(&["dead-letter", "list", "--run", "bill-7", "--limit", "1"])?, more);
    assert_eq!(listed(&shell, &["--workflow-id", "bill-8"])?, json!([]));
    let table = said(&shell, &["list"], 0)?;
    assert!(table.contains("signal Approve") && table.contains(r#"{"by":"Ben"}"#), "{table}");

    let [ben, cem] = [first["id"].to_string(), second["id"].to_string()];
    let delivered = format!("{cem} is delivered to {}\nthere is no dead letter 99\n", run.run_id);
    assert_eq!(said(&shell, &["redeliver", &cem, "99"], 1)?, delivered);
    let gone: Value = serde_json::from_str(&said(&shell, &["redeliver", "99", "--json"], 1)?)?;
    assert_eq!(gone, json!([{"id": 99, "outcome": "gone", "run_id": null}]));
    assert_eq!(said(&shell, &["drop", &ben], 0)?, "1 dropped\n");
    let gone = "0 dropped, 1 of these ids are not there\n";
    assert_eq!(said(&shell, &["drop", &ben], 1)?, gone);
    assert_eq!(listed(&shell, &[])?, json!([]));
    shell.block_on(async {
        assert_eq!(shell.client.inspect("bill-7").await?.unread_count, 1);
        Ok(())
    })
}

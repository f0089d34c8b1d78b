//! Queues are shown, paused, drained and resumed; failed calls are listed, redriven and discarded.

use insta::assert_snapshot;
use libtest_mimic::Failed;
use serde_json::{Value, json};

use crate::shell::{Shell, redacted};
use crate::workflows::{deliver, load_vans};

fn said(shell: &Shell, arguments: &[&str]) -> Result<String, Failed> {
    let text = shell.prints(&[&["queue"][..], arguments].concat())?;
    Ok(format!("$ piton queue {}\n{}\n", arguments.join(" "), redacted(&text, &[])))
}

fn shown(shell: &Shell) -> Result<Value, Failed> {
    Ok(serde_json::from_str(&shell.prints(&["queue", "show", "vans", "--json"])?)?)
}

pub(crate) fn queues_are_paused_drained_and_resumed(shell: Shell) -> Result<(), Failed> {
    let mut all = said(&shell, &["list"])?;
    // Nobody serves the queue, so an activity waits on it.
    shell.run_until(deliver(7, "rope".to_owned()), "order-7", async |client, _| {
        Ok(client.queue("vans").status().await?.waiting == 1)
    })?;
    let waiting = shown(&shell)?;
    assert_eq!((&waiting["waiting"], &waiting["under_way"]), (&json!(1), &json!(0)));
    assert_eq!((&waiting["paused"], &waiting["drained"]), (&Value::Null, &json!(false)));
    for verb in [
        &["resume", "vans"][..],
        &["pause", "vans", "--because", "ice", "--json"],
        &["drain", "vans", "--because", "snow"],
    ] {
        all += &said(&shell, verb)?;
    }
    let drained = shown(&shell)?;
    assert_eq!((&drained["waiting"], &drained["drained"]), (&json!(1), &json!(true)));
    assert_eq!(drained["paused"]["reason"], "snow");
    let list = shell.prints(&["queue", "list", "--json"])?;
    assert_eq!(serde_json::from_str::<Value>(&list)?, json!([drained]));
    let table = shell.prints(&["queue", "show", "vans"])?;
    assert!(table.contains("snow"), "{table}");
    all += &said(&shell, &["resume", "vans", "--json"])?;
    all += &said(&shell, &["resume", "vans"])?;
    assert_eq!(shown(&shell)?["paused"], Value::Null);
    assert_snapshot!("queues", all);
    Ok(())
}

pub(crate) fn failed_calls_are_redriven_and_discarded(shell: Shell) -> Result<(), Failed> {
    let run = shell.run_until(load_vans(3), "load-3", async |_, run| Ok(!run.status.is_open()))?;
    let calls = shell.prints(&["queue", "failed", "ramp", "--limit", "1", "--json"])?;
    let mut all = redacted(&calls, &[(&run, "[run]")]) + "\n";
    let table = shell.prints(&["queue", "failed", "ramp"])?;
    for shown in ["ID", "load", "van 3", "load-3", "too heavy"] {
        assert!(table.contains(shown), "{shown}: {table}");
    }
    assert_eq!(shell.prints(&["queue", "failed", "ramp", "--after", "3"])?.lines().count(), 1);
    for verb in [
        &["redrive", "ramp", "1"][..],
        &["discard", "ramp", "2", "--json"],
        &["redrive", "ramp", "--all"],
        &["redrive", "ramp", "--all", "--json"],
        &["failed", "ramp"],
    ] {
        all += &said(&shell, verb)?;
    }
    for verb in ["redrive", "discard"] {
        let (code, refusal) = shell.fails(&["queue", verb, "ramp", "1", "9", "--json"])?;
        assert_eq!(code, Some(1), "{refusal}");
        let expected = "the queue `ramp` has 0 of these 2 failed calls";
        assert!(refusal.contains(expected), "{refusal}");
    }
    let (code, hint) = shell.fails(&["queue", "redrive", "ramp"])?;
    assert_eq!(code, Some(2), "{hint}");
    let status = shell.prints(&["queue", "show", "ramp", "--json"])?;
    assert_eq!(serde_json::from_str::<Value>(&status)?["waiting"], 2);
    assert_snapshot!("failed_calls", all);
    Ok(())
}

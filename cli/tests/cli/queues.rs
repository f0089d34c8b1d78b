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

pub(crate) fn queues_are_limited_and_partitions_listed(shell: Shell) -> Result<(), Failed> {
    let mut all = String::new();
    let limits =
        ["--max-concurrent", "4", "--partition-concurrent", "2", "--partition-rate", "60/1m"];
    for verb in [
        &[&["limit", "ramp"][..], &limits].concat()[..],
        &["limit", "ramp", "--max-concurrent", "3", "--json"],
        &["weigh", "ramp", "van 2", "3"],
        &["weigh", "ramp", "van 2", "2", "--json"],
        &["partitions", "ramp"],
        &["list"],
    ] {
        all += &said(&shell, verb)?;
    }
    shell.run_until(load_vans(2), "load-2", async |client, _| {
        Ok(client.queue("ramp").failed(None, 9).await?.len() == 2)
    })?;
    let failed = json_of(&shell, &["failed", "ramp", "--json"])?;
    assert_eq!(failed[1]["partition"], "van 2");
    shell.prints(&["queue", "redrive", "ramp", "--all"])?;
    let partitions = json_of(&shell, &["partitions", "ramp", "--after", "van 1", "--json"])?;
    assert_eq!(partitions.as_array().map(Vec::len), Some(1));
    assert_eq!((&partitions[0]["waiting"], &partitions[0]["weight"]), (&json!(1), &json!(2)));
    for verb in [&["limit", "ramp", "--none"][..], &["limit", "ramp", "--none", "--json"]] {
        all += &said(&shell, verb)?;
    }
    for wrong in [&["limit", "ramp"][..], &["limit", "ramp", "--partition-rate", "0/1m"]] {
        let (code, help) = shell.fails(&[&["queue"][..], wrong].concat())?;
        assert_eq!(code, Some(2), "{help}");
        assert!(!help.contains("--max-concurrent <N>\n"), "it is not the only limit: {help}");
    }
    all += &shell.hints(&["queue", "pause", "rmap", "--because", "ice"])?;
    assert_eq!(shell.hints(&["queue", "pause", "ramp", "--because", "ice"])?, "");
    assert_snapshot!("limits", all);
    Ok(())
}

/// What a verb says as JSON.
fn json_of(shell: &Shell, arguments: &[&str]) -> Result<Value, Failed> {
    Ok(serde_json::from_str(&shell.prints(&[&["queue"][..], arguments].concat())?)?)
}

pub(crate) fn failed_calls_are_redriven_and_discarded(shell: Shell) -> Result<(), Failed> {
    let run = shell.run_until(load_vans(3), "load-3", async |_, run| Ok(!run.status.is_open()))?;
    assert_eq!(
        shell.hints(&["queue", "failed", "ramp", "--limit", "2"])?,
        "there may be more: --after=2\n"
    );
    let calls = shell.prints(&["queue", "failed", "ramp", "--json"])?;
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

//! Runs and definitions are looked at.

use insta::assert_snapshot;
use libtest_mimic::Failed;
use piton::client::Client;
use piton::lock::Lock;
use piton::machine::{Workflow as _, WorkflowEntry};
use piton::prelude::*;
use piton::store::RunRecord;

use crate::shell::{Shell, redacted};
use crate::waiting::nap;
use crate::workflows::{Approve, bill, count, deliver, fulfill, greet, order, pay_twice};

pub(crate) fn token() -> String {
    "t0ken".to_owned()
}

pub(crate) async fn is_closed(_: &Client, run: &RunRecord) -> Result<bool, Failed> {
    Ok(!run.status.is_open())
}

/// Parked until it is approved.
pub(crate) fn parked(shell: &Shell) -> Result<RunRecord, Failed> {
    shell.run_until(fulfill(order(7, "4242"), token()), "order-7", async |_, run| {
        Ok(run.owner.is_none() && run.state == "select")
    })
}

pub(crate) fn a_parked_run_is_shown(shell: Shell) -> Result<(), Failed> {
    let run = parked(&shell)?;
    let text = shell.prints(&["run", "show", "order-7"])?;
    assert_snapshot!("parked", redacted(&text, &[(&run, "[run]")]));
    let by_run_id = shell.prints(&["run", "show", &run.run_id.to_string()])?;
    assert_eq!(redacted(&by_run_id, &[]), redacted(&text, &[]));
    let json = shell.prints(&["run", "show", "order-7", "--json"])?;
    assert_snapshot!("parked_json", redacted(&json, &[(&run, "[run]")]));
    for shown in [&text, &json] {
        assert!(!shown.contains("4242") && !shown.contains("t0ken"), "{shown}");
    }

    // A signal that no worker has brought yet.
    shell.block_on(async {
        shell.client.signal_json("order-7", "Approve", &serde_json::json!({ "by": "Ben" })).await?;
        Ok(())
    })?;
    let text = shell.prints(&["run", "show", "order-7", "--source", "/nowhere"])?;
    assert_snapshot!("signalled", redacted(&text, &[(&run, "[run]")]));
    let list = shell.prints(&["run", "list", "--status", "running", "--workflow", "fulfill"])?;
    assert_snapshot!("list", redacted(&list, &[(&run, "[run]")]));

    shell.prints(&["run", "terminate", "order-7", "--because", "sold out"])?;
    let text = shell.prints(&["run", "show", "order-7"])?;
    assert_snapshot!("never_taken", redacted(&text, &[(&run, "[run]")]));
    Ok(())
}

pub(crate) fn code_that_is_awaited_is_shown(shell: Shell) -> Result<(), Failed> {
    let call = fulfill(order(8, "4242"), token());
    let mut is_approved = false;
    let run = shell.run_until(call, "order-8", async |client, run| {
        if !is_approved && run.state == "select" {
            let approve = Approve { by: "Ben".to_owned() };
            client.run::<fulfill>(run.run_id).await?.signal(approve).await?;
            is_approved = true;
        }
        Ok(run.owner.is_none() && run.state == "deliver")
    })?;
    let text = shell.prints(&["run", "show", "order-8"])?;
    assert_snapshot!("inline", redacted(&text, &[(&run, "[run]")]));
    Ok(())
}

pub(crate) fn a_failing_activity_is_shown(shell: Shell) -> Result<(), Failed> {
    let call = fulfill(order(9, "bad"), token());
    let run = shell.run_until(call, "order-9", async |client, run| {
        let activities = client.activities(run.run_id).await?;
        Ok(activities.iter().any(|activity| activity.last_failure.is_some()))
    })?;
    let text = shell.prints(&["run", "show", "order-9"])?;
    let text = redacted(&text, &[(&run, "[run]")]);
    // More attempts may have failed until the worker had stopped.
    let attempt = |line: &str| line.trim_start().starts_with("attempt ");
    let (attempts, rest): (Vec<_>, Vec<_>) = text.lines().partition(|line| attempt(line));
    let [next, failed] = attempts[..] else { panic!("{text}") };
    assert!(next.ends_with(", due [time]"), "{next}");
    assert!(failed.ends_with(" failed: the card was refused"), "{failed}");
    assert_snapshot!("failing", rest.join("\n"));
    Ok(())
}

pub(crate) fn compensations_are_shown(shell: Shell) -> Result<(), Failed> {
    let run = shell.run_until(pay_twice(), "pay-1", async |_, run| {
        Ok(run.owner.is_none() && run.step_no.0 > 0)
    })?;
    let names = &[(&run, "[run]")];
    let mut text = shell.prints(&["run", "show", "pay-1"])?;
    let mut is_refused = false;
    shell.go_on_until(run.run_id, async |client, run| {
        if !is_refused {
            let refuse = Approve { by: "Ben".to_owned() };
            client.run::<pay_twice>(run.run_id).await?.signal(refuse).await?;
            is_refused = true;
        }
        let activities = client.activities(run.run_id).await?;
        Ok(activities.iter().any(|activity| activity.last_failure.is_some()))
    })?;
    text.push_str(&shell.prints(&["run", "show", "pay-1"])?);
    assert_snapshot!("compensations", redacted(&text, names));
    Ok(())
}

pub(crate) fn closed_runs_are_shown(shell: Shell) -> Result<(), Failed> {
    let greeted = shell.run_until(greet("Ann".to_owned()), "greet-1", is_closed)?;
    let failed = shell.run_until(greet(String::new()), "greet-2", is_closed)?;
    let names = &[(&greeted, "[greeted]"), (&failed, "[failed]")];
    let mut text = shell.prints(&["run", "show", "greet-1"])?;
    text.push_str(&shell.prints(&["run", "show", "greet-2"])?);
    text.push_str(&shell.prints(&["run", "list"])?);
    text.push_str(&shell.prints(&["run", "list", "--status", "failed", "--json"])?);
    text.push_str(&shell.prints(&["run", "list", "--limit", "0"])?);
    assert_snapshot!("closed", redacted(&text, names));
    Ok(())
}

pub(crate) fn definitions_are_shown(shell: Shell) -> Result<(), Failed> {
    let run = parked(&shell)?;
    let hash = run.definition.ok_or("it is written down")?.to_string();
    let mut text = shell.prints(&["definition", "list"])?;
    text.push_str(&shell.prints(&["definition", "show", &hash])?);
    for format in ["text", "mermaid", "dot"] {
        text.push_str(&shell.prints(&["definition", "graph", "fulfill", "--format", format])?);
    }
    text.push_str(&shell.prints(&["definition", "list", "--json", "--workflow", "deliver"])?);
    assert_snapshot!("definitions", redacted(&text, &[]));
    let shown = shell.prints(&["definition", "show", &hash, "--json"])?;
    let shown: serde_json::Value = serde_json::from_str(&shown)?;
    assert_eq!((&shown["workflow"], &shown["hash"]), (&"fulfill".into(), &hash.into()));
    Ok(())
}

pub(crate) fn what_is_not_there_is_told(shell: Shell) -> Result<(), Failed> {
    let mut told = String::new();
    let commands: &[&[&str]] = &[
        &["run", "show", "order-1"],
        &["definition", "show", "fulfill"],
        &["definition", "graph", "0123456789abcdef"],
        &["run", "list", "--database", "sqlite:not/there.db"],
        &["run", "list", "--database", "mysql:there"],
        &["run", "list", "--database", ""],
        &["run", "list", "--status", "asleep"],
    ];
    for command in commands {
        let (code, text) = shell.fails(command)?;
        told.push_str(&format!(
            "$ piton {}\n{text}[{}]\n\n",
            command.join(" "),
            code.ok_or("killed")?
        ));
    }
    assert_snapshot!("not_there", told);
    Ok(())
}

pub(crate) fn parked_runs_are_compared_with_a_lock(shell: Shell) -> Result<(), Failed> {
    let run = parked(&shell)?;
    let mut lock = Lock::default();
    lock.record(WorkflowEntry::all());
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("piton.lock");
    let named = path.to_str().ok_or("it is text")?;
    std::fs::write(&path, lock.to_string())?;
    assert_eq!(shell.prints(&["check", "--lock", named])?, "1 run checked: all can continue\n");

    // As if `token` had another name in the new code.
    let hash = fulfill::entry().definition().hash.0.to_string();
    let renamed = lock.to_string().replace(&hash, "255");
    let renamed = renamed.replace("\"name\":\"token\"", "\"name\":\"key\"");
    std::fs::write(&path, renamed)?;
    let (code, text) = shell.finds(&["check", "--lock", named])?;
    assert_eq!(code, Some(1), "{text}");
    assert_snapshot!("check", redacted(&text, &[(&run, "[run]")]));
    let (code, json) = shell.finds(&["check", "--lock", named, "--json"])?;
    assert_eq!(code, Some(1), "{json}");
    assert_snapshot!("check_json", redacted(&json, &[(&run, "[run]")]));

    // The lock file of a program without this workflow.
    let mut other = Lock::default();
    other.record([greet::entry()]);
    std::fs::write(&path, other.to_string())?;
    assert_eq!(
        shell.prints(&["check", "--lock", named])?,
        "note: 1 run of `fulfill` is not checked, as the lock file does not have this workflow\n\n\
         0 runs checked: all can continue\n"
    );
    let json = shell.prints(&["check", "--lock", named, "--json"])?;
    let json: serde_json::Value = serde_json::from_str(&json)?;
    assert_eq!(json["unchecked"], serde_json::json!({ "fulfill": 1 }));

    std::fs::write(&path, "<<<<<<< HEAD")?;
    let (code, error) = shell.fails(&["check", "--lock", named])?;
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("is not a lock file"), "{error}");
    let (code, error) = shell.fails(&["check", "--lock", "nowhere/piton.lock"])?;
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("PITON_LOCK=accept"), "{error}");
    Ok(())
}

pub(crate) fn schedules_are_compared_with_a_lock(shell: Shell) -> Result<(), Failed> {
    shell.block_on(async {
        let spec = || piton::schedule::Spec::new().cron("0 6 * * *");
        shell.client.schedule("greet-ann").create(spec(), greet("Ann".to_owned())).await?;
        shell.client.schedule("count-up").create(spec(), count(7)).paused("lunch").await?;
        shell.client.schedule("nap-daily").create(spec(), nap()).await?;
        Ok(())
    })?;
    let mut lock = Lock::default();
    lock.record([greet::entry(), count::entry(), nap::entry()]);
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("piton.lock");
    let named = path.to_str().ok_or("it is text")?;
    std::fs::write(&path, lock.to_string())?;
    assert_eq!(
        shell.prints(&["check", "--lock", named])?,
        "0 runs checked: all can continue\n3 schedules checked: all can start runs\n"
    );

    // As if `greet` had another parameter and `count` none in the new code, and `nap` another name.
    let mut lock = Lock::default();
    lock.record([deliver::entry(), bill::entry()]);
    let changed = lock.to_string();
    let changed = changed.replace("\"workflow\":\"deliver\"", "\"workflow\":\"greet\"");
    let changed = changed.replace("\"workflow\":\"bill\"", "\"workflow\":\"count\"");
    std::fs::write(&path, changed)?;
    let (code, text) = shell.finds(&["check", "--lock", named])?;
    assert_eq!(code, Some(1), "{text}");
    assert_snapshot!("check_schedules", text);
    let (code, json) = shell.finds(&["check", "--lock", named, "--json"])?;
    assert_eq!(code, Some(1), "{json}");
    assert_snapshot!("check_schedules_json", json);
    Ok(())
}

pub(crate) fn what_is_agreed_on_a_run_is_shown(shell: Shell) -> Result<(), Failed> {
    let run = shell.block_on(async {
        let policy = RetryPolicy { max_attempts: 3, ..RetryPolicy::DEFAULT };
        let start = shell.client.start(fulfill(order(10, "4242"), token())).id("order-10");
        let start = start.retry(policy).run_timeout(hours(2)).on_timeout(OnTimeout::Cancel);
        let run = start.cron("CRON_TZ=Europe/Berlin 0 12 * * *").await?;
        Ok(shell.client.find(run.run_id()).await?.ok_or("it is there")?)
    })?;
    let text = shell.prints(&["run", "show", "order-10"])?;
    assert_snapshot!("terms", redacted(&text, &[(&run, "[run]")]));
    Ok(())
}

//! What runs wait for, and how they stand.

use std::time::Duration;

use insta::assert_snapshot;
use libtest_mimic::Failed;
use piton::client::inspect::{Wait, WaitFor};
use piton::machine::{Workflow, WorkflowCall};
use piton::prelude::*;
use piton::store::RunRecord;

use crate::look::is_closed;
use crate::shell::{Shell, redacted};
use crate::waiting::{
    nap, on_branches, on_cancel, on_child, on_code, on_map, on_promise, on_queue,
    on_shared_promise, on_signal, on_spawned, on_time, on_timer, on_token, on_update,
};
use crate::workflows::greet;

/// Has a run wait, with nobody who owns it.
fn waiting<W: Workflow>(
    shell: &Shell,
    call: WorkflowCall<W>,
    id: &str,
) -> Result<RunRecord, Failed> {
    shell.run_until(call, id, async |_, run| Ok(run.owner.is_none() && run.step_no.0 > 0))
}

/// The part of what is shown of a run that says how it stands, where it is and what it waits for. How many commits that has
/// taken depends on what arrived at a time.
fn shown(shell: &Shell, run: &RunRecord) -> Result<String, Failed> {
    let text = shell.prints(&["run", "show", &run.workflow_id, "--source", "/nowhere"])?;
    let text = redacted(&text, &[(run, "[run]")]);
    let parts = text.split("\n\n").filter(|part| !part.starts_with("graph\n"));
    let text = parts.collect::<Vec<_>>().join("\n\n");
    let lines = text.lines().filter(|line| !line.starts_with("  last step"));
    Ok(lines.collect::<Vec<_>>().join("\n") + "\n\n")
}

pub(crate) fn a_token_that_an_activity_waits_for_is_shown(shell: Shell) -> Result<(), Failed> {
    let run = shell.run_until(on_token(), "token-1", async |client, run| {
        let shown = client.inspect(run.run_id).await?;
        let waits = shown.position.map(|position| position.waits).unwrap_or_default();
        let waits_for_token = |wait: &Wait| matches!(&wait.on, WaitFor::Activity(activity) if activity.token.is_some());
        Ok(run.owner.is_none() && waits.iter().any(waits_for_token))
    })?;
    let text = shell.prints(&["run", "show", "token-1"])?;
    let token = format!("waits for its token piton1-{}-", run.run_id.as_uuid().simple());
    assert!(text.contains(&token), "{text}");
    assert!(
        text.contains(
            "by hand, `piton run edit` with `--complete ask=JSON` or `--fail ask=REASON`"
        ),
        "{text}"
    );
    let edit = ["run", "edit", "token-1", "--fail", "ask=nobody knows", "--by", "ann"];
    shell.prints(&[&edit[..], &["--because", "ticket 311"]].concat())?;
    let closed = shell.go_on_until(run.run_id, is_closed)?;
    let failure = closed.failure.ok_or("it has failed")?;
    assert!(failure.contains("nobody knows") && !failure.contains("panicked"), "{failure}");
    Ok(())
}

pub(crate) fn each_kind_of_wait_is_shown(shell: Shell) -> Result<(), Failed> {
    let mut child = None;
    let parent = shell.run_until(on_child(), "child-1", async |client, run| {
        child = client.find("nap-1").await?;
        Ok(run.owner.is_none() && child.is_some())
    })?;
    let child = child.ok_or("it is started")?;
    let mut text = redacted(&shown(&shell, &parent)?, &[(&child, "[child]")]);
    let waiting = [
        waiting(&shell, on_promise(), "promise-1")?,
        waiting(&shell, on_shared_promise(), "shared-1")?,
        waiting(&shell, on_queue(), "queue-1")?,
        waiting(&shell, on_update(), "update-1")?,
        waiting(&shell, on_timer(), "timer-1")?,
        waiting(&shell, on_signal(), "signal-1")?,
        waiting(&shell, on_cancel(), "cancel-1")?,
        waiting(&shell, on_map(), "map-1")?,
        waiting(&shell, on_spawned(), "spawned-1")?,
        waiting(&shell, on_time(), "time-1")?,
        waiting(&shell, on_branches(), "branches-1")?,
    ];
    for run in &waiting {
        text.push_str(&shown(&shell, run)?);
    }
    assert_snapshot!("waits", text);
    Ok(())
}

pub(crate) fn a_run_that_no_worker_claims_is_told(shell: Shell) -> Result<(), Failed> {
    let start = async |at: Timestamp| {
        let run = shell.client.start(nap()).start_at(at).await?;
        Ok::<_, Failed>(run.run_id().to_string())
    };
    let (overdue, due) = shell.block_on(async {
        let now = Timestamp::now();
        Ok((start(Timestamp(now.0 - 3_600_000_000)).await?, start(now + minutes(60)).await?))
    })?;
    let told = " ago), but no worker has claimed it\n";
    let shown = shell.prints(&["run", "show", &overdue])?;
    assert!(shown.contains(told), "{shown}");
    let shown = shell.prints(&["run", "show", &due])?;
    assert!(!shown.contains("claimed"), "{shown}");
    Ok(())
}

pub(crate) fn each_status_is_shown(shell: Shell) -> Result<(), Failed> {
    let running = waiting(&shell, nap(), "running")?;
    let paused = waiting(&shell, nap(), "paused")?;
    let completed = shell.run_until(greet("Ann".to_owned()), "completed", is_closed)?;
    let failed = shell.run_until(greet(String::new()), "failed", is_closed)?;
    let cancelled = waiting(&shell, nap(), "cancelled")?;
    let terminated = waiting(&shell, nap(), "terminated")?;
    let timed_out = shell.block_on(async {
        shell.client.by_id(cancelled.run_id).cancel("enough").await?;
        shell.client.by_id(terminated.run_id).terminate("enough").await?;
        shell.client.by_id(paused.run_id).pause("lunch").by("ann").await?;
        shell.client.by_id(paused.run_id).cancel("the shop is closed").await?;
        let start = shell.client.start(nap()).id("timed out").run_timeout(Duration::from_millis(1));
        let run_id = start.await?.run_id();
        // A worker that has come to it before its timeout would show another state.
        shell.client.by_id(run_id).pause("it is not to begin").await?;
        Ok(shell.client.find(run_id).await?.ok_or("it is there")?)
    })?;
    for run in [&cancelled, &timed_out] {
        shell.go_on_until(run.run_id, is_closed)?;
    }
    // Workers give it another try when they start, so there are none after this.
    let blocked = shell
        .run_until(on_code(), "blocked", async |_, run| Ok(run.status == RunStatus::Blocked))?;
    let runs = [
        (&running, "[running]"),
        (&paused, "[paused]"),
        (&blocked, "[blocked]"),
        (&completed, "[completed]"),
        (&failed, "[failed]"),
        (&cancelled, "[cancelled]"),
        (&terminated, "[terminated]"),
        (&timed_out, "[timed out]"),
    ];
    let mut text = String::new();
    for (run, _) in &runs {
        let status =
            shell.block_on(async { Ok(shell.client.by_id(run.run_id).status().await?) })?;
        let status = status.status.to_string();
        text.push_str(&shell.prints(&["run", "list", "--status", &status])?);
    }
    text.push_str(&shell.prints(&["run", "list"])?);
    for (run, _) in &runs[1..3] {
        text.push_str(&shown(&shell, run)?);
    }
    assert_snapshot!("statuses", redacted(&text, &runs));
    Ok(())
}

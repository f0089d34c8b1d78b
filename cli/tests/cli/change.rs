//! Runs are changed by hand.

use insta::assert_snapshot;
use libtest_mimic::Failed;
use piton::store::RunRecord;

use crate::look::{is_closed, parked, token};
use crate::shell::{Shell, redacted};
use crate::workflows::{Approve, count, fulfill, order};

/// Who changes runs here, and why.
const SIGNED: [&str; 4] = ["--by", "ann", "--because", "ticket 311"];

/// What the command says of the change.
fn change(shell: &Shell, arguments: &[&str]) -> Result<String, Failed> {
    shell.prints(&[&["run"][..], arguments, &SIGNED[..]].concat())
}

/// Why the change is refused.
fn refused(shell: &Shell, arguments: &[&str]) -> Result<String, Failed> {
    let (code, text) = shell.fails(&[&["run"][..], arguments, &SIGNED[..]].concat())?;
    let code = code.ok_or("killed")?;
    Ok(format!("$ piton run {}\n{text}[{code}]\n\n", arguments.join(" ")))
}

/// The run's variables, as JSON.
fn variables(shell: &Shell, id: &str) -> Result<serde_json::Value, Failed> {
    let shown = shell.prints(&["run", "show", id, "--json"])?;
    let mut shown: serde_json::Value = serde_json::from_str(&shown)?;
    Ok(shown["position"]["variables"].take())
}

/// What the run comes to once a worker has it.
fn result(shell: &Shell, run: &RunRecord) -> Result<String, Failed> {
    let closed = shell.go_on_until(run.run_id, is_closed)?;
    let result = closed.result.ok_or("it has a result")?;
    shell.block_on(async { Ok(shell.client.payload_json(&result).await?.to_string()) })
}

pub(crate) fn a_variable_is_set(shell: Shell) -> Result<(), Failed> {
    let run = parked(&shell)?;
    let said = change(
        &shell,
        &["edit", "order-7", "--set", "order.items.1.cents=800", "--set", "receipt=11"],
    )?;
    assert_eq!(said, format!("the run {} was changed\n", run.run_id));
    let still =
        shell.block_on(async { Ok(shell.client.find(run.run_id).await?.ok_or("is there")?) })?;
    assert_eq!((still.due_at, still.step_no), (run.due_at, run.step_no.next()));
    let variables = variables(&shell, "order-7")?;
    assert_eq!(variables[0]["value"]["items"][1]["cents"], 800);
    assert_eq!(variables[0]["value"]["items"][0]["cents"], 4_200);
    assert_eq!(variables[2]["value"], 11);
    let audit = shell.prints(&["run", "audit", "order-7"])?;
    assert_snapshot!("audit", redacted(&audit, &[(&run, "[run]")]));

    // The code goes on with it.
    change(&shell, &["edit", "order-7", "--complete", "signal<Approve>={\"by\":\"Ben\"}"])?;
    shell.go_on_until(run.run_id, async |_, run| {
        Ok(run.owner.is_none() && run.state == "deliver")
    })?;
    assert_eq!(self::variables(&shell, "order-7")?[1]["value"], 11);
    Ok(())
}

pub(crate) fn a_signal_is_given_by_hand(shell: Shell) -> Result<(), Failed> {
    let run = parked(&shell)?;
    change(&shell, &["edit", "order-7", "--complete", "signal<Approve>={\"by\":\"Ann\"}"])?;
    let shown = shell.prints(&["run", "show", "order-7", "--json"])?;
    let shown: serde_json::Value = serde_json::from_str(&shown)?;
    assert_eq!(shown["unread"][0]["value"]["by"], "Ann");
    assert_eq!(shown["position"]["waits"][0]["has_arrived"], true);
    shell.go_on_until(run.run_id, async |_, run| {
        Ok(run.owner.is_none() && run.state == "deliver")
    })?;
    let variables = variables(&shell, "order-7")?;
    assert_eq!(variables[2]["value"], "Ann", "{variables}");
    Ok(())
}

/// A run whose activity fails.
fn failing(shell: &Shell) -> Result<RunRecord, Failed> {
    shell.run_until(fulfill(order(9, "bad"), token()), "order-9", async |client, run| {
        let activities = client.activities(run.run_id).await?;
        Ok(activities.iter().any(|activity| activity.last_failure.is_some()))
    })
}

pub(crate) fn an_activity_is_ended_by_hand(shell: Shell) -> Result<(), Failed> {
    let run = failing(&shell)?;
    change(&shell, &["edit", "order-9", "--complete", "charge=77"])?;
    shell
        .go_on_until(run.run_id, async |_, run| Ok(run.owner.is_none() && run.state == "select"))?;
    assert_eq!(variables(&shell, "order-9")?[2]["value"], 77);

    let call = fulfill(order(10, "bad"), token());
    let run = shell.run_until(call, "order-10", async |client, run| {
        let activities = client.activities(run.run_id).await?;
        Ok(activities.iter().any(|activity| activity.last_failure.is_some()))
    })?;
    change(&shell, &["edit", "order-10", "--fail", "charge=the bank is closed"])?;
    let closed = shell.go_on_until(run.run_id, is_closed)?;
    let failure = closed.failure.ok_or("it has failed")?;
    assert!(failure.contains("the bank is closed"), "{failure}");
    Ok(())
}

pub(crate) fn an_activity_on_a_queue_is_ended_by_hand(shell: Shell) -> Result<(), Failed> {
    let run = parked(&shell)?;
    change(&shell, &["edit", "order-7", "--complete", "signal<Approve>={\"by\":\"Ben\"}"])?;
    shell.go_on_until(run.run_id, async |_, run| {
        Ok(run.owner.is_none() && run.state == "deliver")
    })?;
    // In the workflow that is awaited inline.
    change(&shell, &["edit", "order-7", "--complete", "deliver/ship=\"by foot\""])?;
    // Nobody can take it any more.
    let details =
        shell.block_on(async { Ok(shell.client.store().find_details(run.run_id).await?) })?;
    assert_eq!(details.ok_or("is there")?.activity_count, 0);
    shell.go_on_until(run.run_id, async |client, run| {
        Ok(run.owner.is_none() && client.inspect(run.run_id).await?.unread_count == 0)
    })?;
    let shown = shell.prints(&["run", "show", "order-7"])?;
    assert!(shown.contains("timer, fires"), "{shown}");
    assert!(shown.contains("shipped: String = \"by foot\""), "{shown}");
    Ok(())
}

pub(crate) fn a_run_is_moved_to_another_state(shell: Shell) -> Result<(), Failed> {
    let run = shell.run_until(count(1), "count-1", async |_, run| {
        Ok(run.owner.is_none() && run.state.starts_with("signal"))
    })?;
    let failing = failing(&shell)?;
    let state = run.state.as_str();
    change(&shell, &["edit", "count-1", "--move-to", state, "--set", "sum=40"])?;
    assert_eq!(variables(&shell, "count-1")?[0]["value"], 40);
    let refusal =
        refused(&shell, &["edit", "order-9", "--move-to", "select", "--set", "receipt=1"])?;
    let refusal = refusal + &refused(&shell, &["edit", "order-9", "--move-to", "deliver"])?;
    assert_snapshot!("not_moved", redacted(&refusal, &[(&failing, "[run]")]));
    Ok(())
}

pub(crate) fn a_failed_run_is_opened_again(shell: Shell) -> Result<(), Failed> {
    let run = failing(&shell)?;
    change(&shell, &["edit", "order-9", "--fail", "charge=the bank is closed"])?;
    shell.go_on_until(run.run_id, is_closed)?;
    let refusal = refused(&shell, &["edit", "order-9", "--set", "order.card=\"4242\""])?;
    assert!(refusal.contains("is failed"), "{refusal}");
    change(&shell, &["edit", "order-9", "--set", "token=\"other\"", "--reopen"])?;
    let status = shell.prints(&["run", "show", "order-9"])?;
    assert!(status.contains("running, parked"), "{status}");
    Ok(())
}

/// Counts twice and waits for the third time.
fn counted(shell: &Shell) -> Result<RunRecord, Failed> {
    let mut sent = 0;
    shell.run_until(count(1), "count-1", async |client, run| {
        let is_parked = run.owner.is_none() && run.state.starts_with("signal");
        if sent < 2 {
            let approve = Approve { by: "abc".to_owned() };
            client.run::<count>(run.run_id).await?.signal(approve).await?;
            sent += 1;
            return Ok(false);
        }
        let position = client.inspect(run.run_id).await?;
        // A worker may have gone on with the run between the two looks.
        Ok(is_parked && position.unread_count == 0 && position.step_no == run.step_no)
    })
}

pub(crate) fn a_run_goes_back(shell: Shell) -> Result<(), Failed> {
    let run = counted(&shell)?;
    let step = run.step_no.0;
    let history = shell.prints(&["run", "history", "count-1", "--json"])?;
    let history: serde_json::Value = serde_json::from_str(&history)?;
    assert_eq!(history[0]["step_no"], step, "{history}");
    let sum = |shell: &Shell| Ok::<_, Failed>(variables(shell, "count-1")?[0]["value"].clone());
    let last = sum(&shell)?;
    assert_eq!(last, 7);
    change(&shell, &["edit", "count-1", "--set", "sum=100"])?;
    assert_eq!(sum(&shell)?, 100);
    change(&shell, &["rewind", "count-1", &step.to_string()])?;
    assert_eq!(sum(&shell)?, last);
    let refusal = refused(&shell, &["rewind", "count-1", "99"])?;
    assert!(refusal.contains("has no state of step 99; kept are those of"), "{refusal}");
    let audit = shell.prints(&["run", "audit", "count-1", "--json"])?;
    let audit: serde_json::Value = serde_json::from_str(&audit)?;
    assert_eq!(
        (&audit[0]["action"], &audit[0]["details"]["step_no"]),
        (&"rewind".into(), &step.into())
    );
    change(&shell, &["edit", "count-1", "--complete", "signal<Approve>={\"by\":\"abcd\"}"])?;
    assert_eq!(result(&shell, &run)?, "11");
    Ok(())
}

pub(crate) fn a_run_is_forked(shell: Shell) -> Result<(), Failed> {
    let run = counted(&shell)?;
    let step = run.step_no.0.to_string();
    let said = shell.prints(&["run", "fork", "count-1", &step, "count-2", "--json"])?;
    let said: serde_json::Value = serde_json::from_str(&said)?;
    assert_ne!(said["run_id"], run.run_id.to_string());
    assert_eq!(variables(&shell, "count-1")?, variables(&shell, "count-2")?);
    change(&shell, &["edit", "count-2", "--complete", "signal<Approve>={\"by\":\"\"}"])?;
    let forked =
        shell.block_on(async { Ok(shell.client.find("count-2").await?.ok_or("is there")?) })?;
    assert_eq!(result(&shell, &forked)?, "7");
    let (code, refusal) = shell.fails(&["run", "fork", "count-1", &step, "count-1"])?;
    assert_eq!(code, Some(1));
    assert!(refusal.contains("has the workflow id"), "{refusal}");
    Ok(())
}

pub(crate) fn what_does_not_fit_is_refused(shell: Shell) -> Result<(), Failed> {
    let run = parked(&shell)?;
    let before = shell.prints(&["run", "show", "order-7", "--json"])?;
    let edits: &[&[&str]] = &[
        &["--set", "receipt=-1"],
        &["--set", "receipt=1", "--set", "order.items.0.cents=\"many\""],
        &["--set", "order.items.7.cents=1"],
        &["--set", "order={\"id\":1}"],
        &["--set", "sum=1"],
        &["--complete", "signal<Approve>={\"from\":\"Ben\"}"],
        &["--complete", "sleep=null"],
        &["--complete", "ship=1"],
        &["--fail", "signal<Approve>=no"],
        &["--move-to", "nowhere"],
        &[],
    ];
    let mut told = String::new();
    for edit in edits {
        told.push_str(&refused(&shell, &[&["edit", "order-7"], *edit].concat())?);
    }
    assert_snapshot!("refused", redacted(&told, &[(&run, "[run]")]));
    assert_eq!(shell.prints(&["run", "show", "order-7", "--json"])?, before);
    assert_eq!(shell.prints(&["run", "audit", "order-7", "--json"])?, "[]\n");
    Ok(())
}

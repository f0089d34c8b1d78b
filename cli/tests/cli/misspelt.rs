//! What is misspelt is refused, and nothing is written.

use libtest_mimic::Failed;
use piton::model::{AttributeChanges, PromiseToken};
use piton::store::PromiseFilter;
use serde_json::{Value, json};

use crate::shell::Shell;
use crate::waiting::on_promise;
use crate::workflows::{bill, customer};

fn refused(shell: &Shell, arguments: &[&str], expected: &str) -> Result<(), Failed> {
    let (code, text) = shell.fails(arguments)?;
    assert_eq!(code, Some(1), "{arguments:?}: {text}");
    assert!(text.contains(expected), "{arguments:?}: {text}");
    Ok(())
}

pub(crate) fn a_promise_that_no_run_awaits_is_not_completed(shell: Shell) -> Result<(), Failed> {
    let run = shell.run_until(on_promise(), "promise-1", async |client, run| {
        let filter = PromiseFilter { run_id: Some(run.run_id), is_open: None };
        Ok(!client.promises(&filter, None, 1).await?.is_empty() && run.owner.is_none())
    })?;
    let token = |name: &str| PromiseToken::of_run("on_promise", run.run_id, name).to_string();
    let promises: Value = serde_json::from_str(&shell.prints(&["promise", "list", "--json"])?)?;
    assert_eq!(promises[0]["token"], token("price"));
    let typo = token("pice");
    let awaited = "of the same run are awaited: `price`";
    refused(&shell, &["promise", "resolve", &typo, "7"], awaited)?;
    refused(&shell, &["promise", "reject", &typo, "--because", "no"], awaited)?;
    let of_nobody = "promise1.on_promise.id.promise-2.price";
    refused(&shell, &["promise", "resolve", of_nobody, "7"], "no run awaits the promise")?;
    refused(&shell, &["promise", "show", &typo], awaited)?;
    refused(&shell, &["promise", "show", of_nobody], "no run awaits the promise")?;
    let other = PromiseToken::of_run("bill", run.run_id, "price").to_string();
    let names = "names the workflow `bill`, but the run";
    refused(&shell, &["promise", "resolve", &other, "7"], names)?;
    let shown = shell.prints(&["promise", "show", &token("price")])?;
    assert_eq!(shown, "nobody has completed it\nvalue  u64\nerror  String\n");
    let shown = shell.prints(&["promise", "show", &token("price"), "--json"])?;
    let shown: Value = serde_json::from_str(&shown)?;
    assert_eq!(shown["schemas"]["value"]["type_name"], "u64", "{shown}");
    let misfit = "it is no `u64`:";
    refused(&shell, &["promise", "resolve", &token("price"), "\"much\""], misfit)?;
    let done = shell.prints(&["promise", "resolve", of_nobody, "7", "--ahead"])?;
    assert_eq!(done, "the promise is completed\n");
    shell.prints(&["promise", "resolve", &token("price"), "7"])?;
    refused(&shell, &["promise", "resolve", &token("price"), "7"], "already resolved")
}

pub(crate) fn a_blank_condition_changes_no_run(shell: Shell) -> Result<(), Failed> {
    shell.block_on(async {
        shell.client.start(bill(customer("ann"))).await?;
        Ok(())
    })?;
    for condition in ["", " "] {
        let terminate = ["run", "terminate", "--because", "over", "--by", "ann", "--filter"];
        let (code, text) = shell.fails(&[&terminate[..], &[condition]].concat())?;
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("it is blank; for all runs, write `run_id is not null`"), "{text}");
    }
    let all = ["run", "cancel", "--dry-run", "--by", "ann", "--filter", "run_id is not null"];
    assert_eq!(shell.prints(&all)?, "1 would be changed\n");
    Ok(())
}

pub(crate) fn a_queue_with_nothing_on_it_is_told(shell: Shell) -> Result<(), Failed> {
    let hint = "hint: nothing is on the queue `emial`; `piton queue list` lists the queues that have activities\n";
    assert_eq!(shell.hints(&["queue", "show", "emial"])?, hint);
    // The first call may come later, so it is paused nevertheless.
    assert_eq!(shell.hints(&["queue", "pause", "emial", "--because", "no server"])?, hint);
    assert!(shell.prints(&["queue", "show", "emial"])?.contains("no server"));
    assert_eq!(shell.prints(&["queue", "resume", "emial"])?, "the queue `emial` is resumed\n");
    for verb in [
        &["resume", "emial"][..],
        &["failed", "emial"],
        &["partitions", "emial"],
        &["redrive", "emial", "--all"],
    ] {
        assert_eq!(shell.hints(&[&["queue"], verb].concat())?, hint, "{verb:?}");
    }
    let (code, text) = shell.fails(&["queue", "pause", "", "--because", "x"])?;
    assert_eq!(code, Some(2), "{text}");
    let (code, text) = shell.fails(&["queue", "weigh", "emial", "ann", "0"])?;
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("it is not a whole number of at least 1"), "{text}");
    Ok(())
}

pub(crate) fn an_attribute_that_no_run_has_is_told(shell: Shell) -> Result<(), Failed> {
    shell.block_on(async {
        let attributes = AttributeChanges::new().with("customer", "c-17").with("Zone", 7);
        shell.client.start(bill(customer("ann"))).attributes(attributes).await?;
        Ok(())
    })?;
    let near = "hint: no run has the attribute `custmer`; did you mean `customer`?\n";
    let filter = ["--filter", "custmer = 'c-17'"];
    let change = |verb: &'static str| {
        let command = ["run", verb, filter[0], filter[1], "--because", "ticket 311", "--by", "ann"];
        shell.hints(&command)
    };
    for verb in ["cancel", "terminate", "pause", "resume", "retry", "delete"] {
        assert_eq!(change(verb)?, near, "{verb}");
    }
    assert_eq!(shell.hints(&["run", "list", filter[0], filter[1]])?, near);
    assert_eq!(shell.hints(&["run", "count", filter[0], filter[1], "--json"])?, near);
    let signal = ["run", "signal", filter[0], filter[1], "--dry-run", "Approve", "--by", "ann"];
    assert_eq!(shell.hints(&[&signal[..], &["--because", "ticket 311"]].concat())?, near);
    let both = "zone = 7 and status = 'running' or weight = 3 or not weight = 4";
    let hints = "hint: no run has the attribute `weight`\n\
                 hint: no run has the attribute `zone`; did you mean `Zone`?\n";
    assert_eq!(shell.hints(&["run", "list", "--filter", both])?, hints);
    let known = "customer = 'c-17' and \"Zone\" = 7";
    assert_eq!(shell.prints(&["run", "count", "--filter", known])?, "1\n");
    Ok(())
}

pub(crate) fn a_workflow_without_runs_is_told(shell: Shell) -> Result<(), Failed> {
    shell.block_on(async {
        shell.client.start(bill(customer("ann"))).await?;
        Ok(())
    })?;
    let hint = "hint: no run and no definition is of the workflow `bil`; did you mean `bill`?\n";
    for noun in ["run", "schedule", "definition"] {
        assert_eq!(shell.hints(&[noun, "list", "--workflow", "bil"])?, hint);
        assert_eq!(shell.hints(&[noun, "list", "--workflow", "bil", "--json"])?, hint);
    }
    let hint = "hint: no run and no definition is of the workflow `pay`; `piton definition list` lists the workflows\n";
    assert_eq!(shell.hints(&["run", "list", "--workflow", "pay"])?, hint);
    assert_eq!(shell.hints(&["schedule", "list", "--workflow", "bill"])?, "");
    // The name is right, and another condition leaves no run.
    let closed = ["run", "list", "--workflow", "bill", "--status", "completed"];
    assert_eq!(shell.hints(&closed)?, "");
    Ok(())
}

pub(crate) fn a_run_has_the_id_that_its_code_derives(shell: Shell) -> Result<(), Failed> {
    shell.block_on(async {
        shell.client.start(bill(customer("ann"))).await?;
        Ok(())
    })?;
    let start = |arguments: &'static str| ["run", "start", "bill", "--args", arguments, "--json"];
    let ann = "the workflow id `bill-ann` is taken";
    refused(&shell, &start(r#"[{"name": "ann"}]"#), ann)?;
    let started = shell.prints(&start(r#"{"customer": {"name": "zoe"}}"#))?;
    let started: Value = serde_json::from_str(&started)?;
    assert_eq!(started["workflow_id"], "bill-zoe");
    let shown = shell.prints(&["definition", "show", "bill"])?;
    assert!(shown.contains("  id       bill-{customer.name}\n"), "{shown}");

    // A run that has not begun has nothing but its arguments.
    let set = ["run", "edit", "bill-zoe", "--set", "customer.name=\"eve\"", "--by", "ann"];
    let set = [&set[..], &["--because", "a typo"]].concat();
    refused(&shell, &set, "terminate the run and start it again with other arguments")
}

pub(crate) fn a_schedule_that_could_start_nothing_is_refused(shell: Shell) -> Result<(), Failed> {
    shell.block_on(async {
        shell.client.start(bill(customer("ann"))).await?;
        Ok(())
    })?;
    let create = |workflow: &'static str, arguments: &'static str| {
        let create = ["schedule", "create", "s", "--every", "1h", "--workflow", workflow];
        [&create[..], &["--arguments", arguments]].concat()
    };
    let unfit = "the arguments do not fit `bill`";
    for arguments in ["[]", r#"["ann"]"#, r#"[{"name": 5}]"#, r#"{"custmer": {"name": "ann"}}"#] {
        refused(&shell, &create("bill", arguments), unfit)?;
    }
    refused(&shell, &create("bil", "[]"), "no definition of the workflow `bil` is recorded")?;
    let signal = ["--signal", "Aprove", "--value", r#"{"by": "ann"}"#];
    let create_ann = create("bill", r#"[{"name": "ann"}]"#);
    let never = "never waits for the signal `Aprove`";
    refused(&shell, &[&create_ann[..], &signal].concat(), never)?;
    assert_eq!(shell.prints(&["schedule", "list", "--json"])?, "[]\n");

    assert_eq!(shell.prints(&create_ann)?, "the schedule `s` is created\n");
    let update = ["schedule", "update", "s", "--workflow", "bill", "--arguments"];
    refused(&shell, &[&update[..], &["[7]"]].concat(), unfit)?;
    refused(&shell, &[&["schedule", "update", "s"][..], &signal].concat(), never)?;
    for condition in [&[][..], &["--revision", "1"]] {
        let nothing = &[&["schedule", "update", "s"], condition].concat();
        let (code, text) = shell.fails(nothing)?;
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("nothing is given to change"), "{text}");
    }
    shell.prints(&[&update[..], &[r#"{"customer": {"name": "eve"}}"#]].concat())?;
    let described = shell.prints(&["schedule", "describe", "s", "--json"])?;
    let described: Value = serde_json::from_str(&described)?;
    assert_eq!(described["arguments"], json!([{ "name": "eve" }]));
    Ok(())
}

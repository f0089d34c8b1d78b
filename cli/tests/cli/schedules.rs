//! Schedules are created, shown, changed and removed.

use libtest_mimic::Failed;
use serde_json::{Value, json};

use crate::shell::Shell;
use crate::workflows::{bill, customer};

fn described(shell: &Shell) -> Result<Value, Failed> {
    Ok(serde_json::from_str(&shell.prints(&["schedule", "describe", "bills", "--json"])?)?)
}

pub(crate) fn a_schedule_is_created_changed_and_removed(shell: Shell) -> Result<(), Failed> {
    // Whoever starts one with the code records the definition.
    shell.block_on(async {
        shell.client.start(bill(customer("zoe"))).await?;
        Ok(())
    })?;
    let created = shell.prints(&[
        "schedule",
        "create",
        "bills",
        "--workflow",
        "bill",
        "--arguments",
        r#"[{"name": "ada"}]"#,
        "--cron",
        "0 6 1 * *",
        "--zone",
        "Europe/Berlin",
        "--overlap",
        "buffer-one",
        "--catch-up-window",
        "2h",
        "--run-timeout",
        "10m",
        "--on-timeout",
        "cancel",
        "--max-attempts",
        "3",
        "--non-retryable",
        "Declined",
        "--attributes",
        r#"{"customer": "c-17", "cents": 1250}"#,
        "--memo",
        r#"{"why": "monthly"}"#,
        "--pause-on-failure",
        "--paused",
        "from March on",
    ])?;
    assert_eq!(created, "the schedule `bills` is created\n");
    let json = described(&shell)?;
    assert_eq!(json["spec"], json!({"cron": ["0 6 1 * *"], "zone": "Europe/Berlin"}));
    assert_eq!(json["arguments"], json!([{"name": "ada"}]));
    assert_eq!(json["overlap"], "buffer_one");
    assert_eq!(json["catch_up_window"], "7200000ms");
    assert_eq!((&json["pause_on_failure"], &json["paused"]), (&json!(true), &json!(true)));
    assert_eq!(json["note"], "from March on");
    assert_eq!(
        (&json["run_timeout"], &json["execution_timeout"]),
        (&json!("600000ms"), &Value::Null)
    );
    assert_eq!(
        (&json["on_timeout"], &json["cleanup_timeout"]),
        (&json!("cancel"), &json!("600000ms"))
    );
    let retry = &json["retry"];
    assert_eq!(
        (&retry["policy"]["max_attempts"], &retry["non_retryable"]),
        (&json!(3), &json!(["Declined"]))
    );
    assert_eq!(retry["policy"]["initial_interval"], "1000ms");
    assert_eq!(json["attributes"], json!({"customer": "c-17", "cents": 1250}));
    assert_eq!(json["memo"], json!({"why": "monthly"}));
    assert_eq!(json["next"], json!([]));

    let unpaused = shell.prints(&["schedule", "unpause", "bills", "--because", "it is March"])?;
    assert_eq!(unpaused, "the schedule `bills` is unpaused\n");
    let triggered = ["schedule", "trigger", "bills", "--overlap", "allow-all", "--json"];
    let triggered: Value = serde_json::from_str(&shell.prints(&triggered)?)?;
    assert_eq!(triggered, json!({"schedule": "bills", "triggered": true}));
    let updated = shell.prints(&[
        "schedule",
        "update",
        "bills",
        "--revision",
        "0",
        "--every",
        "1h",
        "--start",
        "2100-01-01T00:00:00Z",
        "--run-timeout",
        "none",
        "--execution-timeout",
        "2h",
        "--attributes",
        r#"{"cents": null}"#,
    ])?;
    assert_eq!(updated, "the schedule `bills` is updated\n");
    let json = described(&shell)?;
    assert_eq!(json["revision"], 1);
    assert_eq!(json["next"][0], "2100-01-01T00:00:00Z");
    assert_eq!(json["next"].as_array().map(Vec::len), Some(10));
    let kinds: Vec<&Value> =
        json["log"].as_array().into_iter().flatten().map(|one| &one["kind"]).collect();
    assert_eq!(kinds, ["updated", "triggered", "unpaused", "paused", "created"]);
    assert_eq!(
        (&json["run_timeout"], &json["execution_timeout"]),
        (&Value::Null, &json!("7200000ms"))
    );
    assert_eq!(json["attributes"], json!({"customer": "c-17"}));
    let text = shell.prints(&["schedule", "describe", "bills"])?;
    for line in [
        "execution timeout 2h",
        "on timeout        ask to cancel, close after 600s more",
        "tried again       3 attempts, first after 1s, not after Declined",
        "attribute         customer = c-17",
        "memo              why: \"monthly\"",
    ] {
        assert!(text.contains(&line.replace("2h", "7200s")), "{line}: {text}");
    }
    assert!(text.contains("starts            bill[{\"name\":\"ada\"}]"), "{text}");
    // What is not given stays.
    let update = |options: &[&'static str]| -> Result<Value, Failed> {
        shell.prints(&[&["schedule", "update", "bills"], options].concat())?;
        Ok(described(&shell)?["spec"].take())
    };
    let start = "2100-01-01T00:00:00Z";
    let hours = json!([{"interval": "1h"}]);
    let spec = update(&["--zone", "Asia/Tokyo", "--exclude", r#"{"month": "12"}"#])?;
    let december = spec["exclude"].clone();
    assert_eq!(december.as_array().map(Vec::len), Some(1), "{spec}");
    let expected =
        json!({"intervals": hours, "start": start, "zone": "Asia/Tokyo", "exclude": december});
    assert_eq!(spec, expected);
    let spec = update(&["--cron", "@daily", "--jitter", "5m"])?;
    let expected = json!({"cron": ["@daily"], "start": start, "zone": "Asia/Tokyo", "exclude": december, "jitter": "5m"});
    assert_eq!(spec, expected);
    let spec = update(&["--exclude", r#"{"month": "11"}"#])?;
    assert_eq!(spec["exclude"].as_array().map(Vec::len), Some(1), "{spec}");
    assert_ne!(spec["exclude"], december);
    let whole = update(&["--spec", r#"{"intervals": ["1h"], "start": "2100-01-01T00:00:00Z"}"#])?;
    assert_eq!(whole, json!({"intervals": hours, "start": start}));
    let list = shell.prints(&["schedule", "list", "--workflow", "bill"])?;
    assert!(list.contains("bills     bill              2100-01-01T00:00:00Z  0"), "{list}");
    let log = ["schedule", "log", "bills", "--limit", "1"];
    assert_eq!(shell.hints(&log)?, "there may be more: --before=9\n");
    let older = shell.prints(&["schedule", "log", "bills", "--before", "2"])?;
    assert_eq!(older.lines().count(), 2, "{older}");

    let backfill = ["schedule", "backfill", "bills", "--from"];
    let future =
        [&backfill[..], &["2100-01-01T00:00:00Z", "--to", "2100-01-01T01:30:00Z"]].concat();
    let (_, refused) = shell.fails(&future)?;
    assert!(refused.contains("the backfill ends at 2100-01-01T01:30:00Z, after"), "{refused}");
    let hourly = ["schedule", "create", "hourly", "--workflow", "bill", "--cron", "0 * * * *"];
    let hourly =
        [&hourly[..], &["--arguments", r#"[{"name": "ada"}]"#, "--paused", "later"]].concat();
    let misspelt = [&hourly[..], &["--workflow-id", "bill-{tmie}"]].concat();
    let (_, refused) = shell.fails(&misspelt)?;
    assert!(refused.contains("placeholder `{tmie}`, did you mean `{time}`?"), "{refused}");
    shell.prints(&hourly)?;
    let period = ["2020-01-01T00:00:00Z", "--to", "2020-01-01T01:30:00Z"];
    let backfill = ["schedule", "backfill", "hourly", "--from"];
    let backfill = [&backfill[..], &period].concat();
    let dry_run = shell.prints(&[&backfill[..], &["--dry-run"]].concat())?;
    assert_eq!(dry_run, "2020-01-01T00:00:00Z\n2020-01-01T01:00:00Z\n");
    let (_, refused) = shell.fails(&[&backfill[..], &["--max-runs", "1"]].concat())?;
    assert!(refused.contains("the backfill has more than 1 times"), "{refused}");
    shell.prints(&backfill)?;
    let cancelled = shell.prints(&["schedule", "cancel-backfills", "hourly"])?;
    assert_eq!(cancelled, "the backfills of the schedule `hourly` are cancelled\n");
    let log = shell.prints(&["schedule", "log", "hourly"])?;
    assert!(log.contains("backfills_cancelled"), "{log}");
    shell.prints(&["schedule", "delete", "hourly"])?;
    let poke = ["schedule", "create", "poke", "--signal", "Poke", "--value", r#"{"hard": true}"#];
    let (_, refused) = shell.fails(&[&poke[..], &["--every", "1h"]].concat())?;
    assert!(refused.contains("--workflow-id"), "{refused}");
    shell.prints(&[&poke[..], &["--every", "1h", "--workflow-id", "order-42"]].concat())?;
    let text = shell.prints(&["schedule", "describe", "poke"])?;
    assert!(text.contains(r#"sends             Poke{"hard":true}"#), "{text}");
    assert!(!text.contains("starts"), "{text}");
    assert_eq!(shell.prints(&["schedule", "delete", "poke"])?, "the schedule `poke` is deleted\n");
    shell.prints(&["schedule", "delete", "bills"])?;
    let list: Value = serde_json::from_str(&shell.prints(&["schedule", "list", "--json"])?)?;
    assert_eq!(list, json!([]));
    Ok(())
}

//! Past states, noted compensations, edits by hand, and schedules that have done something.

use std::sync::{Arc, Mutex};

use libtest_mimic::Failed;
use piton::activities::ActivityContext;
use piton::client::{Client, LogKind};
use piton::prelude::*;
use piton::schedule::Spec;
use piton::store::RunRecord;
use serde_json::json;

use crate::parked::{LOOK, until_parked};
use crate::shop::Go;
use crate::waits::delivers;

/// What was undone.
#[derive(Clone, Default)]
pub(crate) struct Undone(Arc<Mutex<Vec<String>>>);

#[activity]
async fn reserve(number: u64) -> Result<u64, String> {
    Ok(number)
}

#[activity]
async fn release(cx: &ActivityContext, number: u64, why: &str) {
    cx.dependency::<Undone>()
        .0
        .lock()
        .expect("nobody panics with it")
        .push(format!("{number} {why}"));
}

/// Undoes what it has done unless somebody sends a signal.
#[workflow(history = 5)]
async fn undoes(cx: &Context) -> Result<String, String> {
    let number = reserve(7).await.map_err(|error| error.to_string())?;
    cx.on_failure(release(number, "too late"));
    let mut text = "seven".to_owned();
    let go = cx.signal::<Go>().await;
    text.push_str(&go.by);
    if go.by == "nobody" { Err(text) } else { Ok(text) }
}

fn go(by: &str) -> Go {
    Go { by: by.to_owned() }
}

pub(crate) async fn park_runs(client: &Client) -> Result<(), Failed> {
    for id in ["undone", "edited"] {
        client.start(undoes()).id(id).await?;
        until_parked(client, id, "signal<Go>").await?;
    }
    let spec = || Spec::new().cron("0 0 1 1 *");
    let yearly = client.schedule("yearly signal");
    yearly.create_signal(spec(), "expects", go("the schedule")).await?;
    let started = client.schedule("yearly start");
    started.create(spec(), delivers()).workflow_id("started by {schedule}").await?;
    started.trigger().await?;
    started.pause("for a while").await?;
    yearly.trigger().await?;
    until_parked(client, "started by yearly start", "signal<Go>").await?;
    for schedule in [yearly, started] {
        let is_taken =
            |log: &LogKind| matches!(log, LogKind::Started { .. } | LogKind::NoRun { .. });
        while !schedule.log(None, 10).await?.iter().any(|entry| is_taken(&entry.what)) {
            tokio::time::sleep(LOOK).await;
        }
    }
    Ok(())
}

/// Edits a run that no worker has.
pub(crate) async fn edit(client: &Client) -> Result<(), Failed> {
    client.edit("edited").set("text", json!("eight")).by("Ann").because("a slip").await?;
    Ok(())
}

pub(crate) async fn finish_runs(client: &Client, undone: &Undone) -> Result<(), Failed> {
    let run = client.run::<undoes>("edited").await?;
    let audit = client.audit(run.run_id(), 10).await?;
    assert_eq!((&*audit[0].entry.who, &*audit[0].entry.reason), ("Ann", "a slip"));
    assert_eq!(audit[0].entry.details.as_deref(), Some(r#"[{"set":"text"}]"#));
    let past = client.history(run.run_id()).await?;
    let step_no = past.iter().find(|past| past.state == "signal<Go>").expect("it is kept").step_no;
    client.fork(run.run_id(), step_no, "forked").await?;
    for (id, result) in [("edited", "eight!"), ("forked", "seven!")] {
        let run = client.run::<undoes>(id).await?;
        run.signal(go("!")).await?;
        assert_eq!(run.result().await?, result, "{id}");
    }
    let run = client.run::<undoes>("undone").await?;
    run.signal(go("nobody")).await?;
    assert!(run.result().await.is_err());
    assert_eq!(*undone.0.lock().expect("nobody panics with it"), ["7 too late"]);

    let yearly = client.schedule("yearly signal");
    let shown = yearly.describe().await?;
    assert_eq!((shown.signal.as_deref(), shown.paused), (Some("Go"), false));
    let payload = shown.signal_payload.expect("it sends a signal");
    assert_eq!(client.payload_json(&payload).await?, json!({ "by": "the schedule" }));
    let log = yearly.log(None, 10).await?;
    let no_run = LogKind::NoRun { workflow_id: "expects".to_owned() };
    assert!(log.iter().any(|entry| entry.what == no_run), "{log:?}");
    let run = client.start(delivers()).id("expects").await?;
    yearly.trigger().await?;
    assert_eq!(run.result().await?, "the schedule");

    let started = client.schedule("yearly start");
    let shown = started.describe().await?;
    assert_eq!((shown.paused, &*shown.note, shown.counts.started), (true, "for a while", 1));
    let run: RunRecord = client.find("started by yearly start").await?.expect("it is started");
    assert_eq!(shown.running, [run.run_id]);
    let run = client.run::<delivers>("started by yearly start").await?;
    run.signal(go("Sue")).await?;
    assert_eq!(run.result().await?, "Sue");
    Ok(())
}

//! Schedules that send signals.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use piton::client::LogKind;
use piton::error::StoreError;
use piton::filter::Filter;
use piton::model::{RunId, RunStatus};
use piton::prelude::*;
use piton::store::memory::Hook;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{Rig, at, job, tens};

#[derive(Clone, Debug, PartialEq, Signal, Serialize, Deserialize)]
struct Knock {
    how: String,
}

fn knock(how: &str) -> Knock {
    Knock { how: how.to_owned() }
}

/// Waits for this many knocks. Returns each with its time.
#[workflow]
async fn door(cx: &Context, knocks: usize) -> Vec<String> {
    let mut heard = Vec::new();
    while heard.len() < knocks {
        let knock = cx.signal::<Knock>().await;
        heard.push(format!("{} at {}", knock.how, cx.now()));
    }
    heard
}

#[tokio::test(start_paused = true)]
async fn a_signal_is_sent_at_each_time_to_the_open_run() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("knocks");
    schedule.create_signal(tens(60), "door", knock("softly")).max_actions(5).await.unwrap();
    let described = schedule.describe().await.unwrap();
    assert_eq!((described.workflow, described.signal), (None, Some("Knock".to_owned())));
    rig.pass(15).await;
    let run = rig.client.start(door(3)).id("door").await.unwrap();
    rig.pass(10).await;
    schedule.update().signal(knock("hard")).await.unwrap();
    rig.pass(50).await;
    let heard = run.result().await.unwrap();
    let times: Vec<String> = [20, 30, 40].iter().map(|second| at(*second).to_string()).collect();
    for ((heard, how), time) in heard.iter().zip(["softly", "hard", "hard"]).zip(&times) {
        assert!(heard.starts_with(how) && heard.contains(time.trim_end_matches('Z')), "{heard:?}");
    }
    let log = schedule.log(None, 20).await.unwrap();
    let signalled = LogKind::Signalled { signal: "Knock".to_owned() };
    let no_run = LogKind::NoRun { workflow_id: "door".to_owned() };
    // After the door has opened, no run receives signals. An unsent signal does not count as an action.
    let told = |what: &LogKind| log.iter().filter(|entry| entry.what == *what).count();
    assert_eq!((told(&signalled), told(&no_run)), (3, 3));
    let of_run = log.iter().filter(|entry| entry.run_id == Some(run.run_id())).count();
    assert_eq!(of_run, 3);
    let described = schedule.describe().await.unwrap();
    assert_eq!((described.counts.started, described.counts.refused), (3, 3));
    assert_eq!(described.remaining_actions, Some(2));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_is_started_with_the_signal_where_there_is_none() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("knocks");
    let create = schedule.create(tens(50), door(2)).signal(knock("softly"));
    create.workflow_id("door").run_timeout(hours(1)).await.unwrap();
    rig.pass(45).await;
    let runs = rig.client.list_runs(Filter::all()).await.unwrap().runs;
    let statuses: Vec<_> = runs.iter().map(|run| (run.workflow_id.as_str(), run.status)).collect();
    assert_eq!(statuses, [("door", RunStatus::Completed), ("door", RunStatus::Completed)]);
    // The third signal would go to the third run, which belongs to another workflow.
    let other = rig.client.start(job(100)).id("door").await.unwrap();
    rig.pass(10).await;
    let log = schedule.log(None, 1).await.unwrap();
    assert_eq!(log[0].what, LogKind::IdTaken { by: other.run_id() });
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn signals_may_be_json_and_several_at_once() {
    let rig = Rig::new();
    let schedule = rig.client.schedule("knocks");
    let run = rig.client.start(door(4)).id("door").await.unwrap();
    let create = schedule.create_signal_json(tens(40), "door", "Knock", &json!({"how": "often"}));
    create.catch_up_window(hours(1)).await.unwrap();
    rig.pass(100).await;
    // All of them are late, and none waits for the previous one.
    let worker = rig.worker().start().await.unwrap();
    rig.pass(5).await;
    assert_eq!(run.result().await.unwrap().len(), 4);
    worker.shutdown().await.unwrap();
}

/// Fails calls of a worker, some before and some after their effect.
#[derive(Debug, Default)]
struct Flaky(AtomicU32);

impl Flaky {
    fn judge(&self, operation: &'static str, residue: u32) -> Result<(), StoreError> {
        if !["save_schedules", "deliver", "start_runs", "find_run"].contains(&operation) {
            return Ok(());
        }
        let call = self.0.fetch_add(1, Ordering::Relaxed).wrapping_mul(2_654_435_761);
        if (call >> 16) % 4 != residue {
            return Ok(());
        }
        let source = io::Error::from(io::ErrorKind::ConnectionReset).into();
        Err(StoreError::Database { operation, retryable: true, source })
    }
}

#[async_trait::async_trait]
impl Hook for Flaky {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        self.judge(operation, 1)
    }

    async fn after(&self, operation: &'static str) -> Result<(), StoreError> {
        self.judge(operation, 2)
    }
}

/// One worker sends with failures, another runs the door. The third knock closes the door's run, so a repeated knock
/// finds it closed.
#[tokio::test(start_paused = true)]
async fn a_signal_is_sent_once_despite_failures() {
    for or_start in [false, true] {
        let rig = Rig::new();
        let connection = rig.store.connect();
        connection.set_hook(Arc::new(Flaky::default()));
        let failing = Worker::new(&Client::new(connection)).start().await.unwrap();
        let worker = rig.worker().start().await.unwrap();
        let schedule = rig.client.schedule("knocks");
        let create = match or_start {
            true => schedule.create(tens(300), door(3)).signal(knock("once")).workflow_id("door"),
            false => {
                rig.client.start(door(30)).id("door").await.unwrap();
                schedule.create_signal(tens(300), "door", knock("once"))
            }
        };
        create.catch_up_window(hours(1)).await.unwrap();
        rig.pass(900).await;
        let runs = rig.client.list_runs(Filter::all()).await.unwrap().runs;
        let log = schedule.log(None, 100).await.unwrap();
        let sent: Vec<RunId> = log.iter().filter_map(|entry| entry.run_id).collect();
        assert_eq!(sent.len(), 30);
        // Times that are late are sent together, so a door may get a knock more than it waits for.
        let limit = if or_start { 3 } else { 30 };
        for run in &runs {
            let knocks = sent.iter().filter(|to| **to == run.run_id).count().min(limit);
            let is_closed = run.status == RunStatus::Completed;
            assert_eq!(is_closed, knocks == limit, "{run:?}");
            if is_closed {
                let run = rig.client.run::<door>(run.run_id).await.unwrap();
                assert_eq!(run.result().await.unwrap().len(), knocks);
            }
        }
        let described = schedule.describe().await.unwrap();
        assert_eq!((described.counts.started, described.counts.refused), (30, 0));
        drop(failing);
        worker.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_trigger_and_a_backfill_send_too() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(door(4)).id("door").await.unwrap();
    let schedule = rig.client.schedule("knocks");
    let create = schedule.create_signal(tens(600), "door", knock("by hand"));
    create.paused("only by hand").await.unwrap();
    schedule.trigger().await.unwrap();
    schedule.backfill(at(-30), at(-10)).await.unwrap();
    tokio::time::timeout(Duration::from_secs(9), run.result()).await.unwrap().unwrap();
    worker.shutdown().await.unwrap();
}

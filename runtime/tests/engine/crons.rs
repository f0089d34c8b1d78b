//! Workflows that cron starts again and again.

use std::time::Duration;

use piton::error::StartError;
use piton::model::Link;
use piton::prelude::*;
use tokio::time::sleep;

use crate::activities::Approve;
use crate::rig::Rig;
use crate::workflows::{approval, long_wait, naps};

async fn started(rig: &Rig, id: &str) -> Vec<(Option<Link>, RunStatus, String)> {
    let chain = rig.client.chain(id).await.unwrap();
    chain.iter().map(|run| (run.link, run.status, run.started_at.to_string())).collect()
}

#[tokio::test(start_paused = true)]
async fn the_next_run_is_due_after_the_last_one_ended() {
    let rig = Rig::new();
    let worker = rig.patient_worker().start().await.unwrap();
    // The store's clock begins at midnight; a run takes 70 minutes, so every second hour is skipped.
    let start = rig.client.start(naps(7, 600_000)).id("hourly").cron("@hourly");
    let first = start.await.unwrap();
    assert_eq!(first.result().await.unwrap(), 7);
    sleep(hours(5)).await;
    let chain = rig.client.chain("hourly").await.unwrap();
    let links: Vec<_> = chain.iter().map(|run| run.link).collect();
    assert_eq!(links, [None, Some(Link::Cron), Some(Link::Cron), Some(Link::Cron)]);
    let ends: Vec<_> = chain.iter().filter_map(|run| run.closed_at).collect();
    let minutes: Vec<_> = ends.iter().map(|at| (*at - ends[0]).as_secs() / 60).collect();
    assert_eq!(minutes, [0, 120, 240]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn cron_goes_by_its_zone_and_ends_with_a_run_that_is_ended() {
    let rig = Rig::new();
    let worker = rig.patient_worker().start().await.unwrap();
    let cron = "CRON_TZ=Europe/Berlin 0 12 * * *";
    let start = rig.client.start(naps(1, 1)).id("noon").cron(cron);
    start.await.unwrap().result().await.unwrap();
    let next = rig.client.find("noon").await.unwrap().unwrap();
    assert_eq!(next.due_at.unwrap().to_string(), "2026-01-02T11:00:00Z");
    sleep(days(2) + hours(1)).await;
    assert_eq!(started(&rig, "noon").await.len(), 4);

    let open = rig.client.by_id("noon");
    open.cancel("enough").await.unwrap();
    sleep(days(3)).await;
    let chain = started(&rig, "noon").await;
    assert_eq!((chain.len(), chain[3].1), (4, RunStatus::Cancelled));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn cron_may_continue_after_a_cancelled_run() {
    let rig = Rig::new();
    let worker = rig.patient_worker().start().await.unwrap();
    let start = rig.client.start(long_wait()).id("stays").cron_after_cancel().cron("@daily");
    let run = start.cron_at_once().await.unwrap();
    rig.until_parked(&run).await;
    run.cancel("not today").await.unwrap();
    sleep(days(1) + hours(6)).await;
    let chain = started(&rig, "stays").await;
    let statuses: Vec<_> = chain.iter().map(|run| run.1).collect();
    let expected = [RunStatus::Cancelled, RunStatus::Completed, RunStatus::Running];
    assert_eq!(statuses, expected);
    rig.client.by_id("stays").terminate("for good").await.unwrap();
    sleep(days(3)).await;
    assert_eq!(started(&rig, "stays").await.len(), 3);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_times_out_without_a_worker_is_followed() {
    let rig = Rig::new();
    let start = rig.client.start(long_wait()).id("late").cron("@every 90m");
    let run = start.run_timeout(hours(1)).await.unwrap();
    sleep(hours(3)).await;
    let worker = rig.patient_worker().start().await.unwrap();
    sleep(Duration::from_secs(10)).await;
    assert_eq!(run.status().await.unwrap().status, RunStatus::TimedOut);
    let chain = started(&rig, "late").await;
    assert_eq!((chain.len(), chain[1].0), (2, Some(Link::Cron)));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_expression_that_is_none_is_refused() {
    let rig = Rig::new();
    for expression in ["", "* * *", "61 * * * *", "CRON_TZ=Europe/Nowhere @daily"] {
        let start = || rig.client.start(long_wait()).cron(expression);
        for start in [start(), start().cron_at_once(), start().start_delay(hours(1))] {
            let error = start.await.unwrap_err();
            assert!(matches!(error, StartError::Cron { .. }), "{expression}: {error:?}");
        }
    }
    let error = rig.client.start(long_wait()).cron("0 0 1 1 * 2020").await.unwrap_err();
    let reason = "it has no time after 2026-01-01T00:00:00Z";
    let expected = format!("the cron expression `0 0 1 1 * 2020` cannot be used: {reason}");
    assert_eq!(error.to_string(), expected);
}

#[tokio::test(start_paused = true)]
async fn the_first_run_waits_for_its_time_and_can_be_used_meanwhile() {
    let rig = Rig::new();
    let worker = rig.patient_worker().start().await.unwrap();
    sleep(minutes(30)).await;
    let start = || rig.client.start(approval(50)).id("noon").cron("0 12 * * *");
    let run = start().await.unwrap();
    let waiting = run.status().await.unwrap();
    assert_eq!(waiting.due_at.unwrap().to_string(), "2026-01-01T12:00:00Z");
    let taken = start().await.unwrap_err();
    assert!(matches!(taken, StartError::AlreadyStarted { .. }), "{taken:?}");
    run.signal(Approve { by: "Ann".to_owned() }).await.unwrap();
    sleep(hours(11)).await;
    assert_eq!(run.status().await.unwrap().step_no.0, 0);
    run.result().await.unwrap();
    let closed = run.status().await.unwrap().closed_at.unwrap();
    assert!(closed.to_string().starts_with("2026-01-01T12:00:0"), "{closed}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_start_time_is_the_earliest_for_the_first_run() {
    let rig = Rig::new();
    // The store's clock begins then.
    let midnight = Timestamp(1_767_225_600_000_000);
    let later = midnight + days(4) + seconds(1);
    let start = |id: &str| rig.client.start(naps(1, 1)).id(id).cron("@hourly");
    for (start, waits_for) in [
        (start("at once").cron_at_once(), Duration::ZERO),
        (start("at once, later").cron_at_once().start_delay(minutes(90)), minutes(90)),
        (start("next"), hours(1)),
        (start("delayed").start_delay(minutes(90)), hours(2)),
        (start("exactly").start_delay(hours(2)), hours(2)),
        (start("at a time").start_at(later), days(4) + hours(1)),
        (start("over").start_at(Timestamp(0)), hours(1)),
    ] {
        let run = start.run_timeout(minutes(5)).await.unwrap();
        let due_at = midnight + waits_for;
        assert_eq!(run.status().await.unwrap().due_at, Some(due_at), "{}", run.workflow_id());
        let terms = rig.client.inspect(run.run_id()).await.unwrap().terms.unwrap();
        assert_eq!(terms.deadline_at, Some(due_at + minutes(5)), "{}", run.workflow_id());
    }
}

/// The next run is not the one that was called off.
#[tokio::test(start_paused = true)]
async fn a_run_that_is_cancelled_before_its_time_takes_that_time_with_it() {
    let rig = Rig::new();
    let worker = rig.patient_worker().start().await.unwrap();
    let start = || rig.client.start(naps(1, 1)).cron("@daily");
    let once = start().id("once").await.unwrap();
    let goes_on = start().id("goes on").cron_after_cancel().await.unwrap();
    once.cancel("not needed").await.unwrap();
    goes_on.cancel("not tomorrow").await.unwrap();
    sleep(hours(1)).await;
    let statuses = async |id: &str| {
        let chain = rig.client.chain(id).await.unwrap();
        chain.iter().map(|run| run.status).collect::<Vec<_>>()
    };
    assert_eq!(statuses("once").await, [RunStatus::Cancelled]);
    assert_eq!(statuses("goes on").await, [RunStatus::Cancelled, RunStatus::Running]);
    let next = rig.client.find("goes on").await.unwrap().unwrap();
    assert_eq!(next.due_at.unwrap().to_string(), "2026-01-03T00:00:00Z");
    worker.shutdown().await.unwrap();
}

/// Counts how often it has run, in its result.
#[workflow]
async fn count(cx: &Context) -> piton::Result<u32> {
    let before = cx.last_result::<count>()?;
    let fails = before == Some(2) && cx.attempt() < 3;
    cx.sleep(seconds(1)).await;
    piton::ensure!(!fails, "not yet");
    Ok(before.unwrap_or(0) + 1)
}

/// A failed run is retried before the next tick, and passes on the last result.
#[tokio::test(start_paused = true)]
async fn the_last_result_is_handed_on() {
    let rig = Rig::new();
    let worker = rig.patient_worker().start().await.unwrap();
    let policy = RetryPolicy { jitter: 0.0, ..RetryPolicy::DEFAULT };
    let start = rig.client.start(count()).id("count").cron("@hourly").retry(policy);
    let first = start.await.unwrap();
    sleep(hours(4) + minutes(30)).await;
    assert_eq!(first.result().await.unwrap(), 1);
    let chain = rig.client.chain("count").await.unwrap();
    let links: Vec<_> = chain.iter().map(|run| (run.link, run.status)).collect();
    let (retry, cron) = (Some(Link::Retry), Some(Link::Cron));
    let (completed, failed) = (RunStatus::Completed, RunStatus::Failed);
    assert_eq!(
        links,
        [
            (None, completed),
            (cron, completed),
            (cron, failed),
            (retry, failed),
            (retry, completed),
            (cron, completed),
            (cron, RunStatus::Running),
        ]
    );
    let fourth = rig.client.run::<count>(chain[5].run_id).await.unwrap();
    assert_eq!(fourth.result().await.unwrap(), 4);
    worker.shutdown().await.unwrap();
}

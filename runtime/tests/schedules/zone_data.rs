//! Times that a worker of another build has computed with other time zone data.

use piton::client::LogKind;
use piton::schedule::{Spec, UnixSeconds};
use piton::store::{SaveSchedule, Schedules};

use crate::{BEGIN, Rig, at, job};

/// Noon of the first day in Berlin, in seconds after the beginning.
const NOON: i64 = 11 * 3_600;

fn noon() -> Spec {
    Spec::new().cron("CRON_TZ=Europe/Berlin 0 12 * * *").end(UnixSeconds(BEGIN + NOON))
}

/// Has the schedule look as after a worker by whose data the next time is this many seconds after the beginning.
async fn is_foreseen_at(rig: &Rig, seconds: i64) {
    let record = rig.store.find_schedule("job").await.unwrap().unwrap();
    let mut state: serde_json::Value = serde_json::from_str(&record.state).unwrap();
    assert_eq!(state["foreseen"]["at"], serde_json::json!(at(NOON)), "by its own data");
    state["foreseen"]["at"] = serde_json::json!(at(seconds));
    let save = SaveSchedule {
        id: record.id,
        token: record.token,
        version: record.version,
        state: state.to_string(),
        due_at: Some(at(seconds)),
        change: None,
        log: Vec::new(),
    };
    assert_eq!(rig.store.save_schedules(vec![save]).await.unwrap(), [true]);
}

/// The hours of the next times before and after, by the entries of the log.
async fn moves(rig: &Rig) -> Vec<(String, String)> {
    let log = rig.client.schedule("job").log(None, 100).await.unwrap();
    let moved = log.into_iter().filter_map(|entry| match entry.what {
        LogKind::TimeMoved { from, to } => Some((hour(from), hour(to))),
        _ => None,
    });
    moved.collect()
}

fn hour(at: Option<String>) -> String {
    at.unwrap().split_once('T').unwrap().1[..5].to_owned()
}

fn texts(from: &str, to: &str) -> (String, String) {
    (from.to_owned(), to.to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_time_that_is_earlier_by_the_data_of_a_new_worker_is_kept() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    rig.client.schedule("job").create(noon(), job(1)).await.unwrap();
    rig.pass(5).await;
    worker.shutdown().await.unwrap();
    is_foreseen_at(&rig, NOON + 3_600).await;
    let worker = rig.worker().start().await.unwrap();
    rig.pass(24 * 3_600).await;
    let runs = rig.runs().await;
    assert_eq!(runs.len(), 1);
    assert_eq!((runs[0].0, runs[0].1 / 10), (NOON, NOON));
    assert_eq!(moves(&rig).await, [texts("12:00", "11:00")]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_time_that_is_later_by_the_data_of_a_new_worker_is_awaited() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    rig.client.schedule("job").create(noon(), job(1)).await.unwrap();
    rig.pass(5).await;
    worker.shutdown().await.unwrap();
    is_foreseen_at(&rig, NOON - 3_600).await;
    let worker = rig.worker().start().await.unwrap();
    rig.pass(24 * 3_600).await;
    assert_eq!(rig.nominal().await, [NOON]);
    assert_eq!(moves(&rig).await, [texts("10:00", "11:00")]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_worker_of_an_older_build_beside_it_is_corrected_within_an_hour() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    rig.client.schedule("job").create(noon(), job(1)).await.unwrap();
    rig.pass(5).await;
    is_foreseen_at(&rig, NOON + 3_600).await;
    rig.pass(3_600).await;
    assert_eq!(moves(&rig).await, [texts("12:00", "11:00")]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn another_spec_is_no_moved_time() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    schedule.create(noon(), job(1)).await.unwrap();
    rig.pass(5).await;
    schedule.update().spec(Spec::new().cron("0 13 * * *")).await.unwrap();
    rig.pass(5).await;
    schedule.pause("no paper").await.unwrap();
    schedule.unpause("paper").await.unwrap();
    schedule.update().max_actions(Some(1)).await.unwrap();
    rig.pass(24 * 3_600).await;
    assert_eq!(rig.nominal().await, [13 * 3_600]);
    assert_eq!(moves(&rig).await, []);
    worker.shutdown().await.unwrap();
}

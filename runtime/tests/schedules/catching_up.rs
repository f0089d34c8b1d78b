//! Catching up after times without a worker.

use std::time::Duration;

use piton::client::LogKind;
use piton::schedule::Spec;

use crate::{ALL, Rig, job, tens};

#[tokio::test(start_paused = true)]
async fn times_within_the_window_start_late_and_older_ones_are_missed() {
    let rig = Rig::new();
    let schedule = rig.client.schedule("job");
    schedule.create(tens(110), job(1)).overlap(ALL).await.unwrap();
    rig.pass(95).await;
    let worker = rig.worker().start().await.unwrap();
    rig.pass(60).await;
    assert_eq!(rig.nominal().await, [40, 50, 60, 70, 80, 90, 100, 110]);
    let log = schedule.log(None, 100).await.unwrap();
    let missed: Vec<_> = log.iter().filter(|entry| entry.what == LogKind::Missed).collect();
    assert_eq!(missed.len(), 3);
    // Those of 40 to 80 were late, those of 90 to 110 were not.
    let counts = schedule.describe().await.unwrap().counts;
    assert_eq!((counts.missed, counts.late), (3, 5));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_long_outage_of_a_dense_schedule_is_stepped_over() {
    let rig = Rig::new();
    let spec = Spec::new().every(Duration::from_secs(1));
    let schedule = rig.client.schedule("job");
    let create = schedule.create(spec, job(0)).overlap(ALL);
    create.catch_up_window(Duration::from_secs(5)).await.unwrap();
    rig.pass(3_600 * 24 * 30).await;
    let begun = rig.store.clock();
    let worker = rig.worker().start().await.unwrap();
    rig.pass(10).await;
    let runs = rig.runs().await;
    let earliest = runs.iter().map(|(nominal, ..)| *nominal).min().unwrap();
    let begun = begun.0 / 1_000_000 - crate::BEGIN;
    assert!((begun - 6..=begun - 4).contains(&earliest), "{earliest} {begun}");
    assert!((14..=16).contains(&runs.len()), "{} runs", runs.len());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn due_times_during_a_pause_are_not_caught_up() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    schedule.create(tens(80), job(1)).await.unwrap();
    rig.pass(25).await;
    schedule.pause("the printer is out of paper").await.unwrap();
    let described = schedule.describe().await.unwrap();
    assert_eq!((described.paused, described.next.len()), (true, 0));
    assert_eq!(described.note, "the printer is out of paper");
    rig.pass(30).await;
    schedule.unpause("there is paper").await.unwrap();
    rig.pass(60).await;
    assert_eq!(rig.nominal().await, [10, 20, 60, 70, 80]);
    let log = schedule.log(None, 100).await.unwrap();
    let notes: Vec<_> = log
        .iter()
        .filter_map(|entry| match &entry.what {
            LogKind::Paused { note } | LogKind::Unpaused { note } => Some(note.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(notes, ["there is paper", "the printer is out of paper"]);
    worker.shutdown().await.unwrap();
}

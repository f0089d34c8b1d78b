//! Signals, timers and parking.

use std::time::Duration;

use piton::error::SignalError;
use piton::model::hours;
use piton::prelude::*;
use tokio::time::Instant;

use crate::activities::Approve;
use crate::rig::Rig;
use crate::workflows::{approval, chain, collect, long_wait, naps};

fn by(name: &str) -> Approve {
    Approve { by: name.to_owned() }
}

#[tokio::test(start_paused = true)]
async fn a_signal_wins_over_a_timer() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(approval(10)).await.unwrap();
    rig.until(&run, |record| record.step_no.0 == 1).await;
    run.signal(by("ada")).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "ada");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_timer_wins_over_a_signal() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(approval(10)).await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), "nobody approved");
    let waited = began.elapsed();
    assert!((10.0..10.01).contains(&waited.as_secs_f64()), "{waited:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_signal_sent_before_it_is_awaited_is_kept() {
    let rig = Rig::new();
    let run = rig.client.start(approval(10)).await.unwrap();
    run.signal(by("early")).await.unwrap();
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), "early");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn signals_come_in_order_and_share_commits() {
    let rig = Rig::new();
    let run = rig.client.start(collect(1_000)).await.unwrap();
    let names: Vec<_> = (0..1_000).map(|n| format!("n{n}")).collect();
    for name in &names {
        run.signal(by(name)).await.unwrap();
    }
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), names);
    let steps = rig.store.counts().step_updates;
    assert!(steps < 40, "a thousand signals took {steps} commits");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_for_a_signal_is_parked_and_woken() {
    let rig = Rig::new();
    let worker = rig.worker().poll_interval(hours(1)).start().await.unwrap();
    let run = rig.client.start(collect(3)).await.unwrap();
    for name in ["a", "b", "c"] {
        let parked = rig.until_parked(&run).await;
        assert_eq!((parked.state.as_str(), parked.due_at), ("signal<Approve>", None));
        run.signal(by(name)).await.unwrap();
        rig.until(&run, |record| record.step_no > parked.step_no).await;
    }
    assert_eq!(run.result().await.unwrap(), ["a", "b", "c"]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_dedup_key_counts_once() {
    let rig = Rig::new();
    let run = rig.client.start(collect(2)).await.unwrap();
    for _ in 0..3 {
        run.signal(by("once")).dedup_key("the same").await.unwrap();
    }
    run.signal(by("other")).dedup_key("another").await.unwrap();
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), ["once", "other"]);
    // Known for ever, also when the run is closed.
    run.signal(by("once")).dedup_key("the same").await.unwrap();
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn closed_and_unknown_runs_take_no_signals() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(chain(0)).id("done").await.unwrap();
    run.result().await.unwrap();
    let refused = run.signal(by("late")).await.unwrap_err();
    assert!(matches!(refused, SignalError::Closed { run_id } if run_id == run.run_id()));
    // A handle of another database: its run is not in this one.
    let elsewhere = Rig::new().client.start(collect(1)).await.unwrap();
    let unknown = rig.client.find(elsewhere.run_id()).await.unwrap();
    assert!(unknown.is_none());
    assert!(rig.client.run::<collect>("done").await.is_err(), "it is a run of `chain`");
    assert!(rig.client.run::<chain>("done").await.is_ok());
    assert!(rig.client.run::<chain>("never").await.is_err());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_long_sleep_is_parked_and_fires_on_time() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(long_wait()).await.unwrap();
    let parked = rig.until_parked(&run).await;
    assert!(parked.due_at.is_some());
    assert_eq!(run.result().await.unwrap(), "woken");
    let late = began.elapsed() - hours(5);
    assert!(late < Duration::from_millis(10), "{late:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_sleep_goes_on_after_a_restart() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(approval(30)).await.unwrap();
    rig.until(&run, |record| record.step_no.0 == 1).await;
    worker.shutdown().await.unwrap();
    tokio::time::sleep(Duration::from_secs(20)).await;
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), "nobody approved");
    let waited = began.elapsed();
    assert!((30.0..30.01).contains(&waited.as_secs_f64()), "{waited:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_clock_set_back_fires_no_timer_early() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(naps(1, 30_000)).await.unwrap();
    rig.until(&run, |record| record.step_no.0 == 1).await;
    // The database's clock shows ten seconds less; by it, the timer has ten seconds more to go.
    rig.store.move_clock(-10_000_000);
    run.result().await.unwrap();
    let waited = began.elapsed();
    assert!((40.0..40.01).contains(&waited.as_secs_f64()), "{waited:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_can_be_started_for_later() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(chain(1)).start_delay(minutes(10)).await.unwrap();
    run.result().await.unwrap();
    let late = began.elapsed() - minutes(10);
    assert!(late < Duration::from_millis(10), "{late:?}");
    worker.shutdown().await.unwrap();
}

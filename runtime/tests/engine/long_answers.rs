//! Data that does not fit in one response of the store.

use std::time::Duration;

use futures_util::future::join_all;
use piton::filter::Filter;
use piton::prelude::*;
use tokio::time::Instant;

use crate::queues::train;
use crate::rig::Rig;

/// One fits in a response, two do not.
const LONG: usize = 3 << 20;

#[workflow]
async fn tell_at_length(length: usize) -> String {
    "x".repeat(length)
}

#[tokio::test(start_paused = true)]
async fn long_results_reach_all_waits_and_are_listed() {
    const RUNS: usize = 5;
    let rig = Rig::new();
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        runs.push(rig.client.start(tell_at_length(LONG)).await.unwrap());
    }
    let worker = rig.worker().start().await.unwrap();
    for run in &runs {
        rig.until(run, |record| record.closed_at.is_some()).await;
    }
    // These waits begin after the end, so they get no notification.
    let late: Vec<_> =
        runs.iter().map(|run| rig.client.run::<tell_at_length>(run.run_id())).collect();
    let late = join_all(late).await;
    let results = join_all(late.iter().map(|run| run.as_ref().unwrap().result())).await;
    assert!(results.iter().all(|result| result.as_ref().unwrap().len() == LONG));
    let list = async |limit| rig.client.list_runs(Filter::all()).limit(limit).await.unwrap().runs;
    let mut newest_first: Vec<_> = runs.iter().map(|run| run.run_id()).collect();
    newest_first.sort_unstable_by(|one, other| other.cmp(one));
    for (limit, count) in [(0, 0), (3, 3), (RUNS as u32, RUNS), (100, RUNS)] {
        let listed: Vec<_> = list(limit).await.iter().map(|run| run.run_id).collect();
        assert_eq!(listed, newest_first[..count]);
    }
    worker.shutdown().await.unwrap();
}

#[workflow]
async fn waits_for_a_server(what: String) -> bool {
    train(&what).schedule_to_start(Duration::from_secs(1)).await.is_err()
}

/// In one poll, although no response contains all of them.
#[tokio::test(start_paused = true)]
async fn activities_with_long_calls_expire_together() {
    const POLL: Duration = Duration::from_secs(100);
    let rig = Rig::new();
    let worker = rig.worker().poll_interval(POLL).start().await.unwrap();
    let began = Instant::now();
    let mut runs = Vec::new();
    for _ in 0..4 {
        runs.push(rig.client.start(waits_for_a_server("x".repeat(LONG))).await.unwrap());
    }
    for run in runs {
        assert!(run.result().await.unwrap());
    }
    assert!(began.elapsed() < POLL + POLL / 2, "{:?}", began.elapsed());
    worker.shutdown().await.unwrap();
}

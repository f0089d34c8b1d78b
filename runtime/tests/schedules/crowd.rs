//! Many schedules that are due at one time, on SQLite.

use std::future::IntoFuture as _;
use std::time::Duration;

use piton::model::Timestamp;
use piton::prelude::*;
use piton::schedule::{Spec, UnixSeconds};

use crate::job;

/// How many, unless `PITON_SCHEDULES` says so.
const CROWD: usize = 300;

/// Prints how late the runs are; the figures of the design note come from here.
#[tokio::test]
async fn a_crowd_that_is_due_at_one_time_is_started_whole() {
    let crowd = std::env::var("PITON_SCHEDULES").ok().and_then(|count| count.parse().ok());
    let crowd: usize = crowd.unwrap_or(CROWD);
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("runs.db").display());
    let client = Client::connect(&url).await.unwrap();
    let now = Timestamp::now().0 / 1_000_000;
    // All of them are there before the time comes.
    let at = UnixSeconds(now + 3 + crowd as i64 / 120);
    let spec = Spec::new().calendar(calendar(at)).end(at);
    let creations = (0..crowd).map(|number| {
        let schedule = client.schedule(format!("job{number}"));
        schedule.create(spec.clone(), job(0)).into_future()
    });
    for creation in creations {
        creation.await.unwrap();
    }
    let worker = Worker::new(&client).start().await.unwrap();
    let started = async {
        let count = async || client.count(piton::filter::Filter::all()).await.unwrap();
        while count().await < crowd as u64 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(200), started).await.unwrap();
    let runs = client.list_runs(piton::filter::Filter::all()).limit(u32::MAX).await.unwrap().runs;
    assert_eq!(runs.len(), crowd);
    let mut late: Vec<i64> =
        runs.iter().map(|run| (run.started_at.0 - at.as_micros()) / 1_000).collect();
    late.sort_unstable();
    println!(
        "{crowd} schedules: late by {} ms at the median, {} ms at p99, {} ms at most",
        late[crowd / 2],
        late[crowd * 99 / 100],
        late[crowd - 1]
    );
    assert!(late[0] >= 0, "before its time by {} ms", -late[0]);
    worker.shutdown().await.unwrap();
}

/// The calendar that holds this one second of the day.
fn calendar(at: UnixSeconds) -> piton::schedule::Calendar {
    let day = at.0.rem_euclid(86_400);
    piton::schedule::Calendar::new().hour(day / 3_600).minute(day / 60 % 60).second(day % 60)
}

//! A schedule of a second, by programs that are killed: each second has one run.

use std::collections::BTreeSet;
use std::time::Duration;

use piton::client::{LogKind, Overlap};
use piton::error::ScheduleError;
use piton::filter;
use piton::model::Timestamp;
use piton::prelude::*;
use piton::schedule::Spec;

/// How many runs the schedule starts.
pub const TICKS: u64 = 6;

/// Between two of them.
const EVERY: Duration = Duration::from_secs(1);

/// How often somebody looks whether all is over.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// Takes a moment.
#[workflow]
pub async fn tick(cx: &Context) {
    cx.sleep(Duration::from_millis(5)).await;
}

/// Creates the schedule, unless an earlier life or another process has done so.
///
/// # Errors
/// The database fails.
pub async fn create(client: &Client) -> piton::Result<()> {
    let created = client.schedule(SCHEDULE).create(Spec::new().every(EVERY), tick());
    let created = created.overlap(Overlap::AllowAll).max_actions(TICKS);
    match created.catch_up_window(Duration::from_secs(3_600)).await {
        Ok(_) | Err(ScheduleError::Exists { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

const SCHEDULE: &str = "tick";

/// Waits until the schedule has started all of its runs, and they are over.
///
/// # Errors
/// The database fails.
pub async fn finish(client: &Client) -> piton::Result<()> {
    let schedule = client.schedule(SCHEDULE);
    loop {
        let described = schedule.describe().await?;
        let open = filter::status().equals(piton::model::RunStatus::Running);
        if described.remaining_actions == Some(0) && client.count(open).await? == 0 {
            return Ok(());
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}

/// Checks that each second, from the first to the last, has one run, and that the log says so.
///
/// # Errors
/// What is not so, or the database fails.
pub async fn check(client: &Client) -> piton::Result<()> {
    let schedule = client.schedule(SCHEDULE);
    let created_at = schedule.describe().await?.created_at;
    let mut times = Vec::new();
    let mut logged = BTreeSet::new();
    for entry in schedule.log(None, 500).await? {
        match (entry.what, entry.nominal_at, entry.run_id) {
            (LogKind::Created, ..) => {}
            (LogKind::Started { .. }, Some(at), Some(run_id)) => {
                times.push(at);
                logged.insert(run_id);
            }
            (other, at, _) => bail!("{other:?} at {at:?}"),
        }
    }
    times.sort_unstable();
    ensure!(times.len() as u64 == TICKS, "the log has {times:?}");
    let next = |at: Timestamp| at + EVERY;
    let is_whole = times.windows(2).all(|two| next(two[0]) == two[1]);
    ensure!(is_whole && times[0] <= next(created_at), "since {created_at} the log has {times:?}");
    let runs = client.list_runs(filter::workflow().equals(tick::NAME)).limit(u32::MAX).await?.runs;
    let runs: Vec<_> = runs.into_iter().map(|run| run.run_id).collect();
    ensure!(runs.len() as u64 == TICKS, "{runs:?} are there");
    ensure!(logged == runs.into_iter().collect(), "the log has {logged:?}, which are not the runs");
    Ok(())
}

//! Simulated clients that create schedules, and compare the runs with the times at which they were due.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use piton::client::{Client, LogEntry, LogKind, Overlap, Schedule, ScheduleDescription};
use piton::error::ScheduleError;
use piton::filter;
use piton::model::{RunId, Timestamp};
use piton::schedule::Spec;
use piton::store::RunQuery;
use piton::store::contract::*;
use tokio::time::sleep;

use crate::runs::ask;
use crate::workflows::tick;
use crate::world::{Phase, World};

/// How many entries the log of a schedule keeps.
const KEPT: u32 = 500;

/// How late a schedule may be without a fault: a lost claim, and some polls.
const LATE: Duration = Duration::from_secs(60);

/// Creates a schedule, pauses it when nothing has gone wrong for a while, and looks at what it has done.
pub(crate) async fn keep(world: Arc<World>, number: usize) {
    let mut rng = Rng::with_seed(world.plan.seed.rotate_left(48) ^ number as u64);
    let every = Duration::from_secs(rng.u64(20..90));
    let overlap = [Overlap::AllowAll, Overlap::BufferAll, Overlap::Skip][rng.usize(0..3)];
    // Those that wait for each other have to come to an end.
    let longest = every.as_millis() as u64 * if overlap == Overlap::BufferAll { 1 } else { 2 };
    let millis = rng.u64(0..longest);
    let id = format!("tick-{number}");
    asks(&world, &id, |schedule| async move {
        let spec = Spec::new().every(every);
        let created = schedule.create(spec, tick(millis)).overlap(overlap);
        match created.catch_up_window(Duration::from_secs(86_400)).await {
            // Nobody else has created it.
            Ok(_) | Err(ScheduleError::Exists { .. }) => Some(()),
            Err(_) => None,
        }
    })
    .await;
    while world.phase() == Phase::Faulty {
        sleep(Duration::from_secs(1)).await;
    }
    sleep(2 * every + LATE).await;
    asks(&world, &id, |schedule| async move { schedule.pause("enough").await.ok() }).await;
    let now = world.database.clock();
    let described = asks(&world, &id, |schedule| async move { schedule.describe().await.ok() });
    let described = described.await;
    let log = asks(&world, &id, |schedule| async move { schedule.log(None, KEPT).await.ok() });
    let log = log.await;
    // Where the clock was set back, a schedule waits for its time to come once more, and may have to say yet what it has
    // started.
    let set_back = Duration::from_micros(world.faults.set_back().unsigned_abs());
    let is_up_to_date = set_back.is_zero();
    if (is_up_to_date || log.len() > 2)
        && let Err(problem) = check(&described, every, &log, now, set_back)
    {
        world.violate(format!("{id}: {problem}"));
    }
    check_runs(&world, &id, &log, is_up_to_date).await;
}

async fn asks<T, F>(world: &Arc<World>, id: &str, question: impl Fn(Schedule) -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    ask(world, |client: Client| question(client.schedule(id))).await
}

/// Checks that each time was dealt with once, and none was left out before `now`.
fn check(
    described: &ScheduleDescription,
    every: Duration,
    log: &[LogEntry],
    now: Timestamp,
    set_back: Duration,
) -> Result<(), String> {
    // What waits for another run goes on waiting while the schedule is paused.
    let mut times: BTreeMap<Timestamp, u32> = described.waiting.iter().map(|at| (*at, 1)).collect();
    for entry in log {
        match (&entry.what, entry.nominal_at) {
            (LogKind::Started { .. } | LogKind::Skipped, Some(at)) => {
                *times.entry(at).or_insert(0) += 1;
            }
            (LogKind::Created | LogKind::Paused { .. }, _) => {}
            (other, at) => return Err(format!("{other:?} at {at:?}")),
        }
    }
    if let Some((at, count)) = times.iter().find(|(_, count)| **count != 1) {
        return Err(format!("{at} was dealt with {count} times"));
    }
    let times: Vec<Timestamp> = times.into_keys().collect();
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Err("nothing was ever due".to_owned());
    };
    if let Some(gap) = times.windows(2).find(|two| two[0] + every != two[1]) {
        return Err(format!("nothing was due between {gap:?}"));
    }
    // The first time is found before the schedule is written down, by a clock that may be set back in between.
    let is_whole = log.len() < KEPT as usize && set_back.is_zero();
    if is_whole && *first > described.created_at + every {
        return Err(format!("nothing was due between {} and {first}", described.created_at));
    }
    // A worker that has claimed the schedule and died holds it until its lease ends, by the clock before it was set back.
    if *last + every + LATE + set_back < now {
        return Err(format!("nothing was due after {last}, and it is {now}"));
    }
    Ok(())
}

/// Checks that each run which the log has is there, and that there are no others if it is up to date: but for one whose
/// start the pause has kept from being written down.
async fn check_runs(world: &Arc<World>, id: &str, log: &[LogEntry], is_up_to_date: bool) {
    let is_start = |entry: &&LogEntry| matches!(entry.what, LogKind::Started { .. });
    let mut logged: Vec<RunId> =
        log.iter().filter(is_start).filter_map(|entry| entry.run_id).collect();
    let filter = filter::workflow().equals("tick");
    let runs = world.database.list_runs(RunQuery::of(&filter)).await.unwrap_or_default();
    let prefix = format!("{id}-");
    let runs = runs.iter().filter(|run| run.workflow_id.starts_with(&prefix));
    let mut there: Vec<RunId> = runs.map(|run| run.run_id).collect();
    logged.sort_unstable();
    there.sort_unstable();
    let others = there.iter().filter(|run_id| !logged.contains(run_id)).count();
    let has_others = is_up_to_date && log.len() < KEPT as usize && others > 1;
    if has_others || logged.iter().any(|run_id| !there.contains(run_id)) {
        world.violate(format!("{id}: has started {logged:?}, and {there:?} are there"));
    }
}

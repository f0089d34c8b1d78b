//! Simulated clients that start runs with timeouts, retries and cron expressions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use piton::error::StartError;
use piton::filter::Filter;
use piton::model::{OnTimeout, RetryPolicy, RunStatus, TimeoutClock};
use piton::store::contract::*;
use piton::store::{RunQuery, RunRecord};
use tokio::time::sleep;

use crate::runs::ask;
use crate::workflows::effort;
use crate::world::World;

/// Longer than a simulation takes.
const FOR_EVER: u64 = 30 * 24 * 3_600 * 1_000;

/// What is agreed on a run.
#[derive(Clone, Copy, Debug)]
enum Terms {
    /// It fails in its first attempts, and is tried again.
    Retried { failures: u32, attempts: u32, millis: u64 },
    /// It has no end of its own, and each attempt is limited.
    Limited { limit: Duration, attempts: u32, clock: TimeoutClock, on_timeout: OnTimeout },
    /// It is started at each of these times, the first run perhaps at once, until the time is over.
    Repeated { every: u64, within: Duration, at_once: bool },
}

impl Terms {
    /// The same for the same run, however many others there are.
    fn draw(world: &World, number: usize) -> (Self, Duration) {
        let mut rng = Rng::with_seed(world.plan.seed.rotate_left(16) ^ number as u64);
        let terms = match rng.u32(0..3) {
            0 => Self::Retried {
                failures: rng.u32(0..4),
                attempts: rng.u32(2..4),
                millis: rng.u64(0..3_000),
            },
            1 => Self::Limited {
                limit: Duration::from_millis(rng.u64(1_000..20_000)),
                attempts: rng.u32(1..3),
                clock: [TimeoutClock::Calendar, TimeoutClock::Attended][number % 2],
                on_timeout: [OnTimeout::Terminate, OnTimeout::Cancel][rng.usize(0..2)],
            },
            _ => Self::Repeated {
                every: rng.u64(2..10),
                within: Duration::from_secs(rng.u64(10..60)),
                at_once: rng.bool(),
            },
        };
        let span = world.plan.faulty_for.as_millis() as u64;
        (terms, Duration::from_millis(rng.u64(0..span)))
    }

    fn retry(attempts: u32) -> RetryPolicy {
        let initial_interval = Duration::from_millis(200);
        RetryPolicy { max_attempts: attempts, initial_interval, ..RetryPolicy::DEFAULT }
    }

    /// Compares the runs of the chain with what the terms say.
    fn check(self, runs: &[&RunRecord], was_set_back: bool) -> Result<(), String> {
        let count = |status| runs.iter().filter(|run| run.status == status).count();
        let (completed, failed) = (count(RunStatus::Completed), count(RunStatus::Failed));
        let timed_out = count(RunStatus::TimedOut);
        let is_right = match self {
            Self::Retried { failures, attempts, .. } => {
                let succeeds = failures < attempts;
                let expected = failures.min(attempts) as usize;
                (completed, failed, timed_out) == (usize::from(succeeds), expected, 0)
            }
            Self::Limited { attempts, .. } => {
                (completed, failed, timed_out) == (0, 0, attempts as usize)
            }
            Self::Repeated { every, within, at_once } => {
                let most = (within.as_secs() / every + 2) as usize;
                let first = runs.iter().map(|run| run.started_at).min();
                let mut waiting = runs.iter().filter(|run| run.status == RunStatus::Completed);
                let wait = waiting.all(|run| {
                    (at_once && Some(run.started_at) == first) || waits_for_its_time(run, every)
                });
                failed == 0 && timed_out <= 1 && (was_set_back || (completed <= most && wait))
            }
        };
        let is_whole = completed + failed + timed_out == runs.len() && !runs.is_empty();
        let statuses: Vec<_> = runs.iter().map(|run| run.status).collect();
        if is_right && is_whole { Ok(()) } else { Err(format!("{self:?} came to {statuses:?}")) }
    }
}

/// Whether a run that is repeated every so many seconds has not closed before the first of these times after its start.
fn waits_for_its_time(run: &RunRecord, every: u64) -> bool {
    // The worker that started it may believe that it is earlier than the database does.
    let started_at = run.started_at.as_micros() - 1_000_000;
    let every = every as i64 * 1_000_000;
    let due_at = (started_at.div_euclid(every) + 1) * every;
    run.closed_at.is_some_and(|closed_at| closed_at.as_micros() >= due_at)
}

/// Starts one run.
pub(crate) async fn live(world: Arc<World>, number: usize) {
    let (terms, start_after) = Terms::draw(&world, number);
    sleep(start_after).await;
    ask(&world, |client| async move {
        let (failures, millis) = match terms {
            Terms::Retried { failures, millis, .. } => (failures, millis),
            Terms::Limited { .. } => (0, FOR_EVER),
            Terms::Repeated { .. } => (0, 0),
        };
        // However often it is asked for, it is one chain.
        let start = client.start(effort(failures, millis)).id(id_of(number)).request_id("once");
        let start = match terms {
            Terms::Retried { attempts, .. } => start.retry(Terms::retry(attempts)),
            Terms::Limited { limit, attempts, clock, on_timeout } => start
                .run_timeout(limit)
                .timeout_clock(clock)
                .on_timeout(on_timeout)
                .cleanup_timeout(Duration::from_secs(5))
                .retry(Terms::retry(attempts)),
            Terms::Repeated { every, within, at_once } => {
                let start = start.cron(format!("@every {every}s")).execution_timeout(within);
                if at_once { start.cron_at_once() } else { start }
            }
        };
        match start.await {
            Ok(_) => Some(()),
            Err(StartError::Store(_)) => None,
            Err(error) => panic!("{terms:?} cannot be started: {error:?}"),
        }
    })
    .await;
}

/// Compares the chains with their terms.
pub(crate) async fn check_results(world: &Arc<World>) {
    let all = Filter::all();
    let all = world.database.list_runs(RunQuery::of(&all)).await.unwrap_or_default();
    let mut chains: BTreeMap<usize, Vec<&RunRecord>> = BTreeMap::new();
    for run in &all {
        if let Some(number) = run.workflow_id.strip_prefix(PREFIX) {
            chains.entry(number.parse().unwrap_or_default()).or_default().push(run);
        }
    }
    for number in 0..world.plan.terms {
        let chain = chains.get(&number).map(Vec::as_slice).unwrap_or_default();
        let (terms, _) = Terms::draw(world, number);
        if let Err(problem) = terms.check(chain, world.faults.set_back() > 0) {
            world.violate(format!("{}: {problem}", id_of(number)));
        }
    }
}

const PREFIX: &str = "term-";

fn id_of(number: usize) -> String {
    format!("{PREFIX}{number}")
}

//! A database with a client and a worker on it, as a user's program has them.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use piton::filter::{Column, Filter};
use piton::machine::{Workflow, WorkflowCall};
use piton::model::RunStatus;
use piton::prelude::{Client, RunningWorker, Worker};
use piton::store::RunCount;

use crate::database::{Database, Databases, StoreKind};
use crate::latency::Latencies;
use crate::processor::ProcessorTime;
use crate::workflows::steps;

/// What an activity gets and returns: 100 bytes.
pub(crate) const TEXT: &str = "The piton is hammered in after each stretch, so that a fall goes back \
    to it and not all the way down.";

/// How often to read the number of closed runs.
pub(crate) const COUNT_INTERVAL: Duration = Duration::from_millis(50);

/// A client and, unless other processes serve, a worker.
#[derive(Debug)]
pub(crate) struct System {
    /// Where the runs are.
    pub(crate) database: Database,
    /// The way to them.
    pub(crate) client: Client,
    worker: Option<RunningWorker>,
}

impl System {
    /// A client and a worker of this process on an empty database.
    pub(crate) async fn start(
        databases: &mut Databases,
        kind: StoreKind,
        configure: impl FnOnce(Worker) -> Worker,
    ) -> Result<Self> {
        let mut system = Self::without_worker(databases, kind).await?;
        system.worker = Some(configure(Worker::new(&system.client)).start().await?);
        Ok(system)
    }

    /// A client alone.
    pub(crate) async fn without_worker(databases: &mut Databases, kind: StoreKind) -> Result<Self> {
        let database = databases.create(kind).await?;
        let client = Client::connect(&database.url).await?;
        Ok(Self { database, client, worker: None })
    }

    /// Shuts the worker down, closes the connections and returns the database.
    pub(crate) async fn stop(self) -> Result<Database> {
        if let Some(worker) = self.worker {
            worker.shutdown().await.map_err(anyhow::Error::msg)?;
        }
        self.client.close().await;
        Ok(self.database)
    }

    /// Waits until `count` runs have completed.
    pub(crate) async fn wait_for_completed(&self, count: usize) -> Result<()> {
        loop {
            let counts = self.client.count(Filter::all()).group_by(Column::Status).await?;
            let is =
                |count: &RunCount, status: RunStatus| count.key.as_deref() == Some(status.as_str());
            let completed = counts.iter().find(|count| is(count, RunStatus::Completed));
            if completed.is_some_and(|completed| completed.runs as usize >= count) {
                return Ok(());
            }
            let open = [RunStatus::Running, RunStatus::Completed];
            let lost = counts.iter().find(|count| !open.iter().any(|status| is(count, *status)));
            ensure!(lost.is_none(), "some runs did not complete: {lost:?}");
            tokio::time::sleep(COUNT_INTERVAL).await;
        }
    }
}

/// The result of a flow of runs.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    /// From the first start to the last result.
    pub(crate) elapsed: Duration,
    /// From the start of a run to its result.
    pub(crate) latencies: Latencies,
}

/// Starts `runs` runs of `step_count` steps, `window` at a time, and waits for each one's result.
pub(crate) async fn flow(
    client: &Client,
    runs: usize,
    window: usize,
    step_count: u32,
) -> Result<Flow> {
    flow_of(steps, client, runs, window, step_count).await
}

/// The same with another workflow of as many steps.
pub(crate) async fn flow_of<W>(
    workflow: fn(u32, String) -> WorkflowCall<W>,
    client: &Client,
    runs: usize,
    window: usize,
    step_count: u32,
) -> Result<Flow>
where
    W: Workflow<Output = u64, Error = Infallible>,
{
    let next = Arc::new(AtomicUsize::new(0));
    let begin = Instant::now();
    let goes_on = move || next.fetch_add(1, Ordering::Relaxed) < runs;
    let ended = run_while(goes_on, workflow, client, window, step_count).await?;
    let latencies = ended.into_iter().map(|run| run.latency).collect();
    Ok(Flow { elapsed: begin.elapsed(), latencies })
}

/// The result of a constant flow during the measurement.
#[derive(Clone, Debug)]
pub(crate) struct Sustained {
    /// Runs that ended, per second.
    pub(crate) rate: f64,
    /// From the start of a run to its result, of those that ended.
    pub(crate) latencies: Latencies,
    /// What a step took of the processors.
    pub(crate) step_time: ProcessorTime,
}

/// Keeps `window` runs of `step_count` steps under way, and measures for `duration` once that has
/// gone on for `warm_up`. `server` is the first process of the database's server.
pub(crate) async fn sustain(
    client: &Client,
    window: usize,
    step_count: u32,
    (warm_up, duration): (Duration, Duration),
    server: Option<u32>,
) -> Result<Sustained> {
    let over = Arc::new(AtomicBool::new(false));
    let goes_on = {
        let over = Arc::clone(&over);
        move || !over.load(Ordering::Relaxed)
    };
    let measure = async {
        tokio::time::sleep(warm_up).await;
        let (begin, before) = (Instant::now(), ProcessorTime::used(server)?);
        tokio::time::sleep(duration).await;
        let (end, after) = (Instant::now(), ProcessorTime::used(server)?);
        over.store(true, Ordering::Relaxed);
        anyhow::Ok((begin..end, before, after))
    };
    let runs = run_while(goes_on, steps, client, window, step_count);
    let (ended, (measured, before, after)) = tokio::try_join!(runs, measure)?;
    let ended = ended.into_iter().filter(|run| measured.contains(&run.at));
    let latencies: Latencies = ended.map(|run| run.latency).collect();
    let runs = latencies.len();
    Ok(Sustained {
        rate: runs as f64 / (measured.end - measured.start).as_secs_f64(),
        latencies,
        step_time: after.each(before, runs as u64 * u64::from(step_count)),
    })
}

/// A run that has ended.
struct Ended {
    at: Instant,
    /// From its start to its result.
    latency: Duration,
}

/// Starts runs, `window` at a time, and waits for each one's result, until `goes_on` says no.
async fn run_while<W>(
    goes_on: impl Fn() -> bool + Clone + Send + 'static,
    workflow: fn(u32, String) -> WorkflowCall<W>,
    client: &Client,
    window: usize,
    step_count: u32,
) -> Result<Vec<Ended>>
where
    W: Workflow<Output = u64, Error = Infallible>,
{
    let tasks: Vec<_> = (0..window)
        .map(|_| {
            let (client, goes_on) = (client.clone(), goes_on.clone());
            tokio::spawn(async move {
                let mut ended = Vec::new();
                while goes_on() {
                    let started = Instant::now();
                    let run = client.start(workflow(step_count, TEXT.to_owned())).await?;
                    let length = run.result().await?;
                    ensure!(
                        length == u64::from(step_count) * TEXT.len() as u64,
                        "a run returned {length}"
                    );
                    let at = Instant::now();
                    ended.push(Ended { at, latency: at - started });
                }
                Ok(ended)
            })
        })
        .collect();
    let mut ended = Vec::new();
    for task in tasks {
        ended.extend(task.await.context("a client's task has ended")??);
    }
    Ok(ended)
}

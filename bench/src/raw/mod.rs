//! The raw limit: a database that only writes the rows that a store writes.
//!
//! The tables are those of piton's own migrations, filled with owned runs. One write is what a step
//! costs at the least: the next `step_no`, the state's name and the snapshot, guarded by run and
//! `step_no`, for rows scattered over the table. Whole runs are inserted with their arguments, written
//! so at each step but the last, and closed with a result at that. Nothing reads, steps or waits beside
//! it.

mod disk;
mod postgres;
mod random;
mod single;
mod sqlite;

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use uuid::Uuid;

pub(crate) use disk::fdatasync;
use random::{noise, scatter, scattered};
pub(crate) use single::SingleCommits;

use crate::database::{Databases, StoreKind};
use crate::latency::Latencies;
use crate::processor::ProcessorTime;
use crate::report::{Figure, Report};
use crate::w1_throughput::STEPS;

/// Rows of the table: as many as W1 has runs under way at the most.
const ROWS: usize = 4_096;

/// Rows per transaction that are tried. 256 is what one statement of a store takes at most.
const BATCHES: [usize; 3] = [16, 64, 256];

/// Connections that are tried on Postgres. SQLite has one writer.
const CONNECTIONS: [usize; 4] = [1, 2, 4, 8];

/// How long each setting runs before it is measured.
const WARM_UP: Duration = Duration::from_millis(300);

/// The sizes of the argument and the result of a run of W1, in bytes.
const ARGUMENT_BYTES: usize = 110;
const RESULT_BYTES: usize = 8;

/// The `step_no` of a row that has not been inserted, and that with which a run's last step begins.
const NOT_STARTED: i64 = -1;
const LAST_STEP: i64 = STEPS as i64 - 1;

/// The limits of one database.
#[derive(Clone, Debug)]
pub(crate) struct RawLimits {
    /// Transactions of one row, one after the other on one connection.
    single: Latencies,
    /// Rows per second in batches, at the best of the settings tried.
    pub(crate) rows_per_second: f64,
    /// What a row then costs.
    pub(crate) row_time: ProcessorTime,
    /// That setting.
    best: Setting,
    /// Steps per second in batches of whole runs, at the best of the same settings.
    pub(crate) steps_per_second: f64,
    /// What a step of those then costs.
    pub(crate) step_time: ProcessorTime,
    best_of_runs: Setting,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Load {
    /// Steps of runs that stay open.
    Steps,
    /// Runs of [`STEPS`], from their start to their end.
    Runs,
}

/// How rows are written.
#[derive(Clone, Copy, Debug)]
struct Setting {
    connections: usize,
    batch: usize,
}

/// A row as its only writer knows it.
#[derive(Clone, Copy, Debug)]
struct Row {
    run_id: Uuid,
    step_no: i64,
}

/// Writes batches, each in one transaction that is durable when the call returns.
trait Writer: Send + 'static {
    /// Brings `rows` in, with arguments.
    fn start(
        &mut self,
        rows: &[Row],
        state: &[u8],
        arguments: &[u8],
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send;

    /// Writes the next step of `rows` and returns how many met their guard.
    fn step(
        &mut self,
        rows: &[Row],
        state: &[u8],
    ) -> impl Future<Output = Result<u64, sqlx::Error>> + Send;

    /// The same for their last step, with the result.
    fn end(
        &mut self,
        rows: &[Row],
        result: &[u8],
    ) -> impl Future<Output = Result<u64, sqlx::Error>> + Send;
}

impl RawLimits {
    /// Measures with snapshots of `state_bytes`, each setting for `duration`.
    pub(crate) async fn measure(
        databases: &mut Databases,
        kind: StoreKind,
        state_bytes: usize,
        duration: Duration,
    ) -> Result<Self> {
        let database = databases.create(kind).await?;
        let trial = Trial { state_bytes, duration, server: databases.server_pid(kind) };
        match kind {
            StoreKind::Sqlite => {
                let keys = sqlite::fill(&database.url, ROWS, state_bytes).await?;
                measure(|| sqlite::connect(&database.url), keys, &[1], trial).await
            }
            StoreKind::Postgres => {
                let keys = postgres::fill(&database.url, ROWS, state_bytes).await?;
                measure(|| postgres::connect(&database.url), keys, &CONNECTIONS, trial).await
            }
        }
    }

    /// Adds the limits themselves to a report.
    pub(crate) fn report(&self, kind: StoreKind, report: &mut Report) {
        let time = |name, time| Figure::time("raw", name, time).store(kind);
        let transactions = format!("{} transactions", self.single.len());
        report.add(time("1-row commit p50", self.single.p50()).detail(transactions));
        report.add(time("1-row commit p99", self.single.p99()));
        let Setting { connections, batch } = self.best;
        report.add(
            Figure::rate("raw", "rows in batches", self.rows_per_second)
                .store(kind)
                .detail(format!("best at {connections} connection(s), {batch} rows")),
        );
        report.add(
            time("processor time of a row", self.row_time.total()).detail(self.row_time.shares()),
        );
        let Setting { connections, batch } = self.best_of_runs;
        report.add(
            Figure::rate("raw", "steps of whole runs in batches", self.steps_per_second)
                .store(kind)
                .detail(format!("best at {connections} connection(s), {batch} rows")),
        );
        report.add(
            time("processor time of such a step", self.step_time.total())
                .detail(self.step_time.shares()),
        );
    }
}

/// What all settings have in common.
#[derive(Clone, Copy, Debug)]
struct Trial {
    state_bytes: usize,
    duration: Duration,
    /// The first process of the server.
    server: Option<u32>,
}

async fn measure<W, C>(
    connect: impl Fn() -> C,
    keys: Vec<Uuid>,
    connections: &[usize],
    trial: Trial,
) -> Result<RawLimits>
where
    W: Writer,
    C: Future<Output = Result<W>>,
{
    let mut rows = scattered(keys);
    let one = Setting { connections: 1, batch: 1 };
    let single = run(&connect, &mut rows, Load::Steps, one, trial).await?;
    let best_of = async |load, rows: &mut Vec<Row>| {
        let mut best = (Ran::default(), one);
        for &connections in connections {
            for batch in BATCHES {
                let setting = Setting { connections, batch };
                let ran = run(&connect, rows, load, setting, trial).await?;
                if ran.rate > best.0.rate {
                    best = (ran, setting);
                }
            }
        }
        anyhow::Ok(best)
    };
    let (steps, best) = best_of(Load::Steps, &mut rows).await?;
    let (runs, best_of_runs) = best_of(Load::Runs, &mut rows).await?;
    // A run is written once more than it has steps.
    let share = f64::from(STEPS) / f64::from(STEPS + 1);
    Ok(RawLimits {
        single: single.times,
        rows_per_second: steps.rate,
        row_time: steps.row_time,
        best,
        steps_per_second: runs.rate * share,
        step_time: runs.row_time.times(1.0 / share),
        best_of_runs,
    })
}

/// The result of one setting.
#[derive(Default)]
struct Ran {
    /// How long its transactions took.
    times: Latencies,
    /// Rows per second.
    rate: f64,
    /// What a row cost.
    row_time: ProcessorTime,
}

/// Runs one setting.
async fn run<W, C>(
    connect: impl Fn() -> C,
    rows: &mut [Row],
    load: Load,
    setting: Setting,
    trial: Trial,
) -> Result<Ran>
where
    W: Writer,
    C: Future<Output = Result<W>>,
{
    let share = rows.len() / setting.connections;
    let before = ProcessorTime::used(trial.server)?;
    let mut tasks = Vec::new();
    for part in rows.chunks_exact(share) {
        let writer = connect().await?;
        let part = part.to_vec();
        tasks.push(tokio::spawn(write_for(writer, part, load, setting.batch, trial)));
    }
    let (mut times, mut rate, mut count) = (Vec::new(), 0.0, 0);
    for (task, part) in tasks.into_iter().zip(rows.chunks_exact_mut(share)) {
        let written = task.await??;
        part.copy_from_slice(&written.rows);
        rate += (written.times.len() * setting.batch) as f64 / written.elapsed.as_secs_f64();
        times.extend(written.times);
        count += written.count;
    }
    let row_time = ProcessorTime::used(trial.server)?.each(before, count);
    Ok(Ran { times: times.into_iter().collect(), rate, row_time })
}

/// What one connection did.
struct Written {
    rows: Vec<Row>,
    times: Vec<Duration>,
    elapsed: Duration,
    /// Rows in all, with those before the measurement.
    count: u64,
}

async fn write_for(
    mut writer: impl Writer,
    mut rows: Vec<Row>,
    load: Load,
    batch: usize,
    Trial { state_bytes, duration, .. }: Trial,
) -> Result<Written> {
    let noise = noise(state_bytes + rows.len() + ARGUMENT_BYTES);
    let (arguments, result) = (&noise[..ARGUMENT_BYTES], &noise[..RESULT_BYTES]);
    if load == Load::Runs {
        rows.iter_mut().for_each(|row| row.step_no = NOT_STARTED);
    }
    let (mut times, mut next, mut count) = (Vec::new(), 0, 0);
    let begin = Instant::now();
    let mut measured_since = begin;
    loop {
        if next + batch > rows.len() {
            next = 0;
            // All have been written as often. Batches are of runs that did not start together.
            if load == Load::Runs && rows[0].step_no == 0 {
                scatter(&mut rows);
            }
        }
        let chunk = &mut rows[next..next + batch];
        let state = &noise[next..next + state_bytes];
        next += batch;
        let written_at = Instant::now();
        let written = match (load, chunk[0].step_no) {
            (Load::Runs, NOT_STARTED) => {
                chunk.iter_mut().for_each(|row| row.run_id = Uuid::now_v7());
                writer.start(chunk, state, arguments).await?;
                batch as u64
            }
            (Load::Runs, LAST_STEP) => writer.end(chunk, result).await?,
            _ => writer.step(chunk, state).await?,
        };
        ensure!(written == batch as u64, "{written} of {batch} rows met their guard");
        let has_ended = load == Load::Runs && chunk[0].step_no == LAST_STEP;
        chunk.iter_mut().for_each(|row| {
            row.step_no = if has_ended { NOT_STARTED } else { row.step_no + 1 };
        });
        count += written;
        let now = Instant::now();
        if now - begin < WARM_UP {
            measured_since = now;
            continue;
        }
        times.push(now - written_at);
        if now - measured_since >= duration {
            return Ok(Written { rows, times, elapsed: now - measured_since, count });
        }
    }
}

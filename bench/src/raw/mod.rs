//! What the database can do when it only writes the rows that a store writes.
//!
//! The tables are those of piton's own migrations, filled with owned runs. One write is what a step
//! costs at the least: the next `step_no`, the state's name and the snapshot, guarded by run and
//! `step_no`, for rows scattered over the table. Nothing reads, steps or waits beside it.

mod disk;
mod postgres;
mod sqlite;

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use uuid::Uuid;

pub(crate) use disk::fdatasync;

use crate::database::{Databases, StoreKind};
use crate::latency::Latencies;
use crate::processor::ProcessorTime;
use crate::report::{Figure, Report};

/// Rows of the table: as many as W1 has runs under way at the most.
const ROWS: usize = 4_096;

/// Rows per transaction that are tried. 256 is what one statement of a store takes at most.
const BATCHES: [usize; 3] = [16, 64, 256];

/// Connections that are tried on Postgres. SQLite has one writer.
const CONNECTIONS: [usize; 4] = [1, 2, 4, 8];

/// How long each setting runs before it is measured.
const WARM_UP: Duration = Duration::from_millis(300);

/// The limits of one database.
#[derive(Clone, Debug)]
pub(crate) struct RawLimits {
    /// Transactions of one row, one after the other on one connection.
    pub(crate) single: Latencies,
    /// Rows per second in batches, at the best of the settings tried.
    pub(crate) rows_per_second: f64,
    /// What a row then costs.
    pub(crate) row_time: ProcessorTime,
    /// That setting.
    best: Setting,
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
    /// Writes the next step of `rows` and returns how many met their guard.
    fn write(
        &mut self,
        rows: &[Row],
        state: &[u8],
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
    mut keys: Vec<Uuid>,
    connections: &[usize],
    trial: Trial,
) -> Result<RawLimits>
where
    W: Writer,
    C: Future<Output = Result<W>>,
{
    scatter(&mut keys);
    let mut rows: Vec<Row> = keys.into_iter().map(|run_id| Row { run_id, step_no: 0 }).collect();
    let one = Setting { connections: 1, batch: 1 };
    let Ran { times: single, row_time, .. } = run(&connect, &mut rows, one, trial).await?;
    let mut limits = RawLimits { single, rows_per_second: 0.0, row_time, best: one };
    for &connections in connections {
        for batch in BATCHES {
            let setting = Setting { connections, batch };
            let ran = run(&connect, &mut rows, setting, trial).await?;
            if ran.rate > limits.rows_per_second {
                (limits.rows_per_second, limits.best) = (ran.rate, setting);
                limits.row_time = ran.row_time;
            }
        }
    }
    Ok(limits)
}

/// What one setting came to.
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
        tasks.push(tokio::spawn(write_for(writer, part, setting.batch, trial)));
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
    batch: usize,
    Trial { state_bytes, duration, .. }: Trial,
) -> Result<Written> {
    let noise = noise(state_bytes + rows.len());
    let (mut times, mut next, mut count) = (Vec::new(), 0, 0);
    let begin = Instant::now();
    let mut measured_since = begin;
    loop {
        if next + batch > rows.len() {
            next = 0;
        }
        let chunk = &mut rows[next..next + batch];
        let state = &noise[next..next + state_bytes];
        next += batch;
        let written_at = Instant::now();
        let written = writer.write(chunk, state).await?;
        ensure!(written == batch as u64, "{written} of {batch} rows met their guard");
        chunk.iter_mut().for_each(|row| row.step_no += 1);
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

/// Puts keys into an order without pattern (Fisher-Yates).
fn scatter(keys: &mut [Uuid]) {
    let mut random = XorShift::new();
    for last in (1..keys.len()).rev() {
        keys.swap(last, random.next() as usize % (last + 1));
    }
}

/// Bytes that do not compress.
fn noise(length: usize) -> Vec<u8> {
    let mut random = XorShift::new();
    std::iter::repeat_with(|| random.next() as u8).take(length).collect()
}

/// Marsaglia's xorshift64: the same numbers in every run.
struct XorShift(u64);

impl XorShift {
    fn new() -> Self {
        Self(0x2545_F491_4F6C_DD1D)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The high bits are the better ones.
        self.0 >> 16
    }
}

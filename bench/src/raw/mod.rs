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
        match kind {
            StoreKind::Sqlite => {
                let keys = sqlite::fill(&database.url, ROWS, state_bytes).await?;
                let connect = || sqlite::connect(&database.url);
                measure(connect, keys, &[1], state_bytes, duration).await
            }
            StoreKind::Postgres => {
                let keys = postgres::fill(&database.url, ROWS, state_bytes).await?;
                let connect = || postgres::connect(&database.url);
                measure(connect, keys, &CONNECTIONS, state_bytes, duration).await
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
    }
}

async fn measure<W, C>(
    connect: impl Fn() -> C,
    mut keys: Vec<Uuid>,
    connections: &[usize],
    state_bytes: usize,
    duration: Duration,
) -> Result<RawLimits>
where
    W: Writer,
    C: Future<Output = Result<W>>,
{
    scatter(&mut keys);
    let mut rows: Vec<Row> = keys.into_iter().map(|run_id| Row { run_id, step_no: 0 }).collect();
    let one = Setting { connections: 1, batch: 1 };
    let (single, _) = run(&connect, &mut rows, one, state_bytes, duration).await?;
    let mut limits = RawLimits { single, rows_per_second: 0.0, best: one };
    for &connections in connections {
        for batch in BATCHES {
            let setting = Setting { connections, batch };
            let (_, rate) = run(&connect, &mut rows, setting, state_bytes, duration).await?;
            if rate > limits.rows_per_second {
                (limits.rows_per_second, limits.best) = (rate, setting);
            }
        }
    }
    Ok(limits)
}

/// Runs one setting; returns how long its transactions took and its rows per second.
async fn run<W, C>(
    connect: impl Fn() -> C,
    rows: &mut [Row],
    setting: Setting,
    state_bytes: usize,
    duration: Duration,
) -> Result<(Latencies, f64)>
where
    W: Writer,
    C: Future<Output = Result<W>>,
{
    let share = rows.len() / setting.connections;
    let mut tasks = Vec::new();
    for part in rows.chunks_exact(share) {
        let writer = connect().await?;
        let part = part.to_vec();
        let batch = setting.batch;
        tasks.push(tokio::spawn(write_for(writer, part, batch, state_bytes, duration)));
    }
    let (mut times, mut rate) = (Vec::new(), 0.0);
    for (task, part) in tasks.into_iter().zip(rows.chunks_exact_mut(share)) {
        let written = task.await??;
        part.copy_from_slice(&written.rows);
        rate += (written.times.len() * setting.batch) as f64 / written.elapsed.as_secs_f64();
        times.extend(written.times);
    }
    Ok((times.into_iter().collect(), rate))
}

/// What one connection did.
struct Written {
    rows: Vec<Row>,
    times: Vec<Duration>,
    elapsed: Duration,
}

async fn write_for(
    mut writer: impl Writer,
    mut rows: Vec<Row>,
    batch: usize,
    state_bytes: usize,
    duration: Duration,
) -> Result<Written> {
    let noise = noise(state_bytes + rows.len());
    let (mut times, mut next) = (Vec::new(), 0);
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
        let now = Instant::now();
        if now - begin < WARM_UP {
            measured_since = now;
            continue;
        }
        times.push(now - written_at);
        if now - measured_since >= duration {
            return Ok(Written { rows, times, elapsed: now - measured_since });
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

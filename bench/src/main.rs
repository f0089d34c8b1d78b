//! Workloads on piton, each figure beside the raw limit of the same database in the same run.

mod compile_time;
mod database;
mod inspector;
mod latency;
mod processor;
mod raw;
mod report;
mod session;
mod system;
mod w10_schedules;
mod w11_fan_out;
mod w12_promises;
mod w13_lists;
mod w1_relaxed;
mod w1_throughput;
mod w2_latency;
mod w3_timers;
mod w4_long_run;
mod w5_storage;
mod w6_parked;
mod w7_signals;
mod w8_fleet;
mod w9_snapshot;
mod worker_process;
mod workflows;

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::{Parser, ValueEnum};

use crate::compile_time::Profile;
use crate::database::StoreKind;
use crate::session::{Options, Session};

/// Measures piton beside the raw limits of the machine and its databases.
#[derive(Debug, Parser)]
#[command(name = "piton-bench")]
struct Arguments {
    /// What to measure, in this order.
    #[arg(required_unless_present = "serve")]
    workloads: Vec<Workload>,
    /// Which databases.
    #[arg(long, default_value = "both")]
    store: StoreChoice,
    /// Also write the figures to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Where databases are put; the disk of this directory is measured.
    #[arg(long, value_name = "DIR", default_value_os_t = std::env::temp_dir())]
    directory: PathBuf,
    /// Multiplies the number of runs, steps and signals of each workload.
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// How long each setting of a raw limit is measured.
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    raw_seconds: f64,
    /// The size of the snapshots that the raw limits write.
    #[arg(long, value_name = "BYTES", default_value_t = 400)]
    state_bytes: usize,
    /// For how long `w9` holds a snapshot open.
    #[arg(long, value_name = "MINUTES", default_value_t = 7.0)]
    snapshot_minutes: f64,
    /// Be a worker process on this database.
    #[arg(long, value_name = "URL", hide = true)]
    serve: Option<String>,
    /// As a worker process, die in this step.
    #[arg(long, value_name = "STEP", hide = true, requires = "serve")]
    abort_at: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Workload {
    /// The raw limits alone.
    Raw,
    /// Runs of ten steps, as many at a time as gives the best rate.
    W1,
    /// One run at a time.
    W2,
    /// Many runs that sleep for the same time.
    W3,
    /// One run of very many steps, and recovery.
    W4,
    /// What runs take on disk.
    W5,
    /// Very many parked runs.
    W6,
    /// Signals.
    W7,
    /// Several worker processes on one Postgres.
    W8,
    /// Queued activities while another session holds a snapshot open for minutes. Not among `all`.
    W9,
    /// Many schedules on one worker. Not among `all`.
    W10,
    /// Fan-outs of activities, spawned operations and children. Not among `all`.
    W11,
    /// Promises that clients complete. Not among `all`.
    W12,
    /// Lists and counts of very many runs. Not among `all`.
    W13,
    /// All of the above.
    All,
    /// What `#[workflow]` costs rustc.
    CompileTime,
    /// The same in an incremental build from nothing.
    CompileTimeIncremental,
    /// The same with macros that are optimized.
    CompileTimeMacros,
    /// The same in the release profile.
    CompileTimeRelease,
}

/// The workloads of `all`.
const ALL: [Workload; 9] = [
    Workload::Raw,
    Workload::W1,
    Workload::W2,
    Workload::W3,
    Workload::W4,
    Workload::W5,
    Workload::W6,
    Workload::W7,
    Workload::W8,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StoreChoice {
    Sqlite,
    Postgres,
    Both,
}

impl StoreChoice {
    fn stores(self) -> Vec<StoreKind> {
        match self {
            Self::Sqlite => vec![StoreKind::Sqlite],
            Self::Postgres => vec![StoreKind::Postgres],
            Self::Both => vec![StoreKind::Sqlite, StoreKind::Postgres],
        }
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if let Some(url) = arguments.serve {
        return worker_process::serve(&url, arguments.abort_at).await;
    }
    let mut session = Session::new(Options {
        stores: arguments.store.stores(),
        directory: arguments.directory,
        scale: arguments.scale,
        raw_duration: Duration::from_secs_f64(arguments.raw_seconds),
        state_bytes: arguments.state_bytes,
        open_snapshot: Duration::from_secs_f64(arguments.snapshot_minutes * 60.0),
    });
    session.report.setting("cores", std::thread::available_parallelism()?);
    for workload in arguments.workloads {
        run(workload, &mut session).await?;
    }
    println!("{}", session.report.to_table());
    if let Some(path) = arguments.json {
        let file = File::create(&path).with_context(|| path.display().to_string())?;
        serde_json::to_writer_pretty(BufWriter::new(file), &session.report)?;
    }
    Ok(())
}

async fn run(workload: Workload, session: &mut Session) -> Result<()> {
    match workload {
        Workload::Raw => session.measure_raw().await,
        Workload::W1 => {
            w1_throughput::run(session).await?;
            w1_relaxed::run(session).await
        }
        Workload::W2 => w2_latency::run(session).await,
        Workload::W3 => w3_timers::run(session).await,
        Workload::W4 => w4_long_run::run(session).await,
        Workload::W5 => w5_storage::run(session).await,
        Workload::W6 => w6_parked::run(session).await,
        Workload::W7 => w7_signals::run(session).await,
        Workload::W8 => w8_fleet::run(session).await,
        Workload::W9 => w9_snapshot::run(session).await,
        Workload::W10 => w10_schedules::run(session).await,
        Workload::W11 => w11_fan_out::run(session).await,
        Workload::W12 => w12_promises::run(session).await,
        Workload::W13 => w13_lists::run(session).await,
        Workload::CompileTime => compile_time::run(session, Profile::Debug).await,
        Workload::CompileTimeIncremental => compile_time::run(session, Profile::Incremental).await,
        Workload::CompileTimeMacros => compile_time::run(session, Profile::OptimizedMacros).await,
        Workload::CompileTimeRelease => compile_time::run(session, Profile::Release).await,
        Workload::All => {
            for workload in ALL {
                Box::pin(run(workload, session)).await?;
            }
            Ok(())
        }
    }
}

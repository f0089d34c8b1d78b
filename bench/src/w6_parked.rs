//! W6: very many parked runs.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::inspector::Inspector;
use crate::report::{Figure, Target, Unit};
use crate::session::Session;
use crate::system::System;
use crate::w3_timers::{lateness, start_naps};
use crate::worker_process::WorkerProcess;

/// Runs that are parked.
const RUNS: usize = 1_000_000;

/// Runs that fall due beside them.
const DUE: usize = 1_000;

/// For how long the parked runs wait: far beyond the end of the measurement.
const LONG: Duration = Duration::from_secs(30 * 86_400);

/// For how long the others wait: longer than a worker keeps a run in memory for.
const SHORT: Duration = Duration::from_secs(75);

/// How often the committed steps are counted.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

/// The most that a parked run may take on disk beside its own data.
const ROW_BYTES: f64 = 500.0;

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    for kind in session.options.stores.clone() {
        let (runs, due) = (session.scaled(RUNS), session.scaled(DUE));
        let system = System::without_worker(&mut session.databases, kind).await?;
        let mut inspector = Inspector::connect(&system.database).await?;
        let process = WorkerProcess::start(&system.database.url, None).await?;
        // The worker's buffers and caches have their size after some work.
        start_naps(&system.client, runs / 20 + 1, LONG).await?;
        wait_for_steps(&mut inspector, runs / 20 + 1).await?;
        let (memory, disk) = (process.resident_bytes()?, inspector.bytes().await?);

        let begin = Instant::now();
        start_naps(&system.client, runs, LONG).await?;
        wait_for_steps(&mut inspector, runs + runs / 20 + 1).await?;
        let parked = begin.elapsed();
        let memory_after = process.resident_bytes()?;
        let disk_after = inspector.bytes().await?;

        start_naps(&system.client, due, SHORT).await?;
        system.wait_for_completed(due).await?;
        let late = lateness(&system.client, due, SHORT).await?;
        inspector.close().await?;
        process.stop().await?;
        system.stop().await?;

        let grown = disk_after.saturating_sub(disk) as f64;
        let rate = runs as f64 / parked.as_secs_f64();
        for figure in [
            Figure::new("W6", "worker memory", memory_after as f64, Unit::Bytes)
                .raw(memory as f64)
                .target(Target::RatioAtMost(1.1))
                .detail(format!("{runs} parked runs; the limit is its memory before")),
            Figure::new("W6", "disk per parked run", grown / runs as f64, Unit::Bytes)
                .target(Target::AtMost(ROW_BYTES)),
            Figure::rate("W6", "runs started, stepped and parked", rate),
            Figure::time("W6", "due runs late by p50", late.p50())
                .detail(format!("{due} runs fall due, claimed from among the others")),
            Figure::time("W6", "due runs late by p99", late.p99()),
        ] {
            session.report.add(figure.store(kind));
        }
    }
    Ok(())
}

/// Waits until all runs together have made so many steps.
pub(crate) async fn wait_for_steps(inspector: &mut Inspector, steps: usize) -> Result<()> {
    while inspector.committed_steps().await? < steps as u64 {
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
    Ok(())
}

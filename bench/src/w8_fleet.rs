//! W8: several worker processes on one Postgres, busy and idle.

use std::time::Duration;

use anyhow::Result;

use crate::database::StoreKind;
use crate::inspector::{Inspector, STATISTICS_DELAY};
use crate::report::Figure;
use crate::session::Session;
use crate::system::{System, flow};
use crate::w1_throughput::STEPS;
use crate::worker_process::WorkerProcess;

/// Numbers of worker processes.
const FLEETS: [usize; 3] = [1, 2, 4];

/// Runs per fleet.
const RUNS: usize = 5_000;

/// How many runs are under way at a time.
const WINDOW: usize = 1_000;

/// How long the idle fleet is watched.
const IDLE: Duration = Duration::from_secs(10);

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    let kind = StoreKind::Postgres;
    if !session.options.stores.contains(&kind) {
        return Ok(());
    }
    let runs = session.scaled(RUNS);
    let mut alone = None;
    for size in FLEETS {
        let system = System::without_worker(&mut session.databases, kind).await?;
        let mut fleet = Vec::with_capacity(size);
        for _ in 0..size {
            fleet.push(WorkerProcess::start(&system.database.url, None).await?);
        }
        flow(&system.client, runs / 10 + 1, WINDOW, STEPS).await?;
        let flow = flow(&system.client, runs, WINDOW, STEPS).await?;
        let rate = runs as f64 * f64::from(STEPS) / flow.elapsed.as_secs_f64();
        let base = *alone.get_or_insert(rate);
        let queries = idle_queries(&system).await?;
        for process in fleet {
            process.stop().await?;
        }
        system.stop().await?;
        session.report.add(
            Figure::rate("W8", format!("steps, {size} worker process(es)"), rate)
                .store(kind)
                .raw(base)
                .detail(format!("{runs} runs of {STEPS} steps; the limit is one process")),
        );
        session.report.add(
            Figure::rate("W8", format!("transactions, {size} idle process(es)"), queries)
                .store(kind),
        );
    }
    Ok(())
}

/// Transactions per second of a fleet that has nothing to do, the client's included.
async fn idle_queries(system: &System) -> Result<f64> {
    let mut inspector = Inspector::connect(&system.database).await?;
    tokio::time::sleep(STATISTICS_DELAY).await;
    let before = inspector.transactions().await?;
    tokio::time::sleep(IDLE).await;
    let after = inspector.transactions().await?;
    inspector.close().await?;
    Ok(after.zip(before).map_or(0.0, |(after, before)| (after - before) as f64)
        / IDLE.as_secs_f64())
}

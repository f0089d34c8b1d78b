//! W5: the disk space of runs.

use std::time::Duration;

use anyhow::Result;

use crate::database::StoreKind;
use crate::inspector::{Inspector, STATISTICS_DELAY};
use crate::report::{Figure, Target, Unit};
use crate::session::Session;
use crate::system::{System, flow};
use crate::w1_throughput::STEPS;

/// Runs that are closed in the end.
const RUNS: usize = 50_000;

/// Runs of the steady load, all open at the same time, and their steps: seconds of them, since in
/// the first one the table finds its size.
const STEADY: (usize, u32) = (500, 2_000);

/// How many runs are under way at a time.
const WINDOW: usize = 500;

/// What a step may add to the state in the log.
const OVERHEAD: f64 = 150.0;

/// How often the committed steps are counted.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    for kind in session.options.stores.clone() {
        closed_runs(session, kind).await?;
        steady_load(session, kind).await?;
    }
    Ok(())
}

/// Growth of the database by runs that come and go.
async fn closed_runs(session: &mut Session, kind: StoreKind) -> Result<()> {
    let runs = session.scaled(RUNS);
    let system = System::start(&mut session.databases, kind, |worker| worker).await?;
    let mut inspector = Inspector::connect(&system.database).await?;
    flow(&system.client, WINDOW, WINDOW, STEPS).await?;
    let (before, log_before) = (inspector.bytes().await?, inspector.log_position().await?);
    flow(&system.client, runs, WINDOW, STEPS).await?;
    let (after, log_after) = (inspector.bytes().await?, inspector.log_position().await?);
    inspector.close().await?;
    system.stop().await?;

    let bytes = |name, bytes| Figure::new("W5", name, bytes, Unit::Bytes).store(kind);
    let per_run = after.saturating_sub(before) as f64 / runs as f64;
    session.report.add(
        bytes("database per closed run", per_run).detail(format!("{runs} runs of {STEPS} steps")),
    );
    session.report.add(bytes("database per step", per_run / f64::from(STEPS)));
    if let Some((after, before)) = log_after.zip(log_before) {
        let per_step = (after - before) as f64 / (runs as f64 * f64::from(STEPS));
        session.report.add(
            bytes("log per step", per_step)
                .detail("starts, ends and full-page writes after checkpoints included"),
        );
    }
    Ok(())
}

/// What there is at one time of the steady load.
#[derive(Clone, Copy, Debug)]
struct Sight {
    steps: u64,
    table: u64,
    log: Option<u64>,
}

/// Looks once `steps` steps have been committed.
async fn sight(inspector: &mut Inspector, steps: u64) -> Result<Sight> {
    loop {
        let committed = inspector.committed_steps().await?;
        if committed >= steps {
            return Ok(Sight {
                steps: committed,
                table: inspector.hot_table_bytes().await?,
                log: inspector.log_position().await?,
            });
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}

/// The hot table and the log under runs that go from step to step.
async fn steady_load(session: &mut Session, kind: StoreKind) -> Result<()> {
    let (runs, step_count) = (session.scaled(STEADY.0), STEADY.1);
    let steps = runs as u64 * u64::from(step_count);
    let system = System::start(&mut session.databases, kind, |worker| worker).await?;
    let mut inspector = Inspector::connect(&system.database).await?;
    let client = system.client.clone();
    let load = tokio::spawn(async move { flow(&client, runs, runs, step_count).await });
    // All runs are in the table and have been rewritten often, and none has ended.
    let early = sight(&mut inspector, steps / 5).await?;
    let late = sight(&mut inspector, steps * 4 / 5).await?;
    load.await??;
    tokio::time::sleep(STATISTICS_DELAY).await;
    let hot = inspector.hot_updates().await?;
    inspector.close().await?;
    system.stop().await?;

    session.report.add(
        Figure::new("W5", "hot table late in a steady load", late.table as f64, Unit::Bytes)
            .store(kind)
            .raw(early.table as f64)
            .target(Target::RatioAtMost(1.1))
            .detail(format!("{runs} runs of {step_count} steps; the limit is its size early on")),
    );
    if let Some((after, before)) = late.log.zip(early.log) {
        let state = session.options.state_bytes as f64;
        let per_step = (after - before) as f64 / (late.steps - early.steps) as f64;
        session.report.add(
            Figure::new("W5", "log per step of open runs", per_step, Unit::Bytes)
                .store(kind)
                .target(Target::AtMost(state + OVERHEAD)),
        );
    }
    if let Some((hot, all)) = hot {
        session.report.add(
            Figure::new("W5", "HOT share of updates", hot as f64 / all as f64, Unit::Plain)
                .store(kind)
                .target(Target::AtLeast(0.9))
                .detail(format!("{hot} of {all}")),
        );
    }
    Ok(())
}
